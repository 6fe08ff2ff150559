import { errorCode } from '../values/error_code.ts';

/** SQLSTATE classes 22 (data exception) and 23 (constraint violation). Other errors pass when the database recovers. */
export function isDataError(error: unknown): error is Error {
  return error instanceof Error && /^2[23]/.test(errorCode(error) ?? '');
}

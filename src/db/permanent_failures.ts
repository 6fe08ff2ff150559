import { DatabaseError } from 'pg';
import { errorCode } from '../values/error_code.ts';

/**
 * Returns true if the database refuses the data itself: SQLSTATE classes 22 (data exception) and 23 (constraint violation). A
 * reading is rejected only for these errors. After all others it is stored later, for example after a missing migration.
 */
export function isDataRefused(error: unknown): error is Error {
  return error instanceof Error && /^2[23]/.test(errorCode(error) ?? '');
}

/**
 * Returns true if the same work would fail again, so that the tank or customer that causes the error must be isolated. Returns false
 * for a lost connection, a deadlock or a lack of resources: SQLSTATE classes 08, 25 (a read-only server after a failover), 40, 53, 57
 * and 58. A statement timeout (57014) is an exception, because one tank may cause it.
 */
export function isPermanentFailure(error: unknown): boolean {
  if (error instanceof RangeError || error instanceof TypeError) return true;
  if (!(error instanceof DatabaseError) || error.code === undefined) return false;
  return error.code === '57014' || !/^(08|25|40|53|57|58)/.test(error.code);
}

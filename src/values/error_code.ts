/** Returns the code of a Node.js, PostgreSQL or library error, such as ENOENT or 23505; undefined if the error has no code. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const { code } = error;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : undefined;
}

/** The SQLSTATE of PostgreSQL if another row has the same key. */
export const UNIQUE_VIOLATION = '23505';
/** The SQLSTATE of a statement that has waited too long for a lock. */
export const LOCK_TIMEOUT = '55P03';

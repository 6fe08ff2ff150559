/** The code of a Node.js, PostgreSQL or library error, such as ENOENT or 23505. Undefined if there is none. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const { code } = error;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : undefined;
}

/** Of PostgreSQL: another row has the same key. */
export const UNIQUE_VIOLATION = '23505';

import type { PoolClient } from 'pg';

/** The first line of a migration that runs outside a transaction. */
const MARKER = '-- without transaction';

/** A statement of a migration that runs outside a transaction. */
interface LockFreeStatement {
  sql: string;
  action: 'create' | 'drop' | 'call';
  /** The name of the index or the procedure. */
  name: string;
}

export const isOutsideTransaction = (sql: string): boolean => sql.startsWith(`${MARKER}\n`);

/**
 * Runs a migration that creates or drops indexes while writers continue, or calls a procedure that fills a table in several
 * transactions. PostgreSQL does not allow this in a transaction, so a crash can leave a part of the migration applied. Therefore it can
 * be repeated: a complete index is kept, an incomplete index is dropped and built again, and a procedure must have the same result
 * when it is called twice.
 */
export async function applyOutsideTransaction(client: PoolClient, name: string, sql: string): Promise<void> {
  // There is no lock timeout: these statements wait for older transactions, but no other statement waits for them.
  for (const { sql: statement, action, name: index } of parseStatements(name, sql)) {
    if (action === 'call') {
      await client.query(statement);
      continue;
    }
    const { rows } = await client.query<{ is_valid: boolean }>(
      `select indisvalid and indisready and indislive as is_valid from pg_index where indexrelid = to_regclass($1)`,
      [`public.${index}`],
    );
    const [existing] = rows;
    if (action === 'create' && existing?.is_valid) continue;
    if (action === 'create' && existing !== undefined) await client.query(`drop index concurrently public.${index}`);
    if (action === 'create' || existing !== undefined) await client.query(statement);
  }
}

const STATEMENT =
  /^(?:(?<create>create)(?: unique)? index concurrently|(?<drop>drop) index concurrently|(?<call>call)) (?<name>[a-z0-9_]+)\b/;

function parseStatements(migration: string, sql: string): LockFreeStatement[] {
  const lines = sql.split('\n').filter((line) => !line.trimStart().startsWith('--'));
  const statements = lines.join('\n').split(';');
  return statements
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
    .map((statement) => {
      const { create, drop, name } = STATEMENT.exec(statement)?.groups ?? {};
      if (name === undefined) {
        throw new Error(
          `migration ${migration} runs without a transaction, so it may only contain "create index concurrently NAME", "drop index concurrently NAME" and "call NAME()", not: ${statement}`,
        );
      }
      return { sql: statement, action: create !== undefined ? 'create' : drop !== undefined ? 'drop' : 'call', name };
    });
}

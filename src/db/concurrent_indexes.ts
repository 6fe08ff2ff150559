import type { PoolClient } from 'pg';

/** The first line of a migration that runs outside a transaction. */
const MARKER = '-- without transaction';

/** A statement of such a migration. */
interface IndexStatement {
  sql: string;
  action: 'create' | 'drop';
  index: string;
}

export const isOutsideTransaction = (sql: string): boolean => sql.startsWith(`${MARKER}\n`);

/**
 * Runs a migration that creates or drops indexes while writers continue. PostgreSQL does not do this in a transaction, so
 * a crash can leave a part of it. Therefore the migration may be repeated: an index that is complete stays, and one that
 * was left incomplete is dropped and built again.
 */
export async function applyOutsideTransaction(client: PoolClient, name: string, sql: string): Promise<void> {
  // No lock timeout: these statements wait for older transactions, but nobody waits for them.
  for (const { sql: statement, action, index } of parseStatements(name, sql)) {
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

const STATEMENT = /^(?:(create)(?: unique)? index|(drop) index) concurrently ([a-z0-9_]+)\b/;

function parseStatements(name: string, sql: string): IndexStatement[] {
  const lines = sql.split('\n').filter((line) => !line.trimStart().startsWith('--'));
  const statements = lines.join('\n').split(';');
  return statements
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
    .map((statement) => {
      const [, create, , index] = STATEMENT.exec(statement) ?? [];
      if (index === undefined) {
        throw new Error(
          `migration ${name} runs without a transaction, so it may only contain "create index concurrently NAME" and "drop index concurrently NAME", not: ${statement}`,
        );
      }
      return { sql: statement, action: create === undefined ? 'drop' : 'create', index };
    });
}

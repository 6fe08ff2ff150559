import { randomInt } from 'node:crypto';

/** Leaves room for the rows of a dry run, which have the numbers below the first one. */
const MAX_DRY_RUN_NO = 2_000_000_000;

/**
 * A number for a row of a dry run, which the caller rolls back. A rollback does not return a number to the sequence, so the number is
 * negative. It is random: with a fixed one, a dry run would wait for that of another organization.
 */
export const dryRunNo = (): number => -randomInt(1, MAX_DRY_RUN_NO);

/** Returns the statement that inserts one row with the parameters $1, $2 and so on. In a dry run, the row gets a dryRunNo. */
export function insertRow(table: string, columns: readonly string[], { isDryRun }: { isDryRun: boolean }): string {
  const values = columns.map((_, index) => `$${index + 1}`).join(', ');
  return isDryRun
    ? `insert into ${table} (no, ${columns.join(', ')}) overriding system value values (${dryRunNo()}, ${values})`
    : `insert into ${table} (${columns.join(', ')}) values (${values})`;
}

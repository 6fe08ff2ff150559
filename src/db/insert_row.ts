/**
 * The statement that inserts one row with the parameters $1, $2 and so on. A dry run, which the caller rolls back, gives the row a
 * negative number, because a rollback does not give a number back to the sequence.
 */
export function insertRow(
  table: string,
  columns: readonly string[],
  { isDryRun, dryRunNo = -1 }: { isDryRun: boolean; dryRunNo?: number },
): string {
  const values = columns.map((_, at) => `$${at + 1}`).join(', ');
  return isDryRun
    ? `insert into ${table} (no, ${columns.join(', ')}) overriding system value values (${dryRunNo}, ${values})`
    : `insert into ${table} (${columns.join(', ')}) values (${values})`;
}

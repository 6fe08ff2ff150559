/**
 * Returns the statement that inserts one row with the parameters $1, $2 and so on. In a dry run, which the caller rolls back, the row
 * gets a negative number, because a rollback does not return a number to the sequence.
 */
export function insertRow(
  table: string,
  columns: readonly string[],
  { isDryRun, dryRunNo = -1 }: { isDryRun: boolean; dryRunNo?: number },
): string {
  const values = columns.map((_, index) => `$${index + 1}`).join(', ');
  return isDryRun
    ? `insert into ${table} (no, ${columns.join(', ')}) overriding system value values (${dryRunNo}, ${values})`
    : `insert into ${table} (${columns.join(', ')}) values (${values})`;
}

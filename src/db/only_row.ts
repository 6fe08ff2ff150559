/** Returns the row of a statement that returns exactly one row, and throws otherwise. */
export function onlyRow<Row>(rows: readonly Row[]): Row {
  const row = rows[0];
  if (row === undefined || rows.length > 1) throw new Error(`expected one row, got ${rows.length}`);
  return row;
}

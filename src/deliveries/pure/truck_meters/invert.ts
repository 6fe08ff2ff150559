/** A diagonal element below this belongs to a truck without data. */
const MIN_PIVOT = 1e-12;

/** The inverse of a small symmetric matrix, by elimination with the largest pivot. */
export function invert(matrix: readonly (readonly number[])[]): number[][] {
  const size = matrix.length;
  const rows = matrix.map((line, row) => [
    ...line,
    ...Array.from({ length: size }, (_, column) => (column === row ? 1 : 0)),
  ]);
  for (let step = 0; step < size; step++) {
    const order = rows.slice(step).toSorted((a, b) => Math.abs(b[step] ?? 0) - Math.abs(a[step] ?? 0));
    rows.splice(step, order.length, ...order);
    const pivotRow = rows[step] ?? [];
    const found = pivotRow[step] ?? 0;
    const pivot = Math.abs(found) < MIN_PIVOT ? MIN_PIVOT : found;
    const scaled = pivotRow.map((value) => value / pivot);
    rows[step] = scaled;
    rows.forEach((line, row) => {
      const factor = line[step] ?? 0;
      if (row === step || factor === 0) return;
      rows[row] = line.map((value, column) => value - factor * (scaled[column] ?? 0));
    });
  }
  return rows.map((line) => line.slice(size));
}

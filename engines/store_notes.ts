import type { Pool } from 'pg';
import type { ImportRow } from '../src/catalog/import_row.ts';
import { transaction } from '../src/db/pool.ts';
import { noteImport } from '../src/deliveries/store_delivery_notes.ts';
import { uuid7 } from '../src/values/uuid7.ts';

/** Stores delivery notes as an import does. All notes must have the same fields. */
export async function storeNotes(
  operator: Pool,
  organizationNo: number,
  notes: readonly Record<string, unknown>[],
  { replace = false } = {},
): Promise<{ created: number; updated: number; unchanged: number; errors: string[] }> {
  const target = noteImport({ source: 'import', replace });
  const rows: ImportRow[] = notes.map((values, at) => ({ line: at + 2, cells: [], values: { ...values }, errors: [] }));
  await target.check(operator, organizationNo, rows);
  const good = rows.filter(({ errors }) => errors.length === 0);
  const counts = await transaction(operator, (tx) =>
    target.upsert(tx, organizationNo, {
      rowTexts: good.map(({ values }) => JSON.stringify({ ...values, id: uuid7() })),
      given: Object.keys(notes[0] ?? {}),
      isDryRun: false,
    }),
  );
  return {
    ...counts,
    errors: rows.flatMap(({ errors }) => errors.map(({ column, problem }) => `${column}: ${problem}`)),
  };
}

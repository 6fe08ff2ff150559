import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';

interface NewText {
  organizationNo: number;
  contactNo: number;
  purpose: 'alert' | 'code' | 'test';
  escalationNo?: number;
  step?: number;
}

/** Stores a text and its job in the transaction of the caller. A text of the same step to the same person exists only once. */
export async function enqueueText(
  db: Db,
  { organizationNo, contactNo, purpose, escalationNo, step }: NewText,
  { isDryRun = false }: { isDryRun?: boolean } = {},
): Promise<void> {
  if (isDryRun) return;
  const { rows } = await db.query<{ no: number }>(
    `insert into texts (organization_no, contact_no, purpose, escalation_no, step) values ($1, $2, $3, $4, $5)
     on conflict (escalation_no, contact_no, step) where escalation_no is not null do nothing
     returning no`,
    [organizationNo, contactNo, purpose, escalationNo ?? null, step ?? null],
  );
  if (rows.length === 0) return;
  const { no } = onlyRow(rows);
  await db.query(`insert into text_jobs (organization_no, task, key, payload) values ($1, 'send_text', $2, $3)`, [
    organizationNo,
    `text:${no}`,
    JSON.stringify({ text_no: no }),
  ]);
}

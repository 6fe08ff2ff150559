import { onlyRow } from '../../db/only_row.ts';
import type { Tx } from '../../db/pool.ts';
import { quotaReached } from '../../http/problem.ts';
import type { QuotasConfig } from '../../settings/role_settings.ts';

/** What an organization may have, or create in a day, over HTTP. */
export type Limited = keyof QuotasConfig;

const WORDS: Readonly<Record<Limited, string>> = {
  customers: 'customers',
  tanks: 'tanks',
  rounds: 'new rounds a day',
  delivery_notes: 'new delivery notes a day',
};

/**
 * Throws 409 if the organization has more than its quota, now that this many were created in the transaction. The counters of new
 * rounds and notes are locked until it ends, so call it late.
 */
export async function checkQuota(
  tx: Tx,
  organizationNo: number,
  { what, created }: { what: Limited; created: number },
  defaults: QuotasConfig,
): Promise<void> {
  if (created === 0) return;
  const { rows } = await tx.query<{ quota: number | null }>('select exceeded_quota($1, $2, $3, $4) as quota', [
    organizationNo,
    what,
    created,
    defaults[what],
  ]);
  const { quota } = onlyRow(rows);
  if (quota !== null) throw quotaReached(`${quota} ${WORDS[what]}`);
}

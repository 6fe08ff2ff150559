import { DEFAULT_QUOTAS } from '../../catalog/organizations.ts';
import { onlyRow } from '../../db/only_row.ts';
import type { Tx } from '../../db/pool.ts';
import { quotaReached } from '../../http/problem.ts';

/** The objects whose number is limited over HTTP, in total or per day. */
export type Limited = keyof typeof DEFAULT_QUOTAS;

const WORDS: Readonly<Record<Limited, string>> = {
  customers: 'customers',
  tanks: 'tanks',
  rounds: 'new rounds a day',
  delivery_notes: 'new delivery notes a day',
};

/**
 * Throws 409 if the organization exceeds its quota with the objects that the transaction has created. It is called
 * late, because the counters of new rounds and notes stay locked until the transaction ends. `rolledBack` is the number
 * of objects that earlier transactions of a dry run would have stored.
 */
export async function checkQuota(
  tx: Tx,
  organizationNo: number,
  { what, created, rolledBack = 0 }: { what: Limited; created: number; rolledBack?: number },
): Promise<void> {
  if (created === 0) return;
  const { rows } = await tx.query<{ quota: number | null }>('select exceeded_quota($1, $2, $3, $4) as quota', [
    organizationNo,
    what,
    what === 'customers' || what === 'tanks' ? rolledBack : created + rolledBack,
    DEFAULT_QUOTAS[what],
  ]);
  const { quota } = onlyRow(rows);
  if (quota !== null) throw quotaReached(`${quota} ${WORDS[what]}`);
}

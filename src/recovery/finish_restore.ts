import { onlyRow } from '../db/only_row.ts';
import type { Tx } from '../db/pool.ts';
import { endAllDriverLinks } from '../deliveries/driver_links.ts';
import { raiseChangeEpoch } from '../evaluation/record_events.ts';
import { type ReapplyResult, reapplyRemovals } from './reapply_removals.ts';
import type { Removal } from './removal.ts';

/**
 * Prepares a restored database before any role starts. Applies the removals since the backup again, and ends all
 * sessions and all links for drivers, because the backup does not contain which were ended since.
 */
export async function finishRestore(
  tx: Tx,
  removals: readonly Removal[],
): Promise<ReapplyResult & { sessions: number; linkedRounds: number }> {
  await raiseChangeEpoch(tx);
  const reapplied = await reapplyRemovals(tx, removals);
  const { rows } = await tx.query<{ ended: number }>('select end_all_sessions() as ended');
  return { ...reapplied, sessions: onlyRow(rows).ended, linkedRounds: await endAllDriverLinks(tx) };
}

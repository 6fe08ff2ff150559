import type { Tx } from '../db/pool.ts';
import { ChangeRefusedError } from '../values/change_refusal.ts';

/** What has an `external_key`: the organization's own number, of which each kind has it once. */
const TABLES = {
  customer: 'customers',
  tank: 'tanks',
  depot: 'depots',
  truck: 'trucks',
  driver: 'drivers',
} as const;

/** Throws if another object of the kind has one of the numbers. */
export async function refuseTakenKeys(
  tx: Tx,
  organizationNo: number,
  kind: keyof typeof TABLES,
  keys: readonly (string | null | undefined)[],
  ownId: string | null = null,
): Promise<void> {
  const given = keys.filter((key) => typeof key === 'string');
  if (given.length === 0) return;
  const { rows } = await tx.query<{ id: string }>(
    `select id from ${TABLES[kind]} where organization_no = $1 and external_key = any ($2) and id is distinct from $3::uuid limit 1`,
    [organizationNo, given, ownId],
  );
  if (rows[0]) throw new ChangeRefusedError('external_key_taken', `another ${kind} has this external_key`, rows[0].id);
}

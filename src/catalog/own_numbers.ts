import type { Tx } from '../db/pool.ts';
import { ChangeRefusedError } from '../values/change_refusal.ts';

/** Throws if another object of this kind has one of the keys. `ownId` is the object that may have them. */
export async function refuseTakenKeys(
  tx: Tx,
  organizationNo: number,
  { kind, table }: { kind: string; table: string },
  keys: readonly (string | null | undefined)[],
  ownId: string | null = null,
): Promise<void> {
  const given = keys.filter((key) => typeof key === 'string');
  if (given.length === 0) return;
  const { rows } = await tx.query<{ id: string }>(
    `select id from ${table} where organization_no = $1 and external_key = any ($2) and id is distinct from $3::uuid limit 1`,
    [organizationNo, given, ownId],
  );
  if (rows[0]) throw new ChangeRefusedError('external_key_taken', `another ${kind} has this external_key`, rows[0].id);
}

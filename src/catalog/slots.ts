import type { Tx } from '../db/pool.ts';

/** The two characters that begin an organization's code and its keys. Proxies route by them. */
export const slotOf = (organizationCode: string): string => organizationCode.slice(0, 2);

/** The slot with the fewest organizations. Of several such slots, the first in the given order. */
export async function chooseSlot(tx: Tx, slots: readonly string[]): Promise<string> {
  // The lock lasts until the end of the transaction, so that two commands do not choose the same slot.
  await tx.query(`select pg_advisory_xact_lock(hashtext('tankwatch slots'))`);
  const { rows } = await tx.query<{ slot: string }>(
    `select s.slot from unnest($1::text[]) with ordinality as s (slot, position)
     left join organizations o on left(o.code, 2) = s.slot and o.deleted_at is null
     group by s.slot, s.position order by count(o.no), s.position limit 1`,
    [slots],
  );
  return rows[0]?.slot ?? '';
}

/** Other organizations with the slot of this one. They can move to another cell only together. */
export async function listSlotNeighbors(tx: Tx, organizationCode: string): Promise<string[]> {
  const { rows } = await tx.query<{ code: string }>(
    'select code from organizations where left(code, 2) = $1 and code <> $2 and deleted_at is null order by code',
    [slotOf(organizationCode), organizationCode],
  );
  return rows.map(({ code }) => code);
}

/** A code of at most 16 characters: the slot and the letters and digits of the name. */
export function codeFromName(slot: string, name: string): string {
  const word = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
  return slot + (word.slice(0, 14) || 'org');
}

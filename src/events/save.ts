import { arrayLiteral, type Tx } from '../db/pool.ts';
import type { Checkpoint } from './judge.ts';

const SLOTS = 4;
const DAY_MS = 86_400_000;

/** Keeps the newest checkpoint of each of the last four days of a tank. */
export async function saveCheckpoints(tx: Tx, checkpoints: readonly Checkpoint[]): Promise<void> {
  if (checkpoints.length === 0) return;
  const bySlot = new Map(
    checkpoints.map((checkpoint) => [`${checkpoint.tankNo} ${slotOf(checkpoint.at)}`, checkpoint]),
  );
  const kept = [...bySlot.values()];
  await tx.query({
    name: 'save_checkpoints',
    text: `insert into tank_checkpoints (tank_no, slot, at, meaning)
       select * from unnest($1::int[], $2::smallint[], $3::timestamptz[], $4::text[]) as c (tank_no, slot, at, meaning)
       order by tank_no, slot
       on conflict (tank_no, slot) do update set at = excluded.at, meaning = excluded.meaning`,
    values: [
      arrayLiteral(kept.map(({ tankNo }) => tankNo)),
      arrayLiteral(kept.map(({ at }) => slotOf(at))),
      arrayLiteral(kept.map(({ at }) => at)),
      kept.map(({ meaning }) => meaning),
    ],
  });
}

const slotOf = (at: string): number => Math.floor(Date.parse(at) / DAY_MS) % SLOTS;

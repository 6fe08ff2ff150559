import { checkpointWeek } from '../alerts/reevaluate.ts';
import { arrayLiteral, type Tx, textArrayLiteral } from '../db/pool.ts';
import type { StoredCheckpoint } from './evaluate_readings.ts';

const SLOTS = 4;

/** Keeps the checkpoints of the last four weeks of a tank. */
export async function saveCheckpoints(tx: Tx, checkpoints: readonly StoredCheckpoint[]): Promise<void> {
  if (checkpoints.length === 0) return;
  const bySlot = new Map(
    checkpoints.map((checkpoint) => [`${checkpoint.tankNo} ${slotOf(checkpoint.atMs)}`, checkpoint]),
  );
  const kept = [...bySlot.values()];
  await tx.query({
    name: 'save_checkpoints',
    text: `insert into tank_checkpoints (tank_no, slot, at, encoded_state)
       select tank_no, slot, to_timestamp(ms / 1000), encoded_state
       from unnest($1::int[], $2::smallint[], $3::float8[], $4::text[]) as c (tank_no, slot, ms, encoded_state)
       order by tank_no, slot
       on conflict (tank_no, slot) do update set at = excluded.at, encoded_state = excluded.encoded_state`,
    values: [
      arrayLiteral(kept.map(({ tankNo }) => tankNo)),
      arrayLiteral(kept.map(({ atMs }) => slotOf(atMs))),
      arrayLiteral(kept.map(({ atMs }) => atMs)),
      textArrayLiteral(kept.map(({ encodedState }) => encodedState)),
    ],
  });
}

const slotOf = (atMs: number): number => checkpointWeek(atMs) % SLOTS;

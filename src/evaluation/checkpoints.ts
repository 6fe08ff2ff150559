import { checkpointWeek } from '../alerts/reevaluate.ts';
import { arrayLiteral, type Tx, textArrayLiteral } from '../db/pool.ts';
import type { StoredCheckpoint } from './evaluate_readings.ts';

const SLOTS = 4;

/** Saves checkpoints. A tank keeps one per slot, that is the last four weeks. */
export async function saveCheckpoints(tx: Tx, checkpoints: readonly StoredCheckpoint[]): Promise<void> {
  if (checkpoints.length === 0) return;
  const lastOfSlot = new Map(
    checkpoints.map((checkpoint) => [`${checkpoint.tankNo} ${slotOf(checkpoint.atMs)}`, checkpoint]),
  );
  const toSave = [...lastOfSlot.values()];
  await tx.query({
    name: 'save_checkpoints',
    text: `insert into tank_checkpoints (tank_no, slot, at, encoded_state)
       select tank_no, slot, to_timestamp(ms / 1000), encoded_state
       from unnest($1::int[], $2::smallint[], $3::float8[], $4::text[]) as c (tank_no, slot, ms, encoded_state)
       order by tank_no, slot
       on conflict (tank_no, slot) do update set at = excluded.at, encoded_state = excluded.encoded_state`,
    values: [
      arrayLiteral(toSave.map(({ tankNo }) => tankNo)),
      arrayLiteral(toSave.map(({ atMs }) => slotOf(atMs))),
      arrayLiteral(toSave.map(({ atMs }) => atMs)),
      textArrayLiteral(toSave.map(({ encodedState }) => encodedState)),
    ],
  });
}

const slotOf = (atMs: number): number => checkpointWeek(atMs) % SLOTS;

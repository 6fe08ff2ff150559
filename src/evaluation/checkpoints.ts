import { checkpointWeek } from '../alerts/reevaluate.ts';
import { arrayLiteral, type Tx, textArrayLiteral } from '../db/pool.ts';
import type { StoredCheckpoint } from './evaluate_readings.ts';

const SLOTS = 4;

/** Keeps the checkpoints of the last four weeks of a tank. */
export async function saveCheckpoints(tx: Tx, checkpoints: readonly StoredCheckpoint[]): Promise<void> {
  if (checkpoints.length === 0) return;
  const bySlot = new Map(
    checkpoints.map((checkpoint) => [`${checkpoint.tankNo} ${week_indexOf(checkpoint.atMs)}`, checkpoint]),
  );
  const kept = [...bySlot.values()];
  await tx.query({
    name: 'save_checkpoints',
    text: `insert into tank_checkpoints (tank_no, week_index, at, encoded_state)
       select tank_no, week_index, to_timestamp(ms / 1000), encoded_state
       from unnest($1::int[], $2::smallint[], $3::float8[], $4::text[]) as c (tank_no, week_index, ms, encoded_state)
       order by tank_no, week_index
       on conflict (tank_no, week_index) do update set at = excluded.at, encoded_state = excluded.encoded_state`,
    values: [
      arrayLiteral(kept.map(({ tankNo }) => tankNo)),
      arrayLiteral(kept.map(({ atMs }) => week_indexOf(atMs))),
      arrayLiteral(kept.map(({ atMs }) => atMs)),
      textArrayLiteral(kept.map(({ encodedState }) => encodedState)),
    ],
  });
}

const week_indexOf = (atMs: number): number => checkpointWeek(atMs) % SLOTS;

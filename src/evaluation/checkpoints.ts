import { checkpointWeek } from '../alerts/reevaluate.ts';
import { arrayLiteral, type Tx, textArrayLiteral } from '../db/pool.ts';
import type { StoredCheckpoint } from './evaluate_readings.ts';

const KEPT_WEEKS = 4;

/** Saves checkpoints. A tank keeps one per week, for the last four weeks. */
export async function saveCheckpoints(tx: Tx, checkpoints: readonly StoredCheckpoint[]): Promise<void> {
  if (checkpoints.length === 0) return;
  const lastOfWeek = new Map(
    checkpoints.map((checkpoint) => [`${checkpoint.tankNo} ${weekIndex(checkpoint.atMs)}`, checkpoint]),
  );
  const toSave = [...lastOfWeek.values()];
  await tx.query({
    name: 'save_checkpoints',
    text: `insert into tank_checkpoints (tank_no, week_index, at, encoded_state)
       select tank_no, week_index, to_timestamp(ms / 1000), encoded_state
       from unnest($1::int[], $2::smallint[], $3::float8[], $4::text[]) as c (tank_no, week_index, ms, encoded_state)
       order by tank_no, week_index
       on conflict (tank_no, week_index) do update set at = excluded.at, encoded_state = excluded.encoded_state`,
    values: [
      arrayLiteral(toSave.map(({ tankNo }) => tankNo)),
      arrayLiteral(toSave.map(({ atMs }) => weekIndex(atMs))),
      arrayLiteral(toSave.map(({ atMs }) => atMs)),
      textArrayLiteral(toSave.map(({ encodedState }) => encodedState)),
    ],
  });
}

const weekIndex = (atMs: number): number => checkpointWeek(atMs) % KEPT_WEEKS;

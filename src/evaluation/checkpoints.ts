import { arrayLiteral, type Tx, textArrayLiteral } from '../db/pool.ts';
import { type Checkpoint, checkpointWeek } from './pure/alerts/fold_inputs.ts';
import { encodeState } from './state_codec.ts';

export interface StoredCheckpoint {
  tankNo: number;
  atMs: number;
  encodedState: string;
  /** The state at the last reading that retention has deleted. Evaluation never begins before it. */
  isBase?: true;
}

export const storedCheckpoint = (tankNo: number, { state }: Checkpoint): StoredCheckpoint => ({
  tankNo,
  atMs: state.atMs,
  encodedState: encodeState(state),
});

const KEPT_WEEKS = 4;
/** The `week_index` of the base checkpoint, which drop_expired_telemetry saves. */
const BASE_INDEX = 4;

/** Saves checkpoints. A tank keeps one per week, for the last four weeks. */
export async function saveCheckpoints(tx: Tx, checkpoints: readonly StoredCheckpoint[]): Promise<void> {
  if (checkpoints.length === 0) return;
  const lastOfWeek = new Map(
    checkpoints.map((checkpoint) => [`${checkpoint.tankNo} ${weekIndex(checkpoint)}`, checkpoint]),
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
      arrayLiteral(toSave.map(weekIndex)),
      arrayLiteral(toSave.map(({ atMs }) => atMs)),
      textArrayLiteral(toSave.map(({ encodedState }) => encodedState)),
    ],
  });
}

const weekIndex = ({ tankNo, atMs }: StoredCheckpoint): number => checkpointWeek(tankNo, atMs) % KEPT_WEEKS;

export async function readCheckpoints(tx: Tx, tankNos: readonly number[]): Promise<Map<number, StoredCheckpoint[]>> {
  if (tankNos.length === 0) return new Map();
  const { rows } = await tx.query<{ tank_no: number; week_index: number; at_ms: number; encoded_state: string }>(
    `select tank_no, week_index, date_part('epoch', at) * 1000 as at_ms, encoded_state
     from tank_checkpoints where tank_no = any ($1::int[])`,
    [arrayLiteral(tankNos)],
  );
  const checkpoints = rows.map(
    ({ tank_no, week_index, at_ms, encoded_state }): StoredCheckpoint => ({
      tankNo: tank_no,
      atMs: Math.round(at_ms),
      encodedState: encoded_state,
      ...(week_index === BASE_INDEX && { isBase: true }),
    }),
  );
  return Map.groupBy(checkpoints, ({ tankNo }) => tankNo);
}

import { arrayLiteral, type Tx, textArrayLiteral } from '../db/pool.ts';

export interface SavedState {
  tankNo: number;
  encodedState: string;
  timerMs: number | null;
  /** Not null if the tank stays marked: re-evaluation continues from this time. */
  reevaluateFromMs: number | null;
}

/** Saves the states of tanks whose locks the caller holds. All timers up to `evaluatedUpToMs` were evaluated. */
export async function saveStates(tx: Tx, states: readonly SavedState[], evaluatedUpToMs: number): Promise<void> {
  if (states.length === 0) return;
  await tx.query({
    name: 'save_states',
    text: `update tank_states s
       set encoded_state = n.encoded_state,
           -- Keeps an earlier timer, like the statement that stores readings: a changed timer_at updates every index.
           timer_at = case when n.timer_ms is null or s.timer_at <= to_timestamp($5::float8 / 1000)
                           then to_timestamp(n.timer_ms / 1000)
                           else least(s.timer_at, to_timestamp(n.timer_ms / 1000)) end,
           reevaluate_from = to_timestamp(n.reevaluate_from_ms / 1000)
       from unnest($1::int[], $2::text[], $3::float8[], $4::float8[])
         as n (tank_no, encoded_state, timer_ms, reevaluate_from_ms)
       where s.tank_no = n.tank_no`,
    values: [
      arrayLiteral(states.map(({ tankNo }) => tankNo)),
      textArrayLiteral(states.map(({ encodedState }) => encodedState)),
      arrayLiteral(states.map(({ timerMs }) => timerMs ?? 'null')),
      arrayLiteral(states.map(({ reevaluateFromMs }) => reevaluateFromMs ?? 'null')),
      evaluatedUpToMs,
    ],
  });
}

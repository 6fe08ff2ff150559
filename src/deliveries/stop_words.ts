import type { Tx } from '../db/pool.ts';
import { UserError } from '../values/user_error.ts';
import type { StopWord } from './round.ts';

/** A stop by the number of its round and its own number in it. */
export interface StopRef {
  roundNo: number;
  number: number;
}

/** Stores what a person says about a stop, or takes it back (null). The word of the driver stays. */
export async function recordPersonWord(tx: Tx, stop: StopRef, word: StopWord | null): Promise<void> {
  const { rows } = await tx.query<{ said_as: string | null }>(
    'select said_as from round_stops where round_no = $1 and number = $2 for update',
    [stop.roundNo, stop.number],
  );
  if (rows[0]?.said_as === 'driver')
    throw new UserError(`the driver has already reported stop ${stop.number}. Only the driver can change it.`);
  await updateStop(tx, stop, word);
}

function updateStop(tx: Tx, { roundNo, number }: StopRef, word: StopWord | null): Promise<{ rowCount: number | null }> {
  return tx.query(
    `update round_stops
     set said = $3, said_reason = $4, said_litres = $5, said_at = $6,
         said_as = case when $3::text is not null then 'person' end,
         said_by = case when $3::text is not null then current_actor() end
     where round_no = $1 and number = $2`,
    [
      roundNo,
      number,
      word?.said ?? null,
      word?.said === 'not_possible' ? word.reason : null,
      word?.said === 'delivered' ? word.litres : null,
      word?.at ?? null,
    ],
  );
}

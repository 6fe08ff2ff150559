import type { Tx } from '../db/pool.ts';
import type { StopWord } from './round.ts';

/** A stop by the number of its round and its own number in it. */
export interface StopRef {
  roundNo: number;
  number: number;
}

/**
 * Stores what a person says about a stop, or takes back what was said (null). It counts over what the driver said before: the clock
 * or the finger of the driver was wrong. A later entry of the driver counts over it.
 */
export async function recordPersonWord(tx: Tx, stop: StopRef, word: StopWord | null): Promise<void> {
  await tx.query(
    `update round_stops
     set said = $3, said_reason = $4, said_litres = $5, said_at = $6, said_filled_to = null,
         said_as = case when $3::text is not null then 'person' end,
         said_by = case when $3::text is not null then current_actor() end
     where round_no = $1 and number = $2`,
    [
      stop.roundNo,
      stop.number,
      word?.said ?? null,
      word?.said === 'not_possible' ? word.reason : null,
      word?.said === 'delivered' ? word.litres : null,
      word?.at ?? null,
    ],
  );
  await settleDriverNotes(tx, stop, { isDelivered: word?.said === 'delivered' });
}

/**
 * Of the notes that the driver wrote at the stop, the newest one is valid if something was delivered, and none otherwise. Notes that
 * an import or a person has written stay as they are.
 */
async function settleDriverNotes(
  tx: Tx,
  { roundNo, number }: StopRef,
  { isDelivered }: { isDelivered: boolean },
): Promise<void> {
  await tx.query(
    `with written as (
       select e.organization_no, e.tank_no, e.note_series, e.note_number,
              row_number() over (order by time_of_driver_entry(e) desc, e.at desc, e.no desc) = 1 as is_newest
       from driver_entries e join round_stops s on s.round_no = e.round_no and s.tank_no = e.tank_no
       where s.round_no = $1 and s.number = $2 and e.note_number is not null
     ), settled as (
       select organization_no, tank_no, note_series, note_number, not ($3 and bool_or(is_newest)) as is_cancelled
       from written group by organization_no, tank_no, note_series, note_number
     )
     update delivery_notes n set is_cancelled = s.is_cancelled
     from settled s
     where n.organization_no = s.organization_no and n.series = s.note_series and n.number = s.note_number
       and n.tank_no = s.tank_no and n.source = 'driver' and n.is_cancelled <> s.is_cancelled`,
    [roundNo, number, isDelivered],
  );
}

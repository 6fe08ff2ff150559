import type { ChangeContext } from '../catalog/change_context.ts';
import type { Tx } from '../db/pool.ts';
import { toLiters } from '../values/capacity_unit.ts';
import { NoSuchObjectError, refuseField } from '../values/change_refusal.ts';
import { MAX_VOLUME, type NotPossibleReason } from './round.ts';
import { existingRound } from './rounds.ts';

/** A person's report about a stop. `open` removes it. The volume is in the unit of the truck. */
export interface StopReport {
  outcome: 'delivered' | 'not_possible' | 'open';
  volume?: number | undefined;
  reason?: NotPossibleReason | undefined;
}

/**
 * Closes a stop, or opens it again. The report overrides earlier reports of the driver, who may have made a mistake. A
 * later entry of the driver overrides it.
 */
export async function putOutcome(
  { tx, organizationNo }: ChangeContext,
  { id, number }: { id: string; number: number },
  { outcome, volume, reason }: StopReport,
): Promise<void> {
  const { no: roundNo, object } = await existingRound(tx, organizationNo, id, { isLocked: true });
  if (!object.stops.some((stop) => stop.number === number)) throw new NoSuchObjectError('stop');
  if (volume !== undefined && !(outcome === 'delivered' && volume >= 0 && volume <= MAX_VOLUME))
    refuseField('volume', `must be from 0 to ${MAX_VOLUME}, and only with the outcome delivered`);
  if ((reason !== undefined) !== (outcome === 'not_possible'))
    refuseField('reason', 'must be given with the outcome not_possible, and only with it');
  const liters = volume === undefined ? null : toLiters(volume, object.volume_unit);
  await tx.query(
    `update round_stops
     set said = $3, said_reason = $4, said_litres = $5, said_filled_to = null, said_entry_no = null,
         said_at = case when $3::text is not null then $6::timestamptz end,
         said_as = case when $3::text is not null then 'person' end,
         said_by = case when $3::text is not null then current_actor() end
     where round_no = $1 and number = $2`,
    [roundNo, number, outcome === 'open' ? null : outcome, reason ?? null, liters, new Date().toISOString()],
  );
  await settleDriverNotes(tx, { roundNo, number }, { isDelivered: outcome === 'delivered' });
}

/**
 * Keeps the newest note that the driver wrote at the stop valid if something was delivered, and none otherwise. Notes
 * of an import or of a person stay as they are.
 */
async function settleDriverNotes(
  tx: Tx,
  { roundNo, number }: { roundNo: number; number: number },
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
       and n.tank_no = s.tank_no and n.source = 'driver' and n.is_cancelled <> s.is_cancelled
       and is_note_of_round($1, s.tank_no, s.note_series, s.note_number)`,
    [roundNo, number, isDelivered],
  );
}

import type { ChangeContext } from '../catalog/change_context.ts';
import { fromLiters, toLiters } from '../values/capacity_unit.ts';
import { ChangeRefusedError, NoSuchObjectError, refuseField } from '../values/change_refusal.ts';
import { type Check, createRound } from './round_changes.ts';
import { type GivenStop, replaceStops, stopClosedError } from './round_stops.ts';
import { existingRound, type StoredRound } from './rounds.ts';
import { findTransport } from './trucks.ts';

/**
 * Moves an open stop to another truck: to the end of the round that this truck has on the day, or to a new round. Both
 * rounds change, or neither. Returns the id of the round that has the stop now.
 */
export async function moveStop(
  change: ChangeContext,
  { id, number, truckId }: { id: string; number: number; truckId: string },
  check?: Check,
): Promise<{ id: string; isNew: boolean }> {
  const { tx, organizationNo } = change;
  const { object: seen } = await existingRound(tx, organizationNo, id);
  // The truck is locked, so that two moves to a truck without a round do not create two rounds.
  const truck = await findTransport(tx, organizationNo, 'truck', truckId, { isLocked: true });
  if (truck === undefined || truck.object.is_archived || truck.object.id === seen.truck_id)
    refuseField('truck_id', 'must be another truck that is in use');
  const targetId = await findRoundOfTruck(change, truck.no, seen.date);
  // The rounds are locked in a fixed order, so that two people who move stops between them cannot deadlock.
  const ids = [seen.id, ...(targetId === undefined ? [] : [targetId])].toSorted();
  for (const roundId of ids) await existingRound(tx, organizationNo, roundId, { isLocked: true });
  const source = await existingRound(tx, organizationNo, id);
  check?.(source);
  const stop = source.object.stops.find((one) => one.number === number);
  if (stop === undefined) throw new NoSuchObjectError('stop');
  const { tank_id, kind, volume_from, planned_volume, outcome } = stop;
  if (tank_id === null || outcome !== 'open') throw stopClosedError(stop);
  await replaceStops(
    change,
    source,
    stopsOf(source).filter((one) => one.tank_id !== tank_id),
  );

  const { date, fill_to_percentage, chance_limit, volume_unit } = source.object;
  const newPlan = { date, truck_id: truckId, fill_to_percentage, chance_limit };
  const target = await existingRound(tx, organizationNo, targetId ?? (await createRound(change, newPlan)));
  if (target.object.stops.some((one) => one.tank_id === tank_id))
    throw new ChangeRefusedError(
      'tank_on_other_round',
      'the round of this truck has a stop for this tank',
      target.object.id,
    );
  // A volume that a person chose stays. Any other volume is computed from the level and the fill level of the other
  // round.
  const typed = fromLiters(toLiters(planned_volume, volume_unit), target.object.volume_unit);
  const moved = { tank_id, kind, ...(volume_from === 'person' ? { volume: typed } : {}) };
  await replaceStops(change, target, [...stopsOf(target), moved]);
  return { id: target.object.id, isNew: targetId === undefined };
}

/** The first open round of a truck on a day, otherwise one that is done. Undefined if there is none. */
async function findRoundOfTruck(
  { tx, organizationNo }: ChangeContext,
  truckNo: number,
  date: string,
): Promise<string | undefined> {
  const { rows } = await tx.query<{ id: string }>(
    `select id from rounds where organization_no = $1 and date = $2 and truck_no = $3 and state <> 'cancelled'
     order by state = 'done', no limit 1`,
    [organizationNo, date, truckNo],
  );
  return rows[0]?.id;
}

/** The stops of a round as they are. */
const stopsOf = ({ object }: StoredRound): GivenStop[] =>
  object.stops.flatMap(({ tank_id }) => (tank_id === null ? [] : [{ tank_id }]));

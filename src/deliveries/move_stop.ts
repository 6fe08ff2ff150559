import type { ChangeContext } from '../catalog/change_context.ts';
import { fromLiters, toLiters } from '../values/capacity_unit.ts';
import { ChangeRefusedError, NoSuchObjectError, refuseField } from '../values/change_refusal.ts';
import { isUuid } from '../values/uuid7.ts';
import { MAX_STOPS } from './round.ts';
import { type Check, createRound } from './round_changes.ts';
import { type GivenStop, lockTanks, replaceStops, stopClosedError } from './round_stops.ts';
import { existingRound, lockRounds, type StoredRound } from './rounds.ts';
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
  // The truck is locked, so that two moves to a truck without a round do not create two rounds.
  const truck = await findTransport(tx, organizationNo, 'truck', truckId, { lock: 'no key update' });
  const targetId = await lockRoundsOfMove(change, id, truck?.no);
  const source = await existingRound(tx, organizationNo, id);
  if (truck === undefined || truck.object.is_archived || truck.no === source.truckNo)
    refuseField('truck_id', 'must be another truck that is in use');
  check?.(source);
  const stop = source.object.stops.find((one) => one.number === number);
  if (stop === undefined) throw new NoSuchObjectError('stop');
  const { tank_id, kind, volume_from, planned_volume, outcome } = stop;
  if (tank_id === null || outcome !== 'open') throw stopClosedError(stop);
  // Before the stop is deleted: the deletion of the tank also locks the tank before its stops.
  const [tank] = await lockTanks(change, [tank_id]);
  if (tank === undefined) throw new NoSuchObjectError('stop');
  if (tank.is_batch_tank) {
    const fact = `stop ${number} is at a batch tank, which rounds do not visit, so it cannot be moved`;
    throw new ChangeRefusedError('stop_at_batch_tank', fact, tank_id);
  }
  await replaceStops(
    change,
    source,
    stopsOf(source).filter((one) => one.tank_id !== tank_id),
  );

  const { date, fill_to_percentage, chance_limit, volume_unit } = source.object;
  const newPlan = { date, truck_id: truckId, fill_to_percentage, chance_limit };
  const target = await existingRound(tx, organizationNo, targetId ?? (await createRound(change, newPlan)));
  const stops = stopsOf(target);
  if (stops.some((one) => one.tank_id === tank_id)) {
    const fact = 'the round of this truck has a stop for this tank';
    throw new ChangeRefusedError('tank_on_other_round', fact, target.object.id);
  }
  if (stops.length >= MAX_STOPS)
    refuseField('truck_id', `must be a truck with fewer than ${MAX_STOPS} stops on this day`);
  // A volume that a person chose stays. Any other volume is computed from the level and the fill level of the other
  // round.
  const typed = fromLiters(toLiters(planned_volume, volume_unit), target.object.volume_unit);
  const moved = { tank_id, kind, ...(volume_from === 'person' ? { volume: typed, isVolumeChosen: true } : {}) };
  await replaceStops(change, target, [...stops, moved]);
  return { id: target.object.id, isNew: targetId === undefined };
}

/** Locks a round, and the round that a truck has on its day. Returns the id of the latter, undefined if there is none. */
async function lockRoundsOfMove(
  change: ChangeContext,
  id: string,
  truckNo: number | undefined,
): Promise<string | undefined> {
  const found = await findRoundOfTruck(change, id, truckNo);
  await lockRounds(change.tx, change.organizationNo, found === undefined ? [id] : [id, found]);
  // During the wait for the locks, somebody may have changed the day of the round, or the rounds of the truck.
  const isCurrent = found === (await findRoundOfTruck(change, id, truckNo));
  return isCurrent ? found : lockRoundsOfMove(change, id, truckNo);
}

/** The first open round of a truck on the day of a round, otherwise one that is done. Undefined if there is none. */
async function findRoundOfTruck(
  { tx, organizationNo }: ChangeContext,
  id: string,
  truckNo: number | undefined,
): Promise<string | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await tx.query<{ id: string }>(
    `select r.id from rounds s join rounds r on r.organization_no = s.organization_no and r.date = s.date
     where s.organization_no = $1 and s.id = $2 and r.truck_no = $3 and r.state <> 'cancelled'
     order by r.state = 'done', r.no limit 1`,
    [organizationNo, id, truckNo],
  );
  return rows[0]?.id;
}

/** The stops of a round as they are. */
const stopsOf = ({ object }: StoredRound): GivenStop[] =>
  object.stops.flatMap(({ tank_id }) => (tank_id === null ? [] : [{ tank_id }]));

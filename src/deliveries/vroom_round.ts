import type { Db } from '../db/pool.ts';
import { toLiters } from '../values/capacity_unit.ts';
import { readVroomSolution, type VroomProblem, writeVroomProblem } from './pure/rounds/vroom.ts';
import type { GivenStop } from './round_stops.ts';
import { readRoundTruck, type StoredRound } from './rounds.ts';

/** A round is a problem with one truck. */
const TRUCK_NUMBER = 1;

/** The coordinates of the stops that have some: VROOM cannot place the others. */
async function readPlaces(db: Db, { no }: StoredRound): Promise<Map<number, { latitude: number; longitude: number }>> {
  const { rows } = await db.query<{ number: number; latitude: number; longitude: number }>(
    `select s.number, i.latitude, i.longitude from round_stops s join tanks i on i.no = s.tank_no
     where s.round_no = $1 and i.latitude is not null and i.longitude is not null order by s.position`,
    [no],
  );
  return new Map(rows.map(({ number, ...place }) => [number, place]));
}

/** A round as a problem for VROOM, with the numbers of the stops as ids, in liters. */
export async function writeVroomRound(db: Db, round: StoredRound): Promise<VroomProblem> {
  const { depot, capacity, capacityUnit } = await readRoundTruck(db, round.truckNo);
  const places = await readPlaces(db, round);
  return writeVroomProblem(
    depot,
    [{ number: TRUCK_NUMBER, liters: toLiters(capacity, capacityUnit) }],
    round.object.stops.flatMap(({ number, kind, volume }) => {
      const place = places.get(number);
      return place === undefined ? [] : [{ number, kind, place, liters: toLiters(volume, capacityUnit) }];
    }),
  );
}

/** The stops in the order of a solution. Stops that VROOM left out or did not get stay at the end. */
export async function readVroomOrder(db: Db, round: StoredRound, solution: unknown): Promise<GivenStop[]> {
  const places = await readPlaces(db, round);
  const given = { truckNumbers: [TRUCK_NUMBER], stopNumbers: [...places.keys()] };
  const { routes, unassignedStopNumbers } = readVroomSolution(solution, given);
  const ordered = [...routes.flatMap(({ stopNumbers }) => stopNumbers), ...unassignedStopNumbers];
  const ids = new Map(round.object.stops.map(({ number, tank_id }) => [number, tank_id]));
  const rest = [...ids.keys()].filter((number) => !ordered.includes(number));
  return [...ordered, ...rest].flatMap((number) => {
    const tank_id = ids.get(number);
    return typeof tank_id === 'string' ? [{ tank_id }] : [];
  });
}

import type { Db } from '../db/pool.ts';
import type { Coordinates } from './pure/rounds/distances.ts';
import { readVroomSolution, type VroomProblem, writeVroomProblem } from './pure/rounds/vroom.ts';
import type { GivenStop } from './round_stops.ts';
import { readRoundTruck, type StoredRound } from './rounds.ts';

/** The coordinates of the stops that have some, by their numbers. */
async function readPlaces(db: Db, { no }: StoredRound): Promise<Map<number, Coordinates>> {
  const { rows } = await db.query<Coordinates & { number: number }>(
    `select s.number, i.latitude, i.longitude from round_stops s join tanks i on i.no = s.tank_no
     where s.round_no = $1 and i.latitude is not null and i.longitude is not null order by s.position`,
    [no],
  );
  return new Map(rows.map(({ number, ...place }) => [number, place]));
}

export async function writeVroomRound(db: Db, round: StoredRound): Promise<VroomProblem> {
  const { depot, ...truck } = await readRoundTruck(db, round.truckNo);
  const places = await readPlaces(db, round);
  const stops = round.object.stops.map((stop) => ({ ...stop, place: places.get(stop.number) }));
  return writeVroomProblem({ depot, truck, unit: truck.capacityUnit, stops });
}

/** The stops in the order of a solution. Stops that VROOM left out or did not get stay at the end. */
export async function readVroomOrder(db: Db, round: StoredRound, solution: unknown): Promise<GivenStop[]> {
  const ordered = readVroomSolution(solution, [...(await readPlaces(db, round)).keys()]);
  const ids = new Map(round.object.stops.map(({ number, tank_id }) => [number, tank_id]));
  return [...new Set([...ordered, ...ids.keys()])].flatMap((number) => {
    const tank_id = ids.get(number);
    return typeof tank_id === 'string' ? [{ tank_id }] : [];
  });
}

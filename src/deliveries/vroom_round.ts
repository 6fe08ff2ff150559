import type { Db } from '../db/pool.ts';
import type { Coordinates } from './pure/rounds/distances.ts';
import { readVroomSolution, type VroomProblem, writeVroomProblem } from './pure/rounds/vroom.ts';
import type { GivenStop } from './round_stops.ts';
import { type RoundStop, readRoundTruck, type StoredRound } from './rounds.ts';

/** Returns true if VROOM orders a stop. Stops that are closed, blocked or filled meanwhile keep their positions. */
export const isOrdered = ({ outcome, block, is_filled_meanwhile }: Omit<RoundStop, 'tank_id'>): boolean =>
  outcome === 'open' && block === null && !is_filled_meanwhile;

/** The coordinates of stops, by the numbers of the stops. Stops without coordinates are left out. */
async function readCoordinates(db: Db, { no }: StoredRound): Promise<Map<number, Coordinates>> {
  const { rows } = await db.query<Coordinates & { number: number }>(
    `select s.number, i.latitude, i.longitude from round_stops s join tanks i on i.no = s.tank_no
     where s.round_no = $1 and i.latitude is not null and i.longitude is not null order by s.position`,
    [no],
  );
  return new Map(rows.map(({ number, ...place }) => [number, place]));
}

export async function writeVroomRound(db: Db, round: StoredRound): Promise<VroomProblem> {
  const { depot, ...truck } = await readRoundTruck(db, round.truckNo);
  const places = await readCoordinates(db, round);
  const stops = round.object.stops.filter(isOrdered).map((stop) => ({ ...stop, place: places.get(stop.number) }));
  return writeVroomProblem({ depot, truck, unit: truck.capacityUnit, stops });
}

/**
 * The stops in the order of a solution. Stops that VROOM left out, or that have no coordinates, come after the stops
 * that it has ordered. Closed and blocked stops keep their positions, also if they were open when VROOM got the round.
 */
export async function readVroomOrder(db: Db, round: StoredRound, solution: unknown): Promise<GivenStop[]> {
  const { stops } = round.object;
  const [places, numbers] = [await readCoordinates(db, round), stops.map(({ number }) => number)];
  const wanted = new Set(stops.filter(isOrdered).map(({ number }) => number));
  const solved = readVroomSolution(
    solution,
    [...wanted].filter((number) => places.has(number)),
    numbers,
  );
  const ordered = [...new Set([...solved, ...wanted])].filter((number) => wanted.has(number));
  const ids = new Map(stops.map(({ number, tank_id }) => [number, tank_id]));
  return stops.flatMap((stop) => {
    const tank_id = isOrdered(stop) ? ids.get(ordered.shift() ?? 0) : stop.tank_id;
    return typeof tank_id === 'string' ? [{ tank_id }] : [];
  });
}

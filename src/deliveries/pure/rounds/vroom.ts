import { type CapacityUnit, toLiters } from '../../../values/capacity_unit.ts';
import { ChangeRefusedError } from '../../../values/change_refusal.ts';
import { isObject, type JsonObject } from '../../../values/json.ts';
import type { Coordinates } from './distances.ts';

/** A round as a problem for VROOM (vroom-project.org), which plans routes on roads. Its ids and amounts are whole numbers. */
export interface VroomProblem {
  vehicles: { id: number; start: VroomPlace; end: VroomPlace; capacity: [number] }[];
  jobs: { id: number; location: VroomPlace; delivery: [number]; priority: number }[];
}

/** Longitude first, as in GeoJSON. */
type VroomPlace = [longitude: number, latitude: number];

interface RoundForVroom {
  depot: Coordinates;
  truck: { capacity: number };
  /** The unit of the capacity and of the volumes. */
  unit: CapacityUnit;
  /** In the order of the round. VROOM does not get stops without coordinates. */
  stops: readonly {
    number: number;
    kind: 'must' | 'could' | 'added';
    volume: number;
    place: Coordinates | undefined;
  }[];
}

/** A round is a problem with one truck. */
const VEHICLE = 1;
const MUST_PRIORITY = 100;
const MAX_COULD_PRIORITY = 50;

/** The jobs have the numbers of the stops, and amounts in liters. Among the coulds, the first has the highest priority. */
export function writeVroomProblem({ depot, truck, unit, stops }: RoundForVroom): VroomProblem {
  let coulds = 0;
  const jobs = stops.flatMap(({ number, kind, volume, place }): VroomProblem['jobs'] => {
    if (place === undefined) return [];
    const priority = kind === 'could' ? Math.max(1, MAX_COULD_PRIORITY - coulds) : MUST_PRIORITY;
    if (kind === 'could') coulds++;
    return [{ id: number, location: vroomPlace(place), delivery: [Math.ceil(toLiters(volume, unit))], priority }];
  });
  const capacity: [number] = [Math.floor(toLiters(truck.capacity, unit))];
  return { vehicles: [{ id: VEHICLE, start: vroomPlace(depot), end: vroomPlace(depot), capacity }], jobs };
}

const vroomPlace = ({ latitude, longitude }: Coordinates): VroomPlace => [longitude, latitude];

/**
 * Returns the numbers of the stops in the order of a response of VROOM; stops that did not fit are last. Each stop of
 * the problem must be in the response once; otherwise a stop would be lost silently. The response is checked without a
 * schema, because the command line does not load TypeBox.
 */
export function readVroomSolution(
  solution: unknown,
  stopNumbers: readonly number[],
  /** Other stops that may be in the solution, because they were closed or blocked since. */
  otherNumbers: readonly number[] = [],
): number[] {
  if (!isObject(solution)) throw refused(NO_SOLUTION);
  const { code = 0, error, routes = [], unassigned = [] } = solution;
  if (code !== 0)
    throw refused(
      `VROOM found no solution: ${typeof error === 'string' ? error.replace(/\.$/, '') : `code ${text(code)}`}`,
    );
  const jobs = objectsIn(routes).flatMap(({ vehicle, steps }) => {
    if (vehicle !== VEHICLE) throw refused(`vehicle ${text(vehicle)} is not a truck of this round`);
    return objectsIn(steps).filter(({ type }) => type === 'job');
  });
  const order = new Set<number>();
  for (const { id } of [...jobs, ...objectsIn(unassigned)]) {
    const number = [...stopNumbers, ...otherNumbers].find((one) => one === id);
    if (number === undefined) throw refused(`job ${text(id)} is not a stop of this round`);
    if (order.has(number)) throw refused(`job ${number} is in the solution twice`);
    order.add(number);
  }
  const missing = stopNumbers.find((number) => !order.has(number));
  if (missing !== undefined) throw refused(`stop ${missing} is missing in the solution`);
  return [...order];
}

const NO_SOLUTION = 'this is not a solution of VROOM: "routes" is missing or wrong';
const refused = (fact: string): ChangeRefusedError => new ChangeRefusedError('unusable_solution', fact);
const text = (value: unknown): string => JSON.stringify(value) ?? 'without a number';

function objectsIn(list: unknown): JsonObject[] {
  if (!Array.isArray(list) || !list.every(isObject)) throw refused(NO_SOLUTION);
  return list;
}

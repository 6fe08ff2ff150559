import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { UserError } from '../../../values/user_error.ts';
import type { Coordinates } from './distances.ts';

/**
 * A round as a problem for VROOM (vroom-project.org), which plans routes on roads. Its ids and amounts are whole
 * numbers.
 */
export interface VroomProblem {
  vehicles: { id: number; start: VroomPlace; end: VroomPlace; capacity: [number] }[];
  jobs: { id: number; location: VroomPlace; delivery: [number]; priority: number }[];
}

/** Longitude first, as in GeoJSON. */
type VroomPlace = [longitude: number, latitude: number];

export interface VroomStop {
  /** The number of the stop in its round. It stays when the order changes. */
  number: number;
  place: Coordinates;
  liters: number;
  kind: 'must' | 'could' | 'added';
}

/** The stops of one truck in their new order. */
export interface VroomRoute {
  truckNumber: number;
  stopNumbers: number[];
}

export interface VroomOrder {
  routes: VroomRoute[];
  /** The stops that VROOM left out because they did not fit. */
  unassignedStopNumbers: number[];
}

const MUST_PRIORITY = 100;
const MAX_COULD_PRIORITY = 50;

/** The stops come in the order of the proposal. Among the coulds, the first has the highest priority. */
export function writeVroomProblem(
  depot: Coordinates,
  trucks: readonly { number: number; liters: number }[],
  stops: readonly VroomStop[],
): VroomProblem {
  const could = stops.filter(({ kind }) => kind === 'could');
  const priorityOf = (stop: VroomStop): number =>
    stop.kind === 'could' ? Math.max(1, MAX_COULD_PRIORITY - could.indexOf(stop)) : MUST_PRIORITY;
  return {
    vehicles: trucks.map(({ number, liters }) => ({
      id: number,
      start: vroomPlace(depot),
      end: vroomPlace(depot),
      capacity: [Math.floor(liters)],
    })),
    jobs: stops.map((stop) => ({
      id: stop.number,
      location: vroomPlace(stop.place),
      delivery: [Math.ceil(stop.liters)],
      priority: priorityOf(stop),
    })),
  };
}

const vroomPlace = ({ latitude, longitude }: Coordinates): VroomPlace => [longitude, latitude];

const VroomSolution = Type.Object({
  code: Type.Optional(Type.Integer()),
  error: Type.Optional(Type.String()),
  routes: Type.Optional(
    Type.Array(
      Type.Object({
        vehicle: Type.Integer(),
        steps: Type.Array(Type.Object({ type: Type.String(), id: Type.Optional(Type.Integer()) })),
      }),
    ),
  ),
  unassigned: Type.Optional(Type.Array(Type.Object({ id: Type.Integer() }))),
});
type VroomSolution = Static<typeof VroomSolution>;
const solutionSchema = Compile(VroomSolution);

/** Reads the response of VROOM. Each stop of the round must be in it once; otherwise a stop would be lost silently. */
export function readVroomSolution(
  solution: unknown,
  round: { truckNumbers: readonly number[]; stopNumbers: readonly number[] },
): VroomOrder {
  if (!solutionSchema.Check(solution))
    throw new UserError('this is not a solution of VROOM: "routes" is missing or wrong');
  if (solution.code !== undefined && solution.code !== 0)
    throw new UserError(`VROOM found no solution: ${solution.error ?? `code ${solution.code}`}`);
  const routes = (solution.routes ?? []).map(({ vehicle, steps }) => ({
    truckNumber: vehicle,
    stopNumbers: steps.flatMap(({ type, id }) => (type === 'job' && id !== undefined ? [id] : [])),
  }));
  const unassignedStopNumbers = (solution.unassigned ?? []).map(({ id }) => id);
  const strangeTruck = routes.find(({ truckNumber }) => !round.truckNumbers.includes(truckNumber));
  if (strangeTruck !== undefined)
    throw new UserError(`vehicle ${strangeTruck.truckNumber} is not a truck of this round`);
  checkStops([...routes.flatMap(({ stopNumbers }) => stopNumbers), ...unassignedStopNumbers], round.stopNumbers);
  return { routes, unassignedStopNumbers };
}

function checkStops(found: readonly number[], wanted: readonly number[]): void {
  const seen = new Set<number>();
  for (const number of found) {
    if (!wanted.includes(number)) throw new UserError(`job ${number} is not a stop of this round`);
    if (seen.has(number)) throw new UserError(`job ${number} is in the solution twice`);
    seen.add(number);
  }
  const missing = wanted.find((number) => !seen.has(number));
  if (missing !== undefined) throw new UserError(`stop ${missing} is missing in the solution`);
}

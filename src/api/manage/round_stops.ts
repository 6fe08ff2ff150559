import { Type } from 'typebox';
import type { Tx } from '../../db/pool.ts';
import { MAX_VOLUME, NOT_POSSIBLE_REASONS, STOP_KINDS, type StopWord } from '../../deliveries/round.ts';
import { type GivenStop, putStops, TankOnOtherRound, UnknownStop } from '../../deliveries/round_stops.ts';
import type { StoredRound } from '../../deliveries/rounds.ts';
import { recordPersonWord } from '../../deliveries/stop_words.ts';
import { readVroomOrder } from '../../deliveries/vroom_round.ts';
import { conflict, invalidParameters, notFound, type ParameterError } from '../../http/problem.ts';
import { toLiters } from '../../values/capacity_unit.ts';
import { isUuid } from '../../values/uuid7.ts';
import { checkCondition } from './conditions.ts';
import type { ManageOperation, WriteRequest } from './operation.ts';
import { dryRun } from './parameters.ts';
import { answerWithRound, roundEtag, roundOf } from './round_answer.ts';
import { ROUND_EXAMPLE, Round, StopOrder } from './round_schemas.ts';
import { PLANNERS } from './transport.ts';

/** 200 stops, and a solution of VROOM with the geometry of a day. */
export const MAX_STOPS_BYTES = 262_144;

const closed = { additionalProperties: false };

/** The stops of a body. Throws 422. */
function readStops(body: WriteRequest['body'], { object }: StoredRound): GivenStop[] {
  const errors: ParameterError[] = [];
  const given: unknown[] = Array.isArray(body['stops']) ? body['stops'] : [];
  const seen = new Set<string>();
  const stops = given.map((stop, at): GivenStop => {
    const tankId = String(Reflect.get(Object(stop), 'tank_id')).toLowerCase();
    const volume: unknown = Reflect.get(Object(stop), 'volume');
    const kind: unknown = Reflect.get(Object(stop), 'kind');
    const refuse = (field: string, detail: string): void => {
      errors.push({ param: `stops[${at}].${field}`, code: 'invalid', detail });
    };
    if (!isUuid(tankId)) refuse('tank_id', 'Must be the ID of a tank.');
    if (seen.has(tankId)) refuse('tank_id', 'Must be in the list only once.');
    seen.add(tankId);
    if (typeof volume === 'number' && !(volume >= 0 && volume <= MAX_VOLUME))
      refuse('volume', `Must be from 0 to ${MAX_VOLUME}.`);
    return {
      tankId,
      kind: STOP_KINDS.find((known) => known === kind),
      litres: typeof volume === 'number' ? toLiters(volume, object.volume_unit) : undefined,
    };
  });
  if (errors.length > 0) throw invalidParameters(errors);
  return stops;
}

/** Stores the stops of a body. Throws 409 or 422. */
export async function storeStops(
  tx: Tx,
  organizationNo: number,
  round: StoredRound,
  body: WriteRequest['body'],
  { isDryRun }: { isDryRun: boolean },
): Promise<void> {
  const stops = readStops(body, round);
  await putStops(tx, organizationNo, round, stops, { nowMs: Date.now(), isDryRun }).catch((error: unknown) => {
    if (error instanceof TankOnOtherRound)
      throw conflict('A tank of this round is on another round of this day.', error.roundId);
    if (!(error instanceof UnknownStop)) throw error;
    const at = stops.findIndex(({ tankId }) => tankId === error.tankId);
    throw invalidParameters([
      { param: `stops[${at}].tank_id`, code: 'invalid', detail: 'There is no such tank that a round can visit.' },
    ]);
  });
}

const VroomOrderBody = Type.Object(
  {
    solution: Type.Unsafe<object>({
      type: 'object',
      description: 'The answer of VROOM to the problem of `GET /fleet/v1/rounds/{id}?format=vroom`.',
    }),
  },
  { title: 'VroomOrder', ...closed },
);

const OutcomeBody = Type.Object(
  {
    outcome: Type.Enum(['delivered', 'not_possible', 'open'], { description: '`open` takes back what was said.' }),
    volume: Type.Optional(Type.Number({ description: 'What was delivered, in the unit of the truck.' })),
    reason: Type.Optional(Type.Enum([...NOT_POSSIBLE_REASONS], { description: 'Why it was not possible.' })),
  },
  { title: 'StopOutcome', ...closed },
);

/** What a person says. Throws 422. */
function readWord({ outcome, volume, reason }: WriteRequest['body'], { object }: StoredRound): StopWord | null {
  const refuse = (param: string, detail: string) => invalidParameters([{ param, code: 'invalid', detail }]);
  const known = NOT_POSSIBLE_REASONS.find((one) => one === reason);
  if (volume !== undefined && (outcome !== 'delivered' || !(Number(volume) >= 0 && Number(volume) <= MAX_VOLUME)))
    throw refuse('volume', `Must be from 0 to ${MAX_VOLUME}, and only with the outcome delivered.`);
  if ((known !== undefined) !== (outcome === 'not_possible'))
    throw refuse('reason', 'Must be given with the outcome not_possible, and only with it.');
  const at = new Date().toISOString();
  if (known !== undefined) return { said: 'not_possible', reason: known, at };
  if (outcome !== 'delivered') return null;
  return {
    said: 'delivered',
    litres: typeof volume === 'number' ? toLiters(volume, object.volume_unit) : null,
    at,
  };
}

const writing = {
  kind: 'write',
  method: 'PUT',
  tag: 'manage rounds',
  who: PLANNERS,
  line: 'other',
  parameters: { dry_run: dryRun },
  item: Round,
  example: ROUND_EXAMPLE,
  statuses: [200],
} as const;

export const ROUND_STOP_OPERATIONS: readonly ManageOperation[] = [
  {
    ...writing,
    path: '/manage/v1/rounds/:id/stops',
    pathParameters: { id: 'ID of the round.' },
    operationId: 'putStops',
    summary: 'Replace the stops of a round',
    description:
      'Replaces all stops, in the given order. A stop that stays keeps its number. A stop that a person or the driver has closed ' +
      'cannot be removed. A tank that is on another open round of that day is a conflict, whose `conflicting_id` is that round.',
    body: StopOrder,
    maxBodyBytes: MAX_STOPS_BYTES,
    condition: 'required',
    async handle({ tx, organizationNo, path, body, condition, isDryRun }) {
      const round = await roundOf(tx, organizationNo, path, { isLocked: true });
      checkCondition(condition, roundEtag(round), { isRequired: true });
      await storeStops(tx, organizationNo, round, body, { isDryRun });
      return answerWithRound(await roundOf(tx, organizationNo, path), 200);
    },
  },
  {
    ...writing,
    path: '/manage/v1/rounds/:id/vroom-order',
    pathParameters: { id: 'ID of the round.' },
    operationId: 'putVroomOrder',
    summary: 'Take the order of stops from VROOM',
    description:
      'Orders the stops as the steps of type `job` in the solution. Each stop must be in it once. Stops that VROOM left out stay, ' +
      'at the end.',
    body: VroomOrderBody,
    maxBodyBytes: MAX_STOPS_BYTES,
    condition: 'required',
    async handle({ tx, organizationNo, path, body, condition, isDryRun }) {
      const round = await roundOf(tx, organizationNo, path, { isLocked: true });
      checkCondition(condition, roundEtag(round), { isRequired: true });
      const stops = await readVroomOrder(tx, round, body['solution']);
      await putStops(tx, organizationNo, round, stops, { nowMs: Date.now(), isDryRun });
      return answerWithRound(await roundOf(tx, organizationNo, path), 200);
    },
  },
  {
    ...writing,
    path: '/manage/v1/rounds/:id/stops/:number/outcome',
    pathParameters: { id: 'ID of the round.', number: 'Number of the stop.' },
    operationId: 'putStopOutcome',
    summary: 'Say what happened at a stop',
    description:
      'Closes a stop, or opens it again, also after the driver has said something: then the notes that the driver wrote there are ' +
      'cancelled, unless something was delivered. What the driver says later counts over it.',
    body: OutcomeBody,
    condition: 'none',
    async handle({ tx, organizationNo, path, body }) {
      const round = await roundOf(tx, organizationNo, path, { isLocked: true });
      const stop = round.object.stops.find(({ number }) => String(number) === path['number']);
      if (stop === undefined) throw notFound('stop');
      await recordPersonWord(tx, { roundNo: round.no, number: stop.number }, readWord(body, round));
      return answerWithRound(await roundOf(tx, organizationNo, path), 200);
    },
  },
];

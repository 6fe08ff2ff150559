import { type Static, Type } from 'typebox';
import { moveStop } from '../../deliveries/move_stop.ts';
import { withIds } from '../../deliveries/named_plan.ts';
import { recordStop } from '../../deliveries/record_stop.ts';
import { MAX_VOLUME, NOT_POSSIBLE_REASONS } from '../../deliveries/round.ts';
import { putStops, putVroomOrder } from '../../deliveries/round_changes.ts';
import { putOutcome } from '../../deliveries/stop_reports.ts';
import { ROUND_EXAMPLE, Round, StopOrder } from '../schemas/rounds.ts';
import { Named } from '../schemas/values.ts';
import { type ManageOperation, PLANNERS, write } from './manage_operation.ts';
import { compareWith, MAX_STOPS_BYTES, readRound, respondWithRound } from './rounds.ts';

const VroomOrderBody = Named('VroomOrder', {
  solution: Type.Unsafe<object>({
    type: 'object',
    description: 'The answer of VROOM to the problem of `GET /fleet/v1/rounds/{id}?format=vroom`.',
  }),
});

const OutcomeBody = Named('StopOutcome', {
  outcome: Type.Enum(['delivered', 'not_possible', 'open'], { description: '`open` revokes the earlier report.' }),
  volume: Type.Optional(
    Type.Number({ minimum: 0, maximum: MAX_VOLUME, description: 'What was delivered, in the unit of the truck.' }),
  ),
  reason: Type.Optional(Type.Enum([...NOT_POSSIBLE_REASONS], { description: 'Why it was not possible.' })),
});

const EntryBody = Named('NewStopEntry', {
  kind: Type.Enum(['delivered', 'not_possible', 'reopened'], {
    description: 'What happened. `reopened` revokes the earlier entry, so it is a correction.',
  }),
  volume: Type.Optional(
    Type.Number({ description: 'What was delivered by the meter, in the unit of the truck. Needed with delivered.' }),
  ),
  reason: Type.Optional(Type.Enum([...NOT_POSSIBLE_REASONS], { description: 'Why it was not possible.' })),
  comment: Type.Optional(Type.String({ description: 'What the driver wrote, at most 500 characters.' })),
  note: Type.Optional(Type.String({ description: 'Series and number of the delivery note. It is stored too.' })),
  filled_to: Type.Optional(Type.Number({ description: 'Level on the dial after filling, in percent.' })),
  at: Type.Optional(Type.String({ format: 'date-time', description: 'When it happened. Default: now.' })),
  is_correction: Type.Optional(
    Type.Boolean({ description: 'true: it replaces the earlier entry, which is kept. Default: false.' }),
  ),
});

const MoveBody = Named('StopMove', {
  truck_id: Type.String({ description: 'ID of the truck that visits the tank instead.' }),
});
const MovedStop = Named('MovedStop', { object: Type.Literal('moved_stop'), from: Round, to: Round });
const MOVE_EXAMPLE: Static<typeof MovedStop> = {
  object: 'moved_stop',
  from: ROUND_EXAMPLE,
  to: {
    ...ROUND_EXAMPLE,
    id: '01989f50-2b33-7d44-9c55-1e2f3a4b5c6d',
    truck_id: '01989f41-8e31-7b44-8d55-6c2f9a3b7e14',
    driver_id: null,
    state: 'planned',
    etag: '"01989f50-2b33-7d44-9c55-1e2f3a4b5c6d.2"',
  },
};

/** The round and the number of the stop in a path. If the number is not valid, it is 0, which no stop has. */
const stopOf = ({ id = '', number = '' }: Readonly<Record<string, string>>) => ({
  id,
  number: /^[1-9]\d{0,8}$/.test(number) ? Number(number) : 0,
});
const pathOfStop = { id: 'ID of the round.', number: 'Number of the stop.' };

const writing = {
  method: 'PUT',
  tag: 'manage rounds',
  allowedCallers: PLANNERS,
  queue: 'other',
  item: Round,
  example: ROUND_EXAMPLE,
} as const;

export const ROUND_STOP_OPERATIONS: readonly ManageOperation[] = [
  write({
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
    async handle({ path: { id = '' }, values, condition, ...change }) {
      const { stops = [] } = await withIds(change, values);
      await putStops(change, id, stops, compareWith(condition));
      return respondWithRound(change, id);
    },
  }),
  write({
    ...writing,
    path: '/manage/v1/rounds/:id/vroom-order',
    pathParameters: { id: 'ID of the round.' },
    operationId: 'putVroomOrder',
    summary: 'Take the order of stops from VROOM',
    description:
      'Orders the stops as the steps of type `job` in the solution. Each open stop must be in it once. Stops that VROOM left out stay, ' +
      'at the end. Closed and blocked stops keep their places.',
    body: VroomOrderBody,
    maxBodyBytes: MAX_STOPS_BYTES,
    condition: 'required',
    async handle({ path: { id = '' }, values, condition, ...change }) {
      await putVroomOrder(change, id, values.solution, compareWith(condition));
      return respondWithRound(change, id);
    },
  }),
  write({
    ...writing,
    path: '/manage/v1/rounds/:id/stops/:number/outcome',
    pathParameters: pathOfStop,
    operationId: 'putStopOutcome',
    summary: 'Say what happened at a stop',
    description:
      'Closes a stop, or opens it again, also after the driver has reported it: then the notes that the driver wrote there are ' +
      'cancelled, unless something was delivered. A later report of the driver overrules it.',
    body: OutcomeBody,
    async handle({ path, values, ...change }) {
      const { id, number } = stopOf(path);
      await putOutcome(change, { id, number }, values);
      return respondWithRound(change, id);
    },
  }),
  write({
    ...writing,
    method: 'POST',
    path: '/manage/v1/rounds/:id/stops/:number/entries',
    pathParameters: pathOfStop,
    parameters: {},
    operationId: 'recordStop',
    summary: 'Record a stop for the driver',
    description:
      'Records what a driver with paper did: volume, time and delivery note. It starts a planned round. The first entry about a stop ' +
      'counts, of the driver or of the office. A later one that differs is kept, and `GET /fleet/v1/rounds/{id}` shows it as ' +
      '`other_entry`, unless it is a correction. A number of a delivery note that another delivery has is a conflict, whose ' +
      '`conflicting_id` is that note. The answer is the round.',
    statuses: [201],
    body: EntryBody,
    async handle({ path, values, ...change }) {
      const { id, number } = stopOf(path);
      await recordStop(change, { id, number }, values);
      return respondWithRound(change, id, 201);
    },
  }),
  write({
    ...writing,
    method: 'POST',
    path: '/manage/v1/rounds/:id/stops/:number/move',
    pathParameters: pathOfStop,
    operationId: 'moveStop',
    summary: 'Move a stop to another truck',
    description:
      'Moves an open stop to the end of the round that the other truck has on the same day. If it has none, a planned one without a ' +
      'driver is created, and the answer has the status 201. Both rounds change, or none: if the other round is done, or has a stop ' +
      'for this tank, it is a conflict, whose `conflicting_id` is that round. The kind of the stop stays, and a volume that a person chose.',
    item: MovedStop,
    example: MOVE_EXAMPLE,
    statuses: [200, 201],
    creates: 'rounds',
    body: MoveBody,
    condition: 'required',
    async handle({ path, values: { truck_id: truckId }, condition, ...change }) {
      const { id, number } = stopOf(path);
      const target = await moveStop(change, { id, number, truckId }, compareWith(condition));
      const from = await readRound(change.tx, change.organizationNo, id);
      const to = await readRound(change.tx, change.organizationNo, target.id);
      return {
        status: target.isNew ? 201 : 200,
        body: { object: 'moved_stop', from: from.body, to: to.body },
        about: { object: 'round', no: from.no },
      };
    },
  }),
];

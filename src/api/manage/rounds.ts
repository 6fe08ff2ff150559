import { Type } from 'typebox';
import type { Db } from '../../db/pool.ts';
import { withIds } from '../../deliveries/named_plan.ts';
import { createRound, updateRound } from '../../deliveries/round_changes.ts';
import { recordPrint } from '../../deliveries/round_prints.ts';
import { existingRound, type StoredRound } from '../../deliveries/rounds.ts';
import { NewRound, ROUND_EXAMPLE, Round, RoundPatch } from '../schemas/rounds.ts';
import { Named, NullableTime, Time } from '../schemas/values.ts';
import { type Condition, compare } from './conditions.ts';
import { type ManageOperation, type ManageResponse, PLANNERS, READERS, read, write } from './manage_operation.ts';

/** The limit of the body. Enough for 200 stops, and for a solution of VROOM with the geometry of a day. */
export const MAX_STOPS_BYTES = 262_144;

/** The ETag of a round. Every change of the plan raises the version. */
const roundEtag = ({ version, object: { id } }: StoredRound): string => `"${id}.${version}"`;

/** Returns a check that compares the condition with the ETag of a round. Throws 428 or 412. */
export const compareWith = (condition: Condition) => compare(condition, roundEtag);

/** Reads a round with its internal number and its ETag. */
export async function readRound(db: Db, organizationNo: number, id: string) {
  const round = await existingRound(db, organizationNo, id);
  return { no: round.no, body: { ...round.object, etag: roundEtag(round) } };
}

export async function respondWithRound(
  { tx, organizationNo }: { tx: Db; organizationNo: number },
  id: string,
  status: 200 | 201 = 200,
): Promise<ManageResponse> {
  const { no, body } = await readRound(tx, organizationNo, id);
  return { status, body, etag: body.etag, about: { object: 'round', no } };
}

const RoundPrint = Named('RoundPrint', {
  object: Type.Literal('round_print'),
  at: Time('When the sheet was printed.'),
  replaces: NullableTime('When the sheet was printed that it replaces. Null: it is the first.'),
});

const idOfRound = { id: 'ID of the round.' };
const common = { tag: 'manage rounds', item: Round, example: ROUND_EXAMPLE } as const;
const writing = { ...common, allowedCallers: PLANNERS, queue: 'other' } as const;

export const ROUND_OPERATIONS: readonly ManageOperation[] = [
  write({
    ...writing,
    method: 'POST',
    path: '/manage/v1/rounds',
    operationId: 'createRound',
    summary: 'Create a round',
    description:
      'Creates a planned round of one truck on one day, with its stops in their order. A tank that is on another open round of ' +
      'that day is a conflict, whose `conflicting_id` is that round. Truck, driver and tanks are named by their ids or your own numbers.',
    statuses: [201],
    creates: 'rounds',
    body: NewRound,
    maxBodyBytes: MAX_STOPS_BYTES,
    async handle({ values, ...change }) {
      const { truck_id = '', ...plan } = await withIds(change, values, { needsTruck: true });
      const id = await createRound(change, { ...plan, truck_id });
      return respondWithRound(change, id, 201);
    },
  }),
  read({
    ...common,
    allowedCallers: READERS,
    path: '/manage/v1/rounds/:id',
    pathParameters: idOfRound,
    operationId: 'retrieveManagedRound',
    summary: 'Retrieve a round to change it',
    description: 'Returns the round with its stops and its ETag. `/fleet/v1/rounds` has lists, addresses and names.',
    read: ({ db: tx, organizationNo, path: { id = '' } }) => respondWithRound({ tx, organizationNo }, id),
  }),
  write({
    ...writing,
    method: 'PATCH',
    path: '/manage/v1/rounds/:id',
    pathParameters: idOfRound,
    operationId: 'updateRound',
    summary: 'Change a round',
    description:
      'Changes the given fields (JSON Merge Patch, RFC 7396). A planned round can be `under_way`, `done` or `cancelled`, and one ' +
      'that is under way can be `done`. For 30 minutes, a person can undo it: a `cancelled` round is `planned` again, and a `done` ' +
      'one `planned` or `under_way`. Its stops, their order and its links come back, except for stops whose tanks were deleted or are on ' +
      'another open round of the day by now. Otherwise, the plan of a round that is over does not change. Another `fill_to_percentage` changes the ' +
      'volumes of the open stops, except for those that a person chose.',
    body: RoundPatch,
    condition: 'required',
    async handle({ path: { id = '' }, values, condition, ...change }) {
      await updateRound(change, id, await withIds(change, values), compareWith(condition));
      return respondWithRound(change, id);
    },
  }),
  write({
    ...writing,
    method: 'POST',
    path: '/manage/v1/rounds/:id/prints',
    pathParameters: idOfRound,
    parameters: {},
    operationId: 'recordPrint',
    summary: 'Say that a round was printed',
    description:
      'Stores what is on the sheet of the driver: `print` in `GET /fleet/v1/rounds/{id}` says whether it is old by now. The plan does ' +
      'not change.',
    item: RoundPrint,
    example: { object: 'round_print', at: '2025-11-18T12:45:00.000Z', replaces: null },
    statuses: [201],
    body: null,
    async handle({ path: { id = '' }, ...change }) {
      const { no, at, replaces } = await recordPrint(change, id);
      return { status: 201, body: { object: 'round_print', at, replaces }, about: { object: 'round', no } };
    },
  }),
];

import type { Tx } from '../../db/pool.ts';
import { DEFAULT_FILL_TO, DEFAULT_LIMIT } from '../../deliveries/pure/rounds/round_candidates.ts';
import { ROUND_STATES } from '../../deliveries/round.ts';
import { isDate } from '../../deliveries/round_day.ts';
import { changeRoundState, createRound, type RoundValues, updateRound } from '../../deliveries/rounds.ts';
import { findTransport } from '../../deliveries/transport.ts';
import { invalidParameters, type ParameterError } from '../../http/problem.ts';
import { textOf } from './body.ts';
import { checkCondition } from './conditions.ts';
import type { ManageOperation, WriteRequest } from './operation.ts';
import { dryRun } from './parameters.ts';
import { answerWithRound, roundEtag, roundOf } from './round_answer.ts';
import { NewRound, ROUND_EXAMPLE, Round, RoundPatch } from './round_schemas.ts';
import { MAX_STOPS_BYTES, storeStops } from './round_stops.ts';
import { PLANNERS, READERS } from './transport.ts';

const invalid = (param: string, detail: string): ParameterError => ({ param, code: 'invalid', detail });

/** The parsed fields of a body. Throws 422. */
async function readRound(tx: Tx, organizationNo: number, body: WriteRequest['body']): Promise<RoundValues> {
  const errors: ParameterError[] = [];
  const { driver_id, fill_to_percentage: fillTo, chance_limit: limit } = body;
  const date = textOf(body['date']);
  if (date !== undefined && !isDate(date)) errors.push(invalid('date', 'Must be a date such as 2026-11-17.'));
  if (typeof fillTo === 'number' && !(fillTo >= 1 && fillTo <= 100))
    errors.push(invalid('fill_to_percentage', 'Must be a number from 1 to 100.'));
  if (typeof limit === 'number' && !(limit >= 0 && limit <= 1))
    errors.push(invalid('chance_limit', 'Must be a number from 0 to 1.'));
  const usable = async (kind: 'truck' | 'driver'): Promise<number | undefined> => {
    const id = textOf(body[`${kind}_id`]);
    if (id === undefined) return undefined;
    const found = await findTransport(tx, organizationNo, kind, id);
    if (found === undefined || found.object.is_archived)
      errors.push(invalid(`${kind}_id`, `Must be the ID of a ${kind} that is in use.`));
    return found?.no;
  };
  const truckNo = await usable('truck');
  const driverNo = driver_id === null ? null : await usable('driver');
  if (errors.length > 0) throw invalidParameters(errors);
  return {
    ...(date !== undefined && { date }),
    ...(truckNo !== undefined && { truckNo }),
    ...(driverNo !== undefined && { driverNo }),
    ...(typeof fillTo === 'number' && { fillToPercentage: fillTo }),
    ...(typeof limit === 'number' && { chanceLimit: limit }),
  };
}

const idOfRound = { id: 'ID of the round.' };
const common = { tag: 'manage rounds', item: Round, example: ROUND_EXAMPLE } as const;
const writing = { ...common, kind: 'write', who: PLANNERS, line: 'other', parameters: { dry_run: dryRun } } as const;

export const ROUND_OPERATIONS: readonly ManageOperation[] = [
  {
    ...writing,
    method: 'POST',
    path: '/manage/v1/rounds',
    pathParameters: {},
    operationId: 'createRound',
    summary: 'Create a round',
    description:
      'Creates a planned round of one truck on one day, with its stops in their order. A tank that is on another open round of ' +
      'that day is a conflict, whose `conflicting_id` is that round.',
    statuses: [201],
    creates: 'rounds',
    body: NewRound,
    maxBodyBytes: MAX_STOPS_BYTES,
    condition: 'none',
    async handle({ tx, organizationNo, body, isDryRun }) {
      const { date, truckNo, driverNo, ...options } = await readRound(tx, organizationNo, body);
      if (date === undefined || truckNo === undefined) throw new TypeError('a round needs a date and a truck');
      const values = { date, truckNo, driverNo: driverNo ?? null };
      const id = await createRound(
        tx,
        organizationNo,
        { fillToPercentage: DEFAULT_FILL_TO, chanceLimit: DEFAULT_LIMIT, ...options, ...values },
        { isDryRun },
      );
      if (body['stops'] !== undefined)
        await storeStops(tx, organizationNo, await roundOf(tx, organizationNo, { id }), body, { isDryRun });
      return answerWithRound(await roundOf(tx, organizationNo, { id }), 201);
    },
  },
  {
    ...common,
    kind: 'read',
    who: READERS,
    method: 'GET',
    path: '/manage/v1/rounds/:id',
    pathParameters: idOfRound,
    operationId: 'retrieveManagedRound',
    summary: 'Retrieve a round to change it',
    description: 'Returns the round with its stops and its ETag. `/fleet/v1/rounds` has lists, addresses and names.',
    parameters: {},
    read: async ({ db, organizationNo, path }) => answerWithRound(await roundOf(db, organizationNo, path), 200),
  },
  {
    ...writing,
    method: 'PATCH',
    path: '/manage/v1/rounds/:id',
    pathParameters: idOfRound,
    operationId: 'updateRound',
    summary: 'Change a round',
    description:
      'Changes the given fields (JSON Merge Patch, RFC 7396). A planned round can be `under_way`, `done` or `cancelled`, and one ' +
      'that is under way can be `done`. The plan of a round that is over does not change.',
    statuses: [200],
    body: RoundPatch,
    condition: 'required',
    async handle({ tx, organizationNo, path, body, condition }) {
      const values = await readRound(tx, organizationNo, body);
      const round = await roundOf(tx, organizationNo, path, { isLocked: true });
      checkCondition(condition, roundEtag(round), { isRequired: true });
      await updateRound(tx, organizationNo, round, values);
      const state = ROUND_STATES.find((known) => known === body['state']);
      if (state !== undefined) await changeRoundState(tx, round, state);
      return answerWithRound(await roundOf(tx, organizationNo, path), 200);
    },
  },
];

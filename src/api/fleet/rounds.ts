import { type Static, Type } from 'typebox';
import type { Statement } from '../../db/readers.ts';
import { withCurrentLoads } from '../../deliveries/current_stops.ts';
import { ROUND_STATES } from '../../deliveries/round.ts';
import { type RoundSummaryRow, SUMMARY_SQL } from '../../deliveries/round_summary.ts';
import { invalidParameters, organizationOnly } from '../../http/problem.ts';
import { organizationToday, organizationZone } from '../../status/organization_day.ts';
import { fromLiters } from '../../values/capacity_unit.ts';
import { tenth } from '../../values/tenth.ts';
import { DAY_MS } from '../../values/time.ts';
import { operation } from '../operation.ts';
import { ZONE_HEADER } from '../parameters.ts';
import { Closed, Count, Named, Nullable, NullableString, NullableTime } from '../schemas/values.ts';
import { dateParameter } from './filters.ts';

/** A calendar page of one month shows up to six weeks. */
const MAX_DAYS = 42;
const DEFAULT_DAYS = 7;
const MAX_ROUNDS = 1_000;

/** The fields that a list and a single round have in common. */
export const roundFields = {
  id: Type.String({ description: 'ID of the round.' }),
  date: Type.String({ format: 'date', description: "Day of the round in the organization's time zone." }),
  state: Type.Enum([...ROUND_STATES], {
    description: 'planned, under_way, done or cancelled. A round is also done when all its stops are closed.',
  }),
  truck: Closed({
    id: Type.String({ description: 'ID of the truck.' }),
    name: Type.String({ description: 'Name of the truck.' }),
    capacity: Type.Number({ description: 'The volume that the truck holds.' }),
  }),
  driver: Nullable('The driver. Null if the round has no driver yet.', {
    id: Type.String({ description: 'ID of the driver.' }),
    name: NullableString('Name. Null if the driver was deleted.'),
    phone: NullableString('Phone number.'),
  }),
  volume_unit: Type.Enum(['liters', 'gallons'], { description: 'Unit of the volumes: that of the truck.' }),
  volume: Type.Number({ description: 'Sum of the planned volumes.' }),
  load_volume: Type.Number({
    description:
      'The volume that the truck needs: what was delivered, and what fits at the open stops. Blocked stops need nothing.',
  }),
  counts: Closed({
    stops: Count('All stops.'),
    must: Count('Stops that have to be visited.'),
    open: Count('Stops that are still open.'),
    delivered: Count('Stops with a delivery.'),
    not_possible: Count('Stops where a delivery was not possible.'),
    not_done: Count('Stops without a report when the round ended.'),
    blocked: Count('Open stops whose tanks lose gas.'),
  }),
  undo_until: NullableTime(
    'Until when a person can undo the end of the round: 30 minutes after it. Null if the round has not ended, and after this time.',
  ),
};

const RoundSummary = Named('RoundSummary', { object: Type.Literal('round_summary'), ...roundFields });
const RoundList = Named('RoundList', {
  object: Type.Literal('list'),
  data: Type.Array(RoundSummary, { description: `By day and truck, at most ${MAX_ROUNDS}.` }),
});
export const SUMMARY_EXAMPLE: Static<typeof RoundSummary> = {
  object: 'round_summary',
  id: '01989f50-1a22-7c33-8b44-0d1e2f3a4b5c',
  date: '2025-11-18',
  state: 'under_way',
  truck: { id: '01989f41-7d20-7a33-9c44-5b1e8f2a6d03', name: 'Truck 2', capacity: 9000 },
  driver: { id: '01989f42-8e31-7b44-8d55-6c2f9a3b7e14', name: 'Raúl Vega', phone: '+52 461 555 0155' },
  volume_unit: 'liters',
  volume: 8640,
  load_volume: 8412,
  counts: { stops: 14, must: 8, open: 9, delivered: 4, not_possible: 1, not_done: 0, blocked: 0 },
  undo_until: null,
};

const ROUNDS: Statement = {
  name: 'rounds_between',
  text: `${SUMMARY_SQL} where r.organization_no = $1 and r.date between $2 and $3
    order by r.date, lower(t.name), r.no limit ${MAX_ROUNDS}`,
};

export const summaryOf = (row: RoundSummaryRow): Omit<Static<typeof RoundSummary>, 'object'> => ({
  id: row.id,
  date: row.date,
  state: row.state,
  truck: { id: row.truck_id, name: row.truck_name, capacity: row.capacity },
  driver: row.driver_id === null ? null : { id: row.driver_id, name: row.driver_name, phone: row.driver_phone },
  volume_unit: row.volume_unit,
  volume: tenth(fromLiters(row.litres, row.volume_unit)),
  load_volume: tenth(fromLiters(row.load_litres, row.volume_unit)),
  counts: {
    stops: row.stops,
    must: row.must,
    open: row.open,
    delivered: row.delivered,
    not_possible: row.not_possible,
    not_done: row.not_done,
    blocked: row.blocked,
  },
  undo_until: row.undo_until,
});

const parameters = {
  from: dateParameter("The first day. Default: today in the organization's time zone.", '2025-11-18'),
  to: dateParameter(
    `The last day, at most ${MAX_DAYS} days later. Default: ${DEFAULT_DAYS - 1} days after the first.`,
    '2025-11-18',
  ),
};

export const listRoundsOperation = operation({
  path: '/fleet/v1/rounds',
  operationId: 'listRounds',
  summary: 'List rounds',
  description:
    'Returns the rounds of some days, with what is planned and what happened so far. A key that is narrowed to one customer gets 403.',
  returns: 'answer',
  item: RoundList,
  example: { object: 'list', data: [SUMMARY_EXAMPLE] },
  hasLocalTimes: true,
  parameters,
  async handle({ readers, caller, parameters: given }) {
    if (caller.customerNo !== null) throw organizationOnly('Rounds need');
    const from = given.from ?? (await organizationToday(readers, caller.organizationNo));
    const to = given.to ?? dateAfter(from, DEFAULT_DAYS - 1);
    if (to < from || to > dateAfter(from, MAX_DAYS))
      throw invalidParameters([
        {
          param: 'to',
          code: 'invalid',
          detail: `Must not be before the first day, or more than ${MAX_DAYS} days later.`,
        },
      ]);
    const { organizationNo } = caller;
    const timeZone = await organizationZone(readers, organizationNo);
    const planned = await readers.query<RoundSummaryRow>(ROUNDS, [organizationNo, from, to]);
    const rows = await withCurrentLoads(readers, { organizationNo, timeZone }, planned);
    return {
      body: { object: 'list', data: rows.map((row) => ({ object: 'round_summary', ...summaryOf(row) })) },
      headers: { [ZONE_HEADER]: timeZone },
    };
  },
});

const dateAfter = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

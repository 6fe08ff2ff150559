import { type Static, Type } from 'typebox';
import { countedList } from '../db/counted_list.ts';
import type { Statement } from '../db/readers.ts';
import { notFound } from '../http/problem.ts';
import { isUuid } from '../values/uuid7.ts';
import { listOperation } from './list_operation.ts';
import { Time } from './schemas.ts';

export const Telemetry = Type.Object(
  {
    object: Type.Literal('telemetry'),
    created_at: Time('When the device measured the fill level.'),
    fill_percentage: Type.Number({ minimum: 0, maximum: 100, description: 'Fill level of the tank, in percent.' }),
  },
  {
    title: 'Telemetry',
    additionalProperties: false,
  },
);
export type Telemetry = Static<typeof Telemetry>;

const EXAMPLE: Telemetry = { object: 'telemetry', created_at: '2025-11-02T06:00:00.000Z', fill_percentage: 45.51 };

/**
 * The number of a tank by its id ($3), if the caller can see it: the tank belongs to the organization ($1), to the
 * customer of a narrowed key ($2), and is not deleted. A separate statement, so that telemetry is selected by tank
 * number only.
 */
export const VISIBLE_TANK_NO: Statement = {
  name: 'visible_tank',
  text: `select no from tanks
    where organization_no = $1 and ($2::int is null or owner_no = $2) and id = $3 and deleted_at is null`,
};

/** All readings of a tank ($1). Their times are unique, so the order needs no second column. */
export const TELEMETRY_OF_TANK = countedList({
  name: 'telemetry_of_tank',
  months: 'select month, n from telemetry_month_counters where tank_no = $1',
  count: 'count_telemetry_range($1, from_at, to_at)',
  start: 'select telemetry_page_start($1, from_at, to_at, skip) as before_at, 0 as before_no',
  page: `select 'telemetry' as object, t.created_at, t.fill_percentage
    from newest_telemetry($1, oldest_at, before_at, $5::int) as t`,
});

export const listTelemetryOperation = listOperation({
  path: '/v1/tanks/:id/telemetry',
  operationId: 'listTelemetry',
  summary: "List a tank's telemetry",
  description: 'Returns the readings of a tank, newest first. For a deleted tank, returns 404.',
  idOf: 'tank',
  item: Telemetry,
  example: EXAMPLE,
  filters: {},
  async source({ readers, caller, id }) {
    if (!isUuid(id)) throw notFound('tank');
    const scope = [caller.organizationNo, caller.customerNo];
    const [tank] = await readers.query<{ no: number }>(VISIBLE_TANK_NO, [...scope, id]);
    if (tank === undefined) throw notFound('tank');
    return { statement: TELEMETRY_OF_TANK, scopeNo: tank.no };
  },
});

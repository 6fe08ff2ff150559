import { type Static, Type } from 'typebox';
import { countedList } from '../db/counted_list.ts';
import type { Statement } from '../db/readers.ts';
import { notFound } from '../http/problem.ts';
import { isUuid } from '../values/uuid7.ts';
import { listRead } from './list_read.ts';
import { Time } from './schema.ts';

export const Telemetry = Type.Object(
  {
    object: Type.Literal('telemetry'),
    created_at: Time('When the reading was taken.'),
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
 * The number of a live tank by its id ($3), within an organization ($1) and, for a narrowed key, an owner ($2). A
 * statement of its own, so that telemetry is only ever asked for by tank number.
 */
export const VISIBLE_TANK: Statement = {
  name: 'visible_tank',
  text: `select no from tanks
    where organization_no = $1 and ($2::int is null or owner_no = $2) and id = $3 and deleted_at is null`,
};

/** All readings of a tank ($1). Their times are unique, so there are no ties to break. */
export const OF_TANK = countedList({
  name: 'telemetry_of_tank',
  months: 'select month, n from telemetry_month_counters where tank_no = $1',
  count: 'count_telemetry_range($1, from_at, to_at)',
  start: 'select telemetry_page_start($1, from_at, to_at, skip) as before_at, 0 as before_no',
  page: `select 'telemetry' as object, t.created_at, t.fill_percentage
    from newest_telemetry($1, oldest_at, before_at, $5::int) as t`,
});

export const listTelemetry = listRead({
  path: '/v1/tanks/:id/telemetry',
  operationId: 'listTelemetry',
  summary: "List a tank's telemetry",
  description: 'Newest first. Telemetry of a deleted tank is not found.',
  idOf: 'tank',
  item: Telemetry,
  example: EXAMPLE,
  filters: {},
  async source({ readers, caller, id }) {
    if (!isUuid(id)) throw notFound('tank');
    const scope = [caller.organizationNo, caller.customerNo];
    const [tank] = await readers.query<{ no: number }>(VISIBLE_TANK, [...scope, id]);
    if (tank === undefined) throw notFound('tank');
    return { statement: OF_TANK, scopeNo: tank.no };
  },
});

import { type Static, Type } from 'typebox';
import { countedList } from '../../db/counted_list.ts';
import { Named, Time } from '../schemas/values.ts';
import { visibleTankNo } from '../visible_tank.ts';
import { listOperation } from './list_operation.ts';

export const Telemetry = Named('Telemetry', {
  object: Type.Literal('telemetry'),
  created_at: Time('When the device measured the fill level.'),
  fill_percentage: Type.Number({ minimum: 0, maximum: 100, description: 'Fill level of the tank, in percent.' }),
});
export type Telemetry = Static<typeof Telemetry>;

const EXAMPLE: Telemetry = { object: 'telemetry', created_at: '2025-11-02T06:00:00.000Z', fill_percentage: 45.51 };

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
    return { statement: TELEMETRY_OF_TANK, scopeNo: await visibleTankNo(readers, caller, id) };
  },
});

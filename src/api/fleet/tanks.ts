import type { Caller } from '../../keys/key_verifier.ts';
import { type Audience, audienceOf } from '../../status/handling.ts';
import { type StatusObject, sortByUrgency, statusObject } from '../../status/status_object.ts';
import type { TankStatusRow } from '../../status/status_rows.ts';
import type { FleetScope } from '../../status/tank_filter.ts';
import { findTankPage } from '../../status/tank_page.ts';
import { atOnce, inSlices, type Sliced } from '../../values/slices.ts';
import { operation } from '../operation.ts';
import { pageEnd } from '../schemas/values.ts';
import { filterParameters, fleetFilter, oneOf, pageParameters, readPageAt } from './filters.ts';
import { countRecently } from './recent_counts.ts';
import { readSparks, SPARK_DAYS } from './tank_sparks.ts';
import { TANK_STATUS_EXAMPLE, TankStatus } from './tank_status_schema.ts';

export const scopeOf = ({ organizationNo, customerNo }: Caller): FleetScope => ({ organizationNo, customerNo });

/** A page with more tanks than this is made in slices, because 200 tanks take about 10 ms of CPU time. */
const TANKS_AT_ONCE = 50;

function* statusesOf(rows: readonly TankStatusRow[], audience: Audience): Sliced<StatusObject[]> {
  const statuses: StatusObject[] = [];
  for (const row of rows) {
    statuses.push(statusObject(row, audience));
    yield;
  }
  return statuses;
}

const include = oneOf(['spark'], `spark: also return the last level of each of the last ${SPARK_DAYS} days.`);

const parameters = { ...filterParameters, ...pageParameters, include };

export const listTankStatusesOperation = operation({
  path: '/fleet/v1/tanks',
  operationId: 'listTankStatuses',
  summary: 'List tanks with their levels',
  description:
    'Returns tanks with their latest reading, forecast and status, the most urgent first. The order changes with every ' +
    'reading, so the list has cursors instead of page numbers.',
  returns: 'cursor_list',
  item: TankStatus,
  example: TANK_STATUS_EXAMPLE,
  parameters,
  async handle({ readers, caller, parameters: given }) {
    const scope = scopeOf(caller);
    const filter = fleetFilter(given);
    const { sort = 'urgency', size = 50 } = given;
    const [page, { value: count, asOf }] = await Promise.all([
      readPageAt(given, (cursor) => findTankPage(readers, { scope, filter, sort, size, ...cursor })),
      countRecently(readers, scope, filter),
    ]);
    const statuses = statusesOf(page.rows, audienceOf(caller));
    const inOrder = await (page.rows.length > TANKS_AT_ONCE ? inSlices(statuses) : atOnce(statuses));
    const data = sort === 'urgency' || sort === '-urgency' ? sortByUrgency(inOrder, sort) : inOrder;
    const sparks =
      given.include === undefined
        ? null
        : await readSparks(
            readers,
            caller.organizationNo,
            data.map(({ tank }) => tank.id),
          );
    return {
      body: {
        object: 'list',
        data: sparks === null ? data : data.map((status) => ({ ...status, spark: sparks.get(status.tank.id) ?? [] })),
        ...pageEnd(page.next),
        previous: page.previous,
        total_items: count,
        as_of: asOf,
      },
    };
  },
});

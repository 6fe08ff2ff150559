import type { Statement } from '../../db/readers.ts';
import { notFound } from '../../http/problem.ts';
import { audienceOf } from '../../status/handling.ts';
import { organizationToday } from '../../status/organization_day.ts';
import { statusObject } from '../../status/status_object.ts';
import { STATUS_JOINS, statusColumns, type TankStatusRow } from '../../status/status_rows.ts';
import { isUuid } from '../../values/uuid7.ts';
import { operation } from '../operation.ts';
import { TANK_STATUS_EXAMPLE, TankStatus } from './tank_status_schema.ts';

const TANK_STATUS_BY_ID: Statement = {
  name: 'tank_status_by_id',
  text: `select ${statusColumns('$4::date')} from fleet_tanks f ${STATUS_JOINS}
    where f.organization_no = $1 and ($2::int is null or f.owner_no = $2) and i.id = $3`,
};

export const retrieveTankStatusOperation = operation({
  path: '/fleet/v1/tanks/:id',
  operationId: 'retrieveTankStatus',
  summary: 'Retrieve a tank with its level',
  description: 'Returns one tank with its latest reading, forecast and status. For a deleted tank, returns 404.',
  idOf: 'tank',
  returns: 'answer',
  item: TankStatus,
  example: TANK_STATUS_EXAMPLE,
  parameters: {},
  async handle({ readers, caller, id }) {
    if (!isUuid(id)) throw notFound('tank');
    const today = await organizationToday(readers, caller.organizationNo);
    const scope = [caller.organizationNo, caller.customerNo];
    const [row] = await readers.query<TankStatusRow>(TANK_STATUS_BY_ID, [...scope, id, today]);
    if (row === undefined) throw notFound('tank');
    return { body: statusObject(row, audienceOf(caller)) };
  },
});

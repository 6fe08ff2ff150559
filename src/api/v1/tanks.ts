import { catalogList } from '../../catalog/catalog_list.ts';
import { TANK_COLUMNS } from '../../catalog/v1_columns.ts';
import type { Statement } from '../../db/readers.ts';
import { TANK_EXAMPLE, Tank } from '../schemas/tank.ts';
import { listOperation } from './list_operation.ts';
import { retrieveOperation } from './retrieve_operation.ts';

/** All tanks of an organization ($1). */
const TANKS_OF_ORGANIZATION = catalogList({
  name: 'tanks_of_organization',
  list: 'organization_tanks',
  items: 'tanks',
  scope: 'organization_no',
  columns: TANK_COLUMNS,
});

/** All tanks of an owner ($1), for a narrowed key. */
const TANKS_OF_OWNER = catalogList({
  name: 'tanks_of_owner',
  list: 'owner_tanks',
  items: 'tanks',
  scope: 'owner_no',
  columns: TANK_COLUMNS,
});

export const TANK_BY_ID: Statement = {
  name: 'tank_by_id',
  text: `select ${TANK_COLUMNS}, i.deleted_at is not null as deleted from tanks i
    where i.organization_no = $1 and ($2::int is null or i.owner_no = $2) and i.id = $3`,
};

export const listTanksOperation = listOperation({
  path: '/v1/tanks',
  operationId: 'listTanks',
  summary: 'List tanks',
  description: 'Returns tanks, newest first. A narrowed key sees only the tanks of its customer.',
  item: Tank,
  example: TANK_EXAMPLE,
  filters: {},
  source: ({ caller: { organizationNo, customerNo } }) =>
    customerNo === null
      ? { statement: TANKS_OF_ORGANIZATION, scopeNo: organizationNo }
      : { statement: TANKS_OF_OWNER, scopeNo: customerNo },
});

export const retrieveTankOperation = retrieveOperation({
  path: '/v1/tanks/:id',
  operationId: 'retrieveTank',
  object: 'tank',
  item: Tank,
  example: TANK_EXAMPLE,
  statement: TANK_BY_ID,
});

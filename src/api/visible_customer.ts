import type { Readers, Statement } from '../db/readers.ts';
import { notFound } from '../http/problem.ts';
import type { FleetScope } from '../status/tank_filter.ts';
import { isUuid } from '../values/uuid7.ts';

/** The number of a customer by its id ($3), if it belongs to the organization ($1) and is the one of a narrowed key ($2). */
const VISIBLE_CUSTOMER_NO: Statement = {
  name: 'visible_customer',
  text: `select no from customers
    where organization_no = $1 and ($2::int is null or no = $2) and id = $3 and deleted_at is null`,
};

/** The number of a live customer that the caller may see. Undefined for any other id. */
export async function findCustomerNo(readers: Readers, scope: FleetScope, id: string): Promise<number | undefined> {
  if (!isUuid(id)) return undefined;
  const values = [scope.organizationNo, scope.customerNo, id];
  const [customer] = await readers.query<{ no: number }>(VISIBLE_CUSTOMER_NO, values);
  return customer?.no;
}

/** The number of a live customer that the caller may see. Any other id is 404. */
export async function visibleCustomerNo(readers: Readers, scope: FleetScope, id: string): Promise<number> {
  const customerNo = await findCustomerNo(readers, scope, id);
  if (customerNo === undefined) throw notFound('customer');
  return customerNo;
}

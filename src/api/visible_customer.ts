import type { Readers, Statement } from '../db/readers.ts';
import { notFound } from '../http/problem.ts';
import type { FleetScope } from '../status/tank_filter.ts';
import { isUuid } from '../values/uuid7.ts';

/**
 * The number of a customer by its id ($3), if it belongs to the organization ($1) and to a narrowed key ($2), if any.
 */
const VISIBLE_CUSTOMER_NO: Statement = {
  name: 'visible_customer',
  text: `select no from customers
    where organization_no = $1 and ($2::int is null or no = $2) and id = $3 and deleted_at is null`,
};

/** The internal number of a customer that is not deleted and that the caller may see. Undefined for any other id. */
export async function findCustomerNo(readers: Readers, scope: FleetScope, id: string): Promise<number | undefined> {
  if (!isUuid(id)) return undefined;
  const values = [scope.organizationNo, scope.customerNo, id];
  const [customer] = await readers.query<{ no: number }>(VISIBLE_CUSTOMER_NO, values);
  return customer?.no;
}

/** The internal number of a customer that is not deleted and that the caller may see. Throws 404 for any other id. */
export async function visibleCustomerNo(readers: Readers, scope: FleetScope, id: string): Promise<number> {
  const customerNo = await findCustomerNo(readers, scope, id);
  if (customerNo === undefined) throw notFound('customer');
  return customerNo;
}

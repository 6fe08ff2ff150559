import { CUSTOMER_COLUMNS } from '../../catalog/columns.ts';
import type { Readers, Statement } from '../../db/readers.ts';
import { likePattern } from '../../fleet/search_words.ts';
import type { FleetScope } from '../../fleet/tank_page.ts';

const OF_SCOPE = `customers i where i.organization_no = $1 and ($2::int is null or i.no = $2) and i.deleted_at is null`;

const BY_EXTERNAL_KEY: Statement = {
  name: 'customer_by_external_key',
  text: `select ${CUSTOMER_COLUMNS}, i.external_key from ${OF_SCOPE} and i.external_key = $3`,
};

/** At most one customer: external keys are unique in an organization. */
export const findCustomersByExternalKey = (
  readers: Readers,
  { organizationNo, customerNo }: FleetScope,
  externalKey: string,
): Promise<object[]> => readers.query(BY_EXTERNAL_KEY, [organizationNo, customerNo, externalKey]);

/** Customers whose name, address, phone or external key contain all words. */
export function findCustomersByWords(
  readers: Readers,
  { organizationNo, customerNo }: FleetScope,
  words: readonly string[],
  limit: number,
): Promise<object[]> {
  const contains = words.map(
    (_, at) => `customer_search_text(i.name, i.email, i.phone, i.external_key) like $${at + 4}::text`,
  );
  const text = `select ${CUSTOMER_COLUMNS}, i.external_key from ${OF_SCOPE} and ${contains.join(' and ')}
    order by i.name, i.no limit $3::int`;
  return readers.query({ text }, [organizationNo, customerNo, limit, ...words.map(likePattern)]);
}

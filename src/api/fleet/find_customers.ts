import { CUSTOMER_COLUMNS } from '../../catalog/v1_columns.ts';
import type { Readers, Statement } from '../../db/readers.ts';
import { likePattern } from '../../fleet/search_words.ts';
import { type FleetScope, MAX_SEARCH_MATCHES } from '../../fleet/tank_filter.ts';

const BY_EXTERNAL_KEY: Statement = {
  name: 'customer_by_external_key',
  text: `select ${CUSTOMER_COLUMNS}, i.external_key from customers i
    where i.organization_no = $1 and ($2::int is null or i.no = $2) and i.deleted_at is null and i.external_key = $3`,
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
  const contains = words.map((_, at) => `customer_search_text(name, email, phone, external_key) like $${at + 3}::text`);
  // An owner is found by number: the index of texts would first find all others. Matches of common words are not all sorted.
  const scope = customerNo === null ? 'organization_no = $1' : 'no = $1';
  const text = `select ${CUSTOMER_COLUMNS}, i.external_key
    from (
      select * from customers where ${scope} and deleted_at is null and ${contains.join(' and ')}
      limit ${MAX_SEARCH_MATCHES}
    ) as i
    order by i.name, i.no limit $2::int`;
  return readers.query({ text }, [customerNo ?? organizationNo, limit, ...words.map(likePattern)]);
}

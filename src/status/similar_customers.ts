import type { Readers } from '../db/readers.ts';
import { searchWords } from './search_words.ts';
import { type FleetScope, findByWords, SqlValues } from './tank_filter.ts';

/** The fields of a customer or of the address of a tank that a person has typed. */
export interface TypedCustomer {
  name?: string | undefined;
  email?: string | undefined;
  phone?: string | undefined;
  external_key?: string | undefined;
  street?: string | undefined;
  street_number?: string | undefined;
}

/** The parts that two customers can have in common, the most certain first. */
export const SAME_PARTS = ['external_key', 'phone', 'email', 'address', 'name'] as const;
export type SamePart = (typeof SAME_PARTS)[number];

interface SimilarCustomer {
  id: string;
  name: string;
  external_key: string | null;
  email: string;
  phone: string | null;
  same: SamePart[];
}

export const MAX_SIMILAR = 3;
/** A number with fewer digits is an extension, or is not complete yet. */
const MIN_PHONE_DIGITS = 7;
/** The same number may be stored with a country code or without it. */
const COMPARED_PHONE_DIGITS = 8;

/** Finds at most three live customers of an organization that may be the typed one, those with the most common parts first. */
export async function findSimilarCustomers(
  readers: Readers,
  { organizationNo, customerNo }: FleetScope,
  typed: TypedCustomer,
  exceptId: string | undefined,
): Promise<SimilarCustomer[]> {
  // A narrowed key and an owner see one customer.
  if (customerNo !== null) return [];
  const values = new SqlValues();
  const organization = values.add(organizationNo, 'int');
  const parts = similarParts(organizationNo, organization, typed, values);
  if (parts.length === 0) return [];
  // Each part is found by its own index and has few rows, so that the customers are joined last.
  const text = `with similar_parts as materialized (${parts.join(' union all ')})
    select c.id, c.name, c.external_key, c.email, c.phone, array_agg(distinct s.same) as same
    from similar_parts s join customers c on c.no = s.no
    where c.organization_no = ${organization} and c.deleted_at is null
      and c.id is distinct from ${values.add(exceptId ?? null, 'uuid')}
    group by c.no
    order by count(distinct s.same) desc, min(array_position(${values.add(SAME_PARTS, 'text[]')}, s.same)), min(s.place), c.no
    limit ${MAX_SIMILAR}`;
  const found = await readers.query<SimilarCustomer>({ text }, values.list);
  return found.map((customer) => ({ ...customer, same: SAME_PARTS.filter((part) => customer.same.includes(part)) }));
}

/** A statement for each typed part: the numbers of customers, and the name of the part. */
function similarParts(
  organizationNo: number,
  organization: string,
  { name, email, phone, external_key: externalKey, street, street_number: streetNumber }: TypedCustomer,
  { add }: SqlValues,
): string[] {
  const parts: string[] = [];
  const mine = `organization_no = ${organization} and deleted_at is null`;
  const addPart = (same: SamePart, statement: string): unknown =>
    parts.push(`(select no, '${same}' as same, row_number() over () as place from (${statement}) as found)`);
  if (externalKey !== undefined)
    addPart('external_key', `select no from customers where ${mine} and external_key = ${add(externalKey, 'text')}`);
  if (email !== undefined)
    addPart('email', `select no from customers where ${mine} and email = ${add(email, 'text')} limit 10`);
  const digits = phone?.replace(/\D/g, '').slice(-COMPARED_PHONE_DIGITS) ?? '';
  if (digits.length >= MIN_PHONE_DIGITS)
    addPart(
      'phone',
      `select find.no from (${findByWords('customers', organizationNo, [digits], add)}) as find (no) limit 10`,
    );
  const address = street === undefined || streetNumber === undefined ? null : addressWords(street, streetNumber);
  if (address !== null && streetNumber !== undefined)
    addPart(
      'address',
      `select t.owner_no as no from (${findByWords('tanks', organizationNo, address, add)}) as find (no)
       join tanks t on t.no = find.no
       where t.organization_no = ${organization} and search_text(t.street_number) = search_text(${add(streetNumber, 'text')})
       limit 10`,
    );
  if (name !== undefined && searchWords(name) !== null)
    addPart('name', `select find.no from find_similar_names(${organization}, ${add(name, 'text')}) as find (no)`);
  return parts;
}

/**
 * The words by which an address is searched: the longest word of the street, the first letters of the others (because "St" and
 * "Street" are the same), and the number. Null if no index can find them.
 */
function addressWords(street: string, streetNumber: string): string[] | null {
  const words = searchWords(street);
  // With a longer word, because searchWords refuses a short number alone.
  const number = searchWords(`${streetNumber} street`)?.[0];
  if (words === null || number === undefined) return null;
  const longest = words.toSorted((one, other) => other.length - one.length)[0] ?? '';
  return [longest, ...words.filter((word) => word !== longest).map((word) => word.slice(0, 1)), number];
}

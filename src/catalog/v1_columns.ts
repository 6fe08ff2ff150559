import type { Phone } from '../values/phones.ts';

/** Customers and tanks as /v1 shows them: the columns of a row `i` with the names of /v1. */
export const CUSTOMER_COLUMNS = `i.id, 'customer' as object, i.created_at, i.email, i.is_verified, i.last_seen_at, i.name, i.phone,
  coalesce((
    select sum(n) from catalog_month_counters where list = 'owner_tanks' and scope_no = i.no
  ), 0)::int as tank_count,
  i.updated_at, i.verified_at`;

/** All phones of a customer, beginning with the phone to call first. */
export const phonesSql = (customer: string): string =>
  `phones_of(${customer}.phone, ${customer}.phone_whose, ${customer}.is_phone_texted, ${customer}.other_phones)`;

/** A customer as /manage/v1 and the change feed show it. It has everything that can be written. */
export const MANAGED_CUSTOMER_COLUMNS = `i.id, 'customer' as object, i.external_key, i.email, i.name, i.phone, ${phonesSql('i')} as phones,
  i.is_verified, i.verified_at, i.created_at, i.updated_at`;

/** A row with MANAGED_CUSTOMER_COLUMNS. */
export interface CustomerObject {
  id: string;
  object: 'customer';
  external_key: string | null;
  email: string;
  name: string;
  phone: string | null;
  phones: Phone[];
  is_verified: boolean;
  verified_at: string | null;
  created_at: string;
  updated_at: string;
}

export const TANK_COLUMNS = `i.id, 'tank' as object, i.assigned_device_id, i.capacity, i.capacity_unit, i.created_at, i.custom_id,
  json_build_object(
    'city', i.city, 'country', i.country, 'district', i.district, 'latitude', i.latitude, 'longitude', i.longitude,
    'postal_code', i.postal_code, 'region', i.region, 'street', i.street, 'street_number', i.street_number
  ) as location,
  i.min_fill_alert_percentage, i.name, (select id from customers where no = i.owner_no) as owner_id,
  i.updated_at, i.use_case`;

/** A row with TANK_COLUMNS. */
export interface TankObject {
  id: string;
  object: 'tank';
  assigned_device_id: string;
  capacity: number;
  capacity_unit: 'liters' | 'gallons';
  created_at: string;
  custom_id: string | null;
  location: Record<
    'city' | 'country' | 'district' | 'postal_code' | 'region' | 'street' | 'street_number',
    string | null
  > &
    Record<'latitude' | 'longitude', number | null>;
  min_fill_alert_percentage: number;
  name: string;
  owner_id: string;
  updated_at: string;
  use_case: string | null;
}

/** A tank as /manage/v1 and the change feed show it. */
export const MANAGED_TANK_COLUMNS = `${TANK_COLUMNS}, i.report_interval_hours, i.is_mobile, i.product, i.fill_limit_percentage,
  i.order_threshold_percentage, i.external_key, i.levels_changed_at`;

/** A row with MANAGED_TANK_COLUMNS. */
export interface ManagedTankObject extends TankObject {
  report_interval_hours: number | null;
  is_mobile: boolean;
  /** Null for the default product of the organization. */
  product: string | null;
  /** Null for the fill limit of the product. */
  fill_limit_percentage: number | null;
  /** Null if the tank has no order threshold. */
  order_threshold_percentage: number | null;
  /** Unique in the organization. */
  external_key: string | null;
  levels_changed_at: string | null;
}

/** A stored customer or tank. `object` is null if it was deleted. */
export interface StoredObject<T> {
  no: number;
  id: string;
  object: T | null;
}

export type StoredRow<T> = T & { no: number; is_deleted: boolean };

export function stored<T extends { id: string }>(
  row: StoredRow<T> | undefined,
): StoredObject<Omit<StoredRow<T>, 'no' | 'is_deleted'>> | undefined {
  if (row === undefined) return undefined;
  const { no, is_deleted, ...object } = row;
  return { no, id: row.id, object: is_deleted ? null : object };
}

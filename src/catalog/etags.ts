import { etagOf } from '../values/etag.ts';
import type { CustomerObject, ManagedTankObject } from './v1_columns.ts';

/** The ETag changes with every field that a caller can write. The order of the fields is fixed. */
export const customerEtag = (customer: CustomerObject): string =>
  etagOf([
    customer.id,
    customer.external_key,
    customer.email,
    customer.name,
    customer.phone,
    customer.is_verified,
    customer.phones,
  ]);

const LOCATION_FIELDS = [
  'city',
  'country',
  'district',
  'latitude',
  'longitude',
  'postal_code',
  'region',
  'street',
  'street_number',
] as const satisfies readonly (keyof ManagedTankObject['location'])[];

/** The ETag changes with every field that a caller can write. The order of the fields is fixed. */
export const tankEtag = (tank: ManagedTankObject): string =>
  etagOf([
    tank.id,
    tank.owner_id,
    tank.assigned_device_id,
    tank.name,
    tank.capacity,
    tank.capacity_unit,
    tank.min_fill_alert_percentage,
    tank.custom_id,
    tank.use_case,
    ...LOCATION_FIELDS.map((field) => tank.location[field]),
    // Tanks without these settings keep the ETags of releases before 0.4.
    ...(tank.report_interval_hours === null && !tank.is_mobile ? [] : [tank.report_interval_hours, tank.is_mobile]),
    ...(tank.product === null && tank.fill_limit_percentage === null
      ? []
      : ['product', tank.product, tank.fill_limit_percentage]),
    ...(tank.order_threshold_percentage === null ? [] : ['order', tank.order_threshold_percentage]),
    ...(tank.external_key === null ? [] : ['external_key', tank.external_key]),
  ]);

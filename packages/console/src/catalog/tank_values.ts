import type { ManagedTank, TankStatus } from '@tankwatch/client';
import { MAX_REPORT_INTERVAL_HOURS } from '../../../../src/values/report_interval.ts';
import { USUAL_THRESHOLD_PERCENTAGE } from '../../../../src/values/usual_constants.ts';

export const ADDRESS_FIELDS = [
  'street',
  'street_number',
  'postal_code',
  'city',
  'district',
  'region',
  'country',
] as const;

/** The fields of the form of a tank. The form keeps all values as texts (`TankTexts`). */
export const TANK_FIELDS = [
  'name',
  'custom_id',
  'capacity',
  'capacity_unit',
  'min_fill_alert_percentage',
  'order_threshold_percentage',
  'use_case',
  'report_interval_hours',
  'product',
  'fill_limit_percentage',
  'is_mobile',
  ...ADDRESS_FIELDS,
  'place',
  'source',
  'device_id',
] as const;
export type TankField = (typeof TANK_FIELDS)[number];
export type TankTexts = Record<TankField, string>;

export const UNITS = ['liters', 'gallons'] as const;
/** Where the level of a new tank comes from. */
export const SOURCES = ['device', 'manual', 'later'] as const;

type Location = ManagedTank['location'];

export const placeText = ({ latitude, longitude }: Pick<Location, 'latitude' | 'longitude'>): string =>
  latitude === null || longitude === null ? '' : `${latitude}, ${longitude}`;

const addressTexts = (location: Location | null) => ({
  street: location?.street ?? '',
  street_number: location?.street_number ?? '',
  postal_code: location?.postal_code ?? '',
  city: location?.city ?? '',
  district: location?.district ?? '',
  region: location?.region ?? '',
  country: location?.country ?? '',
  place: location === null ? '' : placeText(location),
});

/** The texts of an empty form, with this unit. */
export const newTankTexts = (unit: string): TankTexts => ({
  name: '',
  custom_id: '',
  capacity: '',
  capacity_unit: unit,
  min_fill_alert_percentage: `${USUAL_THRESHOLD_PERCENTAGE}`,
  order_threshold_percentage: '',
  use_case: '',
  report_interval_hours: '',
  product: '',
  fill_limit_percentage: '',
  is_mobile: '',
  ...addressTexts(null),
  source: 'device',
  device_id: '',
});

export const tankTexts = (tank: ManagedTank): TankTexts => ({
  ...newTankTexts(tank.capacity_unit),
  name: tank.name,
  custom_id: tank.custom_id ?? '',
  capacity: String(tank.capacity),
  min_fill_alert_percentage: String(tank.min_fill_alert_percentage),
  order_threshold_percentage: tank.order_threshold_percentage === null ? '' : String(tank.order_threshold_percentage),
  use_case: tank.use_case ?? '',
  report_interval_hours: tank.report_interval_hours === null ? '' : String(tank.report_interval_hours),
  product: tank.product ?? '',
  fill_limit_percentage: tank.fill_limit_percentage === null ? '' : String(tank.fill_limit_percentage),
  is_mobile: tank.is_mobile ? 'yes' : '',
  ...addressTexts(tank.location),
});

/** The texts of the address of another tank, to be used for this tank. */
export const addressOfTank = ({ tank }: TankStatus): Partial<TankTexts> => addressTexts(tank.location);

/** Parses a whole percentage. Null if the text is not one. */
export function percentageIn(text: string): number | null {
  const value = Number(text.trim());
  return text.trim() !== '' && Number.isInteger(value) && value >= 0 && value <= 100 ? value : null;
}

/** Parses a whole number in a range. Null if the text is empty; undefined if it is not such a number. */
const wholeIn =
  (from: number, to: number) =>
  (text: string): number | null | undefined => {
    const value = Number(text.trim());
    if (text.trim() === '') return null;
    return Number.isInteger(value) && value >= from && value <= to ? value : undefined;
  };
export const intervalIn = wholeIn(1, MAX_REPORT_INTERVAL_HOURS);
export const fillLimitIn = wholeIn(50, 100);
export const orderThresholdIn = wholeIn(1, 100);

/** Parses a place as maps copy it: "44.4759, -73.2121". Both are null for an empty text. Null if the text is not a place. */
export function placeIn(text: string): { latitude: number | null; longitude: number | null } | null {
  if (text.trim() === '') return { latitude: null, longitude: null };
  const found = /^\(?\s*(-?\d{1,2}(?:\.\d+)?)°?\s*[,;\s]\s*(-?\d{1,3}(?:\.\d+)?)°?\s*\)?$/.exec(text.trim());
  const [latitude, longitude] = [Number(found?.[1]), Number(found?.[2])];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null;
}

/** The body of the request with the changed fields, which the caller has checked. */
export function tankBody(
  texts: TankTexts,
  fields: readonly TankField[],
  capacity: number | null,
): Record<string, unknown> {
  const location: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    const text = texts[field].trim();
    if (field === 'place') Object.assign(location, placeIn(text));
    else if (ADDRESS_FIELDS.some((one) => one === field)) location[field] = text || null;
    else if (field === 'capacity') body[field] = capacity;
    else if (field === 'min_fill_alert_percentage') body[field] = percentageIn(text);
    else if (field === 'order_threshold_percentage') body[field] = orderThresholdIn(text);
    else if (field === 'report_interval_hours') body[field] = intervalIn(text);
    else if (field === 'fill_limit_percentage') body[field] = fillLimitIn(text);
    else if (field === 'is_mobile') body[field] = text !== '';
    else if (field !== 'source' && field !== 'device_id') body[field] = text || null;
  }
  if (fields.includes('source') && texts.source !== 'later')
    body['assigned_device_id'] = texts.source === 'manual' ? 'manual' : texts.device_id.trim();
  return Object.keys(location).length === 0 ? body : { ...body, location };
}

/** The field of the form that shows an error of the service. */
export function fieldOfParam(param: string): string {
  const name = param.replace(/^location\./, '');
  if (name === 'latitude' || name === 'longitude') return 'place';
  return name === 'assigned_device_id' ? 'device_id' : name;
}

import { UNIT_WORDS } from '../values/heading_words.ts';
import { PRODUCT_WORDS } from '../values/products.ts';
import { MAX_REPORT_INTERVAL_HOURS } from '../values/report_interval.ts';
import { boolean, creationTime, type FieldValues, identifier, number, oneOf, orNull, text } from './field.ts';

/** The largest tanks that are built have less than 300,000,000 liters. A number outside this range is a mistake. */
export const CAPACITY_RANGE = { minimum: 0.001, maximum: 1_000_000_000 };

/** The capacity of a tank or a truck. */
export const capacity = number({
  accepts: (value) => value >= CAPACITY_RANGE.minimum && value <= CAPACITY_RANGE.maximum,
  wanted: 'a number from 0.001 to 1,000,000,000',
});

/** The place of a tank or a depot. */
const degrees = (what: string, max: number) =>
  number({ accepts: (value) => Math.abs(value) <= max, wanted: `a ${what} from -${max} to ${max}`, isBelow1000: true });
export const latitude = degrees('latitude', 90);
export const longitude = degrees('longitude', 180);

/** A fill limit below this is probably a threshold in the wrong column. */
export const MIN_FILL_LIMIT = 50;

export const TANK_FIELDS = {
  custom_id: orNull(identifier(200)),
  external_key: orNull(identifier(200)),
  name: text(500),
  assigned_device_id: identifier(64),
  capacity,
  capacity_unit: oneOf(UNIT_WORDS),
  min_fill_alert_percentage: number({
    accepts: (value) => Number.isInteger(value) && value >= 0 && value <= 100,
    wanted: 'a whole number from 0 to 100',
    isPercentage: true,
  }),
  order_threshold_percentage: orNull(
    number({
      accepts: (value) => Number.isInteger(value) && value >= 1 && value <= 100,
      wanted: 'a whole number from 1 to 100',
      isPercentage: true,
    }),
  ),
  is_batch_tank: boolean,
  report_interval_hours: orNull(
    number({
      accepts: (value) => Number.isInteger(value) && value >= 1 && value <= MAX_REPORT_INTERVAL_HOURS,
      wanted: `a whole number of hours from 1 to ${MAX_REPORT_INTERVAL_HOURS}`,
      isBelow1000: true,
    }),
  ),
  is_mobile: boolean,
  product: orNull(oneOf(PRODUCT_WORDS)),
  fill_limit_percentage: orNull(
    number({
      accepts: (value) => Number.isInteger(value) && value >= MIN_FILL_LIMIT && value <= 100,
      wanted: `a whole number from ${MIN_FILL_LIMIT} to 100`,
      isPercentage: true,
    }),
  ),
  use_case: orNull(oneOf({ residential: ['residencial'], commercial: ['comercial'], industrial: [] })),
  city: orNull(text(200)),
  country: orNull(text(200)),
  district: orNull(text(200)),
  latitude: orNull(latitude),
  longitude: orNull(longitude),
  postal_code: orNull(text(200)),
  region: orNull(text(200)),
  street: orNull(text(200)),
  street_number: orNull(text(200)),
  created_at: creationTime,
};

interface Thresholds {
  min_fill_alert_percentage: number;
  order_threshold_percentage?: number | null | undefined;
}

/**
 * The order threshold must be above the alert threshold. The error names the order threshold if the change gives it,
 * and otherwise the alert threshold.
 */
export function thresholdProblem(
  { min_fill_alert_percentage: low, order_threshold_percentage: order }: Thresholds,
  { isOrderGiven }: { isOrderGiven: boolean },
): { field: keyof Thresholds; reason: string } | undefined {
  if (typeof order !== 'number' || order > low) return undefined;
  return isOrderGiven
    ? { field: 'order_threshold_percentage', reason: `must be above the alert threshold, which is ${low}` }
    : { field: 'min_fill_alert_percentage', reason: `must be below the order threshold, which is ${order}` };
}

export type TankValues = FieldValues<typeof TANK_FIELDS>;

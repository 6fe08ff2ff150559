import { parseTimeMs } from '../values/time.ts';

/**
 * The fields of customers and tanks that options of a command or columns of a file can set. Each is parsed from text here
 * and nowhere else. An empty text is null where the field may be null.
 */
export type Field<T> = (text: string) => { value: T } | { reason: string };

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type FieldValues<F extends Fields> = { [Name in keyof F]?: F[Name] extends Field<infer T> ? T : never };

const text =
  (maxLength: number): Field<string> =>
  (given) => {
    const value = given.trim();
    if (value === '') return { reason: 'must not be empty' };
    if (value.length > maxLength) return { reason: `must have at most ${maxLength} characters` };
    return value.includes('\0') ? { reason: 'must not contain a NUL character' } : { value };
  };

const orNull =
  <T>(field: Field<T>): Field<T | null> =>
  (given) =>
    given.trim() === '' ? { value: null } : field(given);

const number =
  (accepts: (value: number) => boolean, wanted: string): Field<number> =>
  (given) => {
    const value = Number(given);
    const isNumber = given.trim() !== '' && Number.isFinite(value);
    return isNumber && accepts(value) ? { value } : { reason: `must be ${wanted}` };
  };

const oneOf =
  <T extends string>(...allowed: readonly T[]): Field<T> =>
  (given) => {
    const value = allowed.find((choice) => choice === given.trim());
    return value === undefined ? { reason: `must be one of ${allowed.join(', ')}` } : { value };
  };

const boolean: Field<boolean> = (given) => {
  const value = { true: true, yes: true, '1': true, false: false, no: false, '0': false }[given.trim().toLowerCase()];
  return value === undefined ? { reason: 'must be true or false' } : { value };
};

const time: Field<string> = (given) => {
  const atMs = parseTimeMs(given.trim());
  return atMs === undefined
    ? { reason: 'must be a time such as 2025-08-13T16:38:55Z' }
    : { value: new Date(atMs).toISOString() };
};

const email: Field<string> = (given) => {
  const parsed = text(320)(given);
  if ('value' in parsed && !/^[^\s@]+@[^\s@]+$/.test(parsed.value)) return { reason: 'must be an e-mail address' };
  return parsed;
};

export const CUSTOMER_FIELDS = {
  external_key: orNull(text(200)),
  email,
  name: text(500),
  phone: orNull(text(50)),
  is_verified: boolean,
  verified_at: orNull(time),
  created_at: time,
};

export const TANK_FIELDS = {
  custom_id: orNull(text(200)),
  name: text(500),
  assigned_device_id: text(64),
  capacity: number((value) => value > 0, 'a number greater than 0'),
  capacity_unit: oneOf('liters', 'gallons'),
  min_fill_alert_percentage: number(
    (value) => Number.isInteger(value) && value >= 0 && value <= 100,
    'a whole number from 0 to 100',
  ),
  use_case: orNull(oneOf('residential', 'commercial', 'industrial')),
  city: orNull(text(200)),
  country: orNull(text(200)),
  district: orNull(text(200)),
  latitude: orNull(number((value) => Math.abs(value) <= 90, 'a latitude from -90 to 90')),
  longitude: orNull(number((value) => Math.abs(value) <= 180, 'a longitude from -180 to 180')),
  postal_code: orNull(text(200)),
  region: orNull(text(200)),
  street: orNull(text(200)),
  street_number: orNull(text(200)),
  created_at: time,
};

export type CustomerValues = FieldValues<typeof CUSTOMER_FIELDS>;
export type TankValues = FieldValues<typeof TANK_FIELDS>;

/** Parses the given texts and names every invalid one. Ignores names that are not fields. */
export function parseFields<F extends Fields>(
  fields: F,
  given: Readonly<Record<string, string | undefined>>,
): { values: FieldValues<F>; errors: string[] } {
  const values: Record<string, unknown> = {};
  const errors: string[] = [];
  for (const [name, parse] of Object.entries(fields)) {
    const textGiven = given[name];
    if (textGiven === undefined) continue;
    const parsed = parse(textGiven);
    if ('value' in parsed) values[name] = parsed.value;
    else errors.push(`${name} ${parsed.reason}`);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value came from the parser of its own name
  return { values: values as FieldValues<F>, errors };
}

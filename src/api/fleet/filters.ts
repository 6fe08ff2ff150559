import { Type } from 'typebox';
import { USE_CASES } from '../../catalog/use_case.ts';
import { isDate } from '../../deliveries/round_day.ts';
import { invalidParameters } from '../../http/problem.ts';
import { InvalidCursorError } from '../../status/cursor.ts';
import { FLEET_SORTS, type FleetSort } from '../../status/fleet_order.ts';
import { searchWords } from '../../status/search_words.ts';
import { SECTIONS, type Section } from '../../status/sections.ts';
import type { Box, FleetFilter } from '../../status/tank_filter.ts';
import { TANK_STATUSES, type TankStatusName } from '../../status/tank_statuses.ts';
import { isUuid } from '../../values/uuid7.ts';
import { integerParameter, type Parameter, type ParameterValues, type Parsed } from '../parameters.ts';

const MAX_IDS = 100;
const MAX_KM = 500;
const DEFAULT_KM = 15;

/** A parameter with a fixed set of values. */
export function oneOf<const Value extends string>(values: readonly Value[], description: string): Parameter<Value> {
  return {
    schema: Type.Enum([...values]),
    description,
    parse(text): Parsed<Value> {
      const value = values.find((candidate) => candidate === text);
      return value === undefined ? { code: 'invalid', detail: `Must be one of: ${values.join(', ')}.` } : { value };
    },
  };
}

export const textParameter = (description: string, example: string): Parameter<string> => ({
  schema: Type.String({ minLength: 1, maxLength: 200, examples: [example] }),
  description,
  parse: (value) =>
    value === '' || value.length > 200 || value.includes('\0')
      ? { code: 'invalid', detail: 'Must have 1 to 200 characters.' }
      : { value: value.normalize() },
});

/** The ID of one object. `what` is the end of the error "Must be ...". */
export function idParameter(description: string, what = 'an ID'): Parameter<string> {
  return {
    schema: Type.String(),
    description,
    parse: (value) => (isUuid(value) ? { value } : { code: 'invalid', detail: `Must be ${what}.` }),
  };
}

export const dateParameter = (description: string, example: string): Parameter<string> => ({
  schema: Type.String({ format: 'date', examples: [example] }),
  description,
  parse: (text) => (isDate(text) ? { value: text } : { code: 'invalid', detail: 'Must be a date such as 2026-11-17.' }),
});

const status: Parameter<TankStatusName> = oneOf(TANK_STATUSES, 'Return only tanks with this status.');

const reporting = oneOf(['never'], 'never: return only tanks without a reading so far.');

const dip = oneOf(['wanted'], 'wanted: return only tanks without a sensor whose level a person should read.');

const order = oneOf(['due'], 'due: return only tanks at or below their order threshold.');

const section: Parameter<Section> = oneOf(
  SECTIONS,
  'Return only tanks of this section: what is to be done today. Each tank is in one section at most, the most urgent one.',
);

const within_days = integerParameter(
  'Return only tanks that are low or reach their threshold within this many days, by the time zone of the organization.',
  { minimum: 0, maximum: 730 },
);

const owner_id = idParameter('Return only tanks of this customer.', 'the ID of a customer');

const ids: Parameter<string[]> = {
  schema: Type.String({ examples: ['01989f31-0c52-7a08-8f4e-5d1c9b7e2f66'] }),
  description: `Return only these tanks: up to ${MAX_IDS} IDs, separated by commas.`,
  parse(value) {
    const list = value.split(',');
    return list.length <= MAX_IDS && list.every(isUuid)
      ? { value: list }
      : { code: 'invalid', detail: `Must be up to ${MAX_IDS} IDs of tanks, separated by commas.` };
  },
};

export const searchParameter = (description: string): Parameter<string[]> => ({
  schema: Type.String({ minLength: 3, maxLength: 100, examples: ['lopez celaya'] }),
  description:
    `${description} Case, accents and signs do not matter. A word of one or two characters is compared with the beginning of ` +
    'words. At least one word must have three letters or digits.',
  parse(value) {
    const words = searchWords(value);
    return words === null
      ? {
          code: 'invalid',
          detail: 'Must have 1 to 8 words in 100 characters, one of them with three letters or digits in a row.',
        }
      : { value: words };
  },
});

const q = searchParameter(
  'Return only tanks that contain all these words, in any order, in their name, custom ID, device, street, district, city or ' +
    'postal code, or in the name, number, e-mail address or phone number of their owner.',
);

const near: Parameter<{ latitude: number; longitude: number }> = {
  schema: Type.String({ examples: ['20.52,-100.81'] }),
  description: 'Return only tanks near this place: latitude and longitude in degrees.',
  parse(value) {
    const numbers = value.split(',').map(decimal);
    const [latitude = Number.NaN, longitude = Number.NaN] = numbers;
    const isPlace = numbers.length === 2 && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
    return isPlace
      ? { value: { latitude, longitude } }
      : { code: 'invalid', detail: 'Must be a latitude and a longitude in degrees, such as 20.52,-100.81.' };
  },
};

const km: Parameter<number> = {
  schema: Type.Number({ exclusiveMinimum: 0, maximum: MAX_KM, default: DEFAULT_KM }),
  description: 'The distance for `near`, in km.',
  parse(value) {
    const number = decimal(value);
    return number > 0 && number <= MAX_KM
      ? { value: number }
      : { code: 'out_of_range', detail: `Must be a number above 0 and up to ${MAX_KM}.` };
  },
};

export const bbox: Parameter<Box> = {
  schema: Type.String({ examples: ['-101.2,20.3,-100.4,20.8'] }),
  description: 'Return only tanks in this area: west, south, east and north in degrees.',
  parse(text) {
    const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN, ...more] = text
      .split(',')
      .map(decimal);
    const isArea = west < east && south < north && Math.abs(south) <= 90 && Math.abs(north) <= 90 && more.length === 0;
    return isArea && Math.abs(west) <= 180 && Math.abs(east) <= 180
      ? { value: { west, south, east, north } }
      : { code: 'invalid', detail: 'Must be west, south, east and north in degrees, such as -101.2,20.3,-100.4,20.8.' };
  },
};

/** A number such as -100.81; NaN for anything else. */
const decimal = (text: string): number => (/^-?\d{1,3}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN);

export const filterParameters = {
  status,
  section,
  reporting,
  dip,
  order,
  within_days,
  use_case: oneOf(USE_CASES, 'Return only tanks with this use.'),
  city: textParameter('Return only tanks in this city, written as in the tank.', 'Celaya'),
  owner_id,
  external_key: textParameter(
    "Return only the tank with this `external_key`, the operator's own number of the tank.",
    'T-4711',
  ),
  ids,
  q,
  near,
  km,
  bbox,
};

export function fleetFilter(given: ParameterValues<typeof filterParameters>): FleetFilter {
  const filter = {
    status: given.status,
    section: given.section,
    reporting: given.reporting,
    dip: given.dip,
    order: given.order,
    withinDays: given.within_days,
    useCase: given.use_case,
    city: given.city,
    ownerId: given.owner_id,
    externalKey: given.external_key,
    ids: given.ids,
    words: given.q,
    near: given.near && { ...given.near, km: given.km ?? DEFAULT_KM },
    box: given.bbox,
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

const sort: Parameter<FleetSort> = oneOf(
  FLEET_SORTS,
  'The order. Urgency: losing tanks first, then low ones, the soonest to be empty first, then by the time they reach ' +
    'their threshold. ' +
    'Use `created` to read every tank once: readings do not change this order. A minus reverses the order.',
);

export const cursor = (description: string): Parameter<string> => ({
  schema: Type.String(),
  description,
  parse: (value) => (value.length <= 400 ? { value } : { code: 'invalid', detail: 'Must be a cursor.' }),
});

export const pageSize = integerParameter('Maximum number of objects on a page.', {
  minimum: 1,
  maximum: 200,
  default: 50,
});

/** Runs a read with a cursor of the caller. An invalid cursor becomes an error of the parameter `param`. */
export async function cursorOrProblem<T>(param: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof InvalidCursorError)) throw error;
    const detail = 'Must be a cursor that this list returned with the same filters and the same sort.';
    throw invalidParameters([{ param, code: 'invalid', detail }]);
  }
}

/** The cursors of a list that can be read in both directions. */
export const pageCursors = {
  size: pageSize,
  after: cursor('`next` of the page before.'),
  before: cursor('`previous` of the page after.'),
};

export const pageParameters = { sort, ...pageCursors };

/** Reads a page at one of the caller's two cursors, or the first page. */
export async function readPageAt<T>(
  { after, before }: { after?: string | undefined; before?: string | undefined },
  read: (position: { after?: string; before?: string }) => Promise<T>,
): Promise<T> {
  if (after !== undefined && before !== undefined) {
    throw invalidParameters([{ param: 'before', code: 'contradiction', detail: 'Send either after or before.' }]);
  }
  const position = after !== undefined ? { after } : before !== undefined ? { before } : {};
  return cursorOrProblem(after === undefined ? 'before' : 'after', () => read(position));
}

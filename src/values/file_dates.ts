import { countryOf } from './country.ts';
import { DATE_ORDERS, type DateOrder } from './text_format.ts';

/** A day without a time. In workbooks it has the time midnight. */
export const DAY = /^(\d{1,2}[/.-]\d{1,2}[/.-]\d{4}|\d{4}-\d\d-\d\d)(?:T00:00(?::00)?)?$/;
export const DAY_AND_TIME = /^(?:\d{1,2}[/.-]\d{1,2}[/.-]\d{4}|\d{4}-\d\d-\d\d)[T,\s]\s*\d{1,2}\s?[:h]\s?\d\d/i;
export const TIME_OF_DAY = /^\d{1,2}\s?[:h]\s?\d\d/i;

/** Returns the order of these dates, if dates with one meaning prove it. */
export const provenDateOrder = (dates: readonly string[]): DateOrder | undefined =>
  onlyOrder(new Set(dates.map(orderOfDate)));

/** Returns true if the order of day and month must be known to read a date, such as 11/3/2025. */
export const needsOrder = (date: string): boolean => /^\s*\d{1,2}[/.-]\d{1,2}[/.-]\d{4}/.test(date);

/** Returns the order of a date with one meaning, such as 12/31/2025. */
export function orderOfDate(date: string): DateOrder | undefined {
  const [, first, second] = /^\s*(\d{1,2})[/.-](\d{1,2})[/.-]\d{4}/.exec(date) ?? [];
  if (Number(first) > 12) return 'dmy';
  return Number(second) > 12 ? 'mdy' : undefined;
}

/** Returns the only order in the set; undefined if there is none, or both. */
export function onlyOrder(orders: ReadonlySet<DateOrder | undefined>): DateOrder | undefined {
  const [order, another] = DATE_ORDERS.filter((candidate) => orders.has(candidate));
  return another === undefined ? order : undefined;
}

/** Month first: the United States and their territories, and the Philippines. */
const MONTH_FIRST = new Set('AS GU MP PH PR US VI'.split(' '));
const MONTH_FIRST_ZONES =
  /^(America\/(Adak|Anchorage|Boise|Chicago|Denver|Detroit|Indiana(polis|\/.*)|Juneau|Kentucky\/.*|Los_Angeles|Louisville|Menominee|Metlakatla|New_York|Nome|North_Dakota\/.*|Phoenix|Puerto_Rico|Sitka|St_Thomas|Yakutat)|Asia\/Manila|Pacific\/(Guam|Honolulu|Pago_Pago|Saipan))$/;
/** Canada uses both orders. UTC belongs to no country. */
const BOTH_ORDERS = 'CA';
const BOTH_ORDERS_ZONES =
  /^(America\/(Atikokan|Blanc-Sablon|Cambridge_Bay|Coral_Harbour|Creston|Dawson|Dawson_Creek|Edmonton|Fort_Nelson|Glace_Bay|Goose_Bay|Halifax|Inuvik|Iqaluit|Moncton|Rankin_Inlet|Regina|Resolute|St_Johns|Swift_Current|Toronto|Vancouver|Whitehorse|Winnipeg)|Etc\/.*|[^/]*)$/;

/** Returns the order of dates in the country of a language such as en-US, or of a time zone; undefined if it is not known. */
export function usualDateOrder(language: string, timeZone: string): DateOrder | undefined {
  const country = countryOf(language);
  // Old names, such as US/Eastern, become those of the lists.
  const zone = new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  if (country === null ? MONTH_FIRST_ZONES.test(zone) : MONTH_FIRST.has(country)) return 'mdy';
  return (country === null ? BOTH_ORDERS_ZONES.test(zone) : country === BOTH_ORDERS) ? undefined : 'dmy';
}

import type { DateOrder } from './text_format.ts';

/** A day without a time. Workbooks write it with midnight. */
export const DAY = /^(\d{1,2}[/.-]\d{1,2}[/.-]\d{4}|\d{4}-\d\d-\d\d)(?:T00:00(?::00)?)?$/;
export const DAY_AND_TIME = /^(?:\d{1,2}[/.-]\d{1,2}[/.-]\d{4}|\d{4}-\d\d-\d\d)[T,\s]\s*\d{1,2}\s?[:h]\s?\d\d/i;
export const TIME_OF_DAY = /^\d{1,2}\s?[:h]\s?\d\d/i;

/** Day first or month first, if some dates have only one meaning. */
export function provenDateOrder(dates: readonly string[]): DateOrder | undefined {
  const orders = new Set<DateOrder>();
  for (const date of dates) {
    const [, first, second] = /^\s*(\d{1,2})[/.-](\d{1,2})[/.-]\d{4}/.exec(date) ?? [];
    if (Number(first) > 12) orders.add('dmy');
    if (Number(second) > 12) orders.add('mdy');
  }
  return orders.size === 1 ? [...orders][0] : undefined;
}

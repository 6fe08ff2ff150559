import { DAY_MS } from '../src/values/time.ts';
import type { TankUse } from './tank_use.ts';
import { YEAR_STARTS_MS } from './tank_year.ts';

/**
 * The best possible forecast: it knows the model of the use and its parameters, the true fill and the true use until now, but
 * not the random numbers to come. It returns the days in which the expected use takes these points. Its error cannot be
 * avoided without knowing the weather or the plans of the user.
 */
export function bestForecastDays({ expectedUse }: TankUse, points: number, atMs: number, maxDays: number): number {
  const now = (atMs - YEAR_STARTS_MS) / DAY_MS;
  const today = Math.floor(now);
  let left = points;
  let days = 0;
  while (days < maxDays) {
    const daysAfter = Math.floor(now + days) - today;
    const part = Math.floor(now + days) + 1 - (now + days);
    const use = expectedUse(today, daysAfter);
    if (use * part >= left) return days + left / use;
    left -= use * part;
    days += part;
  }
  return maxDays;
}

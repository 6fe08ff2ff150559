import { DAY_MS } from '../src/values/time.ts';
import type { TankUse } from './tank_use.ts';
import { YEAR_STARTS_MS } from './tank_year.ts';

/**
 * The forecast of somebody who knows the law and the parameters by which the tank is used, its true fill and its true use up
 * to now, but none of the draws to come: how many days the expected use takes for these points. What remains of its error
 * cannot be avoided without knowing the weather or the plans of the user.
 */
export function bestForecastDays({ expectedUse }: TankUse, points: number, atMs: number, mostDays: number): number {
  const now = (atMs - YEAR_STARTS_MS) / DAY_MS;
  const today = Math.floor(now);
  let left = points;
  let days = 0;
  while (days < mostDays) {
    const daysAfter = Math.floor(now + days) - today;
    const part = Math.floor(now + days) + 1 - (now + days);
    const use = expectedUse(today, daysAfter);
    if (use * part >= left) return days + left / use;
    left -= use * part;
    days += part;
  }
  return mostDays;
}

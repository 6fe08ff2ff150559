import { IS_LOSING_SQL } from './sections.ts';

export const TANK_STATUSES = ['losing', 'low', 'gauge_unreliable', 'silent', 'soon', 'refilled'] as const;
export type TankStatusName = (typeof TANK_STATUSES)[number];

/** A tank is "soon" if it reaches its threshold within this many days. */
const SOON_DAYS = 7;
/** A tank is "refilled" for this many days after a refill. */
export const REFILLED_DAYS = 7;

/**
 * The condition that a tank never reported, on a row `f` of fleet_tanks. Such tanks have no forecast, so they are at the end of
 * the order of urgency, and PostgreSQL reads only this part of the index.
 */
export const HAS_NEVER_REPORTED_SQL = `(f.threshold_on = 'infinity' and f.empty_on = 'infinity'
  and exists (select from fleet_levels l where l.tank_no = f.tank_no and l.latest_on = '-infinity'))`;

/** The condition of each status on a row `f` of fleet_tanks. */
export const STATUS_CONDITIONS: Readonly<Record<TankStatusName, string>> = {
  losing: IS_LOSING_SQL,
  low: 'f.is_low',
  gauge_unreliable: 'f.is_gauge_unreliable',
  silent: 'f.is_silent',
  soon: `(f.threshold_on > '-infinity' and f.threshold_on <= (now() at time zone 'UTC')::date + ${SOON_DAYS})`,
  refilled: `f.refilled_on >= (now() at time zone 'UTC')::date - ${REFILLED_DAYS}`,
};

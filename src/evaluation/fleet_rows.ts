import { arrayLiteral, type Tx, textArrayLiteral } from '../db/pool.ts';
import { DAY_MS } from '../values/time.ts';
import { zonedDate } from '../values/zoned_time.ts';
import type { EventKey } from './pure/alerts/event_types.ts';
import { forecastTank } from './pure/alerts/forecast_tank.ts';
import { type AlertSettings, isGaugeReliable, latestReading, type TankState } from './pure/alerts/tank_state.ts';
import { urgencyOf } from './pure/alerts/urgency.ts';
import { estimatedLevel, wantsDip } from './pure/dips/dip_state.ts';
import type { ForecastWeather } from './pure/estimator/forecast.ts';
import { forecastWeather, WEATHER_COLUMNS, type WeatherColumns } from './tank_weather.ts';

/**
 * The rows of a tank in fleet_tanks and fleet_levels, by which the fleet reads filter and sort. Most readings do not
 * change them.
 */
export interface FleetRow {
  tankNo: number;
  fill: number;
  /** An ISO date, or -infinity or infinity. */
  thresholdOn: string;
  emptyOn: string;
  isLow: boolean;
  isOrderDue: boolean;
  isSilent: boolean;
  isGaugeUnreliable: boolean;
  /** ISO 8601, or -infinity. */
  losingSeenAt: string;
  unusualUseAt: string;
  latestOn: string;
}

/** The row of a tank with this state. Its days are those of the organization's time zone. */
export function fleetRow(
  { tankNo, settings, state, timeZone }: EvaluatedTank,
  weather: ForecastWeather | null,
): FleetRow {
  const latest = latestReading(state);
  return {
    tankNo,
    fill: shownFill(state),
    ...dueDates({ settings, state, timeZone }, weather),
    isLow: state.isLow,
    isOrderDue: state.orderDueAtMs !== null,
    isSilent: state.isSilent,
    isGaugeUnreliable: !isGaugeReliable(state),
    losingSeenAt: timeOf(state.loss.seenAtMs),
    unusualUseAt: timeOf(unusualUseAtMs({ settings, state })),
    latestOn: latest === null ? '-infinity' : dateOf(latest.atMs, 'UTC'),
  };
}

/** ISO 8601, or PostgreSQL's -infinity. */
const timeOf = (ms: number | null): string => (ms === null ? '-infinity' : new Date(ms).toISOString());

/** When unusual use was last reported. Null if the organization wants no reports of it, or if the gauge is unreliable. */
const unusualUseAtMs = ({ settings, state }: EvaluatedState): number | null =>
  typeof settings.unusualUseOffAtMs === 'number' || !isGaugeReliable(state) ? null : state.unusual.raisedAtMs;

/** The fill of a tank without a reading. It sorts after every level. */
const NO_READING_FILL = 101;

/** The level in percent that lists show. For a tank without a sensor, the estimated level, which is advanced once a day. */
function shownFill(state: TankState): number {
  const estimated = state.dips && estimatedLevel(state.dips, state.dips.advancedToMs);
  if (estimated !== null) return Math.round(estimated.likely);
  const shown = state.accepted ?? latestReading(state);
  return shown === null ? NO_READING_FILL : Math.round(shown.fillPercentage);
}

/**
 * When the tank reaches its threshold and when it is empty, as of its latest accepted reading or its latest daily
 * advance.
 */
export function dueDates(
  { settings, state, timeZone }: Omit<EvaluatedTank, 'tankNo'>,
  weather: ForecastWeather | null,
): Pick<FleetRow, 'thresholdOn' | 'emptyOn'> {
  const atMs = state.dips?.advancedToMs ?? state.accepted?.atMs ?? 0;
  const { dueAtMs, emptyAtMs } = urgencyOf(state, forecastTank(settings, state, atMs, weather), atMs);
  return { thresholdOn: dateOf(dueAtMs, timeZone), emptyOn: dateOf(emptyAtMs, timeZone) };
}

/** An ISO date, or PostgreSQL's -infinity or infinity. */
function dateOf(ms: number, timeZone: string): string {
  if (ms === -Infinity) return '-infinity';
  return ms === Infinity ? 'infinity' : zonedDate(ms, timeZone);
}

/** A state, and the settings that it was evaluated with. */
interface EvaluatedState {
  settings: AlertSettings;
  state: TankState;
}

/** A tank whose rows are to be saved. */
export interface EvaluatedTank extends EvaluatedState {
  tankNo: number;
  timeZone: string;
}

/**
 * The tank; null if nothing has changed that could change its rows. The forecasts are not compared, because computing
 * one takes 2 us: the saved dates come from a reading of the same day with the same whole percent.
 */
export function changedFleetTank(before: EvaluatedState, after: EvaluatedTank): EvaluatedTank | null {
  const isSame =
    before.settings === after.settings &&
    before.state.isLow === after.state.isLow &&
    before.state.orderDueAtMs === after.state.orderDueAtMs &&
    before.state.isSilent === after.state.isSilent &&
    before.state.firstLow?.atMs === after.state.firstLow?.atMs &&
    before.state.gauge.fault === after.state.gauge.fault &&
    before.state.loss.seenAtMs === after.state.loss.seenAtMs &&
    before.state.unusual.raisedAtMs === after.state.unusual.raisedAtMs &&
    before.state.dips?.advancedToMs === after.state.dips?.advancedToMs &&
    shownFill(before.state) === shownFill(after.state) &&
    latestDay(before.state) === latestDay(after.state);
  return isSame ? null : after;
}

const latestDay = (state: TankState): number => Math.floor((latestReading(state)?.atMs ?? 0) / DAY_MS);

/**
 * Saves the rows of tanks whose locks the caller holds. Only this function and the worker's weather job write forecast
 * dates, and both use the weather: a writer without it would move the dates of a heated tank with its next reading, and
 * the job would move them back. The job holds the same locks, so no date is computed with weather that it has replaced.
 */
export async function saveFleetTanks(tx: Tx, tanks: readonly EvaluatedTank[]): Promise<void> {
  if (tanks.length === 0) return;
  const { rows } = await tx.query<{ tank_no: number } & WeatherColumns>({
    name: 'read_tank_weather',
    text: `select w.tank_no, ${WEATHER_COLUMNS} from tank_weather w join places p on p.no = w.place_no
           where w.tank_no = any ($1::int[]) and w.share > 0`,
    values: [arrayLiteral(tanks.map(({ tankNo }) => tankNo))],
  });
  const weather = new Map(rows.map((row) => [row.tank_no, forecastWeather(row)]));
  await saveFleetRows(
    tx,
    tanks.map((tank) => fleetRow(tank, weather.get(tank.tankNo) ?? null)),
  );
  await saveDipsWanted(tx, tanks);
}

/** Saves for tanks without a sensor whether a dip is wanted. */
async function saveDipsWanted(tx: Tx, tanks: readonly EvaluatedTank[]): Promise<void> {
  const wanted = tanks.flatMap(({ tankNo, state: { dips } }) =>
    dips === null ? [] : [{ tankNo, isWanted: wantsDip(dips, dips.advancedToMs) }],
  );
  if (wanted.length === 0) return;
  await tx.query({
    name: 'save_dips_wanted',
    text: `with changed as (
         select n.* from unnest($1::int[], $2::bool[]) as n (tank_no, is_wanted)
         join estimated_tanks e on e.tank_no = n.tank_no
         where e.manual_to = 'infinity' and e.is_dip_wanted <> n.is_wanted
         order by e.tank_no for no key update of e
       )
       update estimated_tanks e set is_dip_wanted = c.is_wanted from changed c where e.tank_no = c.tank_no`,
    values: [
      arrayLiteral(wanted.map(({ tankNo }) => tankNo)),
      arrayLiteral(wanted.map(({ isWanted }) => (isWanted ? 't' : 'f'))),
    ],
  });
}

/** Saves rows. A deleted tank has no row and is skipped. */
export async function saveFleetRows(tx: Tx, rows: readonly FleetRow[]): Promise<void> {
  if (rows.length === 0) return;
  // Locks rows in the order of tank_no, and fleet_levels before fleet_tanks, as operators' changes of many tanks do, to
  // avoid deadlocks.
  await tx.query({
    name: 'save_fleet_levels',
    text: `with changed as (
         select n.*
         from unnest($1::int[], $2::smallint[], $3::date[]) as n (tank_no, fill, latest_on)
         join fleet_levels l on l.tank_no = n.tank_no
         where (l.fill, l.latest_on) is distinct from (n.fill, n.latest_on)
         order by l.tank_no for no key update of l
       )
       update fleet_levels l set fill = c.fill, latest_on = c.latest_on from changed c where l.tank_no = c.tank_no`,
    values: [
      arrayLiteral(rows.map(({ tankNo }) => tankNo)),
      arrayLiteral(rows.map(({ fill }) => fill)),
      textArrayLiteral(rows.map(({ latestOn }) => latestOn)),
    ],
  });
  await tx.query({
    name: 'save_fleet_rows',
    text: `with changed as (
         select n.*
         from unnest($1::int[], $2::date[], $3::date[], $4::bool[], $5::bool[], $6::bool[], $7::timestamptz[],
                     $8::timestamptz[], $9::bool[])
           as n (tank_no, threshold_on, empty_on, is_low, is_silent, is_gauge_unreliable, losing_seen_at, unusual_use_at,
                 is_order_due)
         join fleet_tanks f on f.tank_no = n.tank_no
         where (f.threshold_on, f.empty_on, f.is_low, f.is_silent, f.is_gauge_unreliable, f.losing_seen_at, f.unusual_use_at,
                f.is_order_due)
           is distinct from
           (n.threshold_on, n.empty_on, n.is_low, n.is_silent, n.is_gauge_unreliable, n.losing_seen_at, n.unusual_use_at,
            n.is_order_due)
         order by f.tank_no for no key update of f
       )
       update fleet_tanks f
       set threshold_on = c.threshold_on, empty_on = c.empty_on, is_low = c.is_low, is_silent = c.is_silent,
           is_gauge_unreliable = c.is_gauge_unreliable, losing_seen_at = c.losing_seen_at, unusual_use_at = c.unusual_use_at,
           is_order_due = c.is_order_due
       from changed c where f.tank_no = c.tank_no`,
    values: [
      arrayLiteral(rows.map(({ tankNo }) => tankNo)),
      textArrayLiteral(rows.map(({ thresholdOn }) => thresholdOn)),
      textArrayLiteral(rows.map(({ emptyOn }) => emptyOn)),
      arrayLiteral(rows.map(({ isLow }) => (isLow ? 't' : 'f'))),
      arrayLiteral(rows.map(({ isSilent }) => (isSilent ? 't' : 'f'))),
      arrayLiteral(rows.map(({ isGaugeUnreliable }) => (isGaugeUnreliable ? 't' : 'f'))),
      textArrayLiteral(rows.map(({ losingSeenAt }) => losingSeenAt)),
      textArrayLiteral(rows.map(({ unusualUseAt }) => unusualUseAt)),
      arrayLiteral(rows.map(({ isOrderDue }) => (isOrderDue ? 't' : 'f'))),
    ],
  });
}

export const tanksWithRefill = (events: readonly EventKey[]): number[] =>
  events.filter(({ type }) => type === 'tank.refilled').map(({ tankNo }) => tankNo);

/** Saves the day of the last refill of these tanks, from their recorded events. */
export async function updateRefillDays(tx: Tx, tankNos: readonly number[]): Promise<void> {
  if (tankNos.length === 0) return;
  const { rows } = await tx.query<{ tank_no: number; refilled_at: string | null; time_zone: string | null }>(
    `select f.tank_no, s.time_zone, (
       select max(e.occurred_at) from events e
       where e.tank_no = f.tank_no and e.type = 'tank.refilled' and e.retracted_at is null
     ) as refilled_at
     from fleet_tanks f join tank_settings s on s.tank_no = f.tank_no
     where f.tank_no = any ($1::int[]) order by f.tank_no for no key update of f`,
    [arrayLiteral(tankNos)],
  );
  // Node computes the day: PostgreSQL may not know the name of the time zone, and would fail.
  const days = rows.map(({ refilled_at, time_zone }) =>
    refilled_at === null ? '-infinity' : zonedDate(Date.parse(refilled_at), time_zone ?? 'UTC'),
  );
  await tx.query(
    `update fleet_tanks f set refilled_on = n.refilled_on
     from unnest($1::int[], $2::date[]) as n (tank_no, refilled_on)
     where f.tank_no = n.tank_no and f.refilled_on <> n.refilled_on`,
    [arrayLiteral(rows.map(({ tank_no }) => tank_no)), textArrayLiteral(days)],
  );
}

import { arrayLiteral, type Tx, textArrayLiteral } from '../db/pool.ts';
import { DAY_MS } from '../values/time.ts';
import type { EventKey } from './pure/alerts/event_types.ts';
import { type AlertSettings, isGaugeReliable, latestReading, type TankState } from './pure/alerts/tank_state.ts';
import { urgencyOf } from './pure/alerts/urgency.ts';
import { forecast } from './pure/estimator/forecast.ts';

/** The rows of a tank in fleet_tanks and fleet_levels: what the fleet reads filter and sort by. Most readings change none. */
export interface FleetRow {
  tankNo: number;
  fill: number;
  /** An ISO date, or -infinity or infinity. */
  thresholdOn: string;
  emptyOn: string;
  isLow: boolean;
  isSilent: boolean;
  isGaugeUnreliable: boolean;
  /** ISO 8601, or -infinity. */
  losingSeenAt: string;
  latestOn: string;
}

/** The row of a tank with this state. */
export function fleetRow(tankNo: number, settings: AlertSettings, state: TankState): FleetRow {
  const latest = latestReading(state);
  return {
    tankNo,
    fill: shownFill(state),
    ...dueDates(settings, state),
    isLow: state.isLow,
    isSilent: state.isSilent,
    isGaugeUnreliable: !isGaugeReliable(state),
    losingSeenAt: state.loss.seenAtMs === null ? '-infinity' : new Date(state.loss.seenAtMs).toISOString(),
    latestOn: latest === null ? '-infinity' : dateOf(latest.atMs),
  };
}

/** Sorts after every level. */
const NO_READING_FILL = 101;

function shownFill(state: TankState): number {
  const shown = state.believed ?? latestReading(state);
  return shown === null ? NO_READING_FILL : Math.round(shown.fillPercentage);
}

function dueDates(settings: AlertSettings, state: TankState): { thresholdOn: string; emptyOn: string } {
  const atMs = state.believed?.atMs ?? 0;
  const { dueAtMs, emptyAtMs } = urgencyOf(state, forecast(settings, state, atMs), atMs);
  return { thresholdOn: dateOf(dueAtMs), emptyOn: dateOf(emptyAtMs) };
}

/** An ISO date, or PostgreSQL's -infinity or infinity. */
function dateOf(ms: number): string {
  if (ms === -Infinity) return '-infinity';
  return ms === Infinity ? 'infinity' : new Date(ms).toISOString().slice(0, 10);
}

/** A state, and the settings that it was evaluated with. */
interface EvaluatedState {
  settings: AlertSettings;
  state: TankState;
}

/**
 * The new row; null if nothing has changed that could change it. The forecast alone does not count, because it takes 2 us:
 * its dates are at most a day or a whole percent old.
 */
export function changedFleetRow(tankNo: number, before: EvaluatedState, after: EvaluatedState): FleetRow | null {
  const isSame =
    before.settings === after.settings &&
    before.state.isLow === after.state.isLow &&
    before.state.isSilent === after.state.isSilent &&
    before.state.firstLow?.atMs === after.state.firstLow?.atMs &&
    before.state.gauge.fault === after.state.gauge.fault &&
    before.state.loss.seenAtMs === after.state.loss.seenAtMs &&
    shownFill(before.state) === shownFill(after.state) &&
    latestDay(before.state) === latestDay(after.state);
  return isSame ? null : fleetRow(tankNo, after.settings, after.state);
}

const latestDay = (state: TankState): number => Math.floor((latestReading(state)?.atMs ?? 0) / DAY_MS);

/** Saves the rows of tanks whose locks the caller holds. A deleted tank has no row any more. */
export async function saveFleetRows(tx: Tx, rows: readonly FleetRow[]): Promise<void> {
  if (rows.length === 0) return;
  // An operator who changes many tanks locks their rows in the order of tank_no too, and those of fleet_levels first.
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
         from unnest($1::int[], $2::date[], $3::date[], $4::bool[], $5::bool[], $6::bool[], $7::timestamptz[])
           as n (tank_no, threshold_on, empty_on, is_low, is_silent, is_gauge_unreliable, losing_seen_at)
         join fleet_tanks f on f.tank_no = n.tank_no
         where (f.threshold_on, f.empty_on, f.is_low, f.is_silent, f.is_gauge_unreliable, f.losing_seen_at)
           is distinct from
           (n.threshold_on, n.empty_on, n.is_low, n.is_silent, n.is_gauge_unreliable, n.losing_seen_at)
         order by f.tank_no for no key update of f
       )
       update fleet_tanks f
       set threshold_on = c.threshold_on, empty_on = c.empty_on, is_low = c.is_low, is_silent = c.is_silent,
           is_gauge_unreliable = c.is_gauge_unreliable, losing_seen_at = c.losing_seen_at
       from changed c where f.tank_no = c.tank_no`,
    values: [
      arrayLiteral(rows.map(({ tankNo }) => tankNo)),
      textArrayLiteral(rows.map(({ thresholdOn }) => thresholdOn)),
      textArrayLiteral(rows.map(({ emptyOn }) => emptyOn)),
      arrayLiteral(rows.map(({ isLow }) => (isLow ? 't' : 'f'))),
      arrayLiteral(rows.map(({ isSilent }) => (isSilent ? 't' : 'f'))),
      arrayLiteral(rows.map(({ isGaugeUnreliable }) => (isGaugeUnreliable ? 't' : 'f'))),
      textArrayLiteral(rows.map(({ losingSeenAt }) => losingSeenAt)),
    ],
  });
}

/** The tanks with a refill among these events. */
export const tanksWithRefill = (events: readonly EventKey[]): number[] =>
  events.filter(({ type }) => type === 'tank.refilled').map(({ tankNo }) => tankNo);

/** Reads the day of the last refill of these tanks from their recorded events. */
export async function updateRefillDays(tx: Tx, tankNos: readonly number[]): Promise<void> {
  if (tankNos.length === 0) return;
  await tx.query(
    `with refills as (
       select f.tank_no, coalesce((
         select max(e.occurred_at at time zone 'UTC')::date from events e
         where e.tank_no = f.tank_no and e.type = 'tank.refilled' and e.retracted_at is null
       ), '-infinity') as refilled_on
       from fleet_tanks f where f.tank_no = any ($1::int[]) order by f.tank_no for no key update of f
     )
     update fleet_tanks f set refilled_on = r.refilled_on from refills r
     where f.tank_no = r.tank_no and f.refilled_on <> r.refilled_on`,
    [arrayLiteral(tankNos)],
  );
}

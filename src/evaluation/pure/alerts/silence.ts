import { clamp, shareBetween } from '../../../values/statistics.ts';
import { DAY_MS, HOUR_MS } from '../../../values/time.ts';
import { roundToTenThousandth } from '../estimator/level_filter.ts';
import { deviceSilent, type TankEvent } from './tank_event.ts';
import { latestReading, type SourceOutage, type TankState } from './tank_state.ts';

/**
 * A device is silent after four missed reports, and never before 36 hours: many devices measure hourly and report
 * daily.
 */
const SILENT_CADENCES = 4;
const MIN_SILENCE_MS = 36 * HOUR_MS;
/** Every device is silent after this time, before predictions end at 60 days without a reading. */
const MAX_SILENCE_MS = 55 * DAY_MS;
/** A device that reports on change has no cadence. It is silent after 1.25 to 1.5 times its longest recent gap. */
const SILENT_LONGEST_GAPS = 1.25;
const SILENT_IRREGULAR_GAPS = 1.5;
/**
 * If a person has said how often the device reports, it is silent after one missed report: 9.25 days for a weekly
 * device.
 */
const SILENT_INTERVALS = 1.25;
const SILENT_INTERVAL_MARGIN_MS = 12 * HOUR_MS;

/**
 * A device that says when it will report again is silent a day after that. The announcement may be wrong: it cannot
 * postpone the silence beyond five weeks, nor bring it forward by announcing far less than its usual interval.
 */
const ANNOUNCED_MARGIN_MS = DAY_MS;
const MAX_ANNOUNCED_GAP_MS = 34 * DAY_MS;
const MIN_ANNOUNCED_CADENCES = 0.5;

/** The time from this reading to the next report that the device announced; 0 if it announced none, or one in the past. */
export const announcedGapMs = ({ atMs, nextReportMs = atMs }: { atMs: number; nextReportMs?: number }): number =>
  clamp(nextReportMs - atMs, 0, MAX_ANNOUNCED_GAP_MS);

/** Returns true if the latest reading is so old that the device may be silent. If not, the exact time need not be computed. */
export const maybeSilent = (state: TankState, nowMs: number): boolean =>
  nowMs - (latestReading(state)?.atMs ?? nowMs) >= MIN_SILENCE_MS;

/** When the device becomes silent if it does not report before; null if it is silent already, or never reported. */
export function silentDueAtMs(state: TankState): number | null {
  const latest = latestReading(state);
  // A sensor that has not reported yet is not silent: the latest reading is a dip.
  if (latest === null || state.isSilent || state.dips !== null) return null;
  return latest.atMs + silenceMs(state);
}

/**
 * When the device becomes silent, if outages of its source are not counted: at the earliest one usual interval after an
 * outage. A silence that was due before the outage stays. Null while the source does not work.
 */
export function silentAfterOutagesMs(state: TankState, outages: readonly SourceOutage[] = []): number | null {
  let dueMs = silentDueAtMs(state);
  for (const { fromMs, toMs } of outages) {
    if (dueMs === null || dueMs < fromMs) return dueMs;
    if (toMs !== null) dueMs = Math.max(dueMs, toMs + usualGapMs(state));
    // A device that reports during the outage does not depend on the source.
    else if ((latestReading(state)?.atMs ?? 0) <= fromMs) return null;
  }
  return dueMs;
}

/** The time without a reading after which the device is silent. */
function silenceMs(state: TankState): number {
  const { reportIntervalMs, announcedGapMs: announcedMs, cadenceMs } = state;
  if (reportIntervalMs > 0)
    return Math.max(MIN_SILENCE_MS, SILENT_INTERVALS * reportIntervalMs + SILENT_INTERVAL_MARGIN_MS);
  if (announcedMs === 0) return learnedSilenceMs(state);
  const isPlausible = announcedMs >= MIN_ANNOUNCED_CADENCES * cadenceMs;
  return Math.max(isPlausible ? MIN_SILENCE_MS : learnedSilenceMs(state), announcedMs + ANNOUNCED_MARGIN_MS);
}

function learnedSilenceMs({ cadenceMs, longestGapMs, gapSpread }: Cadence): number {
  const gaps = interpolate(SILENT_LONGEST_GAPS, SILENT_IRREGULAR_GAPS, irregularShare(gapSpread));
  return Math.round(
    Math.min(MAX_SILENCE_MS, Math.max(MIN_SILENCE_MS, SILENT_CADENCES * cadenceMs, gaps * longestGapMs)),
  );
}

const interpolate = (from: number, to: number, share: number): number => from + share * (to - from);

export function raiseSilent(state: TankState, atMs: number, events: TankEvent[]): TankState {
  const latest = latestReading(state);
  if (latest === null) return state;
  events.push(deviceSilent(latest, usualGapMs(state), atMs));
  return { ...state, atMs, isSilent: true };
}

/** The usual time between two reports. For a device that reports on change, this is the longest of its recent gaps. */
export const usualGapMs = ({ reportIntervalMs, cadenceMs, longestGapMs }: TankState): number =>
  reportIntervalMs || (longestGapMs > SILENT_CADENCES * cadenceMs ? longestGapMs : cadenceMs);

type Cadence = Pick<TankState, 'cadenceMs' | 'longestGapMs' | 'gapSpread'>;

const CADENCE_GAIN = 0.1;
/** A gap of more than three cadences is a missed report, or the device reports less often now. */
const LONG_GAP_CADENCES = 3;
const LONG_GAP_GROWTH = 1.7;
/** During these readings the cadence is not known yet: a new device is often read several times on its first day. */
const COMMISSIONING_READINGS = 10;
/**
 * The longest gap fades with each reading, so that an hourly device forgets a silence within two days. A device that
 * reports on change has a gap near its longest once in 25 readings: for it, the longest gap fades slowly.
 */
const LONGEST_GAP_KEEPS = 0.96;
const LONGEST_IRREGULAR_GAP_KEEPS = 0.995;
/** Gaps are regular below the first spread, irregular above the second. Missed reports and breaks at night stay below. */
const REGULAR_SPREAD = 0.7;
const IRREGULAR_SPREAD = 1.1;
const SPREAD_GAIN = 0.05;
/** One outage of an hourly device, however long, must not make its gaps irregular. */
const MAX_LOG_GAP = 3;
/** A gap that was a silence counts as at most this multiple of the limit: it may have been an outage. */
const MAX_LEARNED_SILENCE = 2;

/**
 * Learns how often the device reports from the gap before a reading. Silences count too: otherwise a device that
 * reports once a week after a first day with many readings would be silent every week.
 */
export function learnCadence(seen: number, before: Cadence, gapMs: number): Cadence {
  const { cadenceMs, longestGapMs, gapSpread } = before;
  const countedMs =
    gapMs <= MAX_LEARNED_SILENCE * MIN_SILENCE_MS
      ? gapMs
      : Math.min(gapMs, MAX_LEARNED_SILENCE * learnedSilenceMs(before));
  const logGap = seen === 1 ? 0 : Math.min(MAX_LOG_GAP, Math.abs(Math.log(gapMs / cadenceMs)));
  const spread = gapSpread + Math.max(SPREAD_GAIN, 1 / (seen + 1)) * (logGap - gapSpread);
  const keeps = interpolate(LONGEST_GAP_KEEPS, LONGEST_IRREGULAR_GAP_KEEPS, irregularShare(spread));
  return {
    cadenceMs: toSeconds(seen === 1 ? gapMs : nextCadenceMs(seen, cadenceMs, longestGapMs, gapMs)),
    longestGapMs: toSeconds(Math.max(countedMs, keeps * longestGapMs)),
    gapSpread: roundToTenThousandth(spread),
  };
}

/** Rounds to whole seconds, which make a stored state smaller. */
const toSeconds = (ms: number): number => Math.max(1_000, Math.round(ms / 1_000) * 1_000);

/** How irregular the gaps are, from 0 for a device with a cadence to 1 for a device without one. */
const irregularShare = (spread: number): number => shareBetween(spread, REGULAR_SPREAD, IRREGULAR_SPREAD);

/** The fading mean of the gaps. A long gap counts more if it is not the first one. */
function nextCadenceMs(seen: number, cadenceMs: number, longestGapMs: number, gapMs: number): number {
  if (gapMs <= LONG_GAP_CADENCES * cadenceMs) return cadenceMs + CADENCE_GAIN * (gapMs - cadenceMs);
  const isUsual = seen < COMMISSIONING_READINGS || longestGapMs >= gapMs / 2;
  return isUsual ? Math.sqrt(cadenceMs * gapMs) : cadenceMs * LONG_GAP_GROWTH;
}

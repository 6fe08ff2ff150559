import { DAY_MS, HOUR_MS, MINUTE_MS } from '../values/time.ts';
import type { SimulatedReading, VirtualTank } from './life.ts';
import type { Random } from './random.ts';

/** How a device measures and sends readings. */
export interface Habits {
  cadenceMs: number;
  /** The number of readings that the device collects before it sends them in one report. */
  readingsPerReport: number;
  /** True if a report lists its readings newest first. */
  isNewestFirst: boolean;
  /** The share of reports that the network delays for hours, so that they arrive after newer ones. */
  lateShare: number;
  /** The share of reports that are sent twice, because the device missed the first acknowledgement. */
  repeatShare: number;
  /** The number of times a year that the device stops measuring for days. */
  silencesPerYear: number;
}

/** The readings that a device sends in one message. */
export interface SimulatedReport {
  sendAtMs: number;
  readings: readonly SimulatedReading[];
  isRepeated: boolean;
}

const YEAR_MS = 365.25 * DAY_MS;

export function planHabits(random: Random): Habits {
  const cadenceMs = random.pick([24, 12, 6, 6, 6, 6, 1]) * HOUR_MS;
  const isReportingDaily = random.chance(0.25);
  const hasBadNetwork = random.chance(0.1);
  return {
    cadenceMs,
    readingsPerReport: isReportingDaily ? DAY_MS / cadenceMs : 1,
    isNewestFirst: random.chance(0.3),
    lateShare: hasBadNetwork ? 0.15 : 0.01,
    repeatShare: hasBadNetwork ? 0.1 : 0.01,
    silencesPerYear: 1,
  };
}

/** Yields the readings that a device takes from `fromMs` (inclusive) to `toMs` (exclusive). */
export function* takeReadings(
  random: Random,
  tank: VirtualTank,
  habits: Habits,
  fromMs: number,
  toMs: number,
): Generator<SimulatedReading> {
  const { cadenceMs, silencesPerYear } = habits;
  let atMs = fromMs + Math.floor(random.between(0, cadenceMs));
  while (atMs < toMs) {
    // Clocks of devices drift. A drift of at most a tenth of the cadence never changes the order of readings.
    const driftedMs = atMs + Math.floor(random.between(0, cadenceMs / 10));
    if (driftedMs < toMs) yield tank.read(driftedMs);
    const isSilent = random.chance((silencesPerYear * cadenceMs) / YEAR_MS);
    atMs += cadenceMs + (isSilent ? Math.floor(random.between(1, 6) * DAY_MS) : 0);
  }
}

/** Yields the reports that a device sends for its readings, in the order of sending. Reports may be late or repeated. */
export function* sendReadings(
  random: Random,
  habits: Habits,
  readings: Iterable<SimulatedReading>,
): Generator<SimulatedReport> {
  let waiting: SimulatedReport[] = [];
  let collected: SimulatedReading[] = [];
  for (const reading of readings) {
    const isDue = ({ sendAtMs }: SimulatedReport): boolean => sendAtMs <= reading.atMs;
    yield* waiting.filter(isDue);
    waiting = waiting.filter((report) => !isDue(report));
    collected.push(reading);
    if (collected.length < habits.readingsPerReport) continue;
    waiting = [...waiting, ...reportsFor(random, habits, collected)].toSorted((a, b) => a.sendAtMs - b.sendAtMs);
    collected = [];
  }
  // Readings of an incomplete report are not sent.
  yield* waiting;
}

function reportsFor(random: Random, habits: Habits, collected: readonly SimulatedReading[]): SimulatedReport[] {
  const lastMs = collected.at(-1)?.atMs ?? 0;
  const isLate = random.chance(habits.lateShare);
  const sendAtMs = Math.floor(lastMs + (isLate ? random.between(HOUR_MS, 36 * HOUR_MS) : random.between(500, 20_000)));
  const readings = habits.isNewestFirst ? collected.toReversed() : collected;
  const report = { sendAtMs, readings, isRepeated: false };
  if (!random.chance(habits.repeatShare)) return [report];
  const againAtMs = Math.floor(sendAtMs + random.between(MINUTE_MS, 12 * HOUR_MS));
  return [report, { ...report, sendAtMs: againAtMs, isRepeated: true }];
}

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../values/time.ts';
import type { SimulatedReading, VirtualTank } from './life.ts';
import type { Random } from './random.ts';

/** How a device measures and reports. */
export interface Habits {
  cadenceMs: number;
  /** How many readings it gathers before it sends them together; 1 sends each as it is measured. */
  readingsPerReport: number;
  /** Sends what it has gathered newest first. */
  isNewestFirst: boolean;
  /** The share of reports that wait for hours until the network is back, and so arrive after newer ones. */
  lateShare: number;
  /** The share of reports sent a second time, because the device did not hear that the first had arrived. */
  repeatShare: number;
  /** How often the device falls silent, for days in which it measures nothing. */
  silencesPerYear: number;
}

/** What a device sends at once. */
export interface SimulatedReport {
  sendAtMs: number;
  readings: readonly SimulatedReading[];
  isRepeated: boolean;
}

const YEAR_MS = 365.25 * DAY_MS;

export function planHabits(random: Random): Habits {
  const cadenceMs = random.pick([24, 12, 6, 6, 6, 6, 1]) * HOUR_MS;
  const isOnceADay = random.chance(0.25);
  const isBadlyConnected = random.chance(0.1);
  return {
    cadenceMs,
    readingsPerReport: isOnceADay ? DAY_MS / cadenceMs : 1,
    isNewestFirst: random.chance(0.3),
    lateShare: isBadlyConnected ? 0.15 : 0.01,
    repeatShare: isBadlyConnected ? 0.1 : 0.01,
    silencesPerYear: 1,
  };
}

/** A tank's readings as its device takes them, from one time until before another. */
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
    // Clocks of devices wander; a tenth of the cadence never reorders readings.
    const wanderedMs = atMs + Math.floor(random.between(0, cadenceMs / 10));
    if (wanderedMs < toMs) yield tank.read(wanderedMs);
    const isSilent = random.chance((silencesPerYear * cadenceMs) / YEAR_MS);
    atMs += cadenceMs + (isSilent ? Math.floor(random.between(1, 6) * DAY_MS) : 0);
  }
}

/** The same readings as they are sent: gathered, late, repeated; in the order of sending, never before they were taken. */
export function* sendReadings(
  random: Random,
  habits: Habits,
  readings: Iterable<SimulatedReading>,
): Generator<SimulatedReport> {
  let waiting: SimulatedReport[] = [];
  let gathered: SimulatedReading[] = [];
  for (const reading of readings) {
    const isDue = ({ sendAtMs }: SimulatedReport): boolean => sendAtMs <= reading.atMs;
    yield* waiting.filter(isDue);
    waiting = waiting.filter((report) => !isDue(report));
    gathered.push(reading);
    if (gathered.length < habits.readingsPerReport) continue;
    waiting = [...waiting, ...sendGathered(random, habits, gathered)].toSorted((a, b) => a.sendAtMs - b.sendAtMs);
    gathered = [];
  }
  yield* waiting;
}

function sendGathered(random: Random, habits: Habits, gathered: readonly SimulatedReading[]): SimulatedReport[] {
  const lastMs = gathered.at(-1)?.atMs ?? 0;
  const isLate = random.chance(habits.lateShare);
  const sendAtMs = Math.floor(lastMs + (isLate ? random.between(HOUR_MS, 36 * HOUR_MS) : random.between(500, 20_000)));
  const readings = habits.isNewestFirst ? gathered.toReversed() : gathered;
  const report = { sendAtMs, readings, isRepeated: false };
  if (!random.chance(habits.repeatShare)) return [report];
  const againAtMs = Math.floor(sendAtMs + random.between(MINUTE_MS, 12 * HOUR_MS));
  return [report, { ...report, sendAtMs: againAtMs, isRepeated: true }];
}

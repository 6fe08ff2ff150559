import { type GaugeFault, requiredReadings } from '../estimator/gauge_health.ts';
import { type LevelReading, predict } from '../estimator/level_filter.ts';
import { lowDueAtMs } from './evaluate.ts';
import { isGaugeReliable, type TankState } from './tank_state.ts';

/** Something that the next readings or the clock decide. */
export type Waiting =
  /** A low reading that does not fit. A second one, or the time `untilMs`, makes it an alert. */
  | { kind: 'low_confirmation'; reading: LevelReading; untilMs: number }
  /** A reading far from its prediction. `agreeing` of `required` readings say the same so far. */
  | { kind: 'doubted_reading'; reading: LevelReading; expectedPercentage: number; agreeing: number; required: number }
  /** A gauge that is not believed since `sinceMs`. */
  | { kind: 'gauge'; fault: GaugeFault; reading: LevelReading | null; sinceMs: number };

/** Everything that a tank's state waits for, the most important first. Empty for most tanks. */
export function waitingFor(state: TankState): Waiting[] {
  const { gauge, doubt, firstLow, level, believed, cadenceMs } = state;
  const waiting: Waiting[] = [];
  if (!isGaugeReliable(state) && gauge.fault !== null) {
    const reading = doubt?.latest ?? believed;
    waiting.push({ kind: 'gauge', fault: gauge.fault, reading, sinceMs: gauge.sinceMs ?? state.atMs });
  }
  const untilMs = lowDueAtMs(state);
  if (firstLow !== null && untilMs !== null) waiting.push({ kind: 'low_confirmation', reading: firstLow, untilMs });
  if (doubt !== null && level !== null && believed !== null) {
    const { latest, agreeing } = doubt;
    const expected = Math.max(0, predict(level, believed.atMs, latest.atMs).level);
    const isRise = latest.fillPercentage > expected;
    waiting.push({
      kind: 'doubted_reading',
      reading: latest,
      expectedPercentage: Math.round(expected * 10) / 10,
      agreeing,
      required: Math.max(agreeing + 1, requiredReadings(gauge, cadenceMs, isRise, isRise)),
    });
  }
  return waiting;
}

/** The same as an English sentence. Times are UTC. */
export function describeWaiting(waiting: Waiting): string {
  if (waiting.kind === 'low_confirmation') {
    const { reading, untilMs } = waiting;
    return `${shown(reading)} is low; waiting for a second reading, at the latest until ${minute(untilMs)}`;
  }
  if (waiting.kind === 'doubted_reading') {
    const { reading, expectedPercentage, agreeing, required } = waiting;
    const more = required - agreeing;
    const readings = more === 1 ? '1 more reading that agrees' : `${more} more readings that agree`;
    return `${shown(reading)} differs from the expected ${expectedPercentage} %; waiting for ${readings}`;
  }
  const { fault, sinceMs, reading } = waiting;
  const reason =
    fault === 'stuck_at_limit' && reading !== null
      ? `shows exactly ${reading.fillPercentage} %, which nothing explains`
      : 'shows readings that contradict each other';
  return `since ${minute(sinceMs)} the gauge ${reason}; waiting for plausible readings`;
}

const shown = ({ atMs, fillPercentage }: LevelReading): string => `${fillPercentage} % at ${minute(atMs)}`;
const minute = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

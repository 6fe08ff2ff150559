import { compileFields, StoredNumbers, storedTime } from './field_codec.ts';
import { RETRACTABLE_TYPES, type ReportedEvent, type ReportedSinceStep } from './pure/alerts/reported_events.ts';
import type { TankState } from './pure/alerts/tank_state.ts';
import type { DipEstimate } from './pure/dips/dip_filter.ts';
import type { DipState } from './pure/dips/dip_state.ts';
import type { OutlierRun } from './pure/estimator/assessed_reading.ts';
import type { GaugeHealth } from './pure/estimator/gauge_health.ts';
import type { LeakDetector } from './pure/estimator/leak_detector.ts';
import type { LevelEstimate, LevelReading } from './pure/estimator/level_filter.ts';
import type { UnusualUse } from './pure/estimator/unusual_use.ts';
import type { UseHistory } from './pure/estimator/use_history.ts';

/**
 * The version that `encodeState` writes. An encoded state begins with `[`, its version and a comma. Increase it when
 * the format or the estimator changes: writers then re-evaluate all tanks in the background.
 */
export const STATE_VERSION = 4;

/** An encoded state that this release cannot read: another release wrote it, or it is damaged. */
export class UnreadableStateError extends Error {
  override name = 'UnreadableStateError';
  /** The version it was written with; null if it has none. */
  readonly version: number | null;

  constructor(version: number | null) {
    super(
      version !== null && version !== STATE_VERSION
        ? `the tank state has version ${version}, and this release reads version ${STATE_VERSION}; re-evaluate the tank`
        : 'the tank state is damaged; re-evaluate the tank',
    );
    this.version = version;
  }
}

/** The version of a state that a newer release wrote; null for every other error. */
export const newerVersion = (error: unknown): number | null =>
  error instanceof UnreadableStateError && error.version !== null && error.version > STATE_VERSION
    ? error.version
    : null;

/** Returns true if another release wrote the state. The tank then waits for its re-evaluation; it is not an error. */
export const isOtherVersion = (error: unknown): boolean =>
  error instanceof UnreadableStateError && error.version !== null && error.version !== STATE_VERSION;

// The fields in the order in which they are stored. Every number has the precision that evaluation rounds it to, so
// that decoding gives back the same state. A changed table is another format: increase STATE_VERSION.

const STATE = compileFields<
  Omit<
    TankState,
    | 'atMs'
    | 'orderDueAtMs'
    | 'overfilledAtMs'
    | 'isSilent'
    | 'isLow'
    | 'latestFills'
    | 'outliers'
    | 'level'
    | 'history'
    | 'loss'
    | 'unusual'
    | 'gauge'
    | 'reported'
    | 'dips'
  >
>({
  accepted: 'readingOrNull',
  cadenceMs: 'seconds',
  longestGapMs: 'seconds',
  gapSpread: 'tenThousandths',
  reportIntervalMs: 'whole',
  announcedGapMs: 'whole',
  lowAtMs: 'timeOrNull',
  recoveredAtMs: 'timeOrNull',
  firstLow: 'readingOrNull',
});

/** Fields that are stored after a null, and only if one of them is not null. They are null for most tanks. */
const RARE = compileFields<Pick<TankState, 'orderDueAtMs' | 'overfilledAtMs'>>({
  orderDueAtMs: 'timeOrNull',
  overfilledAtMs: 'timeOrNull',
});
const NOTHING_RARE = { orderDueAtMs: null, overfilledAtMs: null };

const LOSS = compileFields<Omit<LeakDetector, 'points'>>({
  smooth: 'millionths',
  from: 'readingOrNull',
  raisedAtMs: 'timeOrNull',
  seenAtMs: 'timeOrNull',
});

const UNUSUAL = compileFields<Omit<UnusualUse, 'points' | 'usual'>>({
  from: 'readingOrNull',
  raisedAtMs: 'timeOrNull',
});

/** Sums that are stored only if `from` is not null. Without `from`, they are 0. */
const LOSS_SUM = compileFields<Pick<LeakDetector, 'points'>>({ points: 'millionths' });
const UNUSUAL_SUM = compileFields<Pick<UnusualUse, 'points' | 'usual'>>({
  points: 'tenThousandths',
  usual: 'tenThousandths',
});

const GAUGE = compileFields<Omit<GaugeHealth, 'isFullReal' | 'isStepSudden'>>({
  fault: 'faultOrNull',
  sinceMs: 'timeOrNull',
  changedAtMs: 'timeOrNull',
  badAtMs: 'timeOrNull',
  contradictions: 'tenThousandths',
  jump: 'whole',
  stepAtMs: 'timeOrNull',
  stepFrom: 'tenThousandths',
  filledTo: 'tenThousandths',
});

/** Stored after the number of outliers, and only if that is not 0. */
const OUTLIERS = compileFields<{ first: LevelReading | null; latest: LevelReading | null; agreeing: number }>({
  first: 'readingOrNull',
  latest: 'readingOrNull',
  agreeing: 'whole',
});

const LEVEL = compileFields<LevelEstimate>({
  level: 'millionths',
  rate: 'millionths',
  irregularity: 'tenThousandths',
  agility: 'tenThousandths',
  cosine: 'millionths',
  sine: 'millionths',
  hourCosine: 'tenThousandths',
  hourSine: 'tenThousandths',
  deviations: 'tenThousandths',
  noise: 'tenThousandths',
  seen: 'whole',
  repeats: 'whole',
  spikeShare: 'millionths',
  slowRate: 'millionths',
  peakRate: 'tenThousandths',
  ll: 'millionths',
  lr: 'millionths',
  lc: 'millionths',
  ls: 'millionths',
  rr: 'millionths',
  rc: 'millionths',
  rs: 'millionths',
  cc: 'millionths',
  cs: 'millionths',
  ss: 'millionths',
  week: 'week',
});

const HISTORY = compileFields<UseHistory>({
  days: 'tenThousandths',
  sinceMs: 'time',
  used: 'tenThousandths',
  fast: 'tenThousandths',
  slow: 'tenThousandths',
  fastError: 'tenThousandths',
  slowError: 'tenThousandths',
  week: 'tenThousandths',
  weekPredicted: 'tenThousandths',
  weekError: 'tenThousandths',
  fortnight: 'tenThousandths',
  fortnightPredicted: 'tenThousandths',
  fortnightError: 'tenThousandths',
  total: 'tenThousandths',
  dayMs: 'time',
  dayUsed: 'tenThousandths',
  dayRate: 'tenThousandths',
  yesterday: 'tenThousandths',
});

const DIPS = compileFields<Omit<DipState, 'estimate'>>({
  seenAtMs: 'timeOrNull',
  highest: 'tenThousandths',
  advancedToMs: 'time',
  use: 'tenThousandths',
  season: 'months',
  isUsePredictable: 'flag',
});

const DIP_ESTIMATE = compileFields<DipEstimate>({
  atMs: 'time',
  level: 'millionths',
  logScale: 'millionths',
  levelVariance: 'millionths',
  covariance: 'millionths',
  scaleVariance: 'millionths',
  irregularity: 'tenThousandths',
});

/** The stored form of a state: a JSON array of whole numbers, a third of the size of the object and faster to write. */
export function encodeState(state: TankState): string {
  const { atMs, outliers, reported, level, history, dips } = state;
  const numbers: (number | null)[] = [STATE_VERSION, atMs, flagsOf(state)];
  STATE.write(numbers, state, atMs);
  LOSS.write(numbers, state.loss, atMs);
  if (state.loss.from !== null) LOSS_SUM.write(numbers, state.loss, atMs);
  UNUSUAL.write(numbers, state.unusual, atMs);
  if (state.unusual.from !== null) UNUSUAL_SUM.write(numbers, state.unusual, atMs);
  GAUGE.write(numbers, state.gauge, atMs);
  numbers.push(outliers === null ? 0 : outliers.count);
  if (outliers !== null) OUTLIERS.write(numbers, outliers, atMs);
  writeReported(numbers, reported, atMs);
  if (state.orderDueAtMs !== null || state.overfilledAtMs !== null) {
    numbers.push(null);
    RARE.write(numbers, state, atMs);
  }
  numbers.push(state.latestFills.length, ...state.latestFills.map((fill) => Math.round(fill * 100)));
  // A tank without a sensor has a null in place of the level. The states of other tanks stayed the same when such tanks
  // were added, so STATE_VERSION did not change.
  if (dips !== null) {
    numbers.push(null);
    DIPS.write(numbers, dips, atMs);
    if (dips.estimate !== null) DIP_ESTIMATE.write(numbers, dips.estimate, atMs);
  } else if (level !== null && history !== null) {
    LEVEL.write(numbers, level, atMs);
    HISTORY.write(numbers, history, atMs);
  }
  return JSON.stringify(numbers);
}

/**
 * Throws `UnreadableStateError` for a text that this release did not write. The caller then stores readings as always
 * and marks the tank for re-evaluation.
 */
export function decodeState(text: string): TankState {
  const numbers = parseNumbers(text);
  const version = numbers?.[0];
  if (numbers === null || typeof version !== 'number') throw new UnreadableStateError(null);
  if (version !== STATE_VERSION) throw new UnreadableStateError(version);
  const stored = new StoredNumbers(numbers);
  const state = readState(stored);
  if (stored.isDamaged) throw new UnreadableStateError(version);
  return state;
}

function readState(stored: StoredNumbers): TankState {
  const flags = stored.whole();
  const fields = STATE.read(stored);
  const loss = readLoss(stored);
  const unusual = readUnusual(stored);
  const gauge = {
    ...GAUGE.read(stored),
    isFullReal: (flags & FLAGS.isFullReal) !== 0,
    isStepSudden: (flags & FLAGS.isStepSudden) !== 0,
  };
  const outliers = readOutliers(stored);
  const reported = readReported(stored);
  const rare = stored.takeNull() ? RARE.read(stored) : NOTHING_RARE;
  const latestFills = Array.from({ length: stored.whole() }, () => stored.whole() / 100);
  const dips = stored.takeNull() ? readDips(stored) : null;
  const hasLevel = !stored.isAtEnd;
  const level = hasLevel ? LEVEL.read(stored) : null;
  const history = hasLevel ? HISTORY.read(stored) : null;
  return {
    atMs: stored.atMs,
    ...fields,
    ...rare,
    isSilent: (flags & FLAGS.isSilent) !== 0,
    isLow: (flags & FLAGS.isLow) !== 0,
    loss,
    unusual,
    gauge,
    outliers,
    reported,
    latestFills,
    level,
    history,
    dips,
  };
}

/** The bits of the flags, which are stored as one number. */
const FLAGS = { isSilent: 1, isLow: 2, isFullReal: 4, isStepSudden: 8 };

const flagsOf = ({ isSilent, isLow, gauge }: TankState): number =>
  (isSilent ? FLAGS.isSilent : 0) |
  (isLow ? FLAGS.isLow : 0) |
  (gauge.isFullReal ? FLAGS.isFullReal : 0) |
  (gauge.isStepSudden ? FLAGS.isStepSudden : 0);

function readLoss(stored: StoredNumbers): LeakDetector {
  const { smooth, from, raisedAtMs, seenAtMs } = LOSS.read(stored);
  const { points } = from === null ? { points: 0 } : LOSS_SUM.read(stored);
  return { smooth, points, from, raisedAtMs, seenAtMs };
}

function readUnusual(stored: StoredNumbers): UnusualUse {
  const { from, raisedAtMs } = UNUSUAL.read(stored);
  const { points, usual } = from === null ? { points: 0, usual: 0 } : UNUSUAL_SUM.read(stored);
  return { points, from, usual, raisedAtMs };
}

function readDips(stored: StoredNumbers): DipState {
  const fields = DIPS.read(stored);
  return { ...fields, estimate: stored.isAtEnd ? null : DIP_ESTIMATE.read(stored) };
}

function readOutliers(stored: StoredNumbers): OutlierRun | null {
  const count = stored.whole();
  if (count === 0) return null;
  const { first, latest, agreeing } = OUTLIERS.read(stored);
  return first === null || latest === null ? null : { first, latest, agreeing, count };
}

/**
 * Writes 0 for null. Otherwise writes the number of reported events plus 1, the time of the alert before the step, and
 * the type and time of each event.
 */
function writeReported(numbers: (number | null)[], reported: ReportedSinceStep | null, atMs: number): void {
  if (reported === null) {
    numbers.push(0);
    return;
  }
  const { lowAtMs, events } = reported;
  numbers.push(events.length + 1, storedTime(lowAtMs, atMs));
  for (const event of events) numbers.push(RETRACTABLE_TYPES.indexOf(event.type), storedTime(event.atMs, atMs));
}

function readReported(stored: StoredNumbers): ReportedSinceStep | null {
  const count = stored.whole() - 1;
  if (count < 0) return null;
  const lowAtMs = stored.time();
  const events: ReportedEvent[] = [];
  for (let n = 0; n < count && !stored.isDamaged; n++) {
    const type = RETRACTABLE_TYPES[stored.whole()];
    const eventMs = stored.time();
    if (type === undefined || eventMs === null) stored.isDamaged = true;
    else events.push({ type, atMs: eventMs });
  }
  return { lowAtMs, events };
}

/**
 * Returns true if an older release wrote the state. Old formats are not read: the tank is evaluated again from its stored
 * readings, so that its state is what the current estimator makes of them.
 */
export function isOutdated(text: string): boolean {
  if (text.startsWith(`[${STATE_VERSION},`)) return false;
  return Number(/^\[(\d+),/.exec(text)?.[1]) < STATE_VERSION;
}

function parseNumbers(text: string): readonly unknown[] | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

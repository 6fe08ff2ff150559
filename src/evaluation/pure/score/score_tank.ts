import { DAY_MS, HOUR_MS } from '../../../values/time.ts';
import { evaluate } from '../alerts/evaluate.ts';
import { isSameEvent, type TankEvent } from '../alerts/tank_event.ts';
import { type AlertSettings, INITIAL_STATE, isGaugeReliable, type TankState } from '../alerts/tank_state.ts';
import type { LevelReading } from '../estimator/level_filter.ts';
import { type BackTest, type BackTestSample, backTestForecast, upperMedian } from './back_test.ts';

/** Past forecasts are tested this many days ahead. */
export const DAYS_AHEAD = [7, 14, 21] as const;
export type DaysAhead = (typeof DAYS_AHEAD)[number];

export const SCORED_TYPES = ['tank.low_fill', 'tank.refilled', 'tank.rapid_loss'] as const;
export type ScoredType = (typeof SCORED_TYPES)[number];

/**
 * `right` and `wrong` are decided by the readings of the two days after the event. `unknown` means that there were too
 * few of them, or that a delivery came first.
 */
export type EventVerdict = 'right' | 'wrong' | 'retracted' | 'unknown';

export interface ScoredEvent {
  type: ScoredType;
  /** The time from the first reading that showed the event to the reading with which it was reported. */
  delayHours: number;
  verdict: EventVerdict;
}

export type ScoredForecast = BackTest<BackTestSample & { daysAhead: DaysAhead }>;

export interface TankScore {
  readingsPerDay: number;
  events: readonly ScoredEvent[];
  forecasts: readonly ScoredForecast[];
}

/** Forecasts of a tank are tested once a week, after the estimator has learned for two weeks. */
const TEST_INTERVAL_MS = 7 * DAY_MS;
export const LEARNING_DAYS = 14;
const LEARNING_MS = LEARNING_DAYS * DAY_MS;
/** A smaller fall shows the noise of the gauge rather than the use. */
export const CLEAR_FALL_POINTS = 3;
/** No forecast is tested for three days after a loss was detected. */
const LOSS_LASTS_MS = 3 * DAY_MS;
const HINDSIGHT_MS = 2 * DAY_MS;
/** A low alert was right if the level stays at most this far above the threshold: a higher level would end the alert. */
const STILL_LOW_POINTS = 5;

interface Snapshot {
  atMs: number;
  state: TankState;
  tested: Set<DaysAhead>;
}

type Report = Extract<TankEvent, { type: ScoredType }>;

interface OpenEvent {
  event: Report;
  reportedMs: number;
  /** The readings of the two days after the event. */
  fillsAfter: number[];
  isRetracted: boolean;
  isClosed: boolean;
}

/**
 * Evaluates the readings of a tank in their order and scores the results with later readings: each event with the
 * readings of the next two days, and each forecast with the level that the tank really had 7, 14 and 21 days later.
 */
export class TankScorer {
  readonly #settings: AlertSettings;
  readonly #sinceMs: number;
  #state: TankState = INITIAL_STATE;
  #firstMs: number | null = null;
  #testedMs = 0;
  #snapshots: Snapshot[] = [];
  readonly #events: OpenEvent[] = [];
  readonly #forecasts: ScoredForecast[] = [];

  /** Events and forecasts before `sinceMs` are not scored. */
  constructor(settings: AlertSettings, sinceMs: number) {
    this.#settings = settings;
    this.#sinceMs = sinceMs;
  }

  add({ atMs, fillPercentage }: LevelReading): void {
    this.#firstMs ??= atMs;
    const { state, events, retracted } = evaluate(this.#settings, this.#state, {
      kind: 'reading',
      atMs,
      fillPercentage,
    });
    this.#state = state;
    for (const open of this.#events)
      if (retracted.some((event) => isSameEvent(open.event, event))) open.isRetracted = true;
    this.#watch(atMs, fillPercentage, events);
    // The level changed by something other than use, so open samples are discarded.
    if (events.length > 0) this.#snapshots = [];
    const isLosing = atMs - (state.loss.seenAtMs ?? Number.NEGATIVE_INFINITY) < LOSS_LASTS_MS;
    if (state.accepted?.atMs === atMs && isGaugeReliable(state) && !isLosing) this.#testForecasts(atMs);
  }

  end(): TankScore {
    return {
      readingsPerDay: DAY_MS / this.#state.cadenceMs,
      events: this.#events.map((open) => ({
        type: open.event.type,
        delayHours: (open.reportedMs - shownMs(open.event)) / HOUR_MS,
        verdict: verdictOf(open, this.#settings),
      })),
      forecasts: this.#forecasts,
    };
  }

  #watch(atMs: number, fillPercentage: number, events: readonly TankEvent[]): void {
    // The open events come last, so the loop can stop at the first closed one.
    for (const open of this.#events.toReversed()) {
      if (open.isClosed) break;
      if (atMs - open.reportedMs > HINDSIGHT_MS) open.isClosed = true;
      else open.fillsAfter.push(fillPercentage);
    }
    for (const event of events) {
      if (!isReport(event)) continue;
      // After a delivery or a loss, the level no longer confirms or refutes earlier events.
      if (event.type !== 'tank.low_fill') this.#closeAll();
      if (event.atMs >= this.#sinceMs)
        this.#events.push({ event, reportedMs: atMs, fillsAfter: [], isRetracted: false, isClosed: false });
    }
  }

  /** Closes all open events. They come after all closed ones. */
  #closeAll(): void {
    for (const open of this.#events.toReversed()) {
      if (open.isClosed) return;
      open.isClosed = true;
    }
  }

  #testForecasts(atMs: number): void {
    const level = this.#state.level?.level ?? 0;
    for (const snapshot of this.#snapshots) {
      const days = (atMs - snapshot.atMs) / DAY_MS;
      for (const daysAhead of DAYS_AHEAD) {
        if (days < daysAhead || snapshot.tested.has(daysAhead)) continue;
        snapshot.tested.add(daysAhead);
        const fell = (snapshot.state.level?.level ?? 0) - level;
        // After a gap, the sample is for another number of days.
        if (fell < CLEAR_FALL_POINTS || days > daysAhead + 2) continue;
        const sample = { atMs: snapshot.atMs, days, daysAhead };
        const result = backTestForecast({ minFillAlertPercentage: level }, snapshot.state, sample);
        this.#forecasts.push({ ...sample, ...result });
      }
    }
    this.#snapshots = this.#snapshots.filter(({ tested }) => tested.size < DAYS_AHEAD.length);
    const isDue = atMs - this.#testedMs >= TEST_INTERVAL_MS && atMs - (this.#firstMs ?? atMs) >= LEARNING_MS;
    if (!isDue || atMs < this.#sinceMs) return;
    this.#testedMs = atMs;
    this.#snapshots.push({ atMs, state: this.#state, tested: new Set() });
  }
}

const isReport = (event: TankEvent): event is Report => SCORED_TYPES.some((type) => type === event.type);

/** The time of the first reading that showed the event. For a refill or a loss, the first stored reading is the one before it. */
function shownMs({ type, readings, atMs }: Report): number {
  const shown = type === 'tank.low_fill' ? readings[0] : (readings[1] ?? readings[0]);
  return Math.min(atMs, shown === undefined ? atMs : Date.parse(shown.created_at));
}

function verdictOf({ event, fillsAfter, isRetracted }: OpenEvent, settings: AlertSettings): EventVerdict {
  if (isRetracted) return 'retracted';
  if (fillsAfter.length < 2) return 'unknown';
  return isConfirmed(event, upperMedian(fillsAfter), settings) ? 'right' : 'wrong';
}

function isConfirmed(event: Report, levelAfter: number, { minFillAlertPercentage }: AlertSettings): boolean {
  switch (event.type) {
    case 'tank.low_fill':
      return levelAfter <= minFillAlertPercentage + STILL_LOW_POINTS;
    case 'tank.refilled':
      return levelAfter >= (event.data.before_percentage + event.data.after_percentage) / 2;
    case 'tank.rapid_loss':
      return levelAfter <= (event.data.from_percentage + event.data.to_percentage) / 2;
    default:
      return event satisfies never;
  }
}

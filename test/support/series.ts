import { evaluate } from '../../src/evaluation/pure/alerts/evaluate.ts';
import { excludeRetracted, type RetractedEvent, type TankEvent } from '../../src/evaluation/pure/alerts/tank_event.ts';
import { type AlertSettings, INITIAL_STATE, type TankState } from '../../src/evaluation/pure/alerts/tank_state.ts';
import { decodeState, encodeState } from '../../src/evaluation/state_codec.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const SERIES_START_MS = Date.UTC(2025, 0, 1, 6);
export const SETTINGS: AlertSettings = { minFillAlertPercentage: 25, capacity: 1_000, capacityUnit: 'liters' };

export interface SeriesReading {
  atMs: number;
  fillPercentage: number;
}

/** The readings of a made-up tank, in phases. */
export class Series {
  readonly readings: SeriesReading[] = [];
  readonly #cadenceMs: number;
  #atMs = SERIES_START_MS;
  #fill: number;

  constructor(readingsPerDay: number, fill: number) {
    this.#cadenceMs = DAY_MS / readingsPerDay;
    this.#fill = fill;
  }

  get atMs(): number {
    return this.#atMs;
  }

  /** Uses `pointsPerDay` for `days`. */
  use(pointsPerDay: number, days: number): this {
    const count = Math.round((days * DAY_MS) / this.#cadenceMs);
    for (let n = 0; n < count; n++) {
      this.#show(this.#fill);
      this.#fill = Math.max(0, this.#fill - (pointsPerDay * this.#cadenceMs) / DAY_MS);
    }
    return this;
  }

  fillTo(fill: number): this {
    this.#fill = fill;
    return this;
  }

  /** Shows these values instead of the fill. */
  show(...values: readonly number[]): this {
    for (const value of values) this.#show(value);
    return this;
  }

  #show(value: number): void {
    const fillPercentage = Math.round(Math.min(100, Math.max(0, value)) * 100) / 100;
    this.readings.push({ atMs: this.#atMs, fillPercentage });
    this.#atMs += this.#cadenceMs;
  }
}

/**
 * Evaluates readings through the stored form of the state. `watch` sees each state. `events` are those that were not
 * retracted, `reported` all of them.
 */
export function evaluateSeries(
  readings: readonly SeriesReading[],
  watch: (state: TankState, reading: SeriesReading) => void = () => {},
  settings: AlertSettings = SETTINGS,
): { state: TankState; events: TankEvent[]; reported: TankEvent[]; retracted: RetractedEvent[] } {
  let state: TankState = INITIAL_STATE;
  const reported: TankEvent[] = [];
  const retracted: RetractedEvent[] = [];
  for (const reading of readings) {
    const evaluated = evaluate(settings, state, { kind: 'reading', ...reading });
    state = decodeState(encodeState(evaluated.state));
    reported.push(...evaluated.events);
    retracted.push(...evaluated.retracted);
    watch(state, reading);
  }
  return { state, events: excludeRetracted(reported, retracted), reported, retracted };
}

export const typesOf = (events: readonly TankEvent[]): string[] => events.map(({ type }) => type.slice('tank.'.length));

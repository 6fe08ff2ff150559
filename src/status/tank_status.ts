import type { TankObject } from '../catalog/v1_columns.ts';
import { evaluate } from '../evaluation/pure/alerts/evaluate.ts';
import { forecastTank } from '../evaluation/pure/alerts/forecast_tank.ts';
import { usualGapMs } from '../evaluation/pure/alerts/silence.ts';
import type { AlertSettings, TankState } from '../evaluation/pure/alerts/tank_state.ts';
import { NOT_URGENT, type Urgency, urgencyOf } from '../evaluation/pure/alerts/urgency.ts';
import { type Waiting, waitingFor } from '../evaluation/pure/alerts/waiting.ts';
import type { DaysRange, Forecast } from '../evaluation/pure/estimator/forecast.ts';
import { decodeState, UnreadableStateError } from '../evaluation/state_codec.ts';
import type { TankContents } from '../values/products.ts';
import { tenth } from '../values/tenth.ts';
import { DAY_MS, HOUR_MS } from '../values/time.ts';
import { type Loss, lossReachesMs, type ReadingFields } from './loss.ts';
import type { Section } from './sections.ts';
import { type TankWeather, type WeatherUse, weatherUseOf } from './weather_use.ts';

/** A live tank as the catalog has it. */
export type CatalogTank = Omit<TankObject, 'object' | 'owner_id' | 'location' | 'created_at' | 'updated_at'> &
  TankObject['location'];

/** A tank with its product and its fill limit. */
export interface ProductTank extends CatalogTank, TankContents {}

export interface TankOwner {
  id: string;
  external_key: string | null;
  name: string;
  phone: string | null;
}

/** The fields of a tank that its status needs. */
type MeasuredTank = Pick<CatalogTank, 'capacity' | 'capacity_unit' | 'min_fill_alert_percentage'>;

/** A live tank with its owner, its newest reading and its stored state. */
export interface StoredTank<Tank extends MeasuredTank = ProductTank> {
  tank: Tank;
  owner: TankOwner;
  /** Null if the tank has no reading yet. */
  reading: ReadingFields | null;
  /** Null if the tank loses nothing. */
  loss: Loss | null;
  /** The last reading before the gauge became unreliable; null while it is reliable. */
  lastReliable: ReadingFields | null;
  section: Section | null;
  /** Null for a tank that has not been evaluated yet. */
  encodedState: string | null;
  /** Null for a tank whose place has no weather. */
  weather: TankWeather | null;
  /** The day of the next planned delivery; null or missing if there is none. */
  plannedOn?: string | null;
}

/** Why the current level of a tank is not known. */
export type UnknownLevel = 'no reading yet' | 'not evaluated yet' | 'silent' | 'gauge unreliable' | 'unclear';

/** The status of a tank at one time. */
export interface TankStatus<Tank extends MeasuredTank = ProductTank>
  extends Omit<StoredTank<Tank>, 'encodedState' | 'weather'> {
  /** Null if the tank has not been evaluated yet. */
  state: TankState | null;
  /**
   * Null if the tank has not been evaluated yet, or if its last reading is months old. While the tank loses gas, its times are
   * those of the loss.
   */
  forecast: Forecast | null;
  /** How soon the tank needs a refill. */
  urgency: Urgency;
  /** True if a low-fill alert is open. */
  isLow: boolean;
  /** Why the forecast is not reliable; null if it is. */
  reason: UnknownLevel | null;
  /** The estimated volume in the tank, in its own unit; null if the level is not known. */
  volumeLeft: number | null;
  /** The open questions that the next readings or the clock decide. Empty for most tanks. */
  waiting: readonly Waiting[];
  /** What the forecast assumes about the weather. Null if the place of the tank has no weather, and while the tank loses gas. */
  weather: WeatherUse | null;
}

/** Computes the status of a tank from its stored state. */
export function tankStatus<Tank extends MeasuredTank>(
  { encodedState, weather, ...stored }: StoredTank<Tank>,
  nowMs: number,
): TankStatus<Tank> {
  const before = encodedState === null ? null : decodeCurrentState(encodedState);
  if (before === null) {
    const reason = stored.reading === null ? 'no reading yet' : 'not evaluated yet';
    const urgency = { ...NOT_URGENT, isLosing: stored.loss !== null };
    const unknown = {
      state: null,
      forecast: null,
      urgency,
      isLow: false,
      volumeLeft: null,
      waiting: [],
      weather: null,
    };
    return { ...stored, ...unknown, reason };
  }
  const { capacity, capacity_unit: capacityUnit, min_fill_alert_percentage: minFillAlertPercentage } = stored.tank;
  const settings: AlertSettings = { capacity, capacityUnit, minFillAlertPercentage };
  // A tick at the current time shows whether the device is silent, even if no writer has evaluated the timer yet.
  const state = nowMs > before.atMs ? evaluate(settings, before, { kind: 'tick', atMs: nowMs }).state : before;
  const { loss, reading } = stored;
  const usual = forecastTank(settings, state, nowMs, weather?.forecast ?? null);
  const expected = usual && loss && reading ? forecastOfLoss(settings, usual, loss, reading, nowMs) : usual;
  const reason = unknownLevel(state, expected);
  return {
    ...stored,
    state,
    forecast: expected,
    urgency: urgencyOf(state, expected, nowMs, { isLosing: loss !== null }),
    isLow: state.isLow,
    reason,
    volumeLeft: reason === null && expected !== null ? tenth((expected.fillPercentage / 100) * capacity) : null,
    waiting: waitingFor(state),
    weather: loss === null ? weatherUseOf(weather, usual) : null,
  };
}

/** The forecast of a losing tank. Its times follow from the loss and not from the normal use, and its level is the latest reading. */
function forecastOfLoss(
  { minFillAlertPercentage }: AlertSettings,
  usual: Forecast,
  loss: Loss,
  reading: ReadingFields,
  nowMs: number,
): Forecast {
  const daysTo = (fillPercentage: number): DaysRange => {
    const atMs = lossReachesMs(loss, reading, fillPercentage);
    const days = atMs === null ? null : tenth(Math.max(0, atMs - nowMs) / DAY_MS);
    return { likely: days, earliest: days, latest: days };
  };
  return {
    ...usual,
    asOfMs: Date.parse(reading.created_at),
    fillPercentage: reading.fill_percentage,
    daysToThreshold: daysTo(minFillAlertPercentage),
    daysToEmpty: daysTo(0),
  };
}

/** The volume that fits into a tank up to a fill level, in its own unit; null if the current level is not known. */
export function roomTo({ tank, volumeLeft }: TankStatus<MeasuredTank>, fillToPercentage: number): number | null {
  return volumeLeft === null ? null : Math.max(0, tenth((fillToPercentage / 100) * tank.capacity - volumeLeft));
}

/** The usual use in the tank's own unit; null without a forecast. */
export const usePerDay = ({ tank, forecast: expected }: TankStatus<MeasuredTank>): number | null =>
  expected && tenth((expected.usePointsPerDay / 100) * tank.capacity);

/** The usual interval between two readings, which is learned from two readings on. */
export const usualIntervalHours = (state: TankState | null): number | null =>
  state !== null && (state.level?.seen ?? 0) > 1 ? tenth(usualGapMs(state) / HOUR_MS) : null;

/** Null for a state of another release: the tank waits for its re-evaluation. */
export function decodeCurrentState(encodedState: string): TankState | null {
  try {
    return decodeState(encodedState);
  } catch (error) {
    if (error instanceof UnreadableStateError) return null;
    throw error;
  }
}

function unknownLevel({ isSilent, gauge, accepted, dips }: TankState, expected: Forecast | null): UnknownLevel | null {
  if (dips !== null) {
    if (expected !== null) return null;
    return dips.estimate === null && accepted === null ? 'no reading yet' : 'unclear';
  }
  if (accepted === null) return 'no reading yet';
  // There is no forecast if the last accepted reading is months old.
  if (isSilent || expected === null) return 'silent';
  return gauge.fault === null ? null : 'gauge unreliable';
}

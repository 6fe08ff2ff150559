import type { SeenRefill } from '../../src/deliveries/pure/notes/delivery_note.ts';
import { evaluate } from '../../src/evaluation/pure/alerts/evaluate.ts';
import { INITIAL_STATE, type TankState } from '../../src/evaluation/pure/alerts/tank_state.ts';
import type { Random } from '../../src/simulation/random.ts';
import { EXPANSION_PER_CELSIUS } from '../../src/values/thermal_expansion.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { FILL_TO, LAST_DAY, type RegionTank, regionMs, useBetween } from './region.ts';

const EXPANSION = EXPANSION_PER_CELSIUS.propane;
export const BASE_CELSIUS = 15.6;
/** The time constant with which the liquid takes the temperature of the air. */
const LIQUID_HOURS = 8;

/** A delivery as it happened, and the refill that Tankwatch reported for it. */
export interface MeteredDelivery {
  atMs: number;
  /** The volume that the truck's meter counted. */
  pumpedLiters: number;
  /** The same volume at 15.6 °C. */
  compensatedLiters: number;
  productCelsius: number;
  airCelsius: number;
  seen: SeenRefill | null;
}

/** The error at a level is constant for a tank: at most 2 to 5 points for a dial (a float with a magnet), 0.5 to 2 for a good gauge. */
export interface PhysicalGauge {
  error: (level: number) => number;
  noise: number;
  step: number;
  capacityError: number;
}

/** `maxErrorPoints` is the largest error of its scale. Default: by the kind of the gauge. */
export function makeGauge(random: Random, maxErrorPoints?: number): PhysicalGauge {
  const isDial = random.chance(0.6);
  const error = dialError(random, maxErrorPoints ?? (isDial ? random.between(2, 5) : random.between(0.5, 2)));
  return {
    error,
    noise: isDial ? random.between(0.3, 1) : random.betweenLog(0.05, 0.3),
    step: isDial ? random.pickShare([1, 0.6], [0.5, 0.4]) : random.pickShare([0.1, 0.6], [0.4, 0.4]),
    capacityError: 0.01 * random.normal(),
  };
}

/** Draws the error of a scale at each level: at most `maxPoints`. */
export function dialError(random: Random, maxPoints: number): (level: number) => number {
  const offset = random.normal();
  const slope = random.normal();
  const bend = 0.7 * random.normal();
  const phase = random.between(0, 2 * Math.PI);
  const raw = (level: number): number =>
    offset + (slope * (level - 50)) / 45 + bend * Math.sin((2 * Math.PI * level) / 100 + phase);
  let largest = 0;
  for (let level = 5; level <= 95; level += 2) largest = Math.max(largest, Math.abs(raw(level)));
  return (level) => (raw(level) * maxPoints) / largest;
}

/**
 * Simulates one tank with a physical gauge through the winter. `level` is the volume at 15.6 °C; the gauge sees the volume at
 * the temperature of the liquid. A truck comes a day or two after the tank was at the level at which its owner orders.
 */
export function meterTank(
  tank: RegionTank,
  celsius: Float64Array,
  { random, gauge, readingsPerDay }: { random: Random; gauge: PhysicalGauge; readingsPerDay: number },
): MeteredDelivery[] {
  const airAt = (time: number): number => {
    const day = Math.floor(time);
    const hour = (time - day) * 24;
    return (
      (celsius[Math.min(celsius.length - 1, Math.max(0, day))] ?? 0) + 3 * Math.cos((2 * Math.PI * (hour - 15)) / 24)
    );
  };
  const settings = { minFillAlertPercentage: 20, capacity: tank.capacityLiters, capacityUnit: 'liters' } as const;
  const trueCapacity = tank.capacityLiters * (1 + gauge.capacityError);
  const expanded = (level: number, degrees: number): number => level * (1 + EXPANSION * (degrees - BASE_CELSIUS));
  const deliveries: MeteredDelivery[] = [];
  let state: TankState = INITIAL_STATE;
  let level = tank.firstFill;
  let liquid = airAt(0);
  let lastTime = 0;
  let orderLevel = random.between(10, 35);
  let truckAt: number | null = null;
  const advanceTo = (time: number): void => {
    level = Math.max(0, level - useBetween(tank.use, lastTime, time));
    liquid = airAt(time) + (liquid - airAt(time)) * Math.exp((-(time - lastTime) * 24) / LIQUID_HOURS);
    lastTime = time;
  };
  const fill = (time: number): void => {
    advanceTo(time);
    const productCelsius = airAt(time) + 2 + 4 * random.normal();
    const points = Math.max(0, FILL_TO + 1.5 * random.normal() - expanded(level, liquid));
    const added = points * (1 - EXPANSION * (productCelsius - BASE_CELSIUS));
    liquid = (level * liquid + added * productCelsius) / (level + added);
    level += added;
    const pumpedLiters = (points / 100) * trueCapacity * (1 + 0.002 * random.normal());
    const compensatedLiters = pumpedLiters * (1 - EXPANSION * (productCelsius - BASE_CELSIUS));
    deliveries.push({
      atMs: regionMs(time),
      pumpedLiters,
      compensatedLiters,
      productCelsius,
      airCelsius: airAt(time),
      seen: null,
    });
  };
  for (let time = random.between(0, 1 / readingsPerDay); time <= LAST_DAY; time += 1 / readingsPerDay) {
    if (truckAt === null && level <= orderLevel)
      truckAt = Math.floor(time) + 1 + Math.floor(random.between(0, 2)) + random.between(8, 17) / 24;
    if (truckAt !== null && truckAt <= time) {
      fill(truckAt);
      truckAt = null;
      orderLevel = random.between(10, 35);
    }
    advanceTo(time);
    const shown = expanded(level, liquid);
    const measured = shown + gauge.error(shown) + gauge.noise * random.normal();
    const rounded = Math.round(Math.round(measured / gauge.step) * gauge.step * 100) / 100;
    const reading = { atMs: regionMs(time), fillPercentage: Math.min(100, Math.max(0, rounded)) };
    const evaluated = evaluate(settings, state, { kind: 'reading', ...reading });
    state = evaluated.state;
    for (const event of evaluated.events) {
      const last = deliveries.at(-1);
      if (event.type !== 'tank.refilled' || last === undefined || last.seen !== null) continue;
      if (event.atMs - last.atMs < 3 * DAY_MS)
        last.seen = seenRefill(tank, event.data, event.readings, event.atMs, state);
    }
  }
  return deliveries;
}

function seenRefill(
  tank: RegionTank,
  data: { before_percentage: number; after_percentage: number; delivered_volume: number },
  readings: readonly { created_at: string }[],
  atMs: number,
  { level, cadenceMs, gauge }: TankState,
): SeenRefill {
  const [before, after] = readings.map(({ created_at }) => Date.parse(created_at));
  return {
    tankId: String(tank.number),
    customerId: String(tank.number),
    atMs,
    fromMs: before ?? atMs,
    toMs: after ?? atMs,
    liters: data.delivered_volume,
    beforePercentage: data.before_percentage,
    afterPercentage: data.after_percentage,
    capacityLiters: tank.capacityLiters,
    noisePoints: level?.noise ?? 1,
    usePointsPerDay: level?.rate ?? 1,
    cadenceMs,
    isGaugeReliable: gauge.fault === null,
  };
}

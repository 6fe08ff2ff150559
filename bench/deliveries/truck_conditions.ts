import { pumpedLiters } from '../../src/deliveries/pure/notes/pumped_volume.ts';
import type { ComparedDelivery } from '../../src/deliveries/pure/notes/refill_spread.ts';
import { findTrucks } from '../../src/deliveries/pure/truck_meters/differing_trucks.ts';
import type { Random } from '../../src/simulation/random.ts';
import { EXPANSION_PER_CELSIUS } from '../../src/values/thermal_expansion.ts';
import { BASE_CELSIUS, dialError } from './metered_tank.ts';

/**
 * The conditions of a simulated year of deliveries: scales of gauges with a shape, liquid that shrinks and expands, notes as
 * pumped or at 15.6 °C. No readings are evaluated, so that thousands of years can be simulated.
 */
export interface TruckCondition {
  /** How far the scale of a gauge is off at most, in points. */
  shapePoints: readonly [low: number, high: number];
  /** The share of tanks that are lying cylinders with a linear sensor. */
  linearShare: number;
  /** Whether a truck writes the volume at 15.6 °C, and with which temperature it can be converted. */
  notes: 'pumped' | 'net, of the product' | 'net, of the air' | 'half of the trucks net' | 'net, read as pumped';
  /** Meters of honest trucks are off by up to this share. */
  meterError: number;
  /** The share of deliveries that any truck makes; the others are made by the truck of the area. */
  sharedShare: number;
}

const USUAL: TruckCondition = {
  shapePoints: [0.5, 5],
  linearShare: 0,
  notes: 'pumped',
  meterError: 0.005,
  sharedShare: 0.5,
};

export const CONDITIONS: Readonly<Record<string, TruckCondition>> = {
  'usual gauges': USUAL,
  'shape errors of 3.5 points': { ...USUAL, shapePoints: [3.5, 3.5] },
  'a quarter linear sensors on cylinders': { ...USUAL, linearShare: 0.25 },
  'almost only own tanks': { ...USUAL, sharedShare: 0.05 },
  'net notes, temperature of the product': { ...USUAL, notes: 'net, of the product' },
  'net notes, temperature of the air': { ...USUAL, notes: 'net, of the air' },
  'half of the trucks net, half gross': { ...USUAL, notes: 'half of the trucks net' },
  'meters off by 1 %, as the law allows': { ...USUAL, meterError: 0.01 },
  'all notes net, read as gross': { ...USUAL, notes: 'net, read as pumped' },
  'all linear sensors on cylinders': { ...USUAL, linearShare: 1 },
};

const TANKS_EACH = 80;
const DELIVERIES_PER_TANK = 10;
const COMPARISONS = 4;
const CAPACITY_LITERS = 1_000;

/** What the comparisons of a year found. */
export interface TruckYearResult {
  /** The numbers of the trucks that were flagged. */
  flagged: Set<number>;
  /** The trucks were found to differ. */
  hasDiffered: boolean;
  /** All gauges were found to be off. */
  wasOff: boolean;
}

/** Simulates a year with a comparison every quarter. The notes of truck 0 exceed its deliveries by the share `bias`. */
export function compareYear(random: Random, condition: TruckCondition, trucks: number, bias: number): TruckYearResult {
  const deliveries = deliverYear(random, condition, trucks, bias);
  const result: TruckYearResult = { flagged: new Set(), hasDiffered: false, wasOff: false };
  for (let comparison = 1; comparison <= COMPARISONS; comparison++) {
    const found = findTrucks(deliveries.slice(0, Math.round((deliveries.length * comparison) / COMPARISONS)));
    if (!('takenOut' in found)) continue;
    for (const { id } of found.takenOut) result.flagged.add(Number(id));
    result.hasDiffered ||= found.areDifferent;
    result.wasOff ||= found.commonOffset !== null;
  }
  return result;
}

function deliverYear(random: Random, condition: TruckCondition, trucks: number, bias: number): ComparedDelivery[] {
  const meters = Array.from({ length: trucks }, () => random.between(-condition.meterError, condition.meterError));
  const tanks = Array.from({ length: trucks * TANKS_EACH }, (_, tank) => ({
    area: tank % trucks,
    capacityError: 0.01 * random.normal(),
    show: random.chance(condition.linearShare) ? cylinderHeight : scaleOf(random, condition.shapePoints),
    noise: random.betweenLog(0.05, 1),
  }));
  const count = tanks.length * DELIVERIES_PER_TANK;
  return Array.from({ length: count }, (_, number): ComparedDelivery => {
    const index = random.whole(0, tanks.length - 1);
    const tank = tanks[index] ?? tanks[0];
    if (tank === undefined) throw new RangeError('there are no tanks');
    const truck = random.chance(condition.sharedShare) ? random.whole(0, trucks - 1) : tank.area;
    // Temperatures of a year: the air of the day, the load of the truck, and the liquid in the tank some hours later.
    const air = 8 - 8 * Math.cos((2 * Math.PI * number) / count) + 4 * random.normal();
    const product = air + 2 + 4 * random.normal();
    const later = air + 1.5 * random.normal();
    const before = random.between(10, 35);
    const pumped = 80 + 1.5 * random.normal() - before;
    const after = before * growth(air, later) + pumped * growth(product, later);
    const noise = tank.noise * random.normal();
    const gaugePoints = tank.show(after) - tank.show(before) + noise;
    const pumpedVolume = (pumped / 100) * CAPACITY_LITERS * (1 + tank.capacityError);
    const written = pumpedVolume * (1 + (meters[truck] ?? 0)) * (truck === 0 ? 1 + bias : 1);
    return {
      noteId: String(number),
      tankId: String(index),
      truckId: String(truck),
      atMs: number,
      gaugeLiters: (Math.max(5, gaugePoints) / 100) * CAPACITY_LITERS,
      noteLiters: readNote(condition.notes, truck, written, { air, product }),
    };
  });
}

const growth = (from: number, to: number): number => 1 + EXPANSION_PER_CELSIUS.propane * (to - from);

/** The pumped liters that Tankwatch computes from the note of the driver. */
function readNote(
  notes: TruckCondition['notes'],
  truck: number,
  pumped: number,
  { air, product }: { air: number; product: number },
): number {
  const isNet = notes === 'half of the trucks net' ? truck % 2 === 1 : notes !== 'pumped';
  const liters = isNet ? pumped * growth(product, BASE_CELSIUS) : pumped;
  const isCompensated = isNet && notes !== 'net, read as pumped';
  const productCelsius = notes === 'net, of the air' ? null : product;
  return pumpedLiters({ liters, isCompensated, productCelsius, airCelsius: air }) ?? liters;
}

function scaleOf(random: Random, [low, high]: readonly [number, number]): (level: number) => number {
  const error = dialError(random, random.between(low, high));
  return (level) => level + error(level);
}

/** The height of the liquid in a lying cylinder, which a linear sensor shows as the level, in percent. */
function cylinderHeight(level: number): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 20; step++) {
    const height = (low + high) / 2;
    if (filledShare(height) < level / 100) low = height;
    else high = height;
  }
  return 50 * (low + high);
}

const filledShare = (height: number): number =>
  (Math.acos(1 - 2 * height) - (1 - 2 * height) * Math.sqrt(4 * height * (1 - height))) / Math.PI;

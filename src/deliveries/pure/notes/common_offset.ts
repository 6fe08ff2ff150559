import { median } from '../../../values/statistics.ts';
import { type ComparedDelivery, learnRefillSpread, logRatio } from './refill_spread.ts';

/** In simulated winters with correct notes, all gauges together are off by 0.1 to 0.9 %. */
const MAX_OFFSET = 0.02;
const MIN_TANKS = 5;
const MIN_TANKS_TO_CORRECT = 30;
/** A truck with fewer tanks says nothing about the gauges of all tanks. */
const MIN_TANKS_OF_TRUCK = 10;
/** The offset of few tanks may be chance: it must be larger than this many standard errors of a median. */
const MIN_STANDARD_ERRORS = 2.6;
const MEDIAN_FACTOR = 1.25;

/** By how much the gauges of an organization together differ from its notes. */
export interface CommonOffset {
  /** The logarithm of gauge / note; 0 while it may be chance. Single notes are compared with the gauge without this offset. */
  offset: number;
  /** True if the offset is larger than correct gauges can explain. Then no single note and no truck can be judged. */
  isOff: boolean;
}

/**
 * Finds the offset of all gauges together. It has a common cause: capacities, strapping tables, temperature
 * compensation, or the product. The offset is the median of the trucks' medians, so that one wrong truck does not look
 * like a common cause. With an even number of trucks, it is the middle value nearer to 0. If no truck has ten tanks, it is
 * the median of the tanks.
 */
export function findCommonOffset(deliveries: readonly ComparedDelivery[]): CommonOffset {
  const tanks = tankMedians(deliveries);
  if (tanks.length < MIN_TANKS) return { offset: 0, isOff: false };
  const ofTrucks = [...Map.groupBy(deliveries, ({ truckId }) => truckId).values()]
    .map(tankMedians)
    .filter((medians) => medians.length >= MIN_TANKS_OF_TRUCK)
    .map(median);
  const offset = ofTrucks.length === 0 ? median(tanks) : cautiousMedian(ofTrucks);
  const { betweenTanks } = learnRefillSpread(deliveries);
  const standardError = (MEDIAN_FACTOR * betweenTanks) / Math.sqrt(tanks.length);
  const isOff = Math.abs(offset) > Math.max(MAX_OFFSET, MIN_STANDARD_ERRORS * standardError);
  return { offset: isOff || tanks.length >= MIN_TANKS_TO_CORRECT ? offset : 0, isOff };
}

const tankMedians = (deliveries: readonly ComparedDelivery[]): number[] =>
  [...Map.groupBy(deliveries, ({ tankId }) => tankId).values()].map((list) => median(list.map(logRatio)));

function cautiousMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [
    sorted[Math.floor((sorted.length - 1) / 2)] ?? 0,
    sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0,
  ];
  return Math.abs(low) < Math.abs(high) ? low : high;
}

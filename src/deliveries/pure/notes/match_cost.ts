import { HOUR_MS } from '../../../values/time.ts';
import type { DeliveryNote, MatchedGroup, SeenRefill } from './delivery_note.ts';
import { pumpedLiters } from './pumped_volume.ts';

/** By how much the clock of each truck is ahead, in milliseconds. */
export type ClockShifts = ReadonlyMap<string, number>;

/** Two notes, or two refills of one note, within this time can belong to one stop of the truck. */
export const SAME_STOP_MS = 14 * HOUR_MS;
/** The cost of a note without a refill, and of a refill without a note. */
export const ALONE_COST = 7;
/** Two notes for one refill, and one note for two tanks, happen but are rare. */
export const TWO_NOTES_COST = 2.5;
export const TWO_TANKS_COST = 1.5;
/** Time differences up to this cost nothing: a clock in UTC instead of Mexican time is 6 hours off. */
const FREE_HOURS = 6;
const TIME_DEVIATION_HOURS = 4;
/**
 * Volumes only decide between candidates. The cost of a difference stays below the cost of an unmatched note and an
 * unmatched refill. So a delivery that is far too short stays matched, and the ledger shows it.
 */
const MAX_VOLUME_COST = 6;
const VOLUME_DEVIATION = 0.06;
const CAPACITY_DEVIATION = 0.01;

/** The time of the note, corrected by the clock shift of its truck. */
export function correctedTime(note: DeliveryNote, shifts: ClockShifts): { fromMs: number; toMs: number } {
  const shiftMs = note.fromMs === note.toMs && note.truckId !== null ? (shifts.get(note.truckId) ?? 0) : 0;
  return { fromMs: note.fromMs - shiftMs, toMs: note.toMs - shiftMs };
}

/** Hours between a note and the time in which the refill can have happened; 0 if they overlap. */
export function hoursApart(note: { fromMs: number; toMs: number }, refill: SeenRefill): number {
  return Math.max(0, refill.fromMs - note.toMs, note.fromMs - refill.toMs) / HOUR_MS;
}

/**
 * The cost of a difference in time: 0 up to 6 hours, then quadratic, and from about 16 hours on linear and slow, because a clock that is
 * wrong is often wrong by many hours.
 */
export function timeCost(hours: number): number {
  const beyond = Math.max(0, hours - FREE_HOURS);
  return Math.min(beyond ** 2 / (2 * TIME_DEVIATION_HOURS ** 2), 2 + beyond / 8);
}

export function volumeCost(notes: readonly DeliveryNote[], refills: readonly SeenRefill[]): number {
  const noted = notes.reduce((sum, note) => sum + (pumpedLiters(note) ?? note.liters), 0);
  const seen = refills.reduce((sum, { liters }) => sum + liters, 0);
  const deviation = Math.hypot(
    VOLUME_DEVIATION * noted,
    ...refills.map(({ capacityLiters }) => CAPACITY_DEVIATION * capacityLiters),
  );
  return Math.min(MAX_VOLUME_COST, ((noted - seen) / deviation) ** 2 / 2);
}

/** The cost of the assumption that notes and refills are one delivery. Both lists must have a member. */
export function groupCost({ notes, refills }: MatchedGroup, shifts: ClockShifts): number {
  const time = notes.reduce((sum, note) => {
    const corrected = correctedTime(note, shifts);
    return sum + Math.min(...refills.map((refill) => timeCost(hoursApart(corrected, refill))));
  }, 0);
  return time + volumeCost(notes, refills);
}

import { median } from '../../../values/statistics.ts';
import { HOUR_MS } from '../../../values/time.ts';
import { type MatchedGroup, singlePairOf } from './delivery_note.ts';
import type { ClockShifts } from './match_cost.ts';

const MIN_DELIVERIES = 12;
/** Smaller shifts are within the precision of readings. */
const MIN_SHIFT_MS = 1.5 * HOUR_MS;
/**
 * The limit of the median distance from the shift. If the notes of a truck scatter more than this, its clock is not
 * corrected: the times were entered carelessly.
 */
const MAX_SPREAD_MS = 3 * HOUR_MS;
const STEP_MS = HOUR_MS / 2;

export interface ClockSample {
  noteId: string;
  truckId: string;
  /** The time of the note, by the clock of its truck, minus the time of its refill. */
  shiftMs: number;
}

/**
 * Returns the samples of groups with one note, which has a truck and a time of the day, and one refill. The groups must be matched
 * without a correction of clocks.
 */
export function clockSamplesOf(groups: readonly MatchedGroup[]): ClockSample[] {
  return groups.flatMap((group) => {
    const { note, refill } = singlePairOf(group) ?? {};
    if (note === undefined || refill === undefined || note.truckId === null || note.fromMs !== note.toMs) return [];
    return [
      { noteId: note.id, truckId: note.truckId, shiftMs: note.fromMs - Math.round((refill.fromMs + refill.toMs) / 2) },
    ];
  });
}

/**
 * Computes by how much the clock of each truck is ahead of the gauges: the median over its deliveries. Trucks with few deliveries, a
 * small shift or scattered notes are left out.
 */
export function clockShiftsOf(samples: readonly Pick<ClockSample, 'truckId' | 'shiftMs'>[]): ClockShifts {
  const found = new Map<string, number>();
  for (const [truckId, own] of Map.groupBy(samples, (sample) => sample.truckId)) {
    if (own.length < MIN_DELIVERIES) continue;
    const shifts = own.map((sample) => sample.shiftMs);
    const shiftMs = median(shifts);
    const spreadMs = median(shifts.map((shift) => Math.abs(shift - shiftMs)));
    if (Math.abs(shiftMs) > MIN_SHIFT_MS && spreadMs < MAX_SPREAD_MS)
      found.set(truckId, Math.round(shiftMs / STEP_MS) * STEP_MS);
  }
  return found;
}

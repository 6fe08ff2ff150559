import { MAX_MATCH_HOURS } from '../../../values/match_hours.ts';
import { HOUR_MS } from '../../../values/time.ts';
import type { CommonOffset } from './common_offset.ts';
import type { DeliveryNote, MatchedGroup, SeenRefill } from './delivery_note.ts';
import { type NoteRange, noteRange } from './note_range.ts';
import { pumpedLiters } from './pumped_volume.ts';
import type { RefillSpread } from './refill_spread.ts';

/** Why a note and a gauge cannot be compared. */
export const INCOMPARABLE_REASONS = [
  'no_sensor',
  'compensation_unknown',
  'gauge_in_question',
  'readings_far_apart',
  'nearly_empty_before',
  'nearly_full_after',
  'range_too_wide',
  'below_five_points',
  'common_offset',
  'trucks_differ',
] as const;
export type IncomparableReason = (typeof INCOMPARABLE_REASONS)[number];

/** The volumes of the note and of the gauge. */
export interface ComparedVolumes extends NoteRange {
  noteLiters: number;
  gaugeLiters: number;
}

/** A code and numbers without text. The console, the mails and the CSV file have their own translated texts. */
export type NoteVerdict =
  | ({ code: 'consistent' | 'not_consistent'; isUnlikeEarlier: boolean } & ComparedVolumes)
  | { code: 'cannot_be_told'; reason: IncomparableReason; noteLiters: number | null; gaugeLiters: number | null }
  /** The gauge has not reported long enough after the note. */
  | { code: 'waiting' }
  | { code: 'note_without_refill'; noteLiters: number | null }
  | { code: 'refill_without_note'; gaugeLiters: number };

/** The findings that keep notes from being judged one by one. */
export interface NoteDoubts {
  common: CommonOffset;
  /** The trucks and drivers that differ from the others. */
  truckIds: ReadonlySet<string>;
  driverIds: ReadonlySet<string>;
}

/** A tank of the customer, for notes without a refill. */
export interface LedgerTank {
  id: string;
  customerId: string;
  capacityLiters: number;
  /** Null for a tank without a sensor. */
  latestReadingMs: number | null;
  isGaugeReliable: boolean;
}

/**
 * The range in which a dial measures: an empty dial shows 5 %, and a full one stops. Outside of it, a gauge misses a
 * part of the delivery.
 */
const MIN_LEVEL_BEFORE_PERCENT = 6;
const MAX_LEVEL_AFTER_PERCENT = 94;
export const MAX_HOURS_BETWEEN_READINGS = 36;
/** If the range reaches farther than 30 % above the gauge, the verdict is `cannot_be_told`. */
const MAX_RANGE_SHARE = 1.3;
/** Smaller rises are not reported as refills. */
const MIN_REFILL_POINTS = 5;

/** Returns the first reason why a refill cannot be compared with a note; null if it can be compared. */
export function findIncomparableReason(refill: SeenRefill): IncomparableReason | null {
  if (!refill.isGaugeReliable) return 'gauge_in_question';
  if (refill.toMs - refill.fromMs > MAX_HOURS_BETWEEN_READINGS * HOUR_MS) return 'readings_far_apart';
  if (refill.beforePercentage < MIN_LEVEL_BEFORE_PERCENT) return 'nearly_empty_before';
  if (refill.afterPercentage > MAX_LEVEL_AFTER_PERCENT) return 'nearly_full_after';
  return null;
}

/** The sum of the pumped volumes; null if one of them is unknown. */
function sumPumped(notes: readonly DeliveryNote[]): number | null {
  let sum = 0;
  for (const note of notes) {
    const liters = pumpedLiters(note);
    if (liters === null) return null;
    sum += liters;
  }
  return sum;
}

/** The verdict on a group that has both notes and refills. */
export function compareVolumes(
  { notes, refills }: MatchedGroup,
  spread: RefillSpread,
  doubts: NoteDoubts,
): NoteVerdict {
  const noteLiters = sumPumped(notes);
  const gaugeLiters = refills.reduce((sum, { liters }) => sum + liters, 0);
  const incomparable = (reason: IncomparableReason): NoteVerdict => ({
    code: 'cannot_be_told',
    reason,
    noteLiters,
    gaugeLiters,
  });
  if (noteLiters === null) return incomparable('compensation_unknown');
  const reason = refills.map(findIncomparableReason).find((found) => found !== null);
  if (reason) return incomparable(reason);
  // What the gauge would have shown without the offset that all gauges have in common.
  const expected = gaugeLiters * Math.exp(-doubts.common.offset);
  const range = noteRange(expected, refills, spread);
  if (range.toLiters > MAX_RANGE_SHARE * expected) return incomparable('range_too_wide');
  if (doubts.common.isOff) return incomparable('common_offset');
  if (notes.some((note) => isDoubted(note, doubts))) return incomparable('trucks_differ');
  const isInRange = noteLiters >= range.fromLiters && noteLiters <= range.toLiters;
  return {
    code: isInRange ? 'consistent' : 'not_consistent',
    isUnlikeEarlier: false,
    noteLiters,
    gaugeLiters,
    ...range,
  };
}

const isDoubted = ({ truckId, driverId = null }: DeliveryNote, { truckIds, driverIds }: NoteDoubts): boolean =>
  (truckId !== null && truckIds.has(truckId)) || (driverId !== null && driverIds.has(driverId));

/** The verdict on a note without a refill. `tanks` is the tank that it names, or all tanks of its customer. */
export function judgeLoneNote(note: DeliveryNote, tanks: readonly LedgerTank[]): NoteVerdict {
  const noteLiters = pumpedLiters(note);
  const incomparable = (reason: IncomparableReason): NoteVerdict => ({
    code: 'cannot_be_told',
    reason,
    noteLiters,
    gaugeLiters: null,
  });
  const watched = tanks.filter(({ latestReadingMs }) => latestReadingMs !== null);
  // If one of several tanks has no sensor, the delivery may have gone there.
  if (watched.length < tanks.length || tanks.length === 0) return incomparable('no_sensor');
  if (watched.some(({ isGaugeReliable }) => !isGaugeReliable)) return incomparable('gauge_in_question');
  const isSmall = ({ capacityLiters }: LedgerTank): boolean =>
    (noteLiters ?? note.liters) < (MIN_REFILL_POINTS / 100) * capacityLiters;
  if (watched.some(isSmall)) return incomparable('below_five_points');
  const knownFromMs = note.toMs + MAX_MATCH_HOURS * HOUR_MS;
  if (watched.some(({ latestReadingMs }) => (latestReadingMs ?? 0) < knownFromMs)) return { code: 'waiting' };
  return { code: 'note_without_refill', noteLiters };
}

import { HOUR_MS } from '../../../values/time.ts';
import type { DeliveryNote, MatchedGroup, SeenRefill } from './delivery_note.ts';
import { MOST_HOURS_APART } from './match_cost.ts';
import { pumpedLitres } from './pumped_volume.ts';
import { rangeLitres } from './refill_range.ts';
import type { RefillSpread } from './refill_spread.ts';

/** Why nobody can tell whether note and gauge agree. */
export const UNTELLABLE_REASONS = [
  'no_sensor',
  'compensation_unknown',
  'gauge_in_question',
  'readings_far_apart',
  'nearly_empty_before',
  'nearly_full_after',
  'range_too_wide',
  'below_five_points',
] as const;
export type UntellableReason = (typeof UNTELLABLE_REASONS)[number];

/** What the note says and what the gauge says. */
export interface ComparedVolumes {
  noteLitres: number;
  gaugeLitres: number;
  /** A right note is between these. */
  fromLitres: number;
  toLitres: number;
}

/** Data, not texts: each surface has its own words, and the careful ones are translated. */
export type NoteVerdict =
  | ({ word: 'consistent' | 'not_consistent'; isUnlikeEarlier: boolean } & ComparedVolumes)
  | { word: 'cannot_be_told'; reason: UntellableReason; noteLitres: number | null; gaugeLitres: number | null }
  /** The gauge has not reported long enough after the note. */
  | { word: 'waiting' }
  | { word: 'note_without_refill'; noteLitres: number | null }
  | { word: 'refill_without_note'; gaugeLitres: number };

/** A tank of the customer, for notes that no refill belongs to. */
export interface LedgerTank {
  id: string;
  customerId: string;
  capacityLitres: number;
  /** Null for a tank without a sensor. */
  latestReadingMs: number | null;
  isGaugeReliable: boolean;
}

/** An empty dial shows 5 %, and a full one stops: outside these, a gauge misses a part of the delivery. */
const LEAST_BEFORE = 6;
const MOST_AFTER = 94;
const MOST_HOURS_BETWEEN_READINGS = 36;
/** A range that is wider finds nothing, as a share of the note. */
const WIDEST_RANGE = 0.3;
/** Below this no refill is reported. */
const LEAST_REFILL_POINTS = 5;

/** The first reason why a refill cannot be compared with a note, or null. */
export function refillDoubt(refill: SeenRefill): UntellableReason | null {
  if (!refill.isGaugeReliable) return 'gauge_in_question';
  if (refill.toMs - refill.fromMs > MOST_HOURS_BETWEEN_READINGS * HOUR_MS) return 'readings_far_apart';
  if (refill.beforePercentage < LEAST_BEFORE) return 'nearly_empty_before';
  if (refill.afterPercentage > MOST_AFTER) return 'nearly_full_after';
  return null;
}

/** The sum of what was pumped; null if it is not known of one of the notes. */
export function sumPumped(notes: readonly DeliveryNote[]): number | null {
  let sum = 0;
  for (const note of notes) {
    const litres = pumpedLitres(note);
    if (litres === null) return null;
    sum += litres;
  }
  return sum;
}

/** The verdict on a group that has both notes and refills. */
export function compareVolumes({ notes, refills }: MatchedGroup, spread: RefillSpread): NoteVerdict {
  const noteLitres = sumPumped(notes);
  const gaugeLitres = refills.reduce((sum, { litres }) => sum + litres, 0);
  const untellable = (reason: UntellableReason): NoteVerdict => ({
    word: 'cannot_be_told',
    reason,
    noteLitres,
    gaugeLitres,
  });
  if (noteLitres === null) return untellable('compensation_unknown');
  const doubt = refills.map(refillDoubt).find((reason) => reason !== null);
  if (doubt !== undefined && doubt !== null) return untellable(doubt);
  const range = rangeLitres(refills, spread);
  if (range > WIDEST_RANGE * noteLitres) return untellable('range_too_wide');
  return {
    word: Math.abs(gaugeLitres - noteLitres) <= range ? 'consistent' : 'not_consistent',
    isUnlikeEarlier: false,
    noteLitres,
    gaugeLitres,
    fromLitres: gaugeLitres - range,
    toLitres: gaugeLitres + range,
  };
}

/** The verdict on a note that no refill belongs to. The tanks are the one that it names, or all of its customer. */
export function judgeLoneNote(note: DeliveryNote, tanks: readonly LedgerTank[]): NoteVerdict {
  const noteLitres = pumpedLitres(note);
  const untellable = (reason: UntellableReason): NoteVerdict => ({
    word: 'cannot_be_told',
    reason,
    noteLitres,
    gaugeLitres: null,
  });
  const watched = tanks.filter(({ latestReadingMs }) => latestReadingMs !== null);
  // If one of several tanks has no sensor, the delivery may have gone there.
  if (watched.length < tanks.length || tanks.length === 0) return untellable('no_sensor');
  if (watched.some(({ isGaugeReliable }) => !isGaugeReliable)) return untellable('gauge_in_question');
  const isSmall = ({ capacityLitres }: LedgerTank): boolean =>
    (noteLitres ?? note.litres) < (LEAST_REFILL_POINTS / 100) * capacityLitres;
  if (watched.some(isSmall)) return untellable('below_five_points');
  const knownFromMs = note.toMs + MOST_HOURS_APART * HOUR_MS;
  if (watched.some(({ latestReadingMs }) => (latestReadingMs ?? 0) < knownFromMs)) return { word: 'waiting' };
  return { word: 'note_without_refill', noteLitres };
}

import type { FleetStop } from '@tankwatch/client';

/** The initial values of the form of a stop: empty, the recorded entry, or the entry of somebody else. */
export interface RecordStart {
  isCorrection: boolean;
  isDelivered: boolean;
  volume: number | null;
  at: string | null;
  reason: FleetStop['reason'];
  note: string | null;
  comment: string | null;
}

const EMPTY = { isDelivered: true, volume: null, at: null, reason: null, note: null, comment: null };

/** A report of a person or the driver is corrected. If only the gauge saw the delivery, a first entry is recorded. */
export function startOf(stop: FleetStop): RecordStart {
  const { outcome, outcome_from: from, outcome_at: at, delivered_volume: volume, reason, note, comment } = stop;
  if (from !== 'driver' && from !== 'person') return { ...EMPTY, isCorrection: false };
  return { isCorrection: true, isDelivered: outcome === 'delivered', volume, at, reason, note, comment };
}

export function startOfOther({ other_entry: other }: FleetStop): RecordStart {
  if (other === null) return { ...EMPTY, isCorrection: true };
  const { kind, volume, at, reason, note, comment } = other;
  return { isCorrection: true, isDelivered: kind === 'delivered', volume, at, reason, note, comment };
}

import type { Readers } from '../db/readers.ts';
import { countTanks, type FleetFilter, type FleetScope } from './tank_page.ts';

export interface RecentCount {
  count: number;
  /** ISO 8601, UTC. */
  asOf: string;
}

const KEPT_MS = 10_000;
const MAX_KEPT = 1_000;

const kept = new WeakMap<Readers, Map<string, { atMs: number; result: Promise<RecentCount> }>>();

/** Counts the tanks of a filter at most every 10 seconds: a person who turns pages does not pay for each count. */
export function countRecently(readers: Readers, scope: FleetScope, filter: FleetFilter): Promise<RecentCount> {
  const counts = kept.get(readers) ?? new Map<string, { atMs: number; result: Promise<RecentCount> }>();
  kept.set(readers, counts);
  const key = JSON.stringify([scope, filter]);
  const recent = counts.get(key);
  const nowMs = Date.now();
  if (recent !== undefined && nowMs - recent.atMs < KEPT_MS) return recent.result;
  const result = countTanks(readers, scope, filter).then((count) => ({ count, asOf: new Date(nowMs).toISOString() }));
  counts.delete(key);
  counts.set(key, { atMs: nowMs, result });
  result.catch(() => counts.delete(key));
  for (const oldest of counts.keys()) {
    if (counts.size <= MAX_KEPT) break;
    counts.delete(oldest);
  }
  return result;
}

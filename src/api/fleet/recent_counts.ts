import type { Readers } from '../../db/readers.ts';
import type { SharedConnections } from '../../db/shared_connections.ts';
import { type CustomerFilter, countCustomers } from '../../status/customer_page.ts';
import type { FleetFilter, FleetScope } from '../../status/tank_filter.ts';
import { countTanks } from '../../status/tank_page.ts';

/** A result that is at most 10 seconds old. */
export interface CachedResult<T> {
  value: T;
  /** When it was read. ISO 8601, UTC. */
  asOf: string;
}

const KEPT_MS = 10_000;
const MAX_KEPT = 1_000;

/** Caches results for 10 seconds, so that a person who reads page after page does not cause a count for each page. */
export class CachedResults<T> {
  readonly #kept = new WeakMap<SharedConnections, Map<string, { atMs: number; result: Promise<CachedResult<T>> }>>();

  /** All senders that use the same connections share the results. */
  read({ connections }: Readers, key: string, readNow: () => Promise<T>): Promise<CachedResult<T>> {
    const results =
      this.#kept.get(connections) ?? new Map<string, { atMs: number; result: Promise<CachedResult<T>> }>();
    this.#kept.set(connections, results);
    const recent = results.get(key);
    const nowMs = Date.now();
    if (recent !== undefined && nowMs - recent.atMs < KEPT_MS) return recent.result;
    const result = readNow().then((value) => ({ value, asOf: new Date(nowMs).toISOString() }));
    results.delete(key);
    results.set(key, { atMs: nowMs, result });
    result.catch(() => results.delete(key));
    for (const oldest of results.keys()) {
      if (results.size <= MAX_KEPT) break;
      results.delete(oldest);
    }
    return result;
  }
}

const counts = new CachedResults<number>();

export const countRecently = (
  readers: Readers,
  scope: FleetScope,
  filter: FleetFilter,
): Promise<CachedResult<number>> =>
  counts.read(readers, JSON.stringify([scope, filter]), () => countTanks(readers, scope, filter));

export const countCustomersRecently = (
  readers: Readers,
  scope: FleetScope,
  filter: CustomerFilter,
): Promise<CachedResult<number>> =>
  counts.read(readers, JSON.stringify(['customers', scope, filter]), () => countCustomers(readers, scope, filter));

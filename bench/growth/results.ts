import { type Static, Type } from 'typebox';

const ReadResult = Type.Object({
  what: Type.String(),
  /** The first request after a restart, with nothing in memory: median of several tanks or restarts. */
  cold_ms: Type.Number(),
  cold_misses: Type.Number(),
  /** The fastest of many repetitions, and the fastest execution in the server. */
  warm_ms: Type.Number(),
  warm_server_ms: Type.Number(),
  warm_buffers: Type.Number(),
});
export type ReadResult = Static<typeof ReadResult>;

/** What one size of a fleet costs, with one set of PostgreSQL settings. */
export const SizeResult = Type.Object({
  tanks: Type.Integer(),
  variant: Type.Enum(['default', 'settings']),
  buffers_mb: Type.Number(),
  bytes_per_reading: Type.Number(),
  bytes_per_tank: Type.Number(),
  readings_per_second: Type.Number(),
  cpu_us_per_reading: Type.Number(),
  misses_per_reading: Type.Number(),
  checkpoint_seconds: Type.Number(),
  wal_bytes_per_reading: Type.Number(),
  wal_by_relation: Type.Record(Type.String(), Type.Number()),
  server_mb: Type.Number(),
  process_mb: Type.Number(),
  reads: Type.Array(ReadResult),
});
export type SizeResult = Static<typeof SizeResult>;

/** A file under bench/results. */
export const GrowthResults = Type.Object({
  label: Type.String(),
  measured_on: Type.String(),
  readings_per_tank: Type.Integer(),
  settings: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()]),
  sizes: Type.Array(SizeResult),
});
export type GrowthResults = Static<typeof GrowthResults>;

/** How much a cost grows when the number of tanks grows tenfold. */
export const factorPerTenfold = (from: { tanks: number; cost: number }, to: { tanks: number; cost: number }): number =>
  (to.cost / from.cost) ** (1 / Math.log10(to.tanks / from.tanks));

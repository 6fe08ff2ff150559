export interface ReadResult {
  what: string;
  /** The first request after a restart, with nothing in memory: median of several tanks or restarts. */
  cold_ms: number;
  cold_misses: number;
  /** The fastest of many repetitions. */
  warm_ms: number;
  /** The fastest execution in the server. */
  warm_server_ms: number;
  warm_buffers: number;
}

/** What one size of a fleet costs. */
export interface SizeResult {
  tanks: number;
  buffers_mb: number;
  bytes_per_reading: number;
  bytes_per_tank: number;
  readings_per_second: number;
  cpu_us_per_reading: number;
  misses_per_reading: number;
  wal_bytes_per_reading: number;
  wal_by_relation: Record<string, number>;
  server_mb: number;
  process_mb: number;
  reads: ReadResult[];
}

/** How much a cost grows when the number of tanks grows tenfold. */
export const factorPerTenfold = (from: { tanks: number; cost: number }, to: { tanks: number; cost: number }): number =>
  (to.cost / from.cost) ** (1 / Math.log10(to.tanks / from.tanks));

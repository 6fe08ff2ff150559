import type { Readers, Statement } from '../../db/readers.ts';

/** The level of a tank over time, column by column, as charts need it. */
export interface TankSeries {
  /** All readings of the range, if they are few. */
  readings: { times: string[]; levels: number[] } | null;
  /** Otherwise one entry for each part of the range that has a reading. */
  buckets: {
    times: string[];
    counts: number[];
    firsts: number[];
    lowests: number[];
    highests: number[];
    lasts: number[];
  } | null;
  /** When the device was silent. A chart has no line there. */
  gaps: { from: string; to: string }[];
  firstReadingAt: string | null;
}

export interface SeriesRange {
  tankNo: number;
  fromMs: number;
  toMs: number;
  buckets: number;
}

const COUNT_READINGS: Statement = {
  name: 'count_readings_of_series',
  text: `select count_telemetry($1, $2, $3) as n,
      (select created_at from oldest_telemetry($1, '-infinity', 'infinity', 1)) as first_at`,
};

const ALL_READINGS: Statement = {
  name: 'readings_of_series',
  text: `select created_at as at, fill_percentage as level from newest_telemetry($1, $2, $3, $4) order by created_at`,
};

const BUCKETS: Statement = {
  name: 'buckets_of_series',
  text: `select starts_at, n, first_fill, lowest_fill, highest_fill, last_fill
    from telemetry_series($1, $2, make_interval(secs => $3::float8 / 1000), $4)`,
};

/** The silences in the range: each begins with the last reading and ends with the next one, or is still going on. */
const SILENCES: Statement = {
  name: 'silences_of_series',
  text: `select e.data ->> 'last_reading_at' as from_at, (
        select r.occurred_at from events r
        where r.tank_no = e.tank_no and r.type = 'tank.device_reporting' and r.occurred_at > e.occurred_at
          and r.retracted_at is null
        order by r.occurred_at limit 1
      ) as to_at
    from events e
    where e.tank_no = $1 and e.type = 'tank.device_silent' and e.retracted_at is null and e.occurred_at < $2
    order by e.occurred_at desc limit 1000`,
};

/** Reads the level of a tank for a chart. More than two readings per bucket are summarized. */
export async function readSeries(
  readers: Readers,
  { tankNo, fromMs, toMs, buckets }: SeriesRange,
): Promise<TankSeries> {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  const [[counted], silences] = await Promise.all([
    readers.query<{ n: number; first_at: string | null }>(COUNT_READINGS, [tankNo, from, to]),
    readers.query<{ from_at: string; to_at: string | null }>(SILENCES, [tankNo, to]),
  ]);
  const n = counted?.n ?? 0;
  return {
    ...(n <= 2 * buckets
      ? { readings: await allReadings(readers, [tankNo, from, to, n]), buckets: null }
      : { readings: null, buckets: await bucketsOf(readers, [tankNo, from, (toMs - fromMs) / buckets, buckets]) }),
    gaps: silences
      .map((silence) => ({ from: silence.from_at, to: silence.to_at ?? to }))
      .filter((gap) => gap.to > from)
      .toReversed(),
    firstReadingAt: counted?.first_at ?? null,
  };
}

async function allReadings(readers: Readers, values: unknown[]): Promise<TankSeries['readings']> {
  const rows = await readers.query<{ at: string; level: number }>(ALL_READINGS, values);
  return { times: rows.map(({ at }) => at), levels: rows.map(({ level }) => level) };
}

interface BucketRow {
  starts_at: string;
  n: number;
  first_fill: number;
  lowest_fill: number;
  highest_fill: number;
  last_fill: number;
}

async function bucketsOf(readers: Readers, values: unknown[]): Promise<TankSeries['buckets']> {
  const rows = await readers.query<BucketRow>(BUCKETS, values);
  return {
    times: rows.map((row) => row.starts_at),
    counts: rows.map((row) => row.n),
    firsts: rows.map((row) => row.first_fill),
    lowests: rows.map((row) => row.lowest_fill),
    highests: rows.map((row) => row.highest_fill),
    lasts: rows.map((row) => row.last_fill),
  };
}

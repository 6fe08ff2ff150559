import { type Static, Type } from 'typebox';
import type { Readers, Statement } from '../../db/readers.ts';
import { invalidParameters } from '../../http/problem.ts';
import { DAY_MS } from '../../values/time.ts';
import { operation } from '../operation.ts';
import { formerly, integerParameter, timeParameter } from '../parameters.ts';
import { Closed, Named, Nullable, NullableTime, Time } from '../schemas/values.ts';
import { visibleTankNo } from '../visible_tank.ts';

interface SeriesRange {
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

/**
 * The periods of silence before $2. Each begins with the last reading before it and ends with the next reading, or
 * still continues.
 */
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
async function readSeries(readers: Readers, { tankNo, fromMs, toMs, buckets }: SeriesRange): Promise<SeriesOfTank> {
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
    first_reading_at: counted?.first_at ?? null,
  };
}

async function allReadings(readers: Readers, values: unknown[]): Promise<SeriesOfTank['readings']> {
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

async function bucketsOf(readers: Readers, values: unknown[]): Promise<SeriesOfTank['buckets']> {
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

const Times = (description: string) => Type.Array(Type.String({ format: 'date-time' }), { description });
const Numbers = (description: string) => Type.Array(Type.Number(), { description });

const Series = Named('Series', {
  object: Type.Literal('series'),
  tank_id: Type.String({ description: 'ID of the tank.' }),
  from: Time('Start of the range.'),
  to: Time('End of the range.'),
  first_reading_at: NullableTime('Time of the first reading of the tank.'),
  readings: Nullable('All readings of the range. Null if there are more than two per bucket.', {
    times: Times('When each reading was measured, oldest first.'),
    levels: Numbers('The levels, in percent.'),
  }),
  buckets: Nullable('The readings in buckets of equal length. Null if `readings` has them all.', {
    times: Times('Start of each bucket. Buckets without a reading are left out.'),
    counts: Numbers('Number of readings.'),
    firsts: Numbers('First level in the bucket.'),
    lowests: Numbers('Lowest level.'),
    highests: Numbers('Highest level.'),
    lasts: Numbers('Last level.'),
  }),
  gaps: Type.Array(
    Closed({
      from: Time('The last reading before the silence.'),
      to: Time('The next reading, or the end of the range.'),
    }),
    { description: 'When the device was silent, oldest first.' },
  ),
});

/** The level of a tank over time, column by column, as charts need it. */
type SeriesOfTank = Pick<Static<typeof Series>, 'first_reading_at' | 'readings' | 'buckets' | 'gaps'>;

const EXAMPLE: Static<typeof Series> = {
  object: 'series',
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  from: '2025-11-01T00:00:00.000Z',
  to: '2025-11-02T08:00:00.000Z',
  first_reading_at: '2025-08-13T18:00:00.000Z',
  readings: { times: ['2025-11-01T06:00:00.000Z', '2025-11-02T06:00:00.000Z'], levels: [47.2, 45.51] },
  buckets: null,
  gaps: [],
};

const DEFAULT_DAYS = 90;

const since = timeParameter(`Start of the range. Default: ${DEFAULT_DAYS} days before \`until\`.`);
const until = timeParameter('End of the range. Default: now.');

const parameters = {
  since,
  until,
  from: formerly('since', since),
  to: formerly('until', until),
  buckets: integerParameter('Number of buckets, such as the width of a chart in pixels.', {
    minimum: 1,
    maximum: 1200,
    default: 600,
  }),
};

export const retrieveSeriesOperation = operation({
  path: '/fleet/v1/tanks/:id/series',
  operationId: 'retrieveSeries',
  summary: "Retrieve a tank's level for a chart",
  description:
    'Returns the level over time in columns. If there are more than two readings per bucket, each bucket has its first, lowest, highest and last level.',
  idOf: 'tank',
  returns: 'answer',
  item: Series,
  example: EXAMPLE,
  parameters,
  async handle({ readers, caller, id, parameters: given }) {
    const tankNo = await visibleTankNo(readers, caller, id);
    const toMs = (given.until ?? given.to)?.ms ?? Date.now();
    const fromMs = (given.since ?? given.from)?.ms ?? toMs - DEFAULT_DAYS * DAY_MS;
    if (fromMs >= toMs || fromMs < 0 || toMs > LAST_MS) {
      const [param, end] = given.since === undefined ? ['from', 'to'] : ['since', 'until'];
      const detail = `Must be before \`${end}\`; both between 1970 and 2100.`;
      throw invalidParameters([{ param, code: 'out_of_range', detail }]);
    }
    const series = await readSeries(readers, { tankNo, fromMs, toMs, buckets: given.buckets ?? 600 });
    const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
    return { body: { object: 'series', tank_id: id, from, to, ...series } };
  },
});

const LAST_MS = Date.UTC(2100, 0);

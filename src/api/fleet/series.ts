import { type Static, Type } from 'typebox';
import { invalidParameters } from '../../http/problem.ts';
import { DAY_MS, type ExactTime } from '../../values/time.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import { integer, type Parameter, type ParameterValues, parseTimeFilter } from '../parameters.ts';
import { NullableTime, Time } from '../schemas.ts';
import { visibleTankNo } from '../visible_tank.ts';
import { readSeries } from './read_series.ts';

const Times = (description: string) => Type.Array(Type.String({ format: 'date-time' }), { description });
const Numbers = (description: string) => Type.Array(Type.Number(), { description });

const Series = Type.Object(
  {
    object: Type.Literal('series'),
    tank_id: Type.String({ description: 'ID of the tank.' }),
    from: Time('Start of the range.'),
    to: Time('End of the range.'),
    first_reading_at: NullableTime('Time of the first reading of the tank.'),
    readings: Type.Union(
      [
        Type.Object(
          { times: Times('When each reading was measured, oldest first.'), levels: Numbers('The levels, in percent.') },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      { description: 'All readings of the range. Null if there are more than two per bucket.' },
    ),
    buckets: Type.Union(
      [
        Type.Object(
          {
            times: Times('Start of each bucket. Buckets without a reading are left out.'),
            counts: Numbers('Number of readings.'),
            firsts: Numbers('First level in the bucket.'),
            lowests: Numbers('Lowest level.'),
            highests: Numbers('Highest level.'),
            lasts: Numbers('Last level.'),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      { description: 'The readings in buckets of equal length. Null if `readings` has them all.' },
    ),
    gaps: Type.Array(
      Type.Object(
        { from: Time('The last reading before the silence.'), to: Time('The next reading, or the end of the range.') },
        { additionalProperties: false },
      ),
      { description: 'When the device was silent, oldest first.' },
    ),
  },
  { title: 'Series', additionalProperties: false },
);

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

const time = (description: string): Parameter<ExactTime> => ({
  schema: Type.String({ format: 'date-time' }),
  description,
  parse: parseTimeFilter,
});

const parameters = {
  from: time(`Start of the range. Default: ${DEFAULT_DAYS} days before \`to\`.`),
  to: time('End of the range. Default: now.'),
  buckets: {
    schema: Type.Integer({ minimum: 1, maximum: 1200, default: 600 }),
    description: 'Number of buckets, such as the width of a chart in pixels.',
    parse: integer(1, 1200),
  } satisfies Parameter<number>,
};

export const retrieveSeriesOperation: Operation = {
  path: '/fleet/v1/tanks/:id/series',
  operationId: 'retrieveSeries',
  summary: "Retrieve a tank's level for a chart",
  description:
    'Returns the level over time in columns. Any range has at most two points per bucket, with its extremes.',
  idOf: 'tank',
  returns: 'answer',
  item: Series,
  example: EXAMPLE,
  parameters,
  async handle({ readers, caller, id, parameters: given }: OperationRequest<ParameterValues<typeof parameters>>) {
    const tankNo = await visibleTankNo(readers, caller, id);
    const toMs = given.to?.ms ?? Date.now();
    const fromMs = given.from?.ms ?? toMs - DEFAULT_DAYS * DAY_MS;
    if (fromMs >= toMs || fromMs < 0 || toMs > LAST_MS) {
      const detail = 'Must be before `to`; both between 1970 and 2100.';
      throw invalidParameters([{ param: 'from', code: 'out_of_range', detail }]);
    }
    const { firstReadingAt, ...series } = await readSeries(readers, {
      tankNo,
      fromMs,
      toMs,
      buckets: given.buckets ?? 600,
    });
    const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
    return { body: { object: 'series', tank_id: id, from, to, first_reading_at: firstReadingAt, ...series } };
  },
};

const LAST_MS = Date.UTC(2100, 0);

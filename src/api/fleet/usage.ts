import { type Static, Type } from 'typebox';
import { isTimeZone } from '../../values/time.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import { integer, type Parameter, type ParameterValues } from '../parameters.ts';
import { NullableNumber, Time } from '../schemas.ts';
import { visibleTankNo } from '../visible_tank.ts';
import { oneOf } from './filters.ts';
import { readUsages } from './read_usage.ts';

const Usage = Type.Object(
  {
    object: Type.Literal('usage'),
    tank_id: Type.String({ description: 'ID of the tank.' }),
    unit: Type.Enum(['month', 'week'], { description: 'Length of a period.' }),
    zone: Type.String({ description: 'Time zone in which periods begin.' }),
    periods: Type.Array(
      Type.Object(
        {
          starts_at: Time('Start of the period, or the first reading of the tank.'),
          ends_at: Time('End of the period, or the last believed reading.'),
          used_volume: NullableNumber('Volume used, in the unit of the tank. Null without a reading near an edge.'),
          delivered_volume: Type.Number({ description: 'Volume of the refills that were seen.' }),
          lost_volume: Type.Number({ description: 'Volume of rapid losses. Not part of `used_volume`.' }),
        },
        { additionalProperties: false },
      ),
      { description: 'The periods, oldest first. The last one is still going on.' },
    ),
  },
  { title: 'Usage', additionalProperties: false },
);

const EXAMPLE: Static<typeof Usage> = {
  object: 'usage',
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  unit: 'month',
  zone: 'America/Mexico_City',
  periods: [
    {
      starts_at: '2025-10-01T06:00:00.000Z',
      ends_at: '2025-11-01T06:00:00.000Z',
      used_volume: 111.6,
      delivered_volume: 187,
      lost_volume: 0,
    },
  ],
};

export const usageParameters = {
  unit: oneOf(['month', 'week'], 'Length of a period. Default: month.'),
  zone: {
    schema: Type.String({ default: 'UTC', examples: ['America/Mexico_City'] }),
    description: 'Time zone in which months and weeks begin, as in the IANA database.',
    parse: (text) =>
      isTimeZone(text)
        ? { value: text }
        : { code: 'invalid', detail: 'Must be a time zone of the IANA database, such as America/Mexico_City.' },
  } satisfies Parameter<string>,
  periods: {
    schema: Type.Integer({ minimum: 1, maximum: 120, default: 24 }),
    description: 'Number of periods, up to now.',
    parse: integer(1, 120),
  } satisfies Parameter<number>,
};

export const retrieveUsageOperation: Operation = {
  path: '/fleet/v1/tanks/:id/usage',
  operationId: 'retrieveUsage',
  summary: "Retrieve a tank's use by month or week",
  description:
    'Returns the volume used in each period: the level at its start, plus deliveries, minus losses, minus the level at ' +
    'its end. Levels and deliveries are estimates.',
  idOf: 'tank',
  returns: 'answer',
  item: Usage,
  example: EXAMPLE,
  parameters: usageParameters,
  async handle({ readers, caller, id, parameters: given }: OperationRequest<ParameterValues<typeof usageParameters>>) {
    const { unit = 'month', zone = 'UTC', periods = 24 } = given;
    const tankNo = await visibleTankNo(readers, caller, id);
    const usages = await readUsages(readers, [tankNo], { zone, unit, periods });
    return {
      body: {
        object: 'usage',
        tank_id: id,
        unit,
        zone,
        periods: (usages.get(tankNo) ?? []).map(({ period_at: _periodAt, ...period }) => period),
      },
    };
  },
};

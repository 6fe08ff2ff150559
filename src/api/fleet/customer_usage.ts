import { type Static, Type } from 'typebox';
import type { Readers, Statement } from '../../db/readers.ts';
import type { CapacityUnit } from '../../values/capacity_unit.ts';
import { tenth } from '../../values/tenth.ts';
import { operation } from '../operation.ts';
import { Closed, Named, Time } from '../schemas/values.ts';
import { visibleCustomerNo } from '../visible_customer.ts';
import { readUsages, type UsageRange, usageParameters } from './usage.ts';

/**
 * The largest number of tanks that are added. Each tank costs about 2 ms. A customer with more tanks is a company with
 * reports of its own.
 */
const MAX_TANKS = 200;

const TANKS: Statement = {
  name: 'usage_tanks_of_customer',
  text: `select no, capacity_unit as unit from tanks where owner_no = $1 and deleted_at is null order by no limit $2`,
};

/** The use of all tanks of a customer. Liters and gallons are never added. */
async function readCustomerUsage(
  readers: Readers,
  { customerNo, ...range }: UsageRange & { customerNo: number },
): Promise<SummedUsage> {
  const tanks = await readers.query<{ no: number; unit: CapacityUnit }>(TANKS, [customerNo, MAX_TANKS]);
  const usages = await readUsages(
    readers,
    tanks.map(({ no }) => no),
    range,
  );
  const units = [...new Set(tanks.map(({ unit }) => unit))].toSorted();
  const volumes = units.map((unit) => {
    const sums = new Map<string, CustomerUsagePeriod>();
    for (const usage of tanks.filter((tank) => tank.unit === unit).flatMap(({ no }) => usages.get(no) ?? [])) {
      const sum = sums.get(usage.period_at) ?? emptyPeriod(usage.period_at);
      sums.set(usage.period_at, {
        starts_at: usage.period_at,
        used_volume: sum.used_volume + (usage.used_volume ?? 0),
        delivered_volume: sum.delivered_volume + usage.delivered_volume,
        lost_volume: sum.lost_volume + usage.lost_volume,
        unknown_tanks: sum.unknown_tanks + (usage.used_volume === null ? 1 : 0),
      });
    }
    const periods = [...sums.values()].map((sum) => ({
      ...sum,
      used_volume: tenth(sum.used_volume),
      delivered_volume: tenth(sum.delivered_volume),
      lost_volume: tenth(sum.lost_volume),
    }));
    return { unit, periods: periods.toSorted((a, b) => a.starts_at.localeCompare(b.starts_at)) };
  });
  return { tanks: tanks.length, volumes };
}

const emptyPeriod = (starts_at: string): CustomerUsagePeriod => ({
  starts_at,
  used_volume: 0,
  delivered_volume: 0,
  lost_volume: 0,
  unknown_tanks: 0,
});

const CustomerUsage = Named('CustomerUsage', {
  object: Type.Literal('customer_usage'),
  customer_id: Type.String({ description: 'ID of the customer.' }),
  unit: Type.Enum(['month', 'week'], { description: 'Length of a period.' }),
  zone: Type.String({ description: 'Time zone in which periods begin.' }),
  tanks: Type.Integer({ description: `Number of tanks that were added, at most ${MAX_TANKS}.` }),
  volumes: Type.Array(
    Closed({
      unit: Type.Enum(['liters', 'gallons'], { description: 'Unit of the tanks. Units are never added.' }),
      periods: Type.Array(
        Closed({
          starts_at: Time('Start of the period.'),
          used_volume: Type.Number({ description: 'Volume used.' }),
          delivered_volume: Type.Number({ description: 'Volume of the refills that were seen.' }),
          lost_volume: Type.Number({ description: 'Volume of rapid losses. Not part of `used_volume`.' }),
          unknown_tanks: Type.Integer({ description: 'Tanks without a reading near an edge of the period.' }),
        }),
        { description: 'The periods, oldest first. The last one ends with the last believed reading.' },
      ),
    }),
    { description: 'The sums of all tanks with the same unit.' },
  ),
});

type SummedUsage = Pick<Static<typeof CustomerUsage>, 'tanks' | 'volumes'>;
type CustomerUsagePeriod = SummedUsage['volumes'][number]['periods'][number];

const EXAMPLE: Static<typeof CustomerUsage> = {
  object: 'customer_usage',
  customer_id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90',
  unit: 'month',
  zone: 'America/Mexico_City',
  tanks: 3,
  volumes: [
    {
      unit: 'liters',
      periods: [
        {
          starts_at: '2025-10-01T06:00:00.000Z',
          used_volume: 330.4,
          delivered_volume: 561,
          lost_volume: 0,
          unknown_tanks: 0,
        },
      ],
    },
  ],
};

export const retrieveCustomerUsageOperation = operation({
  path: '/fleet/v1/customers/:id/usage',
  operationId: 'retrieveCustomerUsage',
  summary: "Retrieve a customer's use by month or week",
  description:
    'Returns the volume that all tanks of a customer used in each period. Levels and deliveries are estimates.',
  idOf: 'customer',
  returns: 'answer',
  item: CustomerUsage,
  example: EXAMPLE,
  parameters: usageParameters,
  async handle({ readers, caller, id, parameters: given }) {
    const customerNo = await visibleCustomerNo(readers, caller, id);
    const { unit = 'month', zone = 'UTC', periods = 24 } = given;
    const usage = await readCustomerUsage(readers, { customerNo, unit, zone, periods });
    return { body: { object: 'customer_usage', customer_id: id, unit, zone, ...usage } };
  },
});

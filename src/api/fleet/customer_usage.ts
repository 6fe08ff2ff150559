import { type Static, Type } from 'typebox';
import type { Statement } from '../../db/readers.ts';
import { notFound } from '../../http/problem.ts';
import { isUuid } from '../../values/uuid7.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import type { ParameterValues } from '../parameters.ts';
import { Time } from '../schemas.ts';
import { MAX_TANKS, readCustomerUsage } from './read_customer_usage.ts';
import { usageParameters } from './usage.ts';

const closed = { additionalProperties: false };

const CustomerUsage = Type.Object(
  {
    object: Type.Literal('customer_usage'),
    customer_id: Type.String({ description: 'ID of the customer.' }),
    unit: Type.Enum(['month', 'week'], { description: 'Length of a period.' }),
    zone: Type.String({ description: 'Time zone in which periods begin.' }),
    tanks: Type.Integer({ description: `Number of tanks that were added, at most ${MAX_TANKS}.` }),
    volumes: Type.Array(
      Type.Object(
        {
          unit: Type.Enum(['liters', 'gallons'], { description: 'Unit of the tanks. Units are never added.' }),
          periods: Type.Array(
            Type.Object(
              {
                starts_at: Time('Start of the period.'),
                used_volume: Type.Number({ description: 'Volume used.' }),
                delivered_volume: Type.Number({ description: 'Volume of the refills that were seen.' }),
                lost_volume: Type.Number({ description: 'Volume of rapid losses. Not part of `used_volume`.' }),
                unknown_tanks: Type.Integer({ description: 'Tanks without a reading near an edge of the period.' }),
              },
              closed,
            ),
            { description: 'The periods, oldest first. The last one is still going on.' },
          ),
        },
        closed,
      ),
      { description: 'The sums of all tanks with the same unit.' },
    ),
  },
  { title: 'CustomerUsage', ...closed },
);

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

const VISIBLE_CUSTOMER_NO: Statement = {
  name: 'visible_customer',
  text: `select no from customers
    where organization_no = $1 and ($2::int is null or no = $2) and id = $3 and deleted_at is null`,
};

export const retrieveCustomerUsageOperation: Operation = {
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
  async handle({ readers, caller, id, parameters: given }: OperationRequest<ParameterValues<typeof usageParameters>>) {
    if (!isUuid(id)) throw notFound('customer');
    const scope = [caller.organizationNo, caller.customerNo];
    const [customer] = await readers.query<{ no: number }>(VISIBLE_CUSTOMER_NO, [...scope, id]);
    if (customer === undefined) throw notFound('customer');
    const { unit = 'month', zone = 'UTC', periods = 24 } = given;
    const usage = await readCustomerUsage(readers, { customerNo: customer.no, unit, zone, periods });
    return { body: { object: 'customer_usage', customer_id: id, unit, zone, ...usage } };
  },
};

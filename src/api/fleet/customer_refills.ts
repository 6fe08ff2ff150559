import { type Static, Type } from 'typebox';
import type { Statement } from '../../db/readers.ts';
import { tenth } from '../../values/tenth.ts';
import { operation } from '../operation.ts';
import { integerParameter } from '../parameters.ts';
import { Closed, Named, Time } from '../schemas/values.ts';
import { visibleCustomerNo } from '../visible_customer.ts';
import { usageParameters } from './usage.ts';

/**
 * The refills of a customer ($1) in the last $3 months of a time zone ($2). Reads each tank by the index of tank and
 * type.
 */
const REFILLS: Statement = {
  name: 'refills_of_customer',
  text: `select (date_trunc('month', e.occurred_at at time zone $2) at time zone $2)::timestamptz(3) as starts_at,
      e.data ->> 'volume_unit' as unit, count(*)::int as refills, sum((e.data ->> 'delivered_volume')::float8) as delivered_volume
    from tanks t
    join events e on e.tank_no = t.no and e.type = 'tank.refilled' and e.retracted_at is null
      and e.occurred_at >= (date_trunc('month', now() at time zone $2) - make_interval(months => $3 - 1)) at time zone $2
    where t.owner_no = $1 and t.deleted_at is null
    group by 1, 2 order by 1 desc, 2`,
};

const CustomerRefills = Named('CustomerRefills', {
  object: Type.Literal('customer_refills'),
  customer_id: Type.String({ description: 'ID of the customer.' }),
  zone: Type.String({ description: 'Time zone in which months begin.' }),
  months: Type.Array(
    Closed({
      starts_at: Time('Start of the month.'),
      unit: Type.Enum(['liters', 'gallons'], { description: 'Unit of the tanks. Units are never added.' }),
      refills: Type.Integer({ description: 'Number of refills that were seen.' }),
      delivered_volume: Type.Number({ description: 'Their volume, estimated from the levels.' }),
    }),
    { description: 'Months with refills, newest first. A customer with tanks in both units has a line for each.' },
  ),
});

type MonthRow = Static<typeof CustomerRefills>['months'][number];

const EXAMPLE: Static<typeof CustomerRefills> = {
  object: 'customer_refills',
  customer_id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90',
  zone: 'America/Mexico_City',
  months: [{ starts_at: '2025-10-01T06:00:00.000Z', unit: 'liters', refills: 2, delivered_volume: 561 }],
};

const parameters = {
  zone: { ...usageParameters.zone, description: 'Time zone in which months begin, as in the IANA database.' },
  months: integerParameter('Number of months, up to now.', { minimum: 1, maximum: 120, default: 12 }),
};

export const retrieveCustomerRefillsOperation = operation({
  path: '/fleet/v1/customers/:id/refills',
  operationId: 'retrieveCustomerRefills',
  summary: "Retrieve a customer's refills by month",
  description:
    'Returns the number and the volume of the refills of all tanks of a customer in each month. `/fleet/v1/events.csv` with ' +
    '`owner_id` and `type=tank.refilled` has each of them.',
  idOf: 'customer',
  returns: 'answer',
  item: CustomerRefills,
  example: EXAMPLE,
  parameters,
  async handle({ readers, caller, id, parameters: given }) {
    const customerNo = await visibleCustomerNo(readers, caller, id);
    const { zone = 'UTC', months = 12 } = given;
    const rows = await readers.query<MonthRow>(REFILLS, [customerNo, zone, months]);
    const rounded = rows.map((row) => ({ ...row, delivered_volume: tenth(row.delivered_volume) }));
    return { body: { object: 'customer_refills', customer_id: id, zone, months: rounded } };
  },
});

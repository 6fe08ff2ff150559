import { Type } from 'typebox';
import { TANK_FIELDS } from '../../catalog/tank_fields.ts';
import { liveTank } from '../../catalog/tanks.ts';
import { listDeliveryDays, setDeliveryDays } from '../../deliveries/delivery_days.ts';
import { Named, NullableString } from '../schemas/values.ts';
import { type ManageOperation, PLANNERS, READERS, read, write } from './manage_operation.ts';
import { pathField } from './manage_parameters.ts';

const weekdays = Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
  description:
    'The days: 1 is Monday, 7 is Sunday. Empty: none are set. A tank then has the days of its city, and a city every ' +
    'day but Sunday.',
  maxItems: 7,
});
const DeliveryDaysItem = Named('DeliveryDays', {
  object: Type.Literal('delivery_days'),
  city: NullableString('All tanks in this city. Null: the days of a tank.'),
  tank_id: NullableString('This tank. Its days overrule the days of its city. Null: the days of a city.'),
  weekdays,
});
const EXAMPLE = { object: 'delivery_days', city: 'Celaya', tank_id: null, weekdays: [2, 5] };

const writing = {
  method: 'PUT',
  tag: 'manage rounds',
  allowedCallers: PLANNERS,
  queue: 'other',
  item: DeliveryDaysItem,
  example: EXAMPLE,
  body: Named('NewDeliveryDays', { weekdays }),
} as const;

export const DELIVERY_DAY_OPERATIONS: readonly ManageOperation[] = [
  read({
    path: '/manage/v1/delivery-days',
    operationId: 'listDeliveryDays',
    summary: 'List the delivery days',
    description:
      'Returns the cities and tanks whose delivery days are set. A tank without its own has those of its ' +
      'city. Trucks come to other cities on every day but Sunday.',
    tag: 'manage rounds',
    allowedCallers: READERS,
    item: Named('DeliveryDaysList', { object: Type.Literal('list'), data: Type.Array(DeliveryDaysItem) }),
    example: { object: 'list', data: [EXAMPLE] },
    async read({ db, organizationNo }) {
      const all = await listDeliveryDays(db, organizationNo);
      return {
        status: 200,
        body: { object: 'list', data: all.map((days) => ({ object: 'delivery_days', ...days })) },
      };
    },
  }),
  write({
    ...writing,
    path: '/manage/v1/delivery-days/cities/:city',
    pathParameters: { city: 'Name of the city as its tanks have it, percent-encoded.' },
    operationId: 'putDeliveryDaysOfCity',
    summary: 'Set the delivery days of a city',
    description: 'Says on which weekdays trucks come to this city.',
    async handle({ path, values, ...change }) {
      const city = pathField('city', TANK_FIELDS.city, path['city']);
      const days = await setDeliveryDays(change, { city }, values.weekdays);
      return { status: 200, body: { object: 'delivery_days', city, tank_id: null, weekdays: days } };
    },
  }),
  write({
    ...writing,
    path: '/manage/v1/tanks/:id/delivery-days',
    pathParameters: { id: 'ID of the tank.' },
    operationId: 'putDeliveryDaysOfTank',
    summary: 'Set the delivery days of a tank',
    description: 'Says on which weekdays trucks come to this tank, whatever the days of its city are.',
    async handle({ path: { id = '' }, values, ...change }) {
      const tank = await liveTank(change.tx, change.organizationNo, { id });
      const days = await setDeliveryDays(change, { tankNo: tank.no }, values.weekdays);
      return { status: 200, body: { object: 'delivery_days', city: null, tank_id: tank.object.id, weekdays: days } };
    },
  }),
];

import { type Static, Type } from 'typebox';
import { liveTank } from '../../catalog/tanks.ts';
import { invalidParameters } from '../../http/problem.ts';
import { MAX_OWNER_DIPS_PER_DAY, recordDip, setUsePredictable } from '../../telemetry/dips.ts';
import { isReadingError, parsePercentage, parseReadingTime } from '../../telemetry/reading.ts';
import { formatIsoTime } from '../../values/time.ts';
import { Named, Time } from '../schemas/values.ts';
import { type ManageOperation, write } from './manage_operation.ts';

const fill_percentage = Type.Number({
  minimum: 0,
  maximum: 100,
  description: 'The level that somebody saw, from 0 to 100 percent of the capacity.',
});

const Dip = Named('Dip', {
  object: Type.Literal('dip'),
  tank_id: Type.String({ description: 'ID of the tank.' }),
  fill_percentage,
  created_at: Time('When the level was seen.'),
});
const EXAMPLE: Static<typeof Dip> = {
  object: 'dip',
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  fill_percentage: 45,
  created_at: '2025-11-02T08:14:09.514Z',
};

const Estimate = Named('Estimate', {
  object: Type.Literal('estimate'),
  tank_id: Type.String({ description: 'ID of the tank.' }),
  is_told: Type.Boolean({
    description:
      'False if the use of the tank is unpredictable, such as in a holiday home or a dryer. No level is estimated then.',
  }),
});

const NewDip = Named('NewDip', {
  fill_percentage,
  created_at: Type.Optional(Time('When the level was seen. Default: now.')),
});

/** The time and the level of a body. Throws 422. */
function parseDip(given: Static<typeof NewDip>): { atMs: number; fillPercentage: number } {
  const nowMs = Date.now();
  const fillPercentage = parsePercentage(given.fill_percentage);
  const atMs = parseReadingTime(given.created_at ?? nowMs, nowMs);
  const errors = [
    ...(isReadingError(fillPercentage)
      ? [{ param: 'fill_percentage', code: 'invalid', detail: fillPercentage.detail }]
      : []),
    ...(isReadingError(atMs) ? [{ param: 'created_at', code: 'invalid', detail: atMs.detail }] : []),
  ];
  if (isReadingError(fillPercentage) || isReadingError(atMs)) throw invalidParameters(errors);
  return { atMs, fillPercentage };
}

export const DIP_OPERATIONS: readonly ManageOperation[] = [
  write({
    method: 'POST',
    path: '/manage/v1/tanks/:id/dips',
    pathParameters: { id: 'ID of the tank.' },
    operationId: 'createDip',
    summary: 'Send the level of a tank without a sensor',
    description:
      'Records a level that somebody saw on a tank without a sensor. It is stored among the readings of the tank within about a second. ' +
      'A tank with a sensor is a conflict. Without `created_at`, the level was seen now. The owner of the tank may send it too, of the ' +
      `last 24 hours and at most ${MAX_OWNER_DIPS_PER_DAY} times a day.`,
    tag: 'manage tanks',
    allowedCallers: ['key', 'administrator', 'dispatcher', 'technician', 'owner'],
    item: Dip,
    example: EXAMPLE,
    statuses: [201],
    queue: 'other',
    body: NewDip,
    async handle({ tx, organizationNo, ownerNo, path: { id = '' }, values }) {
      const dip = parseDip(values);
      const tank = await liveTank(tx, organizationNo, { id });
      await recordDip(tx, { organizationNo, tankNo: tank.no, ownerNo, ...dip });
      return {
        status: 201,
        body: {
          object: 'dip',
          tank_id: tank.object.id,
          fill_percentage: dip.fillPercentage,
          created_at: formatIsoTime(dip.atMs),
        } satisfies Static<typeof Dip>,
        about: { object: 'tank', no: tank.no },
      };
    },
  }),
  write({
    method: 'PUT',
    path: '/manage/v1/tanks/:id/estimate',
    pathParameters: { id: 'ID of the tank.' },
    operationId: 'putEstimate',
    summary: 'Set whether the level of a tank without a sensor is estimated',
    description:
      'The level between two dips is estimated by the use of similar tanks. For a tank whose use starts and stops on unknown days, ' +
      'the estimate is wrong, and the dips do not show it. Set `is_told` to false for such a tank.',
    tag: 'manage tanks',
    allowedCallers: ['key', 'administrator', 'dispatcher', 'technician'],
    item: Estimate,
    example: { object: 'estimate', tank_id: EXAMPLE.tank_id, is_told: false },
    queue: 'other',
    body: Named('NewEstimate', { is_told: Estimate.properties.is_told }),
    async handle({ tx, organizationNo, path: { id = '' }, values: { is_told } }) {
      const tank = await liveTank(tx, organizationNo, { id });
      await setUsePredictable(tx, organizationNo, tank.no, is_told);
      return { status: 200, body: { object: 'estimate', tank_id: tank.object.id, is_told } };
    },
  }),
];

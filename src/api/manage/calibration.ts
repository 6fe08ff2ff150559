import { type Static, Type } from 'typebox';
import { liveTank } from '../../catalog/tanks.ts';
import { type CalibrationFit, highestLevel } from '../../gauges/calibrate.ts';
import { calibrateTank, type TankCalibration } from '../../gauges/calibrate_tank.ts';
import { tenth } from '../../values/tenth.ts';
import { USUAL_TANKS } from '../../values/usual_tanks.ts';
import { Closed, Named, NullableEnum, NullableNumber, Time } from '../schemas/values.ts';
import { isoTimeOf } from './body_values.ts';
import { measured, NewGauge, shownMeasure } from './gauges.ts';
import { type ManageOperation, write } from './manage_operation.ts';

const MAX_DIALS = 50;
const FIT_NAMES = ['as_described', 'other_offset', ...USUAL_TANKS.map(({ name }) => name)] as const;

const Calibration = Named('GaugeCalibration', {
  object: Type.Literal('gauge_calibration'),
  tank_id: Type.String({ description: 'ID of the tank.' }),
  points: Type.Array(
    Closed({
      kind: Type.Enum(['dial', 'delivery'], { description: 'What the measure is compared with.' }),
      at: Time('When the dial was read, or the delivery was seen.'),
      expected: Type.Number({
        description:
          'The level on the dial, in percent; for a delivery, how many points the level rose according to the note.',
      }),
      measured_at: Time('When it was measured: near the dial reading, or before the delivery.'),
      measured: Closed(measured, 'What the device measured then; for a delivery, what it measured after the delivery.'),
    }),
    { description: 'What was compared, oldest first.' },
  ),
  left_out: Type.Integer({
    description:
      'How many could not be compared: nothing was measured within 12 hours, or only by an earlier gauge of the tank.',
  }),
  fits: Type.Array(
    Closed({
      name: Type.Enum([...FIT_NAMES], {
        description:
          '`as_described`: the gauge as it is. `other_offset`: the same shape, the offset that fits best. Others: a usual tank of this ' +
          'form and size, the offset that fits best. Other tanks are tried from three points on.',
      }),
      gauge: NewGauge,
      rms_error: Type.Number({ description: 'The root mean square of the errors, in points.' }),
      errors: Type.Array(Type.Number(), {
        description: 'For each point, by how many points the level, or the rise, is above the expected one.',
      }),
      highest_percentage: NullableNumber(
        'The gauge reaches into the tank: above this level, it measures nothing. Null: it measures a full tank.',
      ),
    }),
    { description: 'The gauge as it is, then others, the best first. Empty without points.' },
  ),
  better: NullableEnum(
    FIT_NAMES,
    'The best fit, if it has less than half of the error of `as_described`. Null: no fit has, or there are fewer than three points. It is not applied.',
  ),
});
const EXAMPLE: Static<typeof Calibration> = {
  object: 'gauge_calibration',
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  points: [
    {
      kind: 'dial',
      at: '2025-11-02T08:20:00.000Z',
      expected: 50,
      measured_at: '2025-11-02T08:14:09.514Z',
      measured: { kind: 'distance', value: 568, unit: 'mm' },
    },
  ],
  left_out: 0,
  fits: [
    {
      name: 'as_described',
      gauge: {
        from_at: null,
        shape: { form: 'obround', width_mm: 686, height_mm: 1_118 },
        measures: 'distance',
        offset_mm: 100,
      },
      rms_error: 9.2,
      errors: [9.2],
      highest_percentage: null,
    },
  ],
  better: null,
};

const shownFit = ({ gauge, fromAt }: TankCalibration, fit: CalibrationFit) => ({
  name: fit.name,
  gauge: { from_at: fromAt, ...gauge, shape: fit.shape, offset_mm: fit.offset_mm },
  rms_error: tenth(fit.rms),
  errors: fit.residuals.map(tenth),
  highest_percentage: highestLevel({ ...gauge, ...fit }),
});

export const CALIBRATION_OPERATION: ManageOperation = write({
  method: 'POST',
  path: '/manage/v1/tanks/:id/gauges/calibration',
  pathParameters: { id: 'ID of the tank.' },
  operationId: 'calibrateGauge',
  summary: 'Compare the gauge of a tank with its dial and with deliveries',
  description:
    'Says how far levels are from dial readings and deliveries: with the gauge as it is, with another offset, and with usual tanks. ' +
    'Stores nothing, and needs no Idempotency-Key. To correct the gauge, send the one of a fit with `PUT /manage/v1/tanks/{id}/gauges`.',
  tag: 'manage tanks',
  allowedCallers: ['key', 'administrator', 'dispatcher', 'technician'],
  queue: 'other',
  parameters: {},
  item: Calibration,
  example: EXAMPLE,
  body: Named('CalibrationRequest', {
    dials: Type.Optional(
      Type.Array(
        Closed({
          at: Time('When somebody read the dial.'),
          fill_percentage: Type.Number({ minimum: 0, maximum: 100, description: 'The level that it showed.' }),
        }),
        { maxItems: MAX_DIALS },
      ),
    ),
    with_deliveries: Type.Optional(
      Type.Boolean({
        description: 'Whether deliveries count: the newest 50 with one note and one refill without a doubt.',
      }),
    ),
  }),
  storesNothing: true,
  async handle({ tx, organizationNo, path: { id = '' }, values: { dials = [], with_deliveries = false } }) {
    const { no } = await liveTank(tx, organizationNo, { id });
    const calibration = await calibrateTank(tx, no, {
      dials: dials.map(({ at, fill_percentage }) => ({ at: isoTimeOf(at), fillPercentage: fill_percentage })),
      usesDeliveries: with_deliveries,
    });
    const body: Static<typeof Calibration> = {
      object: 'gauge_calibration',
      tank_id: id,
      points: calibration.points.map(({ kind, at, expected, measuredAt, measure }) => ({
        kind,
        at,
        expected: tenth(expected),
        measured_at: measuredAt,
        measured: shownMeasure(measure),
      })),
      left_out: calibration.leftOut,
      fits: calibration.fits.map((fit) => shownFit(calibration, fit)),
      better: calibration.better?.name ?? null,
    };
    return { status: 200, body };
  },
});

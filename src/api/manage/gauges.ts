import { type Static, Type } from 'typebox';
import { liveTank } from '../../catalog/tanks.ts';
import type { Db } from '../../db/pool.ts';
import { findLatestMeasure, type LatestMeasure } from '../../gauges/find_measure.ts';
import { TankGauge } from '../../gauges/gauge_schema.ts';
import { MAX_GAUGES_PER_TANK, readTankGauges, setTankGauges, type TankGauges } from '../../gauges/set_gauges.ts';
import { measureWithUnit } from '../../gauges/tank_gauge.ts';
import { MEASURE_KINDS, type Measure } from '../../telemetry/reading.ts';
import { etagOf } from '../../values/etag.ts';
import { tenth } from '../../values/tenth.ts';
import { Closed, Named, Nullable, NullableEnum, NullableNumber, NullableTime, Time } from '../schemas/values.ts';
import { isoTimeOf } from './body_values.ts';
import { compare } from './conditions.ts';
import { type ManageOperation, type ManageResponse, read, write } from './manage_operation.ts';

const from_at = NullableTime(
  'The gauge applies to what was measured since this time, until the next gauge begins. Null: since the first reading. To correct a gauge, send it with the same time; a new gauge has a new time.',
);
export const NewGauge = Named('NewGauge', { from_at, ...TankGauge.properties });

/** A measure in units for people. */
export const measured = {
  kind: Type.Enum([...MEASURE_KINDS], { description: 'What was measured. A `length` has no direction.' }),
  value: Type.Number({ description: 'What was measured.' }),
  unit: NullableEnum(['mm', 'Pa'], 'Its unit. Null: a raw number of the device.'),
};
export const shownMeasure = (measure: Measure) => ({ kind: measure.kind, ...measureWithUnit(measure) });

const Gauges = Named('TankGauges', {
  object: Type.Literal('tank_gauges'),
  tank_id: Type.String({ description: 'ID of the tank.' }),
  is_recomputing: Type.Boolean({ description: 'Whether stored levels are still to be computed again.' }),
  gauges: Type.Array(
    Closed({
      ...NewGauge.properties,
      changed_at: Time('When it was last changed.'),
      changed_by: Type.String({ description: 'The key, the contact or the operator that changed it.' }),
      recomputed_at: NullableTime('When the stored levels of its time were last computed with it.'),
      unreadable_measures: Type.Integer({
        description: 'Stored measures of its time that it cannot read. They keep the level that they had.',
      }),
    }),
    { description: 'Oldest first.' },
  ),
  latest_measure: Nullable('What the latest reading measured. Null: there is no reading, or it is a level only.', {
    created_at: Time('When it was measured.'),
    ...measured,
    height_mm: NullableNumber(
      'The height of the product above the bottom that follows from it. Null: no gauge of the tank reads it.',
    ),
    inner_height_mm: NullableNumber('The inner height of the tank. Null: the gauge of the tank is not described.'),
    fill_percentage: Type.Number({ description: 'The stored level.' }),
  }),
  etag: Type.String({ description: 'Send it as `If-Match`.' }),
});
const EXAMPLE: Static<typeof Gauges> = {
  object: 'tank_gauges',
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  is_recomputing: false,
  gauges: [
    {
      from_at: null,
      shape: { form: 'horizontal_cylinder', diameter_mm: 952, length_mm: 3_023, heads: 'elliptical' },
      measures: 'distance',
      offset_mm: 50,
      changed_at: '2025-11-02T08:14:09.514Z',
      changed_by: 'contact 01989f31-7a11-7c55-9d20-6c1f4be0a3d2',
      recomputed_at: '2025-11-02T08:14:10.201Z',
      unreadable_measures: 0,
    },
  ],
  latest_measure: {
    created_at: '2025-11-02T08:14:09.514Z',
    kind: 'distance',
    value: 568,
    unit: 'mm',
    height_mm: 434,
    inner_height_mm: 952,
    fill_percentage: 44.5,
  },
  etag: '"Qd3sT5uW8yA1BZq1n0Yx2g"',
};

const gaugesEtag = ({ gauges }: TankGauges): string =>
  etagOf(
    gauges.map(({ from_at: from, shape, measures, offset_mm, density_kg_m3, range }) =>
      JSON.stringify([from, shape, measures, offset_mm, density_kg_m3, range]),
    ),
  );

const shownLatest = ({ at, measure, heightMm, innerHeightMm, fillPercentage }: LatestMeasure) => ({
  created_at: at,
  ...shownMeasure(measure),
  height_mm: heightMm && tenth(heightMm),
  inner_height_mm: innerHeightMm && tenth(innerHeightMm),
  fill_percentage: fillPercentage,
});

async function respondWithGauges(db: Db, { no, id }: { no: number; id: string }): Promise<ManageResponse> {
  const stored = await readTankGauges(db, no);
  const etag = gaugesEtag(stored);
  const latest = await findLatestMeasure(db, no);
  return {
    status: 200,
    body: { object: 'tank_gauges', tank_id: id, ...stored, latest_measure: latest && shownLatest(latest), etag },
    etag,
    about: { object: 'tank', no },
  };
}

const common = {
  path: '/manage/v1/tanks/:id/gauges',
  pathParameters: { id: 'ID of the tank.' },
  tag: 'manage tanks',
  allowedCallers: ['key', 'administrator', 'dispatcher', 'technician'],
  item: Gauges,
  example: EXAMPLE,
} as const;

export const GAUGE_OPERATIONS: readonly ManageOperation[] = [
  read({
    ...common,
    operationId: 'readTankGauges',
    summary: 'Read the gauges of a tank',
    description: 'Returns the shape of the tank and what its device measures, now and before.',
    async read({ db, organizationNo, path: { id = '' } }) {
      const { no } = await liveTank(db, organizationNo, { id });
      return respondWithGauges(db, { no, id });
    },
  }),
  write({
    ...common,
    method: 'PUT',
    operationId: 'setTankGauges',
    summary: 'Describe or correct the gauges of a tank',
    description:
      `Replaces all gauges of the tank, at most ${MAX_GAUGES_PER_TANK}. What was measured never changes. Within seconds, the levels of ` +
      'stored readings are computed again from it, all levels of a tank at once, and events that did not happen are retracted ' +
      '(`gauge_corrected`). Then `levels_changed_at` of the tank changes. Measures that were rejected with `no_gauge` or `out_of_range` ' +
      'are stored then.',
    queue: 'other',
    body: Named('NewTankGauges', { gauges: Type.Array(NewGauge) }),
    // A table of a thousand lines has 28,000 characters.
    maxBodyBytes: 262_144,
    condition: 'optional',
    async handle({ path: { id = '' }, values, condition, ...change }) {
      const gauges = values.gauges.map((gauge) => ({ ...gauge, from_at: gauge.from_at && isoTimeOf(gauge.from_at) }));
      const no = await setTankGauges(change, { id }, gauges, compare(condition, gaugesEtag));
      return respondWithGauges(change.tx, { no, id });
    },
  }),
];

import { type Static, Type } from 'typebox';
import { MAX_DENSITY_KG_M3, MAX_LENGTH_MM, MAX_NUMBER, MAX_TABLE_POINTS } from './gauge_limits.ts';

const Millimeters = (description: string) => Type.Number({ minimum: 1, maximum: MAX_LENGTH_MM, description });
const RangeEnd = Type.Number({ minimum: -MAX_NUMBER, maximum: MAX_NUMBER });
const closed = { additionalProperties: false };

const Heads = Type.Enum(['flat', 'elliptical', 'hemispherical'], {
  description: 'The ends of the cylinder. Elliptical: 2:1.',
});
export type Heads = Static<typeof Heads>;
const innerDiameter = Millimeters('Inner diameter.');
const innerHeight = Millimeters('Inner height.');

/**
 * The form of a tank, by its inner dimensions. Only the form counts: the volume of a full tank is its capacity, as the
 * plate says, so that dimensions measured outside, or rounded, change a level little.
 */
export const TankShape = Type.Union([
  Type.Object(
    {
      form: Type.Literal('horizontal_cylinder'),
      diameter_mm: innerDiameter,
      length_mm: Millimeters('Inner length, with the heads.'),
      heads: Heads,
    },
    closed,
  ),
  Type.Object(
    {
      form: Type.Literal('vertical_cylinder'),
      diameter_mm: innerDiameter,
      height_mm: Millimeters('Inner height, with the heads.'),
      heads: Heads,
    },
    closed,
  ),
  Type.Object(
    {
      form: Type.Literal('cone_bottom'),
      diameter_mm: innerDiameter,
      height_mm: Millimeters('Inner height, with the cone.'),
      cone_height_mm: Millimeters('Height of the cone.'),
    },
    closed,
  ),
  Type.Object({ form: Type.Literal('sphere'), diameter_mm: innerDiameter }, closed),
  Type.Object({ form: Type.Literal('box'), height_mm: innerHeight }, closed),
  // Two half circles with a rectangle between them: upright if it is higher than wide, flat if it is wider than high.
  Type.Object({ form: Type.Literal('obround'), width_mm: Millimeters('Inner width.'), height_mm: innerHeight }, closed),
  Type.Object(
    {
      form: Type.Literal('table'),
      heights_mm: Type.Array(Type.Number({ minimum: 0, maximum: MAX_LENGTH_MM }), {
        minItems: 2,
        maxItems: MAX_TABLE_POINTS,
        description: 'Heights, rising.',
      }),
      volumes: Type.Array(Type.Number({ minimum: 0, maximum: MAX_NUMBER }), {
        minItems: 2,
        maxItems: MAX_TABLE_POINTS,
        description: 'The volume below each height, rising, in any unit. The last one is the full tank.',
      }),
    },
    closed,
  ),
]);
export type TankShape = Static<typeof TankShape>;

/** How the measures of the device on a tank are converted to levels. */
export const TankGauge = Type.Object(
  {
    shape: TankShape,
    measures: Type.Enum(['distance', 'height', 'pressure', 'raw'], {
      description:
        'What the device measures: the distance from the gauge down to the product, its height, its pressure at the gauge, or raw numbers. A length without a direction is a distance or a height, as this field says.',
    }),
    offset_mm: Type.Number({
      minimum: -MAX_LENGTH_MM,
      maximum: MAX_LENGTH_MM,
      description:
        'Distance: from the gauge down to the inner top of the tank. Height and pressure: from the inner bottom up to the gauge.',
    }),
    density_kg_m3: Type.Optional(
      Type.Number({ minimum: 1, maximum: MAX_DENSITY_KG_M3, description: 'Of the product. A pressure needs it.' }),
    ),
    range: Type.Optional(
      Type.Object(
        { empty: RangeEnd, full: RangeEnd },
        { ...closed, description: 'The numbers of the device for empty and full. Required if it measures `raw`.' },
      ),
    ),
  },
  closed,
);
export type TankGauge = Static<typeof TankGauge>;

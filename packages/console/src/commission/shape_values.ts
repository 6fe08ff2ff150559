import { fromLiters, toLiters } from '../../../../src/values/capacity_unit.ts';
import { USUAL_TANKS, type UsualTank } from '../../../../src/values/usual_tanks.ts';
import type { VolumeUnit } from '../format.ts';
import type { Gauge, TankShape } from './gauges.ts';

/** The forms that have a picture. */
export const FORMS = ['horizontal_cylinder', 'vertical_cylinder', 'upright', 'flat', 'box', 'table'] as const;
export type Form = (typeof FORMS)[number];
type Dimension = 'diameter' | 'length' | 'height' | 'width';

export const DIMENSIONS: Readonly<Record<Form, readonly Dimension[]>> = {
  horizontal_cylinder: ['diameter', 'length'],
  vertical_cylinder: ['diameter', 'height'],
  upright: ['height', 'width'],
  flat: ['height', 'width'],
  box: ['height'],
  table: [],
};
export const HEADS = ['hemispherical', 'elliptical', 'flat'] as const;
export const hasHeads = (form: Form): boolean => form === 'horizontal_cylinder' || form === 'vertical_cylinder';

/** What was typed about the gauge of a tank. */
interface GaugeValues extends Record<Dimension, string> {
  /** `stored` means the shape of the stored gauge. Empty if no form is chosen. */
  form: string;
  /** The capacity of a usual tank in gallons, or `other`. */
  size: string;
  heads: string;
  table: string;
  /** `distance` or `height`: what a length without a direction means. */
  direction: string;
  offset: string;
  density: string;
  empty: string;
  full: string;
}
export type GaugeField = Extract<keyof GaugeValues, string>;

export const initialValues = (gauge: Gauge | undefined): Record<GaugeField, string> => ({
  form: gauge === undefined ? '' : 'stored',
  size: '',
  diameter: '',
  length: '',
  height: '',
  width: '',
  heads: 'hemispherical',
  table: '',
  direction: '',
  offset: gauge === undefined ? '' : String(gauge.offset_mm),
  density: gauge?.density_kg_m3 === undefined ? '' : String(gauge.density_kg_m3),
  empty: gauge?.range === undefined ? '' : String(gauge.range.empty),
  full: gauge?.range === undefined ? '' : String(gauge.range.full),
});

export const isForm = (text: string): text is Form => FORMS.some((form) => form === text);

/** The form whose picture is used for a shape. */
export function formOf(shape: TankShape): Form {
  if (shape.form === 'obround') return shape.width_mm > shape.height_mm ? 'flat' : 'upright';
  if (shape.form === 'sphere') return 'upright';
  return shape.form === 'cone_bottom' ? 'vertical_cylinder' : shape.form;
}

/** The usual tanks of a form, one entry for each capacity. */
export const usualSizes = (form: Form): { gallons: number; shape: UsualTank['shape'] }[] =>
  USUAL_TANKS.filter(({ shape }) => formOf(shape) === form).flatMap(({ gallons, shape }) =>
    gallons.map((one) => ({ gallons: one, shape })),
  );

/** Compares a capacity with the gallons of a usual tank. 3 % are tolerated, because plates have rounded values. */
export const isSameSize = (gallons: number, capacity: number, unit: VolumeUnit): boolean =>
  Math.abs(fromLiters(toLiters(capacity, unit), 'gallons') / gallons - 1) < 0.03;

export const dimensionOf = (shape: TankShape | UsualTank['shape'], dimension: Dimension): number | null => {
  const value: unknown = Reflect.get(shape, `${dimension}_mm`);
  return typeof value === 'number' ? value : null;
};

/** The typed shape. Null if something is missing or wrong. */
export function typedShape(
  values: Readonly<Record<GaugeField, string>>,
  mmOf: (text: string) => number | null,
  numberOf: (text: string) => number | null,
): TankShape | null {
  const { form } = values;
  if (!isForm(form)) return null;
  const usual = usualSizes(form).find(({ gallons }) => String(gallons) === values.size);
  if (usual !== undefined) return usual.shape;
  if (form === 'table') return typedTable(values.table, numberOf);
  const heads = HEADS.find((one) => one === values.heads) ?? 'flat';
  const [diameter, length, height, width] = [values.diameter, values.length, values.height, values.width].map(mmOf);
  if (form === 'horizontal_cylinder')
    return diameter && length ? { form, diameter_mm: diameter, length_mm: length, heads } : null;
  if (form === 'vertical_cylinder')
    return diameter && height ? { form, diameter_mm: diameter, height_mm: height, heads } : null;
  if (form === 'box') return height ? { form, height_mm: height } : null;
  return height && width ? { form: 'obround', width_mm: width, height_mm: height } : null;
}

/** Parses a strapping table: a height and a volume in each line, separated by spaces, semicolons or colons. */
function typedTable(text: string, numberOf: (text: string) => number | null): TankShape | null {
  const lines = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim().split(/[\s;:]+/)]));
  const rows = lines.map((cells) => cells.map(numberOf));
  const heights_mm = rows.map(([height]) => height ?? Number.NaN);
  const volumes = rows.map(([, volume]) => volume ?? Number.NaN);
  const rises = (values: number[]): boolean => values.every((value, index) => value > (values[index - 1] ?? -1));
  const isTable = rows.length >= 2 && rows.every(({ length }) => length === 2) && rises(heights_mm) && rises(volumes);
  return isTable ? { form: 'table', heights_mm, volumes } : null;
}

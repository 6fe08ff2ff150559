import { type Command, InvalidArgumentError, Option } from 'commander';
import { MAX_LENGTH_MM } from '../gauges/gauge_limits.ts';
import type { TankGauge } from '../gauges/gauge_schema.ts';
import { FORMS } from '../gauges/shapes/shape.ts';
import { UserError } from '../values/user_error.ts';

/** A gauge as the options of a command describe it. */
export interface DescribedGauge {
  form?: TankGauge['shape']['form'];
  diameterMm?: number;
  lengthMm?: number;
  heightMm?: number;
  widthMm?: number;
  coneHeightMm?: number;
  heads: 'flat' | 'elliptical' | 'hemispherical';
  point?: [number, number][];
  measures: TankGauge['measures'];
  offsetMm: number;
  density?: number;
  range?: [number, number];
}

/** Options that mean nothing without a form. */
export const DESCRIBING: readonly (keyof DescribedGauge)[] = [
  'diameterMm',
  'lengthMm',
  'heightMm',
  'widthMm',
  'coneHeightMm',
  'heads',
  'point',
  'measures',
  'offsetMm',
  'density',
  'range',
];

export const addGaugeOptions = (command: Command): Command =>
  command
    .addOption(new Option('--form <form>', 'the form of the tank').choices(FORMS))
    .option('--diameter-mm <mm>', 'inner diameter', parseLength)
    .option('--length-mm <mm>', 'inner length of a horizontal cylinder, with its heads', parseLength)
    .option('--height-mm <mm>', 'inner height, with heads and cone', parseLength)
    .option('--width-mm <mm>', 'inner width of an obround tank', parseLength)
    .option('--cone-height-mm <mm>', 'height of the cone', parseLength)
    .addOption(
      new Option('--heads <heads>', 'the ends of a cylinder')
        .choices(['flat', 'elliptical', 'hemispherical'])
        .default('elliptical'),
    )
    .option('--point <mm:volume...>', 'lines of a table, lowest first: the height and the volume below it', parsePoint)
    .addOption(
      new Option('--measures <what>', 'what the device measures')
        .choices(['distance', 'height', 'pressure', 'raw'])
        .default('distance'),
    )
    .option(
      '--offset-mm <mm>',
      'distance: from the gauge down to the top; otherwise: from the bottom up to it',
      toNumber,
      0,
    )
    .option('--density <kg/m3>', 'of the product, for a pressure', toNumber)
    .option('--range <empty:full>', 'the numbers of the device for empty and full, for raw values', parsePair);

export function gaugeOf(form: TankGauge['shape']['form'], options: DescribedGauge): TankGauge {
  const { measures, offsetMm, density, range } = options;
  return {
    shape: shapeOf(form, options),
    measures,
    offset_mm: offsetMm,
    ...(density !== undefined && { density_kg_m3: density }),
    ...(range && { range: { empty: range[0], full: range[1] } }),
  };
}

function shapeOf(form: TankGauge['shape']['form'], options: DescribedGauge): TankGauge['shape'] {
  const { heads } = options;
  const need = (name: 'diameterMm' | 'lengthMm' | 'heightMm' | 'widthMm' | 'coneHeightMm'): number => {
    const value = options[name];
    if (value !== undefined) return value;
    throw new UserError(`a ${form} needs --${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.`);
  };
  switch (form) {
    case 'horizontal_cylinder':
      return { form, diameter_mm: need('diameterMm'), length_mm: need('lengthMm'), heads };
    case 'vertical_cylinder':
      return { form, diameter_mm: need('diameterMm'), height_mm: need('heightMm'), heads };
    case 'cone_bottom':
      return {
        form,
        diameter_mm: need('diameterMm'),
        height_mm: need('heightMm'),
        cone_height_mm: need('coneHeightMm'),
      };
    case 'sphere':
      return { form, diameter_mm: need('diameterMm') };
    case 'box':
      return { form, height_mm: need('heightMm') };
    case 'obround':
      return { form, width_mm: need('widthMm'), height_mm: need('heightMm') };
    case 'table': {
      const points = options.point ?? [];
      if (points.length < 2) throw new UserError('a table needs two or more --point.');
      return { form, heights_mm: points.map(([height]) => height), volumes: points.map(([, volume]) => volume) };
    }
    default:
      return form satisfies never;
  }
}

/** The options of a command that describe this gauge. */
export function gaugeArguments({ shape, measures, offset_mm, density_kg_m3, range }: TankGauge): string {
  const dimensions =
    shape.form === 'table'
      ? [`--form table --point ${shape.heights_mm.map((height, row) => `${height}:${shape.volumes[row]}`).join(' ')}`]
      : Object.entries(shape).map(
          ([name, value]) =>
            `--${name.replaceAll('_', '-')} ${typeof value === 'number' ? Math.round(value * 10) / 10 : value}`,
        );
  return [
    ...dimensions,
    `--measures ${measures}`,
    `--offset-mm ${offset_mm}`,
    ...(density_kg_m3 === undefined ? [] : [`--density ${density_kg_m3}`]),
    ...(range ? [`--range ${range.empty}:${range.full}`] : []),
  ].join(' ');
}

function toNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('Must be a number.');
  return value;
}

function parseLength(text: string): number {
  const value = toNumber(text);
  if (value < 1 || value > MAX_LENGTH_MM) throw new InvalidArgumentError('Must be from 1 to 100,000 mm.');
  return value;
}

function parsePair(text: string): [number, number] {
  const [first = '', second = ''] = text.split(':');
  return [toNumber(first), toNumber(second)];
}

const parsePoint = (text: string, points: [number, number][] = []): [number, number][] => [...points, parsePair(text)];

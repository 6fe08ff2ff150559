import { MEASURE_KINDS, type Measure } from './reading.ts';

/**
 * A measure is stored as one integer: the value times 8, plus the position of its kind in MEASURE_KINDS. Without the kind, a
 * corrected gauge could read a distance as a height. A separate column would cost a byte for each packed reading. 28 bits are
 * left for the value: lengths up to 26 km, pressures up to 268 MPa.
 */
const MAX_VALUE = 2 ** 28 - 1;

/** Undefined if the value is too large to be stored. */
export const encodeMeasure = ({ kind, value }: Measure): number | undefined =>
  Math.abs(value) <= MAX_VALUE ? value * 8 + MEASURE_KINDS.indexOf(kind) : undefined;

export function decodeMeasure(stored: number): Measure {
  const kind = MEASURE_KINDS[stored & 7];
  if (kind === undefined) throw new Error(`${stored} is not a stored measure`);
  return { kind, value: stored >> 3 };
}

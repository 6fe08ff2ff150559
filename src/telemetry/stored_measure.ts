import { MEASURE_KINDS, type Measure } from './reading.ts';

/**
 * What was measured is stored as one integer: the value times 8, plus the position of its kind in MEASURE_KINDS. The kind must
 * be known, or a corrected gauge would read a distance as a height. A column of its own would cost a byte for each packed
 * reading. 28 bits are left for the value: lengths of 26 km, pressures of 268 MPa.
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

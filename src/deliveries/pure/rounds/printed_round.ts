import { type CapacityUnit, toLiters } from '../../../values/capacity_unit.ts';
import { isShownChange } from './current_stop.ts';

/**
 * The open stops on a sheet of paper, by their numbers: the volume in the unit of the truck, or null if the stop was
 * blocked.
 */
export type PrintedStops = Readonly<Record<string, number | null>>;

interface ShownStop {
  number: number;
  outcome: string;
  volume: number;
  block: object | null;
}

const isOpen = ({ outcome }: ShownStop): boolean => outcome === 'open';

export const printedStops = (stops: readonly ShownStop[]): PrintedStops =>
  Object.fromEntries(stops.filter(isOpen).map(({ number, block, volume }) => [number, block === null ? volume : null]));

/**
 * Returns true if a driver with this sheet would do something wrong: a stop is blocked or open again, has another volume, is
 * new, or is no longer on the round. A stop that was closed since needs no new sheet.
 */
export function isSheetOld(printed: PrintedStops, stops: readonly ShownStop[], unit: CapacityUnit): boolean {
  const numbers = new Set(stops.map(({ number }) => String(number)));
  if (Object.keys(printed).some((number) => !numbers.has(number))) return true;
  return stops.filter(isOpen).some(({ number, block, volume }) => {
    const before = printed[String(number)];
    if (before === undefined || (before === null) !== (block !== null)) return true;
    return before !== null && isShownChange(toLiters(before, unit), toLiters(volume, unit));
  });
}

import type { FleetStop } from '@tankwatch/client';
import type { Format, VolumeUnit } from '../format.ts';
import { nameOf } from '../status.ts';
import type { ROUND_TEXTS } from '../translations/rounds.ts';

/** The name of the tank, with its number. */
export const stopName = ({ tank }: FleetStop, deleted: string): string => (tank === null ? deleted : nameOf(tank));

export function addressOf({ tank }: FleetStop): string {
  if (tank === null) return '';
  return [[tank.street, tank.street_number], [tank.district], [tank.postal_code, tank.city]]
    .map((part) => part.filter((one) => one !== null).join(' '))
    .filter((part) => part !== '')
    .join(', ');
}

type Load = Pick<FleetStop, 'volume' | 'outcome' | 'delivered_volume'>;

/** The volume that a stop takes from the truck: the plan while it is open, then the delivered volume. The service computes `load_volume` in the same way. */
function loadOf({ volume, outcome, delivered_volume: delivered }: Load): number {
  if (outcome === 'open') return volume;
  return outcome === 'delivered' ? (delivered ?? volume) : 0;
}

export const loadOfStops = (stops: readonly Load[]): number => stops.reduce((sum, stop) => sum + loadOf(stop), 0);

/** The first stop that the truck cannot fill any more, and the volume that is missing from there on. */
export function overflowOf(stops: readonly Load[], capacity: number): { first: number; volume: number } | null {
  let sum = 0;
  let first: number | null = null;
  for (const [at, stop] of stops.entries()) {
    sum += loadOf(stop);
    if (sum > capacity) first ??= at;
  }
  return first === null ? null : { first, volume: sum - capacity };
}

/** What happened at a stop. */
export function outcomeText(
  { outcome, delivered_volume: delivered }: Pick<FleetStop, 'outcome' | 'delivered_volume'>,
  unit: VolumeUnit,
  { says }: Pick<(typeof ROUND_TEXTS)['en'], 'says'>,
  format: Format,
): string {
  if (outcome !== 'delivered') return says[outcome];
  return delivered === null ? says.deliveredUnknown : says.delivered(format.volume(delivered, unit));
}

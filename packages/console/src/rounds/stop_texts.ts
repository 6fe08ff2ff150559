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

/** The volume that a stop takes from the truck: its volume while it is open, then the delivered volume. The service computes `load_volume` in the same way. */
function loadOf({ volume, outcome, delivered_volume: delivered }: Load): number {
  if (outcome === 'open') return volume;
  return outcome === 'delivered' ? (delivered ?? volume) : 0;
}

export const loadOfStops = (stops: readonly Load[]): number => stops.reduce((sum, stop) => sum + loadOf(stop), 0);

/** The volume that was delivered at the other stops. */
export const deliveredBeside = (stops: readonly FleetStop[], stop: FleetStop): number =>
  loadOfStops(stops.filter((one) => one.number !== stop.number && one.outcome === 'delivered'));

type Difference = 'blocked' | 'filled' | 'not_possible' | 'level' | 'meter';

/** The planned load, and the differences by reason. Their sum is the load that the truck needs now. */
export function loadDifferences(stops: readonly FleetStop[]): { planned: number; differences: [Difference, number][] } {
  const sums: Record<Difference, number> = { blocked: 0, filled: 0, not_possible: 0, level: 0, meter: 0 };
  for (const stop of stops) sums[reasonOf(stop)] += loadOf(stop) - stop.planned_volume;
  const differences = (['blocked', 'filled', 'not_possible', 'level', 'meter'] as const).map(
    (reason): [Difference, number] => [reason, sums[reason]],
  );
  return {
    planned: stops.reduce((sum, stop) => sum + stop.planned_volume, 0),
    differences: differences.filter(([, volume]) => Math.abs(volume) >= 1),
  };
}

function reasonOf({ outcome, block, is_filled_meanwhile }: FleetStop): Difference {
  if (outcome === 'delivered') return 'meter';
  if (outcome !== 'open') return 'not_possible';
  return block !== null ? 'blocked' : is_filled_meanwhile ? 'filled' : 'level';
}

/** The first stop for which the load of the truck is not enough, and the missing volume of all stops. */
export function overflowOf(stops: readonly Load[], capacity: number): { first: number; volume: number } | null {
  let sum = 0;
  let first: number | null = null;
  for (const [index, stop] of stops.entries()) {
    sum += loadOf(stop);
    if (sum > capacity) first ??= index;
  }
  return first === null ? null : { first, volume: sum - capacity };
}

/** How many stops are delivered, not possible, blocked and open. Counts of 0 are left out. */
export function progressText(stops: readonly FleetStop[], texts: (typeof ROUND_TEXTS)['en']['progress']): string {
  const kindOf = ({ outcome, block }: FleetStop): keyof typeof texts => {
    if (outcome === 'delivered') return 'delivered';
    if (outcome !== 'open') return 'not_possible';
    return block === null ? 'open' : 'blocked';
  };
  return (['delivered', 'not_possible', 'blocked', 'open'] as const)
    .map((kind) => [kind, stops.filter((stop) => kindOf(stop) === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => texts[kind](count))
    .join(', ');
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

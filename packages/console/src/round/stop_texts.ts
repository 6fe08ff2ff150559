import type { FleetStop } from '@tankwatch/client';
import { nameOf } from '../status.ts';

/** The name of the tank, with its number. */
export const stopName = ({ tank }: FleetStop, deleted: string): string => (tank === null ? deleted : nameOf(tank));

export function addressOf({ tank }: FleetStop): string {
  if (tank === null) return '';
  return [[tank.street, tank.street_number], [tank.district], [tank.postal_code, tank.city]]
    .map((part) => part.filter((one) => one !== null).join(' '))
    .filter((part) => part !== '')
    .join(', ');
}

import { findCommonOffset } from '../notes/common_offset.ts';
import type { NoteDoubts } from '../notes/note_verdict.ts';
import { type DriverDelivery, type FoundParties, findDrivers, findTrucks } from './differing_trucks.ts';

/**
 * Learns whose notes are not judged one by one. If trucks differ and the data does not show which of them is off, the
 * notes that do not match would still point to one truck, because most of them would be its notes. So no note of these
 * trucks is judged. The notes of a truck that is off are not judged either: only the comparison of trucks reports it.
 */
export function learnNoteDoubts(deliveries: readonly DriverDelivery[]): NoteDoubts {
  return {
    common: findCommonOffset(deliveries),
    truckIds: differingIds(findTrucks(deliveries)),
    driverIds: differingIds(findDrivers(deliveries)),
  };
}

function differingIds(found: FoundParties | { tanks: number }): Set<string> {
  if ('tanks' in found) return new Set();
  const { takenOut, rest, areDifferent } = found;
  return new Set([...takenOut.map(({ id }) => id), ...(areDifferent ? rest.ids : [])].toSorted());
}

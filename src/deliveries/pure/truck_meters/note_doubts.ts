import { findCommonOffset } from '../notes/common_offset.ts';
import type { NoteDoubts } from '../notes/note_verdict.ts';
import { type DriverDelivery, type FoundParties, findDrivers, findTrucks } from './differing_trucks.ts';

/**
 * Whose notes are not judged one by one. If trucks differ and the data does not show which of them is off, a list of notes
 * that do not match would name it all the same: most of them would be of one truck. So then no note of them is judged,
 * and of a truck that is named only the comparison of trucks speaks.
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

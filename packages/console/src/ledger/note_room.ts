import type { TankStatus } from '@tankwatch/client';
import { fromLiters, toLiters } from '../../../../src/values/capacity_unit.ts';
import { MAX_PINNED_MATCH_HOURS } from '../../../../src/values/match_hours.ts';
import { fillToOf } from '../../../../src/values/products.ts';
import type { Receiver } from '../../../../src/values/volume_doubt.ts';
import { HOUR_MS, type VolumeUnit } from '../format.ts';

/** A refill in this time before or after a note may be its delivery. */
const NEAR_MS = MAX_PINNED_MATCH_HOURS * HOUR_MS;

/**
 * The volume that fitted into the tank at the time of a note, in the unit of the note. With a refill near that time, it
 * is the volume of the refill plus the volume that fits now. For older notes only the capacity is known.
 */
export function roomAtNote(
  status: TankStatus,
  { atMs, nowMs, fillTo, unit }: { atMs: number; nowMs: number; fillTo: number; unit: VolumeUnit },
): Receiver {
  const { tank, volume, refilled } = status;
  const inUnit = (amount: number): number => fromLiters(toLiters(amount, tank.capacity_unit), unit);
  const capacity = inUnit(tank.capacity);
  if (volume.left === null) return { capacity };
  const roomNow = Math.max(0, (tank.capacity * fillToOf(status, fillTo)) / 100 - volume.left);
  const refilledMs = refilled === null ? Number.NEGATIVE_INFINITY : Date.parse(refilled.at);
  if (refilled !== null && Math.abs(refilledMs - atMs) <= NEAR_MS)
    return { capacity, fits: inUnit(refilled.delivered_volume + roomNow) };
  const isCurrent = Math.abs(nowMs - atMs) <= NEAR_MS && refilledMs < atMs;
  return isCurrent ? { capacity, fits: inUnit(roomNow) } : { capacity };
}

/** The volumes of the tank and the truck of a delivery, in one unit. Null or undefined if a volume is not known. */
export interface Receiver {
  /** The volume that the tank had room for before the delivery. */
  fits?: number | null | undefined;
  capacity?: number | null | undefined;
  /** The volume that the truck still has. */
  truckLeft?: number | null | undefined;
}

/** The reason why a delivered volume is implausible, and the volume that it was compared with. */
export type VolumeDoubt = { against: 'fits' | 'capacity' | 'truck'; volume: number };

const MIN_SHARE_OF_ROOM = 0.2;
const MAX_SHARE_OF_ROOM = 1.2;
/** Smaller deliveries are rare, and too small for the gauge to check. */
const MIN_SHARE_OF_CAPACITY = 0.05;

/**
 * Returns a doubt if a person should check a delivered volume before it is stored: a lost digit or decimal mark changes it by a factor
 * of ten. A doubt never refuses the volume. Returns null if it is plausible, or if nothing is known to compare it with.
 */
export function doubtVolume(
  delivered: number,
  { fits = null, capacity = null, truckLeft = null }: Receiver,
): VolumeDoubt | null {
  if (fits !== null && fits > 0) {
    if (delivered < fits * MIN_SHARE_OF_ROOM || delivered > fits * MAX_SHARE_OF_ROOM)
      return { against: 'fits', volume: fits };
  } else if (capacity !== null && (delivered < capacity * MIN_SHARE_OF_CAPACITY || delivered > capacity)) {
    return { against: 'capacity', volume: capacity };
  }
  return truckLeft !== null && delivered > truckLeft ? { against: 'truck', volume: truckLeft } : null;
}

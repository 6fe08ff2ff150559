/** What is known about the tank that a delivered volume went into. All volumes have the same unit. */
export interface Receiver {
  /** The volume that fitted before the delivery. Null or undefined if it is not known. */
  fits?: number | null | undefined;
  capacity?: number | null | undefined;
  /** What the truck still has. */
  truckLeft?: number | null | undefined;
}

/** Against what a volume is implausible. */
export type VolumeDoubt = { against: 'fits' | 'capacity' | 'truck'; volume: number };

const LEAST_OF_ROOM = 0.2;
const MOST_OF_ROOM = 1.2;
/** Smaller deliveries are rare, and the gauge cannot judge them. */
const LEAST_OF_CAPACITY = 0.05;

/**
 * Whether a person should look again before a delivered volume is stored. A lost digit or decimal mark changes it by ten. It is
 * never refused: the meter is right. Null: it is plausible, or nothing is known.
 */
export function doubtVolume(
  delivered: number,
  { fits = null, capacity = null, truckLeft = null }: Receiver,
): VolumeDoubt | null {
  if (fits !== null && fits > 0) {
    if (delivered < fits * LEAST_OF_ROOM || delivered > fits * MOST_OF_ROOM) return { against: 'fits', volume: fits };
  } else if (capacity !== null && (delivered < capacity * LEAST_OF_CAPACITY || delivered > capacity)) {
    return { against: 'capacity', volume: capacity };
  }
  return truckLeft !== null && delivered > truckLeft ? { against: 'truck', volume: truckLeft } : null;
}

import type { Product } from '../../../values/products.ts';

/** A delivery note as the ledger uses it. Volumes are in liters. The code that parses notes converts gallons. */
export interface DeliveryNote {
  /** Series and number together, unique in the organization. */
  id: string;
  customerId: string;
  /** Null if the note names only the customer. */
  tankId: string | null;
  truckId: string | null;
  driverId?: string | null;
  /** The time of the note: the same time twice, or the beginning and the end of a day if only the day is known. */
  fromMs: number;
  toMs: number;
  /** The volume as written. */
  liters: number;
  /** True if the truck's meter converts to the volume at 15.6 °C. Null if it is unknown. */
  isCompensated: boolean | null;
  /** The temperature of the product, as printed on the note. */
  productCelsius: number | null;
  /** The temperature of the air, if the temperature of the product is not printed. */
  airCelsius: number | null;
  /** The delivered product. Propane if it is unknown. */
  product?: Product | null;
}

/** A refill that a gauge detected: the event `tank.refilled`, and the characteristics of the gauge at that time. */
export interface SeenRefill {
  tankId: string;
  customerId: string;
  /** The time of the event. A tank has one refill at one time. */
  atMs: number;
  /** The delivery happened between these two times: the last reading before it and the first reading after it. */
  fromMs: number;
  toMs: number;
  liters: number;
  beforePercentage: number;
  afterPercentage: number;
  capacityLiters: number;
  /** The standard deviation of one reading, in points. */
  noisePoints: number;
  usePointsPerDay: number;
  cadenceMs: number;
  isGaugeReliable: boolean;
}

/** The key of a refill. Internal numbers of events change when a tank is re-evaluated. */
export const refillKey = ({ tankId, atMs }: Pick<SeenRefill, 'tankId' | 'atMs'>): string => `${tankId}@${atMs}`;

/** The notes and refills of one delivery. One of the two lists may be empty. */
export interface MatchedGroup {
  notes: readonly DeliveryNote[];
  refills: readonly SeenRefill[];
}

/** Returns the note and the refill of a group with one of each; null for any other group. */
export function singlePairOf({ notes, refills }: MatchedGroup): { note: DeliveryNote; refill: SeenRefill } | null {
  const [note] = notes;
  const [refill] = refills;
  return note === undefined || refill === undefined || notes.length + refills.length > 2 ? null : { note, refill };
}

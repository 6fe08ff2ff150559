/** A delivery note as the ledger uses it. Volumes are litres; the border converts gallons. */
export interface DeliveryNote {
  /** Series and number together, unique in the organization. */
  id: string;
  customerId: string;
  /** Null if the note names only the customer. */
  tankId: string | null;
  truckId: string | null;
  /** When it was written: one time twice, or the beginning and the end of a day if only the day is known. */
  fromMs: number;
  toMs: number;
  /** As written. */
  litres: number;
  /** Whether the truck's meter converts to the volume at 15.6 °C. Null if nobody said so. */
  isCompensated: boolean | null;
  /** Of the product, as printed on the note. */
  productCelsius: number | null;
  /** Of the air, where the product's is not printed. */
  airCelsius: number | null;
}

/** A refill that a gauge saw: the event `tank.refilled`, and what was known of the gauge at that time. */
export interface SeenRefill {
  tankId: string;
  customerId: string;
  /** The time of the event. A tank has one refill at one time. */
  atMs: number;
  /** The delivery happened between the last reading before and the first reading after. */
  fromMs: number;
  toMs: number;
  litres: number;
  beforePercentage: number;
  afterPercentage: number;
  capacityLitres: number;
  /** Deviation of one reading, in points. */
  noisePoints: number;
  usePointsPerDay: number;
  cadenceMs: number;
  isGaugeReliable: boolean;
}

/** The name of a refill. Numbers of events change when a tank is re-evaluated. */
export const refillKey = ({ tankId, atMs }: Pick<SeenRefill, 'tankId' | 'atMs'>): string => `${tankId}@${atMs}`;

/** What one delivery left behind: notes, refills, or both. */
export interface MatchedGroup {
  notes: readonly DeliveryNote[];
  refills: readonly SeenRefill[];
}

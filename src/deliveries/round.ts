import type { CapacityUnit } from '../values/capacity_unit.ts';

export const ROUND_STATES = ['planned', 'under_way', 'done', 'cancelled'] as const;
/** Planned, under way, done or cancelled. A round is also done when all its stops are closed. */
export type RoundState = (typeof ROUND_STATES)[number];

export const STOP_KINDS = ['must', 'could', 'added'] as const;
/** Why a tank is on a round: it has to be filled, it is filled because the truck passes, or a person added it. */
export type StopKind = (typeof STOP_KINDS)[number];

export const STOP_OUTCOMES = ['open', 'delivered', 'not_possible', 'not_done'] as const;
export type StopOutcome = (typeof STOP_OUTCOMES)[number];

/** Who closed a stop. `gauge` means that there was no report and the gauge detected a refill. */
export const OUTCOME_SOURCES = ['driver', 'person', 'gauge'] as const;
export type OutcomeSource = (typeof OUTCOME_SOURCES)[number];

export const NOT_POSSIBLE_REASONS = ['no_access', 'refused', 'full', 'truck_empty', 'unsafe', 'other'] as const;
export type NotPossibleReason = (typeof NOT_POSSIBLE_REASONS)[number];

/** The largest volume of one delivery, in the unit of the truck. */
export const MAX_VOLUME = 1_000_000;

/** A truck with the fields that its rounds need: the depot and the capacity. */
export interface RoundTruck {
  no: number;
  id: string;
  name: string;
  capacity: number;
  capacityUnit: CapacityUnit;
  /** The product that the truck delivers, as people wrote it. Null if it delivers any product. */
  product: string | null;
  depot: { latitude: number; longitude: number };
}

/** How long a round stays open after its day, because gauges of the last stops and phones without network report late. */
export const OPEN_HOURS_AFTER_DAY = 36;

/** The largest number of stops of a round: ordering 200 takes 60 ms, and a truck makes 30 in a day. */
export const MAX_STOPS = 200;

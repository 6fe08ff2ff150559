import type { CapacityUnit } from '../../../values/capacity_unit.ts';
import type { GaugeFault } from '../estimator/gauge_health.ts';

/** Every event type with its data, in the names of the API. */
export interface EventData {
  'tank.low_fill': { fill_percentage: number; threshold_percentage: number };
  'tank.fill_recovered': { fill_percentage: number; threshold_percentage: number };
  'tank.refilled': {
    before_percentage: number;
    after_percentage: number;
    delivered_volume: number;
    volume_unit: CapacityUnit;
    /** Only there if it is true: the level is back where it was before a fall, so the gauge may have been wrong instead. */
    maybe_gauge_fault?: true;
  };
  'tank.rapid_loss': {
    from_percentage: number;
    to_percentage: number;
    hours: number;
    lost_volume: number;
    volume_unit: CapacityUnit;
  };
  'tank.device_silent': { last_reading_at: string; silent_for_hours: number };
  'tank.device_reporting': { silent_since: string };
  'tank.gauge_unreliable': { reason: GaugeFault; since: string; fill_percentage: number };
  'tank.gauge_reliable': { unreliable_since: string; fill_percentage: number };
}
export type EventType = keyof EventData;

export const EVENT_TYPES = [
  'tank.low_fill',
  'tank.fill_recovered',
  'tank.refilled',
  'tank.rapid_loss',
  'tank.device_silent',
  'tank.device_reporting',
  'tank.gauge_unreliable',
  'tank.gauge_reliable',
] as const satisfies readonly EventType[];

/**
 * Events that somebody's work causes and no reading: evaluation neither finds nor retracts them, and nobody gets a mail about
 * them. Webhooks and lists of events have them.
 */
export const WORK_EVENT_TYPES = [
  'tank.acknowledged',
  'tank.acknowledgement_ended',
  'tank.muted',
  'tank.unmuted',
] as const;
export const ALL_EVENT_TYPES = [...EVENT_TYPES, ...WORK_EVENT_TYPES] as const;
export type AnyEventType = (typeof ALL_EVENT_TYPES)[number];

/** SQL condition: the event `e` was caused by readings. Owners see no others. */
export const IS_OF_READINGS_SQL = `e.type not in (${WORK_EVENT_TYPES.map((type) => `'${type}'`).join(', ')})`;

/**
 * Why a reported event was retracted: the gauge was wrong, and the level is back where it was before; or a release of Tankwatch
 * has evaluated the readings wrongly. Events that late readings contradict are retracted without a reason.
 */
export type RetractionReason = 'gauge_fault' | 'evaluation_fault';

/** A reading that an event explains itself with. */
export interface EventReading {
  created_at: string;
  fill_percentage: number;
}

/** The identity of an event: evaluating a tank again finds the same event under the same key. */
export interface EventKey {
  tankNo: number;
  type: EventType;
  /** ISO 8601, UTC, at most milliseconds. */
  occurredAt: string;
}

/** An event to retract. Without a reason, late readings have shown that it did not happen. */
export interface EventRetraction extends EventKey {
  reason?: RetractionReason | undefined;
  /** False after an upgrade: whoever was told of the event is not told that it was retracted. */
  isTold?: boolean;
}

type TypeAndData<Type extends EventType> = Type extends EventType ? { type: Type; data: EventData[Type] } : never;

export type NewEvent = EventKey &
  TypeAndData<EventType> & {
    organizationNo: number;
    readings: readonly EventReading[];
    /** Whether to notify anybody: the event is still current. */
    notify: boolean;
  };

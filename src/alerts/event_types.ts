import type { CapacityUnit } from './tank_state.ts';

/** What can happen to a tank, and what is told of it, in the wire's names. */
export interface EventData {
  'tank.low_fill': { fill_percentage: number; threshold_percentage: number };
  'tank.fill_recovered': { fill_percentage: number; threshold_percentage: number };
  'tank.refilled': {
    before_percentage: number;
    after_percentage: number;
    delivered_volume: number;
    volume_unit: CapacityUnit;
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
}
export type EventType = keyof EventData;

export const EVENT_TYPES = [
  'tank.low_fill',
  'tank.fill_recovered',
  'tank.refilled',
  'tank.rapid_loss',
  'tank.device_silent',
  'tank.device_reporting',
] as const satisfies readonly EventType[];

/** A reading that an event explains itself with. */
export interface EventReading {
  created_at: string;
  fill_percentage: number;
}

/** What an event is known by: the same key is the same event, whoever works it out and however often. */
export interface EventKey {
  tankNo: number;
  type: EventType;
  /** ISO 8601, UTC, at most milliseconds. */
  occurredAt: string;
}

type Told<Type extends EventType> = Type extends EventType ? { type: Type; data: EventData[Type] } : never;

export type NewEvent = EventKey &
  Told<EventType> & {
    organizationNo: number;
    readings: readonly EventReading[];
    /** Whether anybody is to be told: it is still true, and not old news. */
    notify: boolean;
  };

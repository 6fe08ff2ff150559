/** What can happen to a tank, in the wire's words. */
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

export type CapacityUnit = 'liters' | 'gallons';

/** A reading as an event shows it. */
export interface EventReading {
  created_at: string;
  fill_percentage: number;
}

/** One tank never has two events of one type at one time: (tank, type, atMs) is an event's identity. */
export type TankEvent = {
  [Type in EventType]: {
    type: Type;
    atMs: number;
    data: EventData[Type];
    /** Those that caused it, oldest first, so that it explains itself. */
    readings: readonly EventReading[];
  };
}[EventType];

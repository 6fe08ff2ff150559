import type { CapacityUnit } from '../../../values/capacity_unit.ts';
import type { GaugeFault } from '../estimator/gauge_health.ts';

interface FillData {
  fill_percentage: number;
  threshold_percentage: number;
  /** Present only if true: the tank has no sensor, and the level is estimated. */
  estimated?: true;
}

/** Every event type with its data, in the names of the API. */
export interface EventData {
  'tank.low_fill': FillData;
  'tank.fill_recovered': FillData;
  /** The level fell to the order threshold, and the tank is not low. The end of this condition has no event of its own. */
  'tank.order_due': FillData;
  'tank.refilled': {
    before_percentage: number;
    after_percentage: number;
    delivered_volume: number;
    volume_unit: CapacityUnit;
    /** Present only if true: the level is back where it was before a fall, so the gauge may have been wrong instead. */
    maybe_gauge_fault?: true;
  };
  'tank.overfilled': {
    fill_percentage: number;
    limit_percentage: number;
    /** Present only if true: the level rose above the limit by itself. Otherwise a delivery ended above it. */
    without_delivery?: true;
  };
  'tank.rapid_loss': {
    from_percentage: number;
    to_percentage: number;
    hours: number;
    lost_volume: number;
    volume_unit: CapacityUnit;
  };
  'tank.unusual_use': {
    from_percentage: number;
    to_percentage: number;
    hours: number;
    used_volume: number;
    /** The highest use of a day that is usual for the tank. */
    usual_volume_per_day: number;
    volume_unit: CapacityUnit;
  };
  /** `usual_interval_hours` is the usual time between reports. Absent in events of releases before 0.4. */
  'tank.device_silent': { last_reading_at: string; silent_for_hours: number; usual_interval_hours?: number };
  'tank.device_reporting': { silent_since: string };
  'tank.gauge_unreliable': { reason: GaugeFault; since: string; fill_percentage: number };
  'tank.gauge_reliable': { unreliable_since: string; fill_percentage: number };
}
export type EventType = keyof EventData;

export const EVENT_TYPES = [
  'tank.low_fill',
  'tank.fill_recovered',
  'tank.order_due',
  'tank.refilled',
  'tank.overfilled',
  'tank.rapid_loss',
  'tank.unusual_use',
  'tank.device_silent',
  'tank.device_reporting',
  'tank.gauge_unreliable',
  'tank.gauge_reliable',
] as const satisfies readonly EventType[];

/**
 * Events that are caused by the work of people and not by readings: evaluation neither finds nor retracts them, and
 * there are no mails about them. Webhooks and lists of events contain them.
 */
const WORK_EVENT_TYPES = ['tank.acknowledged', 'tank.acknowledgement_ended', 'tank.muted', 'tank.unmuted'] as const;
/**
 * Events of batteries, which devices report beside their readings. There are mails about low batteries, as about silent
 * devices, but not about good ones.
 */
const BATTERY_EVENT_TYPES = ['device.battery_low', 'device.battery_ok'] as const;
/** Events of sources, recorded for the first tank of the source. All contacts get a mail when a source is down. */
const CONNECTOR_EVENT_TYPES = ['connector.down', 'connector.up'] as const;
const OTHER_EVENT_TYPES = [...WORK_EVENT_TYPES, ...BATTERY_EVENT_TYPES, ...CONNECTOR_EVENT_TYPES] as const;
export const ALL_EVENT_TYPES = [...EVENT_TYPES, ...OTHER_EVENT_TYPES] as const;
export type AnyEventType = (typeof ALL_EVENT_TYPES)[number];

/** SQL condition: the event `e` was caused by readings. Owners see only these. */
export const IS_CAUSED_BY_READINGS_SQL = `e.type not in (${OTHER_EVENT_TYPES.map((type) => `'${type}'`).join(', ')})`;

/**
 * Why a reported event was retracted: `gauge_fault` (the gauge was wrong, and the level is back where it was before),
 * `evaluation_fault` (a release of Tankwatch evaluated the readings wrongly) or `gauge_corrected` (the description of
 * the gauge was corrected, and with it all levels). Events that late readings contradict are retracted without a
 * reason.
 */
export const RETRACTION_REASONS = ['gauge_fault', 'gauge_corrected', 'evaluation_fault'] as const;
export type RetractionReason = (typeof RETRACTION_REASONS)[number];

/** A reading that caused the event. */
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
  /** True if those who were notified of the event are notified of its retraction. False after an upgrade. */
  notifiesRecipients?: boolean;
}

type TypeAndData<Type extends EventType> = Type extends EventType ? { type: Type; data: EventData[Type] } : never;

export type NewEvent = EventKey &
  TypeAndData<EventType> & {
    organizationNo: number;
    readings: readonly EventReading[];
    /** Whether to send notifications: the event is still current. */
    notify: boolean;
  };

interface BatteryData {
  device_id: string;
  battery_v: number | null;
  battery_percent: number | null;
}

/** The events that there are mails about, with their data. */
export interface MailedData extends EventData {
  'device.battery_low': BatteryData;
}
export type MailedType = keyof MailedData;

/** An event about the battery of a device, recorded for the first tank of the device. */
export interface BatteryEvent extends Omit<NewEvent, 'type' | 'data'> {
  type: (typeof BATTERY_EVENT_TYPES)[number];
  data: BatteryData;
}

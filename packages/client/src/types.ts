// Generated from openapi.json by `npm run openapi`. A test fails if it is out of date.

/** What can need attention, the most important first. */
export const TANK_STATUSES = [
  'losing',
  'low',
  'gauge_unreliable',
  'silent',
  'soon',
  'refilled',
] as const;

/** What is to be done today, the most urgent first. */
export const SECTIONS = [
  'losing',
  'low',
  'unusual_use',
  'gauge',
  'silent_low',
  'handled',
  'due',
  'refilled',
] as const;

/** Orders of the list of tanks. */
export const FLEET_SORTS = [
  'urgency',
  '-urgency',
  'level',
  '-level',
  'last_reading',
  '-last_reading',
  'last_refill',
  '-last_refill',
  'created',
  '-created',
] as const;

/** What a tank is used for. */
export const USE_CASES = [
  'residential',
  'commercial',
  'industrial',
] as const;

/** What can happen to a tank. */
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
  'tank.acknowledged',
  'tank.acknowledgement_ended',
  'tank.muted',
  'tank.unmuted',
  'device.battery_low',
  'device.battery_ok',
  'connector.down',
  'connector.up',
] as const;

export interface Customer {
  /** ID of the customer. */
  id: string;
  object: 'customer';
  /** When the customer was created. */
  created_at: string;
  /** E-mail address. Several customers can have the same address. */
  email: string;
  /** Whether the e-mail address is verified. */
  is_verified: boolean;
  /** When the customer last used the console, or an API key narrowed to this customer was last used, to the minute. */
  last_seen_at: string | null;
  /** Name of the person or business. */
  name: string;
  /** Phone number. */
  phone: string | null;
  /** Number of tanks the customer owns. */
  tank_count: number;
  /** When a field of the customer last changed. Changes of `last_seen_at` and `tank_count` do not count. */
  updated_at: string;
  /** When the e-mail address was verified. Null if it is not verified, or if it was verified before an import. */
  verified_at: string | null;
}

export interface Tank {
  /** ID of the tank. */
  id: string;
  object: 'tank';
  /** Serial number of the device assigned to the tank, as the manufacturer writes it. */
  assigned_device_id: string;
  /** Total capacity, in `capacity_unit`. */
  capacity: number;
  /** Unit of `capacity`. */
  capacity_unit: 'liters' | 'gallons';
  /** When the tank was created. */
  created_at: string;
  /** The customer's own identifier for the tank. */
  custom_id: string | null;
  /** Location of the tank. All fields are always present. */
  location: {
    /** City. */
    city: string | null;
    /** Country. */
    country: string | null;
    /** District. */
    district: string | null;
    /** Latitude in degrees, positive to the north. */
    latitude: number | null;
    /** Longitude in degrees, positive to the east. */
    longitude: number | null;
    /** Postal code. */
    postal_code: string | null;
    /** Region or state. */
    region: string | null;
    /** Street. */
    street: string | null;
    /** House number. */
    street_number: string | null;
  };
  /** Alert threshold, in percent. At or below it, the tank is low. */
  min_fill_alert_percentage: number;
  /** Name of the tank. */
  name: string;
  /** ID of the customer who owns the tank. */
  owner_id: string;
  /** When a field of the tank last changed. New readings do not count. */
  updated_at: string;
  /** Use of the tank. */
  use_case: 'residential' | 'commercial' | 'industrial' | null;
}

export interface Telemetry {
  object: 'telemetry';
  /** When the device measured the fill level. */
  created_at: string;
  /** Fill level of the tank, in percent. */
  fill_percentage: number;
}

export interface FleetSummary {
  object: 'fleet_summary';
  /** Number of tanks with each status. A tank can have several. */
  counts: {
    /** A rapid loss was seen within the last 48 hours. */
    losing: number;
    /** At or below the alert threshold. */
    low: number;
    /** The readings cannot be relied on. */
    gauge_unreliable: number;
    /** The device does not report. */
    silent: number;
    /** Reaches the threshold within 7 days. */
    soon: number;
    /** Refilled within the last 7 days. */
    refilled: number;
  };
  /** Number of tanks in each section. A tank is only in the first section whose condition is true. */
  sections: {
    /** A rapid loss was seen within the last 48 hours. */
    losing: number;
    /** At or below the alert threshold. */
    low: number;
    /** Unusual use was reported within the last 72 hours. */
    unusual_use: number;
    /** The gauge is unreliable. */
    gauge: number;
    /** The device is silent, and the tank may be at its threshold. */
    silent_low: number;
    /** Somebody takes care of it, and nothing else is open. */
    handled: number;
    /** Reaches the threshold within 3 days, by the organization's time zone. */
    due: number;
    /** Refilled since yesterday. */
    refilled: number;
  };
  /** Number of tanks without a reading so far. They are not silent. */
  not_reporting_yet: number;
  /** Number of tanks without a sensor whose level a person should read. */
  dips_wanted: number;
  /** Number of tanks at or below their order threshold. */
  orders_due: number;
  /** Number of all tanks. */
  total: number;
  /** Time of the newest reading of the fleet. Null before the first one. */
  newest_reading_at: string | null;
  /** When the tanks were counted, at most ten seconds ago. */
  as_of: string;
}

export interface TankStatus {
  object: 'tank_status';
  tank: Tank;
  /** What is in the tank: its own product, or the default of the organization. */
  product: 'propane' | 'butane' | 'lpg_mix' | 'heating_oil' | 'diesel' | 'gasoline' | 'kerosene' | 'water' | 'def' | 'other';
  /** The level to which the tank may be filled: its own, or the limit of its product. */
  fill_limit_percentage: number;
  /** Whether `fill_limit_percentage` is the limit of this tank. A round never fills such a tank above it. False if it is the limit of the product. */
  has_own_limit: boolean;
  /** At or below this level, a delivery is to be ordered. Null if the tank has no order threshold. */
  order_threshold_percentage: number | null;
  /** The operator's own number of the tank, unique in the organization. */
  external_key: string | null;
  /** The customer who owns the tank. */
  owner: {
    /** ID of the customer. */
    id: string;
    /** The operator's own number of the customer. */
    external_key: string | null;
    /** Name of the person or business. */
    name: string;
    /** The phone number to call first. */
    phone: string | null;
    /** All phones, beginning with the phone to call first. */
    phones: Phone[];
  };
  /** The latest reading. Null before the first one. */
  reading: {
    /** When the device measured the fill level. */
    created_at: string;
    /** Fill level of the tank, in percent. */
    fill_percentage: number;
    /** False while the reading differs too much from the expected level, until later readings confirm it. */
    is_confirmed: boolean;
  } | null;
  /** What needs attention, the most urgent first: losing, low, gauge_unreliable, silent, soon (reaches its threshold within 7 days), refilled (within the last 7 days). */
  status: ('losing' | 'low' | 'gauge_unreliable' | 'silent' | 'soon' | 'refilled')[];
  /** What is to be done today, the first that is true: losing, low, unusual_use (reported within the last 72 hours), gauge (unreliable), silent_low (silent, and may be at its threshold), handled (somebody takes care of it), due (reaches its threshold within 3 days), refilled (since yesterday). Days are those of the organization's time zone. Null if nothing is to be done. */
  section: 'losing' | 'low' | 'unusual_use' | 'gauge' | 'silent_low' | 'handled' | 'due' | 'refilled' | null;
  /** Expected use, in percentage points a day. Null without a forecast. */
  use_points_per_day: number | null;
  /** The level and the use as volumes. */
  volume: {
    /** Unit of the volumes. */
    unit: 'liters' | 'gallons';
    /** Volume in the tank at the latest believed reading; while the tank loses gas, at the latest reading. Null if the level is not known. */
    left: number | null;
    /** Expected use per day. */
    use_per_day: number | null;
  };
  /** When the tank is expected to reach its alert threshold. Null without a forecast. While it loses gas: at the rate of the loss. */
  threshold: {
    /** The most likely time. Null if it is more than two years away. */
    likely_at: string | null;
    /** The true time is between `earliest_at` and `latest_at` in four of five cases. */
    earliest_at: string | null;
    /** The end of this range. */
    latest_at: string | null;
  } | null;
  /** When the tank is expected to be empty. Null without a forecast. While it loses gas: at the rate of the loss. */
  empty: {
    /** The most likely time. Null if it is more than two years away. */
    likely_at: string | null;
    /** The true time is between `earliest_at` and `latest_at` in four of five cases. */
    earliest_at: string | null;
    /** The end of this range. */
    latest_at: string | null;
  } | null;
  /** By when to refill the tank: the time since which it is low, otherwise the time when it reaches its threshold. If its level is not known, this is the earliest time. Null without a forecast, or if it is more than two years away. */
  due_at: string | null;
  /** Since when the tank is low. Null if it is not low. */
  low_since: string | null;
  /** Since when the tank is at or below its order threshold. Null if it is above. */
  order_due_since: string | null;
  /** The time of the last reading of a silent device. Null if the device reports. */
  silent_since: string | null;
  /** The usual interval between two readings. Null if it is not known yet. */
  usual_interval_hours: number | null;
  /** When a rapid loss was last seen, within the last 48 hours. */
  losing_seen_at: string | null;
  /** When unusual use was last reported. Null if it never was, if the organization turned it off, or if the gauge is unreliable. */
  unusual_use_at: string | null;
  /** The loss of a losing tank, up to its latest reading. It grows until the loss stops. */
  loss: {
    /** The reading before the loss. */
    began_at: string;
    /** When it was last seen. */
    seen_at: string;
    /** Level before the loss. */
    from_percentage: number;
    /** Level now. After a delivery, the level when the loss was found. */
    to_percentage: number;
    /** Volume lost, in the unit of the tank. */
    volume: number;
    /** Mean rate since it began, in percentage points. */
    percentage_per_hour: number;
    /** Mean rate since it began, as a volume in the unit of the tank. */
    volume_per_hour: number;
    /** When the tank will be empty at this rate. Null if the level no longer falls. */
    empty_at: string | null;
  } | null;
  /** Since when the gauge is unreliable. Null if it is reliable. */
  gauge_unreliable_since: string | null;
  /** The last reading before `gauge_unreliable_since`. Null if the readings can be relied on. */
  last_believable: {
    /** In percent. */
    fill_percentage: number;
    /** When it was measured. */
    created_at: string;
  } | null;
  /** The last refill. Null before the first one. */
  refilled: {
    /** When it was seen. */
    at: string;
    /** Estimated volume, in the unit of the tank. */
    delivered_volume: number;
  } | null;
  /** The next delivery that is planned, today or later. Null if none is planned, or if the tank loses gas. */
  planned_delivery: {
    /** Day of the round in the organization's time zone. */
    date: string;
    /** ID of the round. */
    round_id: string;
    /** Whether the truck is on its way. */
    is_under_way: boolean;
  } | null;
  /** With `include=spark`: the last level of each of the last 14 days, oldest first; null for a day without a reading. */
  spark?: (number | null)[];
  /** What is not decided yet: the next readings or the clock will decide it. Empty for most tanks. */
  waiting: ({
    /** What is not decided yet. */
    kind: 'low_confirmation' | 'doubted_reading' | 'gauge';
    /** What is not decided yet, as an English sentence. */
    text: string;
    /** The reading in question. */
    reading: {
      /** When it was measured. */
      created_at: string;
      /** In percent. */
      fill_percentage: number;
    } | null;
    reason?: 'stuck_at_limit' | 'contradictory_readings';
    /** Since when the gauge is unreliable. */
    since?: string;
    /** The level that was expected instead, in percent. */
    expected_percentage?: number | null;
    /** When the alert is raised without another reading. */
    until?: string;
    /** Readings that agree so far. */
    agreeing_readings?: number;
    /** Readings that must agree. */
    required_readings?: number;
  })[];
  /** What the forecast assumes about the weather. Null if the place of the tank has no weather, if the tank has no forecast, or if it loses gas. */
  weather: {
    /** The place whose weather is meant. */
    place: string;
    /** used: the forecast uses the weather. not_explained: the use of this tank does not follow the weather. not_current: the weather ends at `known_until`. In the last two cases, the forecast does not use the weather. */
    use: 'used' | 'not_explained' | 'not_current';
    /** The share of the use that follows the weather. Null unless used. */
    share_percentage: number | null;
    /** The mean of the forecast temperatures, in °C. Null if only the usual temperatures are known. */
    forecast_c: number | null;
    /** The last day of the forecast temperatures. */
    forecast_until: string | null;
    /** Likely days to the threshold. Null if they are more than two years. */
    days: number | null;
    /** Likely days to the threshold if the weather were not used. */
    days_without: number | null;
    /** The last day whose weather is observed or forecast. */
    known_until: string | null;
  } | null;
  /** Where the level comes from. estimated: the tank has no sensor; its `reading` is the last dip, and its level since then is estimated from the use of similar tanks with sensors. */
  source: 'sensor' | 'estimated';
  /** The estimated level of a tank without a sensor, with a range that contains the true level in four of five cases. Null for a tank with a sensor, and if there is no estimate. */
  level_range: {
    /** The lower end of the range, in percent. */
    low_percentage: number;
    /** The most likely level, in percent. */
    likely_percentage: number;
    /** The upper end of the range, in percent. */
    high_percentage: number;
  } | null;
  /** What is known from manual readings. Null for a tank with a sensor. */
  dip: {
    /** When a person last read the level. Null if nobody has read it so far. */
    last_at: string | null;
    /** Whether a person should read the level: the range is wide, or there is no estimate. */
    is_wanted: boolean;
    /** Why the level is not estimated: it was never read; there are too few tanks with sensors to compare with; a person marked the use as unpredictable (a holiday home, a dryer); it was not read for half a year. Null if it is estimated. */
    cannot_be_told: 'no_level' | 'no_comparison' | 'irregular' | 'too_old' | null;
  } | null;
  /** The conditions that somebody takes care of now. Owners see low only, without the person and the comment. */
  handled: {
    /** The condition that is handled. */
    condition: 'losing' | 'low' | 'gauge_unreliable' | 'silent';
    /** ID of the acknowledgement. Null if the tank is muted instead, and for owners. */
    acknowledgement_id: string | null;
    /** When the acknowledgement ends at the latest. */
    until: string;
    /** What is done. */
    comment: string | null;
    /** Name or address of the person. Null for a program or somebody who was removed. */
    name: string | null;
    /** When it was acknowledged. */
    since: string;
    /** For a low tank, the level at which the acknowledgement ends. Null if the level does not end it. */
    returns_at_percentage: number | null;
  }[];
  /** Until when the tank is muted: nobody gets mails about it, except for a loss. Null if not muted, and for owners. */
  muted_until: string | null;
  /** The mute of the tank. Null if it is not muted, and for owners. */
  muted: {
    /** When it ends. */
    until: string;
    /** When it began. */
    since: string;
    /** Name or address of the person. Null for a program or somebody who was removed. */
    name: string | null;
    /** Why the tank was muted. */
    reason: string | null;
  } | null;
  /** The notes on the tank, newest first. Empty for owners. */
  notes: {
    /** ID of the note. */
    id: string;
    /** What a driver or technician must know. */
    text: string;
    /** Whether it is printed with the round. */
    prints: boolean;
    /** Name or address of the person who wrote it. Null for a program or somebody who was removed. */
    name: string | null;
    /** When it was written. */
    since: string;
  }[];
}

export interface Phone {
  /** Phone number. */
  number: string;
  /** Whose phone it is, or when to call it. */
  whose: string | null;
  /** Whether people send a text to this number when a tank loses gas. Tankwatch sends none to it. */
  text_for_loss: boolean;
}

export interface Series {
  object: 'series';
  /** ID of the tank. */
  tank_id: string;
  /** Start of the range. */
  from: string;
  /** End of the range. */
  to: string;
  /** Time of the first reading of the tank. */
  first_reading_at: string | null;
  /** All readings of the range. Null if there are more than two per bucket. */
  readings: {
    /** When each reading was measured, oldest first. */
    times: string[];
    /** The levels, in percent. */
    levels: number[];
  } | null;
  /** The readings in buckets of equal length. Null if `readings` has them all. */
  buckets: {
    /** Start of each bucket. Buckets without a reading are left out. */
    times: string[];
    /** Number of readings. */
    counts: number[];
    /** First level in the bucket. */
    firsts: number[];
    /** Lowest level. */
    lowests: number[];
    /** Highest level. */
    highests: number[];
    /** Last level. */
    lasts: number[];
  } | null;
  /** When the device was silent, oldest first. */
  gaps: {
    /** The last reading before the silence. */
    from: string;
    /** The next reading, or the end of the range. */
    to: string;
  }[];
}

export interface ThresholdTrial {
  object: 'threshold_trial';
  /** ID of the tank. */
  tank_id: string;
  /** The threshold of the trial, in percent. */
  threshold: number;
  /** Start of the trial. */
  since: string;
  /** Time of the first reading that was evaluated. Null if there is none. */
  first_reading_at: string | null;
  /** Number of low-fill alerts with the threshold of the trial. */
  alerts: number;
  /** Number of low-fill alerts with the tank's own threshold of today. */
  alerts_now: number;
}

export interface Usage {
  object: 'usage';
  /** ID of the tank. */
  tank_id: string;
  /** Length of a period. */
  unit: 'month' | 'week';
  /** Time zone in which periods begin. */
  zone: string;
  /** The periods, oldest first. The last one ends with the last believed reading. */
  periods: {
    /** Start of the period, or the first reading of the tank. */
    starts_at: string;
    /** End of the period, or the last believed reading. */
    ends_at: string;
    /** Volume used, in the unit of the tank. Null without a reading near an edge. */
    used_volume: number | null;
    /** Volume of the refills that were seen. */
    delivered_volume: number;
    /** Volume of rapid losses. Not part of `used_volume`. */
    lost_volume: number;
  }[];
}

export interface TankEvents {
  object: 'tank_events';
  /** ID of the tank. */
  tank_id: string;
  /** The events, newest first. Retracted events are left out unless `retracted=include`. */
  events: ({
    /** ID of the event, the same as in webhooks. */
    id: string;
    /** What happened. */
    type: 'tank.low_fill' | 'tank.fill_recovered' | 'tank.order_due' | 'tank.refilled' | 'tank.overfilled' | 'tank.rapid_loss' | 'tank.unusual_use' | 'tank.device_silent' | 'tank.device_reporting' | 'tank.gauge_unreliable' | 'tank.gauge_reliable' | 'tank.acknowledged' | 'tank.acknowledgement_ended' | 'tank.muted' | 'tank.unmuted' | 'device.battery_low' | 'device.battery_ok' | 'connector.down' | 'connector.up';
    /** When it happened. */
    occurred_at: string;
    /** When it was found. */
    recorded_at: string;
    /** When Tankwatch learned that it did not happen. Null if it is valid. */
    retracted_at: string | null;
    /** Why: `gauge_fault`, the gauge was wrong and the level is back where it was before; `gauge_corrected`, the description of the gauge was corrected, and with it the levels; `evaluation_fault`, a release of Tankwatch evaluated the readings wrongly; `late_readings`, readings that arrived late changed the history. Null if it is valid. */
    retracted_because: 'gauge_fault' | 'gauge_corrected' | 'evaluation_fault' | 'late_readings' | null;
    /** The values of the event. They depend on its type. */
    data: Record<string, unknown>;
    /** The readings that caused it, oldest first. */
    readings: {
      /** Time of the reading. */
      created_at: string;
      /** In percent. */
      fill_percentage: number;
    }[];
    /** What followed an event that begins a condition (low_fill, rapid_loss, device_silent, gauge_unreliable). Null for other events, and for owners. */
    followed: {
      /** Who took care of it, the earliest first. */
      handled: {
        /** Name or address of the person. Null for a program or somebody who was removed. */
        name: string | null;
        /** What is done. */
        comment: string | null;
        /** When it was acknowledged. */
        since: string;
      }[];
      /** When a tank that was low was refilled. Null if it was not refilled, or if it is another condition. */
      refilled_at: string | null;
      /** When the condition ended. Null if it has not ended, or if it is a loss. */
      ended_at: string | null;
    } | null;
  })[];
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null;
  /** Whether there is another page. */
  has_more: boolean;
}

export interface Timeline {
  object: 'timeline';
  /** ID of the tank. */
  tank_id: string;
  /** Newest first. */
  entries: ({
    /** Unique in the timeline. */
    id: string;
    /** The field that is not null. */
    kind: 'level' | 'event' | 'mail' | 'text' | 'act' | 'delivery' | 'note';
    /** When it happened. */
    at: string;
    /** A level worth listing: see `milestone`. */
    level: {
      /** In percent. */
      fill_percentage: number;
      /** Why it is listed: it is the latest reading, or the last reading before a refill. */
      milestone: 'latest' | 'before_refill';
      /** Time of the last refill, if no reading since then was lower. Null otherwise, and for `before_refill`. */
      lowest_since: string | null;
    } | null;
    /** An event that readings caused. */
    event: {
      /** ID of the event, the same as in webhooks. */
      id: string;
      /** What happened. */
      type: 'tank.low_fill' | 'tank.fill_recovered' | 'tank.order_due' | 'tank.refilled' | 'tank.overfilled' | 'tank.rapid_loss' | 'tank.unusual_use' | 'tank.device_silent' | 'tank.device_reporting' | 'tank.gauge_unreliable' | 'tank.gauge_reliable' | 'tank.acknowledged' | 'tank.acknowledgement_ended' | 'tank.muted' | 'tank.unmuted' | 'device.battery_low' | 'device.battery_ok' | 'connector.down' | 'connector.up';
      /** When it happened. */
      occurred_at: string;
      /** When it was found. */
      recorded_at: string;
      /** When Tankwatch learned that it did not happen. Null if it is valid. */
      retracted_at: string | null;
      /** Why: `gauge_fault`, the gauge was wrong and the level is back where it was before; `gauge_corrected`, the description of the gauge was corrected, and with it the levels; `evaluation_fault`, a release of Tankwatch evaluated the readings wrongly; `late_readings`, readings that arrived late changed the history. Null if it is valid. */
      retracted_because: 'gauge_fault' | 'gauge_corrected' | 'evaluation_fault' | 'late_readings' | null;
      /** The values of the event. They depend on its type. */
      data: Record<string, unknown>;
      /** The readings that caused it, oldest first. */
      readings: {
        /** Time of the reading. */
        created_at: string;
        /** In percent. */
        fill_percentage: number;
      }[];
      /** Whether this refill also ended the low-fill alert. */
      ends_alert: boolean;
    } | null;
    /** A mail about an event. */
    mail: {
      /** The first mail about the event, a reminder, or the mail that says that the event did not happen. */
      kind: 'alert' | 'reminder' | 'retraction';
      /** ID of the event that it is about. */
      event_id: string;
      /** Type of this event. */
      event_type: 'tank.low_fill' | 'tank.fill_recovered' | 'tank.order_due' | 'tank.refilled' | 'tank.overfilled' | 'tank.rapid_loss' | 'tank.unusual_use' | 'tank.device_silent' | 'tank.device_reporting' | 'tank.gauge_unreliable' | 'tank.gauge_reliable' | 'tank.acknowledged' | 'tank.acknowledgement_ended' | 'tank.muted' | 'tank.unmuted' | 'device.battery_low' | 'device.battery_ok' | 'connector.down' | 'connector.up';
      /** To whom. */
      to: {
        /** Name or address of the contact, or name of the owner. Null if the person was removed. */
        name: string | null;
        /** Whether the recipient is the owner of the tank, and not a contact. */
        is_owner: boolean;
        /** Why it was not delivered: the mail server rejected the address, or did not accept the mail for hours. Null if the mail server accepted it. */
        failed_because: 'rejected' | 'given_up' | null;
      }[];
    } | null;
    /** A text message about an event. */
    text: {
      /** ID of the event that it is about. */
      event_id: string;
      /** Type of this event. */
      event_type: 'tank.low_fill' | 'tank.fill_recovered' | 'tank.order_due' | 'tank.refilled' | 'tank.overfilled' | 'tank.rapid_loss' | 'tank.unusual_use' | 'tank.device_silent' | 'tank.device_reporting' | 'tank.gauge_unreliable' | 'tank.gauge_reliable' | 'tank.acknowledged' | 'tank.acknowledgement_ended' | 'tank.muted' | 'tank.unmuted' | 'device.battery_low' | 'device.battery_ok' | 'connector.down' | 'connector.up';
      /** Whether the text says that the loss was a false alarm. */
      is_false_alarm: boolean;
      /** To whom. */
      to: {
        /** Name or address of the contact. Null if the contact was removed. */
        name: string | null;
        /** `sent`: the provider accepted it. `delivered` and `failed`: as the provider reports. */
        status: 'waiting' | 'sent' | 'delivered' | 'failed';
        /** Why it failed. */
        error: string | null;
      }[];
    } | null;
    /** What a person did, or when it ended. */
    act: {
      /** What a person did, or what ended. */
      type: 'handling_began' | 'handling_ended' | 'mute_began' | 'mute_ended' | 'device_assigned' | 'threshold_changed' | 'stop_delivered' | 'stop_not_possible';
      /** Who did it. Null for a program, a command, a person who was removed, or nobody. */
      name: string | null;
      /** For handling: the condition that is handled. */
      condition: 'losing' | 'low' | 'gauge_unreliable' | 'silent' | 'device' | null;
      /** For handling and for a mute: when it ends at the latest. */
      until: string | null;
      /** Why it ended, or why a stop was not possible. */
      because: string | null;
      /** What the person wrote. */
      comment: string | null;
      /** The device that was put on the tank. */
      device_id: string | null;
      /** The previous device of the tank. */
      former_device_id: string | null;
      /** The threshold before the change. */
      from_percentage: number | null;
      /** The threshold after the change. */
      to_percentage: number | null;
      /** For a stop without a delivery note: the delivered volume, in the unit of the tank. */
      volume: number | null;
      /** Unit of the volume. */
      unit: 'liters' | 'gallons' | null;
      /** For a stop: the day of its round. */
      round_date: string | null;
      /** For a stop: ID of the truck of its round. */
      truck_id: string | null;
    } | null;
    /** A delivery with its notes. */
    delivery: {
      /** Whether note and gauge agree. Null if the note was cancelled. */
      verdict: 'not_consistent' | 'note_without_refill' | 'refill_without_note' | 'cannot_be_told' | 'waiting' | 'consistent' | null;
      /** Whether the note was cancelled. Then it is in no sum. */
      is_cancelled: boolean;
      /** The notes of this delivery. */
      notes: {
        /** ID of the note. */
        id: string;
        /** Series of the note. Empty if it has none. */
        series: string;
        /** Number of the note. */
        number: string;
        /** As written. */
        volume: number;
        /** As written. */
        unit: 'liters' | 'gallons';
        /** How exact the time is. */
        precision: 'minute' | 'day';
      }[];
      /** The volume by the gauge. Null if no refill was seen, or if it cannot be compared. */
      gauge_volume: number | null;
      /** Unit of the volume of the gauge. */
      unit: 'liters' | 'gallons';
      /** Name of the driver. Null if it is not known, or if the key is narrowed to a customer. */
      driver: string | null;
      /** Name of the truck. */
      truck: string | null;
      /** The comment of the driver, or of the office for the driver. Null if the key is narrowed to a customer. */
      comment: string | null;
    } | null;
    /** A note on the tank. */
    note: {
      /** ID of the note. */
      id: string;
      /** Who wrote it. Null for a program, a command, or a person who was removed. */
      name: string | null;
      /** What it says. */
      text: string;
      /** Whether it is printed with the round. */
      prints: boolean;
    } | null;
  })[];
  /** The numbers of entries of the whole timeline. Null except on the first page. */
  counts: {
    /** Number of levels. */
    level: number;
    /** Number of events. */
    event: number;
    /** Number of mails. */
    mail: number;
    /** Number of text messages. */
    text: number;
    /** Number of acts. */
    act: number;
    /** Number of deliveries. */
    delivery: number;
    /** Number of notes. */
    note: number;
  } | null;
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null;
  /** Whether there is another page. */
  has_more: boolean;
}

export interface FleetDevices {
  object: 'devices';
  /** The devices of the page. */
  devices: FleetDevice[];
  /** The numbers of devices that match the filters `city` and `commissioned_by`. */
  counts: {
    /** Number of silent devices. */
    silent: number;
    /** Number of other devices that could not measure. */
    fault: number;
    /** Number of other devices whose levels cannot be believed. */
    gauge_unreliable: number;
    /** Number of other devices with a low battery. */
    battery_low: number;
    /** Number of other devices with a weak signal. */
    weak_signal: number;
    /** Number of other devices without a reading so far. */
    never_heard: number;
    /** Number of devices in trouble that somebody has taken on. The other counts do not contain them. */
    taken_on: number;
  };
  /** The cities with devices that need a person, the cities with most such devices first. */
  cities: {
    /** The city. Empty if it is not known. */
    city: string;
    /** Number of devices there that need a person. */
    devices: number;
  }[];
  /** Everybody who put a device on a tank. Empty if the key is narrowed to a customer. */
  commissioners: {
    /** ID of the contact, for `commissioned_by`. */
    id: string;
    /** Name or address. Null if the person was removed. */
    name: string | null;
    /** Number of their devices that need a person, in the town of the filter. */
    devices: number;
  }[];
  /** When the devices were counted, at most 10 seconds ago. */
  as_of: string;
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null;
  /** Whether there is another page. */
  has_more: boolean;
}

export interface FleetDevice {
  /** Serial number or DevEUI. */
  device_id: string;
  /** `silent`: it has not reported for much longer than usual. `fault`: it reports that it could not measure. `gauge_unreliable`: its levels cannot be believed. `battery_low`, `weak_signal`: as it reports itself. `never_heard`: its tank has no reading so far. `reporting`: none of these. A device has the first state that is true. */
  state: 'silent' | 'fault' | 'gauge_unreliable' | 'battery_low' | 'weak_signal' | 'never_heard' | 'reporting';
  /** Time of its latest reading on this tank. Null if it has no reading so far. */
  last_heard_at: string | null;
  /** The usual interval between two readings. Null if it is not known yet. */
  usual_interval_hours: number | null;
  /** Since when its levels cannot be believed. */
  gauge_unreliable_since: string | null;
  /** The charge of its battery, in percent. Null if it does not report a percentage. */
  battery_percent: number | null;
  /** The voltage of its battery. Null if it does not report a voltage. */
  battery_v: number | null;
  /** Since when its battery is low. */
  battery_low_since: string | null;
  /** In how many months its battery will be low, at most 24. Null if the charge does not fall clearly so far. */
  battery_months_left: {
    /** At the earliest. */
    min: number;
    /** At the latest. */
    max: number;
  } | null;
  /** The median of its signal in a week. Null if it reports no signal, or reports percent. */
  signal_dbm: number | null;
  /** The median of its signal in a week, if it reports percent. */
  signal_percent: number | null;
  /** Its temperature. */
  temperature_celsius: number | null;
  /** Its firmware. */
  firmware: string | null;
  /** The profile that reads its messages. Null if no profile reads them. */
  profile: string | null;
  /** Why it could not measure. Null if it has no fault. */
  fault: string | null;
  /** Since when it could not measure. */
  fault_since: string | null;
  /** When it will report again, as it says. */
  next_report_at: string | null;
  tank: {
    /** ID of the tank. */
    id: string;
    /** Its name. */
    name: string;
    /** The customer's own identifier for the tank. */
    custom_id: string | null;
    /** City. */
    city: string | null;
  };
  owner: {
    /** ID of the customer. */
    id: string;
    /** Name. */
    name: string;
  };
  /** When it was put on the tank. */
  commissioned_at: string;
  /** ID of the contact who put it there, also if this contact was removed. Null for a program, a command or a device put there before 0.4, and if the key is narrowed to a customer. */
  commissioned_by: string | null;
  /** Who put it there. Null for a program, a command, a person who was removed or a device put there before 0.4, and if the key is narrowed to a customer. */
  commissioned_by_name: string | null;
  /** Who takes care of it, until `until` at the latest. Null if nobody does, or if the key is narrowed to a customer. */
  taken_on: {
    /** ID of the acknowledgement. */
    acknowledgement_id: string;
    /** Name or address of the person. Null for a program. */
    name: string | null;
    /** When the person took it on. */
    since: string;
    /** When the acknowledgement ends at the latest. */
    until: string;
  } | null;
}

export interface TankEvent {
  /** ID of the event, the same as in webhooks. */
  id: string;
  object: 'event';
  /** What happened. */
  type: 'tank.low_fill' | 'tank.fill_recovered' | 'tank.order_due' | 'tank.refilled' | 'tank.overfilled' | 'tank.rapid_loss' | 'tank.unusual_use' | 'tank.device_silent' | 'tank.device_reporting' | 'tank.gauge_unreliable' | 'tank.gauge_reliable' | 'tank.acknowledged' | 'tank.acknowledgement_ended' | 'tank.muted' | 'tank.unmuted' | 'device.battery_low' | 'device.battery_ok' | 'connector.down' | 'connector.up';
  /** When it happened. */
  occurred_at: string;
  /** When it was found. */
  recorded_at: string;
  /** When Tankwatch learned that it did not happen. Null if it is valid. */
  retracted_at: string | null;
  /** Why: `gauge_fault`, the gauge was wrong and the level is back where it was before; `gauge_corrected`, the description of the gauge was corrected, and with it the levels; `evaluation_fault`, a release of Tankwatch evaluated the readings wrongly; `late_readings`, readings that arrived late changed the history. Null if it is valid. */
  retracted_because: 'gauge_fault' | 'gauge_corrected' | 'evaluation_fault' | 'late_readings' | null;
  /** ID of the tank. */
  tank_id: string;
  /** The customer's own identifier for the tank. */
  custom_id: string | null;
  /** ID of the customer who owns the tank. */
  owner_id: string;
  /** The operator's own number of the customer. */
  external_key: string | null;
  /** The values of the event. They depend on its type. */
  data: Record<string, unknown>;
  /** The readings that caused it, oldest first. */
  readings: {
    /** Time of the reading. */
    created_at: string;
    /** In percent. */
    fill_percentage: number;
  }[];
}

export interface Change {
  object: 'change';
  /** What changed. */
  kind: 'customer' | 'tank' | 'level' | 'event' | 'round' | 'stop' | 'delivery_note' | 'verdict';
  /** ID of the object. A level has the ID of its tank. A stop has the ID of its round, a slash and its number. */
  id: string;
  /** Whether the object is deleted. */
  deleted: boolean;
  /** The customer as it is now. Null if it is deleted, or if `kind` is not `customer`. */
  customer: ChangedCustomer | null;
  /** The tank as it is now. Null if it is deleted, or if `kind` is not `tank`. */
  tank: ManagedTank | null;
  level?: Level;
  event?: TankEvent;
  round?: ChangedRound;
  stop?: ChangedStop;
  delivery_note?: WrittenDeliveryNote;
  verdict?: LedgerEntry;
}

export interface ChangedCustomer {
  /** ID of the customer. */
  id: string;
  object: 'customer';
  /** The number of the customer in your own system. It is unique. */
  external_key: string | null;
  /** E-mail address. A changed address is no longer verified, unless the same request sets `is_verified` to true. */
  email: string;
  /** Name. */
  name: string;
  /** The phone number to call first. It is the first of `phones`, or null if only the other phones are left. */
  phone: string | null;
  /** All phones, beginning with the phone to call first. */
  phones: Phone[];
  /** Whether the e-mail address belongs to the customer. */
  is_verified: boolean;
  /** When the address was verified. Read-only. */
  verified_at: string | null;
  /** When the customer was created. */
  created_at: string;
  /** When a field that `/v1` shows last changed. Read-only. */
  updated_at: string;
  /** Send it as `If-Match`. It changes with the fields that can be written. */
  etag: string;
}

export interface ManagedTank {
  /** ID of the tank. */
  id: string;
  object: 'tank';
  /** Serial number of the device assigned to the tank, as the manufacturer writes it. */
  assigned_device_id: string;
  /** Total capacity, in `capacity_unit`. */
  capacity: number;
  /** Unit of `capacity`. */
  capacity_unit: 'liters' | 'gallons';
  /** When the tank was created. */
  created_at: string;
  /** The customer's own identifier for the tank. */
  custom_id: string | null;
  /** Location of the tank. All fields are always present. */
  location: {
    /** City. */
    city: string | null;
    /** Country. */
    country: string | null;
    /** District. */
    district: string | null;
    /** Latitude in degrees, positive to the north. */
    latitude: number | null;
    /** Longitude in degrees, positive to the east. */
    longitude: number | null;
    /** Postal code. */
    postal_code: string | null;
    /** Region or state. */
    region: string | null;
    /** Street. */
    street: string | null;
    /** House number. */
    street_number: string | null;
  };
  /** Alert threshold, in percent. At or below it, the tank is low. */
  min_fill_alert_percentage: number;
  /** Name of the tank. */
  name: string;
  /** ID of the customer who owns the tank. */
  owner_id: string;
  /** When a field of the tank last changed. New readings do not count. */
  updated_at: string;
  /** Use of the tank. */
  use_case: 'residential' | 'commercial' | 'industrial' | null;
  /** Your own number of the tank, unique in the whole organization. Null if it has none. */
  external_key: string | null;
  /** How often the device reports, in hours. After one missed report it is silent, but not before 36 hours. Null if Tankwatch learns it from the readings. For a device that reports on change, give the longest time between two reports. */
  report_interval_hours: number | null;
  /** Whether the tank is on a vehicle, so that its content moves. The level is then the median of several readings. Only refills, low levels and silences are reported. */
  is_mobile: boolean;
  /** What is in the tank. It decides the safety texts, the fill limit, and which truck may come. Null for the default product of the organization. */
  product: 'propane' | 'butane' | 'lpg_mix' | 'heating_oil' | 'diesel' | 'gasoline' | 'kerosene' | 'water' | 'def' | 'other' | null;
  /** The level to which the tank may be filled. Null if the limit of its product counts. */
  fill_limit_percentage: number | null;
  /** At or below this level, a delivery is to be ordered: the event `tank.order_due`. It must be above `min_fill_alert_percentage`. Null if the tank has no order threshold. */
  order_threshold_percentage: number | null;
  /** When the levels of its stored readings were last computed again, because its gauge was corrected. Copy its readings again then. Null if they never were. Read-only. */
  levels_changed_at: string | null;
  /** Send it as `If-Match`. It changes with the fields that can be written. */
  etag: string;
}

export interface Level {
  /** ID of the tank. */
  tank_id: string;
  /** The customer's own identifier for the tank. */
  custom_id: string | null;
  /** ID of the customer who owns the tank. */
  owner_id: string;
  /** The operator's own number of the customer. */
  external_key: string | null;
  /** When the device measured it. */
  created_at: string;
  /** Fill level of the tank, in percent. */
  fill_percentage: number;
}

export interface ChangedRound {
  /** ID of the round. */
  id: string;
  /** Day of the round in the organization's time zone. */
  date: string;
  /** The state that people set. A round whose stops are all closed is also done: see its stops. */
  state: 'planned' | 'under_way' | 'done' | 'cancelled';
  /** ID of the truck. */
  truck_id: string;
  /** ID of the driver. Null if the round has no driver yet. */
  driver_id: string | null;
  /** When it began. */
  started_at: string | null;
  /** When it was done or cancelled. */
  ended_at: string | null;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
}

export interface ChangedStop {
  /** ID of the round. */
  round_id: string;
  /** Number of the stop in its round. */
  number: number;
  /** Day of the round in the organization's time zone. */
  date: string;
  /** ID of the truck. */
  truck_id: string;
  /** ID of the tank. Null if it was deleted. */
  tank_id: string | null;
  /** The customer's own identifier for the tank. */
  custom_id: string | null;
  /** Unit of the volumes: that of the truck. */
  volume_unit: 'liters' | 'gallons';
  /** Volume as it was planned, or as a person chose it. */
  planned_volume: number;
  /** What happened there. */
  outcome: 'open' | 'delivered' | 'not_possible' | 'not_done';
  /** Who or what reported the outcome. Null if it is not reported. */
  outcome_from: 'driver' | 'person' | 'gauge' | null;
  /** When it happened. */
  outcome_at: string | null;
  /** Why it was not possible. */
  reason: 'no_access' | 'refused' | 'full' | 'truck_empty' | 'unsafe' | 'other' | null;
  /** The delivered volume, as a person reported it or the gauge measured it. */
  delivered_volume: number | null;
}

export interface WrittenDeliveryNote {
  /** ID of the note. */
  id: string;
  object: 'delivery_note';
  /** Series of the note. Empty if it has none. */
  series: string;
  /** Number of the note. */
  number: string;
  /** When it was written. The beginning of the day, if only the day is known. */
  at: string;
  /** How exact `at` is. */
  precision: 'minute' | 'day';
  /** The volume, as written. */
  volume: number;
  /** Unit of the volume. */
  unit: 'liters' | 'gallons';
  /** ID of the customer. */
  customer_id: string;
  /** ID of the tank. Null if the note names only the customer, or if the tank was deleted. */
  tank_id: string | null;
  /** ID of the truck. */
  truck_id: string | null;
  /** ID of the driver. */
  driver_id: string | null;
  /** What was delivered, if the note says it. Null if it is the product that the tank holds. */
  product: 'propane' | 'butane' | 'lpg_mix' | 'heating_oil' | 'diesel' | 'gasoline' | 'kerosene' | 'water' | 'def' | 'other' | null;
  /** Whether the truck's meter converts to the volume at 15.6 °C (60 °F). Null if the setting of the truck counts. */
  compensated: boolean | null;
  /** Temperature of the product in °C, if the note prints it. */
  product_temperature: number | null;
  /** Level after the delivery in percent, as the driver wrote it. */
  filled_to: number | null;
  /** Your own reference, such as the number of an order or an invoice. Several notes can have the same. */
  reference: string | null;
  /** A cancelled note counts nowhere. */
  status: 'valid' | 'cancelled';
  /** How it was first written. Read-only. */
  source: 'api' | 'console' | 'import' | 'driver';
  /** When it was created. Read-only. */
  created_at: string;
  /** When it was last changed. Read-only. */
  updated_at: string;
}

export interface LedgerEntry {
  /** ID of the entry. It stays the same while its first note or refill stays the same. */
  id: string;
  /** When the first note was written; without a note, when the gauge saw the refill. */
  at: string;
  /** Whether note and gauge agree. */
  verdict: 'not_consistent' | 'note_without_refill' | 'refill_without_note' | 'cannot_be_told' | 'waiting' | 'consistent';
  /** Why note and gauge cannot be compared. */
  reason: 'no_sensor' | 'compensation_unknown' | 'gauge_in_question' | 'readings_far_apart' | 'nearly_empty_before' | 'nearly_full_after' | 'range_too_wide' | 'below_five_points' | 'common_offset' | 'trucks_differ' | null;
  /** Whether the delivery differs from the earlier deliveries to its tank. */
  unlike_earlier: boolean;
  /** Whether a person decided which refill one of its notes belongs to. */
  pinned: boolean;
  /** The notes of this delivery. Empty for a refill without a note. */
  notes: {
    /** ID of the note. */
    id: string;
    /** Series of the note. Empty if it has none. */
    series: string;
    /** Number of the note. */
    number: string;
    /** When it was written. */
    at: string;
    /** How exact `at` is. */
    precision: 'minute' | 'day';
    /** Volume, as written. */
    volume: number;
    /** Unit of the volume, as written. */
    unit: 'liters' | 'gallons';
    /** What was delivered, if the note says it. */
    product: 'propane' | 'butane' | 'lpg_mix' | 'heating_oil' | 'diesel' | 'gasoline' | 'kerosene' | 'water' | 'def' | 'other' | null;
    /** Whether its tank holds another product than the note says. */
    is_other_product: boolean;
  }[];
  /** The refills of this delivery that gauges saw. */
  refills: {
    /** ID of the tank. */
    tank_id: string;
    /** Time of the refill. */
    at: string;
  }[];
  /** The tanks of its refills and notes. */
  tanks: {
    /** ID of the tank. */
    id: string;
    /** Its name. */
    name: string;
    /** The customer's own identifier for the tank. */
    custom_id: string | null;
  }[];
  owner: {
    /** ID of the customer. */
    id: string;
    /** Its name. */
    name: string;
    /** The operator's own number of the customer. */
    external_key: string | null;
  };
  /** The truck of the notes. Null if they name none or several. */
  truck: {
    /** ID of the truck. */
    id: string;
    /** Its name. */
    name: string;
  } | null;
  /** The driver of the notes. Null if they name none or several, or if the key is narrowed to a customer. */
  driver: {
    /** ID of the driver. */
    id: string;
    /** Its name. */
    name: string;
  } | null;
  /** Unit of the volumes: that of the notes, or of the tank. */
  unit: 'liters' | 'gallons';
  /** The sum of the volumes on the notes. */
  note_volume: number | null;
  /** The volume that went through the hose, computed from the notes. Null if it is unknown whether the meter compensates temperature. */
  pumped_volume: number | null;
  /** The delivered volume, as the gauge saw it. */
  gauge_volume: number | null;
  /** The smallest volume of the notes that the gauge allows. Null if it is not compared. */
  from_volume: number | null;
  /** The largest volume of the notes that the gauge allows. Null if it is not compared. */
  to_volume: number | null;
  /** For a note without a refill: a refill of the same customer that has no note and is near in time and volume. */
  may_belong_to: {
    tank: {
      /** ID of the tank. */
      id: string;
      /** Its name. */
      name: string;
      /** The customer's own identifier for the tank. */
      custom_id: string | null;
    };
    /** Time of the refill. */
    refill_at: string;
    /** Its volume, as the gauge saw it. */
    gauge_volume: number;
  } | null;
}

export interface Reading {
  object: 'reading';
  /** ID of the tank. */
  tank_id: string;
  /** The customer's own identifier for the tank. */
  custom_id: string | null;
  /** ID of the customer who owns the tank. */
  owner_id: string;
  /** The operator's own number of the customer. */
  external_key: string | null;
  /** When the device measured it. */
  created_at: string;
  /** Fill level of the tank, in percent. */
  fill_percentage: number;
  /** When it was stored. A late reading is stored long after it was measured. Null for a reading that was already stored when you began without `after`. */
  stored_at: string | null;
}

export interface History {
  object: 'history';
  /** The events, newest first. Retracted events are left out unless `retracted=include`. */
  events: ({
    /** ID of the event, the same as in webhooks. */
    id: string;
    /** What happened. */
    type: 'tank.low_fill' | 'tank.fill_recovered' | 'tank.order_due' | 'tank.refilled' | 'tank.overfilled' | 'tank.rapid_loss' | 'tank.unusual_use' | 'tank.device_silent' | 'tank.device_reporting' | 'tank.gauge_unreliable' | 'tank.gauge_reliable' | 'tank.acknowledged' | 'tank.acknowledgement_ended' | 'tank.muted' | 'tank.unmuted' | 'device.battery_low' | 'device.battery_ok' | 'connector.down' | 'connector.up';
    /** When it happened. */
    occurred_at: string;
    /** When it was found. */
    recorded_at: string;
    /** When Tankwatch learned that it did not happen. Null if it is valid. */
    retracted_at: string | null;
    /** Why: `gauge_fault`, the gauge was wrong and the level is back where it was before; `gauge_corrected`, the description of the gauge was corrected, and with it the levels; `evaluation_fault`, a release of Tankwatch evaluated the readings wrongly; `late_readings`, readings that arrived late changed the history. Null if it is valid. */
    retracted_because: 'gauge_fault' | 'gauge_corrected' | 'evaluation_fault' | 'late_readings' | null;
    /** The values of the event. They depend on its type. */
    data: Record<string, unknown>;
    /** The readings that caused it, oldest first. */
    readings: {
      /** Time of the reading. */
      created_at: string;
      /** In percent. */
      fill_percentage: number;
    }[];
    /** What followed an event that begins a condition (low_fill, rapid_loss, device_silent, gauge_unreliable). Null for other events, and for owners. */
    followed: {
      /** Who took care of it, the earliest first. */
      handled: {
        /** Name or address of the person. Null for a program or somebody who was removed. */
        name: string | null;
        /** What is done. */
        comment: string | null;
        /** When it was acknowledged. */
        since: string;
      }[];
      /** When a tank that was low was refilled. Null if it was not refilled, or if it is another condition. */
      refilled_at: string | null;
      /** When the condition ended. Null if it has not ended, or if it is a loss. */
      ended_at: string | null;
    } | null;
    tank: {
      /** ID of the tank. */
      id: string;
      /** Its name. */
      name: string;
      /** The customer's own identifier for the tank. */
      custom_id: string | null;
      /** What is in it. */
      product: 'propane' | 'butane' | 'lpg_mix' | 'heating_oil' | 'diesel' | 'gasoline' | 'kerosene' | 'water' | 'def' | 'other';
    };
    owner: {
      /** ID of the customer. */
      id: string;
      /** Its name. */
      name: string;
    };
  })[];
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null;
  /** Whether there is another page. */
  has_more: boolean;
}

export interface SearchResult {
  object: 'search_result';
  /** The most urgent tanks that match, at most 8. */
  tanks: TankStatus[];
  /** Customers that match, by name, at most 8. */
  customers: FleetCustomer[];
  /** What similar words find, if fewer than 3 tanks and customers match: a word with two letters swapped, or one missing, too many or wrong, is replaced by a word that tanks or customers have. Null if they find nothing. */
  similar: {
    /** The corrected words. */
    q: string;
    /** Other words that may be meant instead of a single word, the likeliest first. */
    others: string[];
    /** Other tanks that match `q`, at most 8. */
    tanks: TankStatus[];
    /** Other customers that match `q`, by name, at most 8. */
    customers: FleetCustomer[];
  } | null;
}

export interface FleetCustomer {
  /** ID of the customer. */
  id: string;
  object: 'customer';
  /** When the customer was created. */
  created_at: string;
  /** E-mail address. Several customers can have the same address. */
  email: string;
  /** Whether the e-mail address is verified. */
  is_verified: boolean;
  /** When the customer last used the console, or an API key narrowed to this customer was last used, to the minute. */
  last_seen_at: string | null;
  /** Name of the person or business. */
  name: string;
  /** Phone number. */
  phone: string | null;
  /** Number of tanks the customer owns. */
  tank_count: number;
  /** When a field of the customer last changed. Changes of `last_seen_at` and `tank_count` do not count. */
  updated_at: string;
  /** When the e-mail address was verified. Null if it is not verified, or if it was verified before an import. */
  verified_at: string | null;
  /** The operator's own number of the customer. */
  external_key: string | null;
  /** When the customer ended the reminders about low tanks. Null if they are sent. */
  reminders_off_since: string | null;
  /** The most important status of the tanks of the customer. Null if no tank needs anything. */
  worst_status: 'losing' | 'low' | 'gauge_unreliable' | 'silent' | 'soon' | null;
}

export interface SimilarCustomers {
  object: 'similar_customers';
  /** Customers that may be the same, at most 3, those with most in common first. */
  customers: {
    /** ID of the customer. */
    id: string;
    /** Name of the person or business. */
    name: string;
    /** The operator's own number of the customer. */
    external_key: string | null;
    /** E-mail address. */
    email: string;
    /** Phone number. */
    phone: string | null;
    /** What is the same or, for the name, similar. */
    same: ('external_key' | 'phone' | 'email' | 'address' | 'name')[];
  }[];
}

export interface CustomerUsage {
  object: 'customer_usage';
  /** ID of the customer. */
  customer_id: string;
  /** Length of a period. */
  unit: 'month' | 'week';
  /** Time zone in which periods begin. */
  zone: string;
  /** Number of tanks that were added, at most 200. */
  tanks: number;
  /** The sums of all tanks with the same unit. */
  volumes: ({
    /** Unit of the tanks. Units are never added. */
    unit: 'liters' | 'gallons';
    /** The periods, oldest first. The last one ends with the last believed reading. */
    periods: {
      /** Start of the period. */
      starts_at: string;
      /** Volume used. */
      used_volume: number;
      /** Volume of the refills that were seen. */
      delivered_volume: number;
      /** Volume of rapid losses. Not part of `used_volume`. */
      lost_volume: number;
      /** Tanks without a reading near an edge of the period. */
      unknown_tanks: number;
    }[];
  })[];
}

export interface CustomerRefills {
  object: 'customer_refills';
  /** ID of the customer. */
  customer_id: string;
  /** Time zone in which months begin. */
  zone: string;
  /** Months with refills, newest first. A customer with tanks in both units has a line for each. */
  months: {
    /** Start of the month. */
    starts_at: string;
    /** Unit of the tanks. Units are never added. */
    unit: 'liters' | 'gallons';
    /** Number of refills that were seen. */
    refills: number;
    /** Their volume, estimated from the levels. */
    delivered_volume: number;
  }[];
}

export interface Ledger {
  object: 'ledger';
  /** Time zone in which months begin. */
  zone: string;
  /** The totals of all entries that match the filters, whatever their verdict. */
  counts: {
    /** Number of notes. */
    notes: number;
    /** Their volume in liters, as written. */
    note_liters: number;
    /** Number of entries with this verdict. */
    not_consistent: number;
    /** Number of entries with this verdict. */
    note_without_refill: number;
    /** Number of entries with this verdict. */
    refill_without_note: number;
    /** Number of entries with this verdict. */
    cannot_be_told: number;
    /** Number of entries with this verdict. */
    waiting: number;
    /** Number of entries with this verdict. */
    consistent: number;
    /** About how many correct deliveries are `not_consistent` by chance. */
    expected_by_chance: number;
  };
  /** How much all gauges together differ from the notes, if correct gauges cannot differ that much. Then no note is compared and no truck is flagged. Null if they do not differ that much. */
  common_offset: {
    /** The share by which the gauges show more than the notes. -0.16 is 16 % less. */
    share: number;
    /** A sentence for people. */
    texts: {
      /** What to check, in English. */
      en: string;
      /** What to check, in Spanish. */
      es: string;
    };
  } | null;
  /** Newest first. */
  entries: LedgerEntry[];
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null;
  /** Whether there is another page. */
  has_more: boolean;
}

export interface LedgerTotals {
  object: 'ledger_totals';
  /** Whether the sums are by truck, driver or month. */
  by: 'truck' | 'driver' | 'month';
  /** Time zone in which months begin. */
  zone: string;
  /** The first month, such as 2024-11. */
  from: string;
  /** The last month. */
  to: string;
  /** Whether there are several trucks or drivers to compare. */
  against_others: boolean;
  /** Whether some trucks or drivers that are not flagged differ by more than 2 %. The data does not show which of them is wrong. */
  differ: boolean;
  /** How much all gauges together differ from the notes, if correct gauges cannot differ that much. Then no note is compared and no truck is flagged. Null if they do not differ that much. */
  common_offset: {
    /** The share by which the gauges show more than the notes. -0.16 is 16 % less. */
    share: number;
    /** A sentence for people. */
    texts: {
      /** What to check, in English. */
      en: string;
      /** What to check, in Spanish. */
      es: string;
    };
  } | null;
  /** Tanks with three compared deliveries, if they are too few for a comparison; otherwise 0. */
  tanks: number;
  /** How many such tanks a comparison needs; 0 if there are enough. */
  tanks_needed: number;
  /** The sums, ordered by name; months newest first. */
  totals: ({
    /** ID of the truck or driver, or the month, such as 2025-10. Null if the notes name none. */
    id: string | null;
    /** Name of the truck or driver. */
    name: string | null;
    /** Unit of the volumes. */
    unit: 'liters' | 'gallons';
    /** Number of deliveries with a note. */
    deliveries: number;
    /** Number of notes. */
    notes: number;
    /** Deliveries that are consistent. */
    consistent: number;
    /** Deliveries that are not consistent. */
    not_consistent: number;
    /** Deliveries that cannot be compared. */
    cannot_be_told: number;
    /** Deliveries that wait for the gauge. */
    waiting: number;
    /** Notes without a refill. */
    note_without_refill: number;
    /** The sum of all notes, as written. */
    note_volume: number;
    /** The sum of the notes with a refill, as pumped. */
    compared_volume: number;
    /** The sum of these refills, by the gauges. */
    gauge_volume: number;
    /** The sum of the notes of deleted customers, of all times. It is in no other sum. Only by truck. */
    erased_volume: number;
    /** The comparison with the others. Null if it is not possible yet. */
    compared: {
      /** The share by which its notes exceed the gauges more than the notes of the others do. If there are no others, the share by which its notes exceed the gauges. 0.02 is 2 %. A flagged truck or driver is not among the others. The part that the truck of a driver explains is not counted. */
      excess: number | null;
      /** Lower limit of the true excess, which stays valid however often it is read. Null if it is not known yet. */
      from: number | null;
      /** Upper limit of the true excess, which stays valid however often it is read. Null if it is not known yet. */
      to: number | null;
      /** Deliveries that were compared: those with one note and one refill that certainly belong together. */
      deliveries: number;
      /** Number of tanks of these deliveries. */
      tanks: number;
      /** It differs by more than 2 % from more than half of the others, and more than half agree with each other: have the meter checked. If there are only one or two, none is flagged. */
      flagged: boolean;
      /** What is needed to detect a difference. */
      missing: {
        /** The excess that could then be detected, such as 0.03. */
        excess: number;
        /** About how many more deliveries to the same tanks are needed. Null if no number of deliveries is enough. */
        deliveries: number | null;
        /** How many tanks would be enough if each truck or driver serves tanks of its own. If they share tanks, far fewer are enough. */
        own_tanks: number;
      };
    } | null;
  })[];
}

export interface FleetMap {
  object: 'fleet_map';
  /** Cells with tanks, the fullest first, at most 2,000. */
  cells: ({
    /** Mean latitude of the tanks of the cell. */
    latitude: number;
    /** Mean longitude. */
    longitude: number;
    /** Number of tanks. */
    tanks: number;
    /** ID of the tank, if the cell has only one. */
    tank_id: string | null;
    /** Number of tanks with each status. A tank can have several. */
    counts: {
      /** A rapid loss was seen within the last 48 hours. */
      losing: number;
      /** At or below the alert threshold. */
      low: number;
      /** The readings cannot be relied on. */
      gauge_unreliable: number;
      /** The device does not report. */
      silent: number;
      /** Reaches the threshold within 7 days. */
      soon: number;
      /** Refilled within the last 7 days. */
      refilled: number;
    };
  })[];
  /** Cities with tanks, the most tanks first, at most 200. */
  places: {
    /** The city, written as in the tanks. */
    city: string;
    /** Mean latitude of its tanks. */
    latitude: number;
    /** Mean longitude. */
    longitude: number;
    /** Number of tanks. */
    tanks: number;
    /** Number of tanks with each status. A tank can have several. */
    counts: {
      /** A rapid loss was seen within the last 48 hours. */
      losing: number;
      /** At or below the alert threshold. */
      low: number;
      /** The readings cannot be relied on. */
      gauge_unreliable: number;
      /** The device does not report. */
      silent: number;
      /** Reaches the threshold within 7 days. */
      soon: number;
      /** Refilled within the last 7 days. */
      refilled: number;
    };
  }[];
  /** Tanks that are in no cell. Empty without `include=tanks`. */
  tanks: {
    /** ID of the tank. */
    id: string;
    /** Its latitude. */
    latitude: number;
    /** Its longitude. */
    longitude: number;
    /** Its statuses, the most important first. */
    status: ('losing' | 'low' | 'gauge_unreliable' | 'silent' | 'soon' | 'refilled')[];
  }[];
  /** The smallest area that has all these tanks. Null if there are none. */
  bounds: {
    /** Longitude of the westernmost tank. */
    west: number;
    /** Latitude of the southernmost tank. */
    south: number;
    /** Longitude of the easternmost tank. */
    east: number;
    /** Latitude of the northernmost tank. */
    north: number;
  } | null;
}

export interface RoundList {
  object: 'list';
  /** By day and truck, at most 1000. */
  data: RoundSummary[];
}

export interface RoundSummary {
  object: 'round_summary';
  /** ID of the round. */
  id: string;
  /** Day of the round in the organization's time zone. */
  date: string;
  /** planned, under_way, done or cancelled. A round is also done when all its stops are closed. */
  state: 'planned' | 'under_way' | 'done' | 'cancelled';
  truck: {
    /** ID of the truck. */
    id: string;
    /** Name of the truck. */
    name: string;
    /** The volume that the truck holds. */
    capacity: number;
  };
  /** The driver. Null if the round has no driver yet. */
  driver: {
    /** ID of the driver. */
    id: string;
    /** Name. Null if the driver was deleted. */
    name: string | null;
    /** Phone number. */
    phone: string | null;
  } | null;
  /** Unit of the volumes: that of the truck. */
  volume_unit: 'liters' | 'gallons';
  /** Sum of the planned volumes. */
  volume: number;
  /** The volume that the truck needs: what was delivered, and what fits at the open stops. Blocked stops need nothing. */
  load_volume: number;
  counts: {
    /** All stops. */
    stops: number;
    /** Stops that have to be visited. */
    must: number;
    /** Stops that are still open. */
    open: number;
    /** Stops with a delivery. */
    delivered: number;
    /** Stops where a delivery was not possible. */
    not_possible: number;
    /** Stops without a report when the round ended. */
    not_done: number;
    /** Open stops whose tanks lose gas. */
    blocked: number;
  };
  /** Until when a person can undo the end of the round: 30 minutes after it. Null if the round has not ended, and after this time. */
  undo_until: string | null;
}

export interface FleetRound {
  object: 'fleet_round';
  /** ID of the round. */
  id: string;
  /** Day of the round in the organization's time zone. */
  date: string;
  /** planned, under_way, done or cancelled. A round is also done when all its stops are closed. */
  state: 'planned' | 'under_way' | 'done' | 'cancelled';
  truck: {
    /** ID of the truck. */
    id: string;
    /** Name of the truck. */
    name: string;
    /** The volume that the truck holds. */
    capacity: number;
  };
  /** The driver. Null if the round has no driver yet. */
  driver: {
    /** ID of the driver. */
    id: string;
    /** Name. Null if the driver was deleted. */
    name: string | null;
    /** Phone number. */
    phone: string | null;
  } | null;
  /** Unit of the volumes: that of the truck. */
  volume_unit: 'liters' | 'gallons';
  /** Sum of the planned volumes. */
  volume: number;
  /** The volume that the truck needs: what was delivered, and what fits at the open stops. Blocked stops need nothing. */
  load_volume: number;
  counts: {
    /** All stops. */
    stops: number;
    /** Stops that have to be visited. */
    must: number;
    /** Stops that are still open. */
    open: number;
    /** Stops with a delivery. */
    delivered: number;
    /** Stops where a delivery was not possible. */
    not_possible: number;
    /** Stops without a report when the round ended. */
    not_done: number;
    /** Open stops whose tanks lose gas. */
    blocked: number;
  };
  /** Until when a person can undo the end of the round: 30 minutes after it. Null if the round has not ended, and after this time. */
  undo_until: string | null;
  /** Up to which level tanks are filled, in percent. */
  fill_to_percentage: number;
  /** Above this chance, from 0 to 1, a tank has to be visited. */
  chance_limit: number;
  depot: {
    /** Name of the depot. */
    name: string;
    /** In degrees. */
    latitude: number;
    /** In degrees. */
    longitude: number;
  };
  /** The length of straight lines from the depot through the stops in their order and back, without blocked stops, in km. */
  straight_line_km: number;
  /** The sheet of paper of the driver. Null if none was printed. */
  print: {
    /** When the last sheet was printed. */
    at: string;
    /** Who printed it. Null for a program or a person who was removed. */
    by_name: string | null;
    /** Whether the sheet is out of date: a stop was blocked, unblocked, added or removed, or its volume changed by 5 % and 10 gallons or more. */
    is_old: boolean;
  } | null;
  /** In their order. */
  stops: FleetStop[];
}

export interface FleetStop {
  /** Number of the stop in its round. It stays when the order changes. */
  number: number;
  /** must: the chance of being empty before the next delivery day is above `chance_limit`, or the customer called. could: fits into the round. added: by a person. */
  kind: 'must' | 'could' | 'added';
  /** Volume to deliver. While the stop is open, it follows the level of the tank, unless a person chose it. 0 if the stop is blocked, or its tank was filled meanwhile. */
  volume: number;
  /** Volume when the stop was planned, or that a person chose. */
  planned_volume: number;
  /** Where the volume comes from. level: what fits now. person: somebody chose it. plan: as planned, because the level is not known or the stop is closed. */
  volume_from: 'level' | 'person' | 'plan';
  /** Whether the volume differs from the planned one by 5 % and 10 gallons or more. */
  is_volume_changed: boolean;
  /** Chance of being empty before the next delivery day, from 0 to 1. While the stop is open, it is the current chance, otherwise the chance when it was planned. Null without a forecast. */
  chance: number | null;
  /** Level now, in percent. Null if the stop is closed or the level is not known. */
  fill_percentage: number | null;
  /** Level when the stop was planned, in percent. Null if it is not known. */
  planned_fill_percentage: number | null;
  /** Whether the tank was filled since the stop was planned, so that less than 5 % of it fits. */
  is_filled_meanwhile: boolean;
  /** Not null while the tank loses gas: nobody may deliver there. */
  block: {
    /** When the loss began. */
    since: string;
    /** When the driver confirmed having read about the loss. Null before that. */
    read_at: string | null;
  } | null;
  /** Whether the truck delivers another product than the tank holds: nobody should deliver. False if the stop is closed. */
  is_other_product: boolean;
  /** not_possible: somebody was there or tried to get there. not_done: the round ended without a report about it. */
  outcome: 'open' | 'delivered' | 'not_possible' | 'not_done';
  /** Who reported the outcome. gauge: nobody did, but the gauge saw a refill on that day. */
  outcome_from: 'driver' | 'person' | 'gauge' | null;
  /** When it happened. */
  outcome_at: string | null;
  /** Why it was not possible. */
  reason: 'no_access' | 'refused' | 'full' | 'truck_empty' | 'unsafe' | 'other' | null;
  /** Volume as the driver reported it, otherwise as the gauge measured it. */
  delivered_volume: number | null;
  /** Volume of the refill that the gauge saw on that day. */
  seen_volume: number | null;
  /** The gauge contradicts the outcome. refill_seen: it saw a refill, although the delivery was not possible. no_refill_seen: it saw no refill until 12 hours after the day. */
  contradiction: 'refill_seen' | 'no_refill_seen' | null;
  /** Where to go. Null if the tank was deleted. */
  tank: {
    /** ID of the tank. */
    id: string;
    /** Name. */
    name: string;
    /** The customer's own identifier for the tank. */
    custom_id: string | null;
    /** Street. */
    street: string | null;
    /** Number in the street. */
    street_number: string | null;
    /** District. */
    district: string | null;
    /** Postal code. */
    postal_code: string | null;
    /** City. */
    city: string | null;
    /** Latitude in degrees. */
    latitude: number | null;
    /** Longitude in degrees. */
    longitude: number | null;
    /** ID of the customer. */
    owner_id: string;
    /** Name of the customer. */
    owner_name: string;
    /** Phone number of the customer, the one to call first. */
    owner_phone: string | null;
    /** All phones, beginning with the phone to call first. */
    owner_phones: Phone[];
  } | null;
  /** The notes on the tank that are printed with a round. */
  notes: string[];
  /** What the driver, or the office for the driver, wrote about it. */
  comment: string | null;
  /** Series and number of the delivery note that was written there. */
  note: string | null;
  /** Who recorded the outcome in the office. Null if nobody did, or for a program or a person who was removed. */
  said_by_name: string | null;
  /** A later entry of the driver or of the office that contradicts the first one. The first one counts. Null if there is none. */
  other_entry: OtherStopEntry | null;
}

export interface OtherStopEntry {
  /** Who made the entry. person: somebody in the office. */
  from: 'driver' | 'person';
  /** What happened. */
  kind: 'delivered' | 'not_possible';
  /** What was delivered. */
  volume: number | null;
  /** Why it was not possible. */
  reason: 'no_access' | 'refused' | 'full' | 'truck_empty' | 'unsafe' | 'other' | null;
  /** What was written with the entry. */
  comment: string | null;
  /** Series and number of the delivery note. */
  note: string | null;
  /** When it happened. */
  at: string;
  /** Who recorded it in the office. */
  said_by_name: string | null;
}

export interface Settings {
  object: 'settings';
  organization: {
    /** Code of the organization. */
    code: string;
    /** Name of the organization. */
    name: string;
    /** Language of its mails, such as es-MX. */
    language: string;
    /** Time zone of its mails. */
    time_zone: string;
    /** The number that its mails and the console ask to call. */
    phone: string | null;
    /** The address that replies to its mails go to. */
    reply_to: string | null;
    /** The product of tanks that have none of their own. */
    default_product: 'propane' | 'butane' | 'lpg_mix' | 'heating_oil' | 'diesel' | 'gasoline' | 'kerosene' | 'water' | 'def' | 'other';
    /** Whether unusual use is reported. */
    reports_unusual_use: boolean;
  };
  /** The thresholds that tanks have, the most frequent first. */
  thresholds: {
    /** The threshold, in percent. */
    min_fill_alert_percentage: number;
    /** Number of tanks with this threshold. */
    tanks: number;
  }[];
  /** The people who get mails about events or use the console, newest first. */
  contacts: {
    /** ID of the contact. */
    id: string;
    /** Mail address. */
    email: string;
    /** The types of events that are mailed at once. */
    types: ('tank.low_fill' | 'tank.fill_recovered' | 'tank.order_due' | 'tank.refilled' | 'tank.overfilled' | 'tank.rapid_loss' | 'tank.unusual_use' | 'tank.device_silent' | 'tank.device_reporting' | 'tank.gauge_unreliable' | 'tank.gauge_reliable')[];
    /** Time of the daily digest in the organization's time zone. Null if there is none. */
    digest_at: string | null;
    /** Whether the contact may sign in to the console. */
    has_console: boolean;
    /** Name of the person. */
    name: string | null;
    /** What the contact may do in the console. */
    roles: ('viewer' | 'dispatcher' | 'technician' | 'administrator')[];
  }[];
  /** The endpoints that receive events, enabled ones first, then newest first, without their secrets. */
  webhooks: {
    /** ID of the webhook. */
    id: string;
    /** Host of its URL. The path is not returned: it may have a token. */
    host: string;
    /** The types of messages that are sent. Empty for all events. */
    types: ('tank.low_fill' | 'tank.fill_recovered' | 'tank.order_due' | 'tank.refilled' | 'tank.overfilled' | 'tank.rapid_loss' | 'tank.unusual_use' | 'tank.device_silent' | 'tank.device_reporting' | 'tank.gauge_unreliable' | 'tank.gauge_reliable' | 'tank.acknowledged' | 'tank.acknowledgement_ended' | 'tank.muted' | 'tank.unmuted' | 'device.battery_low' | 'device.battery_ok' | 'connector.down' | 'connector.up' | 'customer.changed' | 'tank.changed' | 'round.changed' | 'stop.changed' | 'delivery_note.changed' | 'verdict.changed')[];
    /** The first failure since the last success. Null if the last delivery succeeded. */
    failing_since: string | null;
    /** When it was disabled. Null if it is enabled. */
    disabled_at: string | null;
    /** Why it was disabled: by somebody, because the endpoint answered 410, or because it failed for days. */
    disabled_because: 'operator' | 'gone' | 'failing' | null;
  }[];
}

export interface Score {
  object: 'score';
  /** When the score was computed. Null if no score was computed so far. */
  computed_at: string | null;
  /** Earlier events and forecasts are not scored. */
  since: string | null;
  /** Tanks of the organization at that time. */
  tanks: number;
  /** Tanks that were evaluated: all of them, or a sample. */
  scored_tanks: number;
  /** All tanks, then by use, place and cadence, the largest groups first. */
  groups: ({
    /** What the tanks of the group have in common. */
    by: 'all' | 'use' | 'place' | 'cadence';
    /** The use, the place, or the readings a day. Null for all tanks, and for tanks without one. */
    name: string | null;
    /** Number of tanks. */
    tanks: number;
    /** How right the forecasts were. */
    forecasts: {
      /** How many days before the level was reached the forecast was made. */
      days_ahead: 7 | 14 | 21;
      /** Number of forecasts that were compared. */
      asked: number;
      /** Median error of the likely days, as a share of the true ones. */
      median_error: number | null;
      /** Share of the forecasts whose true number of days is between the earliest and the latest one. */
      inside: number | null;
      /** Share of the forecasts whose true number of days is not below the earliest one. */
      in_time: number | null;
    }[];
    /** How right and how late the events were. */
    events: {
      /** Type of the events. */
      type: 'tank.low_fill' | 'tank.refilled' | 'tank.rapid_loss';
      /** Number of events. */
      raised: number;
      /** Confirmed by the readings of the next two days. */
      right: number;
      /** Not confirmed by the readings of the next two days. */
      wrong: number;
      /** Retracted because of a fault of the gauge. */
      retracted: number;
      /** Too few readings followed, or a delivery came first. */
      unknown: number;
      /** Median time from the first reading that showed it to the report. */
      median_delay_hours: number | null;
    }[];
  })[];
}

export interface ChangedTanks {
  ids: string[];
}

export interface ManagedCustomer {
  /** ID of the customer. */
  id: string;
  object: 'customer';
  /** The number of the customer in your own system. It is unique. */
  external_key: string | null;
  /** E-mail address. A changed address is no longer verified, unless the same request sets `is_verified` to true. */
  email: string;
  /** Name. */
  name: string;
  /** The phone number to call first. It is the first of `phones`, or null if only the other phones are left. */
  phone: string | null;
  /** All phones, beginning with the phone to call first. */
  phones: Phone[];
  /** Whether the e-mail address belongs to the customer. */
  is_verified: boolean;
  /** When the address was verified. Read-only. */
  verified_at: string | null;
  /** Since when the customer wants no reminders. Null if reminders are on. Read-only. */
  reminders_off_since: string | null;
  /** When the customer was created. */
  created_at: string;
  /** When a field that `/v1` shows last changed. Read-only. */
  updated_at: string;
  /** Send it as `If-Match`. It changes with the fields that can be written. */
  etag: string;
}

export interface NewCustomer {
  /** The number of the customer in your own system. It is unique. */
  external_key?: string | null;
  /** E-mail address. A changed address is no longer verified, unless the same request sets `is_verified` to true. */
  email: string;
  /** Name. */
  name: string;
  /** The phone number to call first. It is the first of `phones`, or null if only the other phones are left. */
  phone?: string | null;
  /** All phones, beginning with the phone to call first. */
  phones?: Phone[];
  /** Whether the e-mail address belongs to the customer. */
  is_verified?: boolean;
  /** When the customer was created, if that is earlier than this request. Used only if a new customer is created. */
  created_at?: string;
}

export interface CustomerPatch {
  /** The number of the customer in your own system. It is unique. */
  external_key?: string | null;
  /** E-mail address. A changed address is no longer verified, unless the same request sets `is_verified` to true. */
  email?: string;
  /** Name. */
  name?: string;
  /** The phone number to call first. It is the first of `phones`, or null if only the other phones are left. */
  phone?: string | null;
  /** All phones, beginning with the phone to call first. */
  phones?: Phone[];
  /** Whether the e-mail address belongs to the customer. */
  is_verified?: boolean;
}

export interface Deletion {
  object: 'deletion';
  /** Tanks that are deleted. */
  tanks: number;
  /** Readings of these tanks that are erased. */
  readings: number;
  /** Open stops at these tanks, which come off their rounds. */
  open_stops: number;
  /** Notes on these tanks that are erased. */
  notes: number;
  /** Delivery notes of the customer that are erased. Their volume stays in the sum of their truck. Those of a tank that is deleted alone stay with its owner. */
  delivery_notes: number;
}

export interface TankOfOwner {
  /** Name of the tank. */
  name: string;
  /** Total capacity, in `capacity_unit`. */
  capacity: number;
  /** Unit of `capacity`. */
  capacity_unit: 'liters' | 'gallons';
  /** Alert threshold, in percent. At or below it, the tank is low. */
  min_fill_alert_percentage: number;
  /** The customer's own identifier for the tank. */
  custom_id?: string | null;
  /** Use of the tank. */
  use_case?: 'residential' | 'commercial' | 'industrial' | null;
  /** Your own number of the tank, unique in the whole organization. Null if it has none. */
  external_key?: string | null;
  /** How often the device reports, in hours. After one missed report it is silent, but not before 36 hours. Null if Tankwatch learns it from the readings. For a device that reports on change, give the longest time between two reports. */
  report_interval_hours?: number | null;
  /** Whether the tank is on a vehicle, so that its content moves. The level is then the median of several readings. Only refills, low levels and silences are reported. */
  is_mobile?: boolean;
  /** What is in the tank. It decides the safety texts, the fill limit, and which truck may come. Null for the default product of the organization. */
  product?: 'propane' | 'butane' | 'lpg_mix' | 'heating_oil' | 'diesel' | 'gasoline' | 'kerosene' | 'water' | 'def' | 'other' | null;
  /** The level to which the tank may be filled. Null if the limit of its product counts. */
  fill_limit_percentage?: number | null;
  /** At or below this level, a delivery is to be ordered: the event `tank.order_due`. It must be above `min_fill_alert_percentage`. Null if the tank has no order threshold. */
  order_threshold_percentage?: number | null;
  /** Location of the tank. */
  location?: {
    /** City. */
    city?: string | null;
    /** Country. */
    country?: string | null;
    /** District. */
    district?: string | null;
    /** Latitude in degrees, positive to the north. */
    latitude?: number | null;
    /** Longitude in degrees, positive to the east. */
    longitude?: number | null;
    /** Postal code. */
    postal_code?: string | null;
    /** Region or state. */
    region?: string | null;
    /** Street. */
    street?: string | null;
    /** House number. */
    street_number?: string | null;
  };
  /** ID of the customer who owns the tank. */
  owner_id?: string;
  /** Serial number of the device. Used only if a new tank is created. Without it, the tank has a placeholder, such as `pending-k3x9qa7mfw2c`, until a device is assigned. `manual`: the tank has no sensor, and people send dips; it gets a manual device with a generated serial, such as `MAN-7KQ2M9XT4B`. */
  assigned_device_id?: string;
  /** When the tank was created, if that is earlier than this request. Used only if a new tank is created. */
  created_at?: string;
}

export interface TankByKey {
  /** Name of the tank. */
  name: string;
  /** Total capacity, in `capacity_unit`. */
  capacity: number;
  /** Unit of `capacity`. */
  capacity_unit: 'liters' | 'gallons';
  /** Alert threshold, in percent. At or below it, the tank is low. */
  min_fill_alert_percentage: number;
  /** The customer's own identifier for the tank. */
  custom_id?: string | null;
  /** Use of the tank. */
  use_case?: 'residential' | 'commercial' | 'industrial' | null;
  /** Your own number of the tank, unique in the whole organization. Null if it has none. */
  external_key?: string | null;
  /** How often the device reports, in hours. After one missed report it is silent, but not before 36 hours. Null if Tankwatch learns it from the readings. For a device that reports on change, give the longest time between two reports. */
  report_interval_hours?: number | null;
  /** Whether the tank is on a vehicle, so that its content moves. The level is then the median of several readings. Only refills, low levels and silences are reported. */
  is_mobile?: boolean;
  /** What is in the tank. It decides the safety texts, the fill limit, and which truck may come. Null for the default product of the organization. */
  product?: 'propane' | 'butane' | 'lpg_mix' | 'heating_oil' | 'diesel' | 'gasoline' | 'kerosene' | 'water' | 'def' | 'other' | null;
  /** The level to which the tank may be filled. Null if the limit of its product counts. */
  fill_limit_percentage?: number | null;
  /** At or below this level, a delivery is to be ordered: the event `tank.order_due`. It must be above `min_fill_alert_percentage`. Null if the tank has no order threshold. */
  order_threshold_percentage?: number | null;
  /** Location of the tank. */
  location?: {
    /** City. */
    city?: string | null;
    /** Country. */
    country?: string | null;
    /** District. */
    district?: string | null;
    /** Latitude in degrees, positive to the north. */
    latitude?: number | null;
    /** Longitude in degrees, positive to the east. */
    longitude?: number | null;
    /** Postal code. */
    postal_code?: string | null;
    /** Region or state. */
    region?: string | null;
    /** Street. */
    street?: string | null;
    /** House number. */
    street_number?: string | null;
  };
  /** ID of the customer who owns the tank. */
  owner_id?: string;
  /** Your own number of the owner, instead of `owner_id`. */
  owner_external_key?: string;
  /** Serial number of the device. Used only if a new tank is created. Without it, the tank has a placeholder, such as `pending-k3x9qa7mfw2c`, until a device is assigned. `manual`: the tank has no sensor, and people send dips; it gets a manual device with a generated serial, such as `MAN-7KQ2M9XT4B`. */
  assigned_device_id?: string;
  /** When the tank was created, if that is earlier than this request. Used only if a new tank is created. */
  created_at?: string;
}

export interface NewTank {
  /** Name of the tank. */
  name: string;
  /** Total capacity, in `capacity_unit`. */
  capacity: number;
  /** Unit of `capacity`. */
  capacity_unit: 'liters' | 'gallons';
  /** Alert threshold, in percent. At or below it, the tank is low. */
  min_fill_alert_percentage: number;
  /** The customer's own identifier for the tank. */
  custom_id?: string | null;
  /** Use of the tank. */
  use_case?: 'residential' | 'commercial' | 'industrial' | null;
  /** Your own number of the tank, unique in the whole organization. Null if it has none. */
  external_key?: string | null;
  /** How often the device reports, in hours. After one missed report it is silent, but not before 36 hours. Null if Tankwatch learns it from the readings. For a device that reports on change, give the longest time between two reports. */
  report_interval_hours?: number | null;
  /** Whether the tank is on a vehicle, so that its content moves. The level is then the median of several readings. Only refills, low levels and silences are reported. */
  is_mobile?: boolean;
  /** What is in the tank. It decides the safety texts, the fill limit, and which truck may come. Null for the default product of the organization. */
  product?: 'propane' | 'butane' | 'lpg_mix' | 'heating_oil' | 'diesel' | 'gasoline' | 'kerosene' | 'water' | 'def' | 'other' | null;
  /** The level to which the tank may be filled. Null if the limit of its product counts. */
  fill_limit_percentage?: number | null;
  /** At or below this level, a delivery is to be ordered: the event `tank.order_due`. It must be above `min_fill_alert_percentage`. Null if the tank has no order threshold. */
  order_threshold_percentage?: number | null;
  /** Location of the tank. */
  location?: {
    /** City. */
    city?: string | null;
    /** Country. */
    country?: string | null;
    /** District. */
    district?: string | null;
    /** Latitude in degrees, positive to the north. */
    latitude?: number | null;
    /** Longitude in degrees, positive to the east. */
    longitude?: number | null;
    /** Postal code. */
    postal_code?: string | null;
    /** Region or state. */
    region?: string | null;
    /** Street. */
    street?: string | null;
    /** House number. */
    street_number?: string | null;
  };
  /** ID of the customer who owns the tank. */
  owner_id: string;
  /** Serial number of the device. Used only if a new tank is created. Without it, the tank has a placeholder, such as `pending-k3x9qa7mfw2c`, until a device is assigned. `manual`: the tank has no sensor, and people send dips; it gets a manual device with a generated serial, such as `MAN-7KQ2M9XT4B`. */
  assigned_device_id?: string;
  /** When the tank was created, if that is earlier than this request. Used only if a new tank is created. */
  created_at?: string;
}

export interface TankPatch {
  /** Name of the tank. */
  name?: string;
  /** Total capacity, in `capacity_unit`. */
  capacity?: number;
  /** Unit of `capacity`. */
  capacity_unit?: 'liters' | 'gallons';
  /** Alert threshold, in percent. At or below it, the tank is low. */
  min_fill_alert_percentage?: number;
  /** The customer's own identifier for the tank. */
  custom_id?: string | null;
  /** Use of the tank. */
  use_case?: 'residential' | 'commercial' | 'industrial' | null;
  /** Your own number of the tank, unique in the whole organization. Null if it has none. */
  external_key?: string | null;
  /** How often the device reports, in hours. After one missed report it is silent, but not before 36 hours. Null if Tankwatch learns it from the readings. For a device that reports on change, give the longest time between two reports. */
  report_interval_hours?: number | null;
  /** Whether the tank is on a vehicle, so that its content moves. The level is then the median of several readings. Only refills, low levels and silences are reported. */
  is_mobile?: boolean;
  /** What is in the tank. It decides the safety texts, the fill limit, and which truck may come. Null for the default product of the organization. */
  product?: 'propane' | 'butane' | 'lpg_mix' | 'heating_oil' | 'diesel' | 'gasoline' | 'kerosene' | 'water' | 'def' | 'other' | null;
  /** The level to which the tank may be filled. Null if the limit of its product counts. */
  fill_limit_percentage?: number | null;
  /** At or below this level, a delivery is to be ordered: the event `tank.order_due`. It must be above `min_fill_alert_percentage`. Null if the tank has no order threshold. */
  order_threshold_percentage?: number | null;
  /** Location of the tank. */
  location?: {
    /** City. */
    city?: string | null;
    /** Country. */
    country?: string | null;
    /** District. */
    district?: string | null;
    /** Latitude in degrees, positive to the north. */
    latitude?: number | null;
    /** Longitude in degrees, positive to the east. */
    longitude?: number | null;
    /** Postal code. */
    postal_code?: string | null;
    /** Region or state. */
    region?: string | null;
    /** Street. */
    street?: string | null;
    /** House number. */
    street_number?: string | null;
  };
  /** ID of the customer who owns the tank. */
  owner_id?: string;
  /** Your own number of the owner, instead of `owner_id`. */
  owner_external_key?: string;
}

export interface BulkResult {
  /** Number of the line, beginning with 1. */
  line: number;
  /** What was done. */
  status: 'created' | 'updated' | 'unchanged' | 'refused';
  /** ID of the object. Null: the line was refused. */
  id: string | null;
  /** ETag of the object. Null: the line was refused. */
  etag: string | null;
  /** Why the line was refused: at most 20 errors. */
  errors: {
    /** The field. Empty if the error is about the whole line. */
    param: string;
    /** Error code, for programs. */
    code: string;
    /** What is wrong, for people. It repeats no value. */
    detail: string;
  }[];
}

export interface CustomerLine {
  /** Your own number of the customer. */
  external_key: string;
  /** E-mail address. A changed address is no longer verified, unless the same request sets `is_verified` to true. */
  email: string;
  /** Name. */
  name: string;
  /** The phone number to call first. It is the first of `phones`, or null if only the other phones are left. */
  phone?: string | null;
  /** Whether the e-mail address belongs to the customer. */
  is_verified?: boolean;
  /** When the customer was created, if that is earlier than this request. Used only if a new customer is created. */
  created_at?: string;
}

export interface TankLine {
  /** Name of the tank. */
  name: string;
  /** Total capacity, in `capacity_unit`. */
  capacity: number;
  /** Unit of `capacity`. */
  capacity_unit: 'liters' | 'gallons';
  /** Alert threshold, in percent. At or below it, the tank is low. */
  min_fill_alert_percentage: number;
  /** The customer's own identifier for the tank. */
  custom_id?: string | null;
  /** Use of the tank. */
  use_case?: 'residential' | 'commercial' | 'industrial' | null;
  /** Your own number of the tank, unique in the whole organization. Null if it has none. */
  external_key?: string | null;
  /** How often the device reports, in hours. After one missed report it is silent, but not before 36 hours. Null if Tankwatch learns it from the readings. For a device that reports on change, give the longest time between two reports. */
  report_interval_hours?: number | null;
  /** Whether the tank is on a vehicle, so that its content moves. The level is then the median of several readings. Only refills, low levels and silences are reported. */
  is_mobile?: boolean;
  /** What is in the tank. It decides the safety texts, the fill limit, and which truck may come. Null for the default product of the organization. */
  product?: 'propane' | 'butane' | 'lpg_mix' | 'heating_oil' | 'diesel' | 'gasoline' | 'kerosene' | 'water' | 'def' | 'other' | null;
  /** The level to which the tank may be filled. Null if the limit of its product counts. */
  fill_limit_percentage?: number | null;
  /** At or below this level, a delivery is to be ordered: the event `tank.order_due`. It must be above `min_fill_alert_percentage`. Null if the tank has no order threshold. */
  order_threshold_percentage?: number | null;
  /** Location of the tank. */
  location?: {
    /** City. */
    city?: string | null;
    /** Country. */
    country?: string | null;
    /** District. */
    district?: string | null;
    /** Latitude in degrees, positive to the north. */
    latitude?: number | null;
    /** Longitude in degrees, positive to the east. */
    longitude?: number | null;
    /** Postal code. */
    postal_code?: string | null;
    /** Region or state. */
    region?: string | null;
    /** Street. */
    street?: string | null;
    /** House number. */
    street_number?: string | null;
  };
  /** ID of the customer who owns the tank. */
  owner_id?: string;
  /** Your own number of the owner, instead of `owner_id`. */
  owner_external_key?: string;
  /** Serial number of the device. Used only if a new tank is created. Without it, the tank has a placeholder, such as `pending-k3x9qa7mfw2c`, until a device is assigned. `manual`: the tank has no sensor, and people send dips; it gets a manual device with a generated serial, such as `MAN-7KQ2M9XT4B`. */
  assigned_device_id?: string;
  /** When the tank was created, if that is earlier than this request. Used only if a new tank is created. */
  created_at?: string;
}

export interface DeliveryNoteLine {
  /** Series of the note. Empty: none. */
  series?: string;
  /** Number of the note. */
  number: string;
  /** When it was written: a time, or only the day, such as 2025-10-31. */
  at: string;
  /** The volume, as written. */
  volume: number;
  /** liters or gallons. Null: the unit of the tank, or of the truck. */
  unit?: string | null;
  /** ID, custom ID, external_key or device of the tank. Null: the note names only the customer. */
  tank?: string | null;
  /** ID or external_key of the customer. Needed without a tank. */
  customer?: string | null;
  /** ID, external_key or name of the truck. */
  truck?: string | null;
  /** ID, external_key or name of the driver. */
  driver?: string | null;
  /** What was delivered, if the note says it. Null if it is the product that the tank holds. */
  product?: 'propane' | 'butane' | 'lpg_mix' | 'heating_oil' | 'diesel' | 'gasoline' | 'kerosene' | 'water' | 'def' | 'other' | null;
  /** Whether the truck's meter converts to the volume at 15.6 °C (60 °F). Null if the setting of the truck counts. */
  compensated?: boolean | null;
  /** Temperature of the product in °C, if the note prints it. */
  product_temperature?: number | null;
  /** Level after the delivery in percent, as the driver wrote it. */
  filled_to?: number | null;
  /** Your own reference, such as the number of an order or an invoice. Several notes can have the same. */
  reference?: string | null;
  /** A cancelled note counts nowhere. */
  status?: 'valid' | 'cancelled';
}

export interface ImportReport {
  object: 'import_report';
  /** Whether the rows of the file are customers or tanks. */
  what: 'customers' | 'tanks';
  /** The sheets of a workbook, beginning with the sheet that was read. */
  sheets: string[];
  /** The columns of the file, as they are read. */
  columns: {
    /** The heading in the file. */
    heading: string;
    /** Its cells in the first two rows. */
    examples: string[];
    /** Our name of the field. Null: the column is not read, or the error is about the whole row. */
    field: string | null;
  }[];
  /** Where each field comes from, for `columns` of a mapping. Two fields can have the same heading. */
  mapped_columns: {
    /** Our name of the field. */
    field: string;
    /** The heading of its column. A value from two columns has both headings, such as `Date + Time`. */
    heading: string;
  }[];
  /** The values of fields where the file has none, for new customers and tanks. */
  constants: {
    /** Our name of the field. */
    field: string;
    /** The value of the field where the file has none. */
    value: string;
  }[];
  /** When the last file with the same headings was imported, whose mapping is used. Null: the mapping is given, or suggested by the headings. */
  mapped_as_at: string | null;
  /** The fields that a file can have. */
  fields: {
    /** Our name of the field. */
    field: string;
    /** Whether every row needs it. */
    is_required: boolean;
    /** All values, if they are few. Otherwise empty. */
    choices: string[];
  }[];
  /** Required fields that neither the file nor a constant gives. Then nothing is counted or stored. */
  missing: string[];
  /** What the rows do. The other counts add up to `rows`. */
  counts: {
    /** Rows of the file. */
    rows: number;
    /** Rows that created something. */
    created: number;
    /** Rows that changed something. */
    updated: number;
    /** Rows that were stored already. */
    unchanged: number;
    /** Rows with errors, which were left out. */
    refused: number;
  } | null;
  /** Levels that somebody read on the dials of tanks without a sensor. Null: the file has none. */
  levels: {
    /** Levels that are newer than the latest level of their tank. */
    stored: number;
    /** When the first level of the file was read, as its time was understood. */
    first_at: string | null;
  } | null;
  /** The first refused rows: 100, or `max_refused`. */
  refused_rows: {
    /** The line or row of the file. */
    line: number;
    /** The cells of the row. */
    cells: string[];
    errors: {
      /** Our name of the field. Null: the column is not read, or the error is about the whole row. */
      field: string | null;
      /** Error code, for programs. */
      code: 'invalid' | 'empty' | 'repeated' | 'contradiction' | 'unknown_owner' | 'device_on_other_tank' | 'device_replaced' | 'thresholds' | 'date_order' | 'malformed';
      /** What is wrong, for people. */
      detail: string;
      /** A value that would be accepted, and is probably meant. */
      proposal: string | null;
    }[];
  }[];
  /** Null: a dry run, or nothing was changed. */
  import: Import | null;
}

export interface Import {
  /** ID of the import. */
  id: string;
  object: 'import';
  /** Whether the rows of the file are customers or tanks. */
  what: 'customers' | 'tanks';
  /** Name of the file. */
  file_name: string;
  /** When it began. */
  created_at: string;
  /** The contact, key, or user of a command who imported it. */
  actor: string;
  /** Name or address of the contact. Null for others. */
  name: string | null;
  /** Rows of the file. */
  rows: number;
  /** Rows that created something. */
  created: number;
  /** Rows that changed something. */
  updated: number;
  /** Rows that were stored already. */
  unchanged: number;
  /** Rows with errors, which were left out. */
  refused: number;
  /** Until when it can be undone. Null: it cannot be undone. */
  undo_until: string | null;
  /** When it was undone. */
  undone_at: string | null;
}

export interface Imports {
  object: 'list';
  data: Import[];
}

export interface UndoneImport {
  object: 'undone_import';
  /** New customers and tanks that were deleted. */
  deleted: number;
  /** Changed customers and tanks whose previous values were restored. */
  restored: number;
  /** Customers and tanks that stay as they are. */
  kept: number;
  /** The first 100 customers and tanks that stay as they are. */
  kept_rows: {
    object: 'customer' | 'tank';
    /** Its ID. */
    id: string;
    /** Its name. */
    name: string;
    /** Why it stays. */
    because: 'changed_since' | 'has_readings' | 'has_deliveries' | 'owns_tanks' | 'device_taken' | 'external_key_taken';
  }[];
}

export interface StoredDevices {
  object: 'list';
  data: StoredDevice[];
  /** Number of all such devices. At most 500 of them are listed. */
  total: number;
}

export interface StoredDevice {
  /** Serial number of the device. */
  device_id: string;
  /** When its latest message came, also one that gave no reading. Null: none is known. */
  heard_at: string | null;
  /** When it was taken off its last tank. Null: it was never on one. */
  taken_off_at: string | null;
  /** Its last tank. Null: it was never on one, or the tank was deleted. */
  last_tank: {
    /** ID of the tank. */
    id: string;
    /** Its name. */
    name: string;
    /** The customer's own identifier for the tank. */
    custom_id: string | null;
  } | null;
  /** Whether it is refused until it gets a new password. */
  is_revoked: boolean;
  /** The profile that read its messages. Null: none. */
  profile: string | null;
  /** Its battery. Null: it did not report one in percent. */
  battery_percent: number | null;
  /** The voltage of its battery. Null: it did not report one. */
  battery_v: number | null;
}

export interface KnownDevice {
  object: 'device';
  /** Serial number of the device. */
  device_id: string;
  /** ID of the tank that it is on. Null: it is on no tank. */
  tank_id: string | null;
  /** When its latest message came, also one that gave no reading. Null: none is known. */
  heard_at: string | null;
  /** The profile that reads its messages. Null: none. */
  profile: string | null;
  /** Who makes it. */
  maker: string | null;
  /** Which devices the profile reads. */
  model: string | null;
  /** Whether the profile is assigned to the device, or was selected by what the device sent. Null: there is none. */
  recognized_by: 'assignment' | 'messages' | null;
  /** The numbers of its inputs, if it has several. The device of a tank is then `<device>#<number>`. */
  channels: number[];
  /** What it measures, by its profile or by what it sent. Such a tank needs a gauge. */
  measures: ('distance' | 'height' | 'length' | 'pressure' | 'raw')[];
  /** Whether it sends a level that it has computed itself. */
  reports_level: boolean;
  /** The voltage of its battery. */
  battery_v: number | null;
  /** Its battery. */
  battery_percent: number | null;
  /** Its latest signal. */
  signal_dbm: number | null;
  /** Its latest signal, if it reports percent. */
  signal_percent: number | null;
  /** Its newest message that gave no reading, if it is among the last 1,000. */
  last_rejection: {
    /** When it came. */
    received_at: string;
    /** Why it was rejected. */
    code: 'malformed' | 'malformed_device' | 'malformed_time' | 'malformed_level' | 'future' | 'before_2000' | 'out_of_range' | 'oversized' | 'unknown_device' | 'deleted_tank' | 'conflict' | 'unstorable' | 'no_reading' | 'no_gauge';
    /** What is wrong and what to do. */
    detail: string;
  } | null;
}

export interface DeviceAssignment {
  /** Serial number of the device, as the manufacturer writes it. `manual`: the tank has no sensor from now on. */
  device_id: string;
  /** If another tank has the device now, what that tank gets: the device of this tank (`swap`), a placeholder (`release`), or another device. */
  exchange?: 'swap' | 'release' | {
    /** Another device for the tank that loses its device. */
    replacement: string;
  };
  /** Whether the device that was on this tank is refused from now on. */
  revoke_old?: boolean;
}

export interface DevicePassword {
  object: 'device_password';
  /** Serial number of the device. */
  device_id: string;
  /** User name for MQTT. */
  user_name: string;
  /** The password. It is in no other answer. Null in a dry run. */
  password: string | null;
  /** How many passwords the device has had. */
  generation: number;
}

export interface PasswordRequest {
  /** Whether the device gets a new password. */
  rotate?: boolean;
}

export interface GaugeProfiles {
  object: 'list';
  data: GaugeProfile[];
}

export interface GaugeProfile {
  object: 'gauge_profile';
  /** Its name. */
  profile: string;
  /** Who makes the device. */
  maker: string;
  /** Which devices it reads. */
  device: string;
  /** The models that it reads without an assignment. */
  models: string[];
  /** Whether the organization has written it. Others come with Tankwatch. */
  is_own: boolean;
  /** How messages are read, as `docs/integrators/devices.md` describes. Its `profile` is the name in the path. */
  definition: Record<string, unknown>;
}

export interface NewGaugeProfile {
  /** How messages are read, as `docs/integrators/devices.md` describes. Its `profile` is the name in the path. */
  definition: Record<string, unknown>;
}

export interface ProfileAssignments {
  object: 'list';
  data: ProfileAssignment[];
}

export interface ProfileAssignment {
  object: 'profile_assignment';
  /** `topic=oil`, `device=A84041*`, `model=dragino/ldds75` or `application=tanks`. The first that fits counts, in this order. */
  selector: string;
  /** Name of the profile that reads the messages. */
  profile: string;
  /** The settings for devices that send several readings without times. Null: only the newest reading is stored. */
  settings: {
    /** The time between two readings of a message. */
    interval_minutes: number;
    /** The time between two messages. */
    period_minutes: number;
  } | null;
}

export interface NewProfileAssignment {
  /** Name of the profile that reads the messages. */
  profile: string;
  /** The settings for devices that send several readings without times. Null: only the newest reading is stored. */
  settings?: {
    /** The time between two readings of a message. */
    interval_minutes: number;
    /** The time between two messages. */
    period_minutes: number;
  } | null;
}

export interface Note {
  /** ID of the note. */
  id: string;
  object: 'note';
  /** ID of the tank. */
  tank_id: string;
  /** What a driver or technician must know, in at most 2000 characters. */
  text: string;
  /** Whether it is printed with the round. */
  prints: boolean;
  /** The key or the contact that created it. Read-only. */
  written_by: string;
  /** When it was created. Read-only. */
  created_at: string;
  /** When it was last changed. Read-only. */
  updated_at: string;
  /** Send it as `If-Match`. */
  etag: string;
}

export interface NewNote {
  /** What a driver or technician must know, in at most 2000 characters. */
  text: string;
  /** Whether it is printed with the round. */
  prints?: boolean;
}

export interface Notes {
  object: 'list';
  data: Note[];
}

export interface NotePatch {
  /** What a driver or technician must know, in at most 2000 characters. */
  text?: string;
  /** Whether it is printed with the round. */
  prints?: boolean;
}

export interface TankGauges {
  object: 'tank_gauges';
  /** ID of the tank. */
  tank_id: string;
  /** Whether stored levels are still to be computed again. */
  is_recomputing: boolean;
  /** Oldest first. */
  gauges: ({
    /** The gauge applies to what was measured since this time, until the next gauge begins. Null: since the first reading. To correct a gauge, send it with the same time; a new gauge has a new time. */
    from_at: string | null;
    shape: {
      form: 'horizontal_cylinder';
      /** Inner diameter. */
      diameter_mm: number;
      /** Inner length, with the heads. */
      length_mm: number;
      /** The ends of the cylinder. Elliptical: 2:1. */
      heads: 'flat' | 'elliptical' | 'hemispherical';
    } | {
      form: 'vertical_cylinder';
      /** Inner diameter. */
      diameter_mm: number;
      /** Inner height, with the heads. */
      height_mm: number;
      /** The ends of the cylinder. Elliptical: 2:1. */
      heads: 'flat' | 'elliptical' | 'hemispherical';
    } | {
      form: 'cone_bottom';
      /** Inner diameter. */
      diameter_mm: number;
      /** Inner height, with the cone. */
      height_mm: number;
      /** Height of the cone. */
      cone_height_mm: number;
    } | {
      form: 'sphere';
      /** Inner diameter. */
      diameter_mm: number;
    } | {
      form: 'box';
      /** Inner height. */
      height_mm: number;
    } | {
      form: 'obround';
      /** Inner width. */
      width_mm: number;
      /** Inner height. */
      height_mm: number;
    } | {
      form: 'table';
      /** Heights, rising. */
      heights_mm: number[];
      /** The volume below each height, rising, in any unit. The last one is the full tank. */
      volumes: number[];
    };
    /** What the device measures: the distance from the gauge down to the product, its height, its pressure at the gauge, or raw numbers. A length without a direction is a distance or a height, as this field says. */
    measures: 'distance' | 'height' | 'pressure' | 'raw';
    /** Distance: from the gauge down to the inner top of the tank. Height and pressure: from the inner bottom up to the gauge. */
    offset_mm: number;
    /** Of the product. A pressure needs it. */
    density_kg_m3?: number;
    /** The numbers of the device for empty and full. Required if it measures `raw`. */
    range?: {
      empty: number;
      full: number;
    };
    /** When it was last changed. */
    changed_at: string;
    /** The key, the contact or the operator that changed it. */
    changed_by: string;
    /** When the stored levels of its time were last computed with it. */
    recomputed_at: string | null;
    /** Stored measures of its time that it cannot read. They keep the level that they had. */
    unreadable_measures: number;
  })[];
  /** What the latest reading measured. Null: there is no reading, or it is a level only. */
  latest_measure: {
    /** When it was measured. */
    created_at: string;
    /** What was measured. A `length` has no direction. */
    kind: 'distance' | 'height' | 'length' | 'pressure' | 'raw';
    /** What was measured. */
    value: number;
    /** Its unit. Null: a raw number of the device. */
    unit: 'mm' | 'Pa' | null;
    /** The height of the product above the bottom that follows from it. Null: no gauge of the tank reads it. */
    height_mm: number | null;
    /** The inner height of the tank. Null: the gauge of the tank is not described. */
    inner_height_mm: number | null;
    /** The stored level. */
    fill_percentage: number;
  } | null;
  /** Send it as `If-Match`. */
  etag: string;
}

export interface NewTankGauges {
  gauges: NewGauge[];
}

export interface NewGauge {
  /** The gauge applies to what was measured since this time, until the next gauge begins. Null: since the first reading. To correct a gauge, send it with the same time; a new gauge has a new time. */
  from_at: string | null;
  shape: {
    form: 'horizontal_cylinder';
    /** Inner diameter. */
    diameter_mm: number;
    /** Inner length, with the heads. */
    length_mm: number;
    /** The ends of the cylinder. Elliptical: 2:1. */
    heads: 'flat' | 'elliptical' | 'hemispherical';
  } | {
    form: 'vertical_cylinder';
    /** Inner diameter. */
    diameter_mm: number;
    /** Inner height, with the heads. */
    height_mm: number;
    /** The ends of the cylinder. Elliptical: 2:1. */
    heads: 'flat' | 'elliptical' | 'hemispherical';
  } | {
    form: 'cone_bottom';
    /** Inner diameter. */
    diameter_mm: number;
    /** Inner height, with the cone. */
    height_mm: number;
    /** Height of the cone. */
    cone_height_mm: number;
  } | {
    form: 'sphere';
    /** Inner diameter. */
    diameter_mm: number;
  } | {
    form: 'box';
    /** Inner height. */
    height_mm: number;
  } | {
    form: 'obround';
    /** Inner width. */
    width_mm: number;
    /** Inner height. */
    height_mm: number;
  } | {
    form: 'table';
    /** Heights, rising. */
    heights_mm: number[];
    /** The volume below each height, rising, in any unit. The last one is the full tank. */
    volumes: number[];
  };
  /** What the device measures: the distance from the gauge down to the product, its height, its pressure at the gauge, or raw numbers. A length without a direction is a distance or a height, as this field says. */
  measures: 'distance' | 'height' | 'pressure' | 'raw';
  /** Distance: from the gauge down to the inner top of the tank. Height and pressure: from the inner bottom up to the gauge. */
  offset_mm: number;
  /** Of the product. A pressure needs it. */
  density_kg_m3?: number;
  /** The numbers of the device for empty and full. Required if it measures `raw`. */
  range?: {
    empty: number;
    full: number;
  };
}

export interface GaugeCalibration {
  object: 'gauge_calibration';
  /** ID of the tank. */
  tank_id: string;
  /** What was compared, oldest first. */
  points: ({
    /** What the measure is compared with. */
    kind: 'dial' | 'delivery';
    /** When the dial was read, or the delivery was seen. */
    at: string;
    /** The level on the dial, in percent; for a delivery, how many points the level rose according to the note. */
    expected: number;
    /** When it was measured: near the dial reading, or before the delivery. */
    measured_at: string;
    /** What the device measured then; for a delivery, what it measured after the delivery. */
    measured: {
      /** What was measured. A `length` has no direction. */
      kind: 'distance' | 'height' | 'length' | 'pressure' | 'raw';
      /** What was measured. */
      value: number;
      /** Its unit. Null: a raw number of the device. */
      unit: 'mm' | 'Pa' | null;
    };
  })[];
  /** How many could not be compared: nothing was measured within 12 hours, or only by an earlier gauge of the tank. */
  left_out: number;
  /** The gauge as it is, then others, the best first. Empty without points. */
  fits: {
    /** `as_described`: the gauge as it is. `other_offset`: the same shape, the offset that fits best. Others: a usual tank of this form and size, the offset that fits best. Other tanks are tried from three points on. */
    name: 'as_described' | 'other_offset' | 'horizontal_120_gal' | 'horizontal_250_gal' | 'horizontal_500_gal' | 'horizontal_1000_gal' | 'upright_275_gal' | 'flat_275_gal';
    gauge: NewGauge;
    /** The root mean square of the errors, in points. */
    rms_error: number;
    /** For each point, by how many points the level, or the rise, is above the expected one. */
    errors: number[];
    /** The gauge reaches into the tank: above this level, it measures nothing. Null: it measures a full tank. */
    highest_percentage: number | null;
  }[];
  /** The best fit, if it has less than half of the error of `as_described`. Null: no fit has, or there are fewer than three points. It is not applied. */
  better: 'as_described' | 'other_offset' | 'horizontal_120_gal' | 'horizontal_250_gal' | 'horizontal_500_gal' | 'horizontal_1000_gal' | 'upright_275_gal' | 'flat_275_gal' | null;
}

export interface CalibrationRequest {
  dials?: {
    /** When somebody read the dial. */
    at: string;
    /** The level that it showed. */
    fill_percentage: number;
  }[];
  /** Whether deliveries count: the newest 50 with one note and one refill without a doubt. */
  with_deliveries?: boolean;
}

export interface Depots {
  object: 'list';
  data: Depot[];
}

export interface Depot {
  /** ID of the depot. */
  id: string;
  object: 'depot';
  /** Name. */
  name: string;
  /** Latitude in degrees. */
  latitude: number;
  /** Longitude in degrees. */
  longitude: number;
  /** The number in your own system. It is unique. */
  external_key: string | null;
  /** Whether it is not offered for new rounds. Its rounds keep it. */
  is_archived: boolean;
  /** When it was created. Read-only. */
  created_at: string;
  /** When it was last changed. Read-only. */
  updated_at: string;
  /** Send it as `If-Match`. It changes with the fields that can be written. */
  etag: string;
}

export interface NewDepot {
  /** Name. */
  name: string;
  /** Latitude in degrees. */
  latitude: number;
  /** Longitude in degrees. */
  longitude: number;
  /** The number in your own system. It is unique. */
  external_key?: string | null;
  /** Whether it is not offered for new rounds. Its rounds keep it. */
  is_archived?: boolean;
}

export interface DepotPatch {
  /** Name. */
  name?: string;
  /** Latitude in degrees. */
  latitude?: number;
  /** Longitude in degrees. */
  longitude?: number;
  /** The number in your own system. It is unique. */
  external_key?: string | null;
  /** Whether it is not offered for new rounds. Its rounds keep it. */
  is_archived?: boolean;
}

export interface Trucks {
  object: 'list';
  data: Truck[];
}

export interface Truck {
  /** ID of the truck. */
  id: string;
  object: 'truck';
  /** As people and delivery notes call it. Trucks in use have different names. */
  name: string;
  /** ID of the depot where it starts and is loaded. */
  depot_id: string;
  /** What it can deliver with one load, in `capacity_unit`. */
  capacity: number;
  /** Unit of `capacity` and of the volumes of its rounds. */
  capacity_unit: 'liters' | 'gallons';
  /** What it delivers. */
  product: string | null;
  /** Whether its meter converts to the volume at 15.6 °C. Null: not known. */
  is_compensated: boolean | null;
  /** The number in your own system. It is unique. */
  external_key: string | null;
  /** Whether it is not offered for new rounds. Its rounds keep it. */
  is_archived: boolean;
  /** When it was created. Read-only. */
  created_at: string;
  /** When it was last changed. Read-only. */
  updated_at: string;
  /** Send it as `If-Match`. It changes with the fields that can be written. */
  etag: string;
}

export interface NewTruck {
  /** As people and delivery notes call it. Trucks in use have different names. */
  name: string;
  /** ID of the depot where it starts and is loaded. */
  depot_id: string;
  /** What it can deliver with one load, in `capacity_unit`. */
  capacity: number;
  /** Unit of `capacity` and of the volumes of its rounds. */
  capacity_unit: 'liters' | 'gallons';
  /** What it delivers. */
  product?: string | null;
  /** Whether its meter converts to the volume at 15.6 °C. Null: not known. */
  is_compensated?: boolean | null;
  /** The number in your own system. It is unique. */
  external_key?: string | null;
  /** Whether it is not offered for new rounds. Its rounds keep it. */
  is_archived?: boolean;
}

export interface TruckPatch {
  /** As people and delivery notes call it. Trucks in use have different names. */
  name?: string;
  /** ID of the depot where it starts and is loaded. */
  depot_id?: string;
  /** What it can deliver with one load, in `capacity_unit`. */
  capacity?: number;
  /** Unit of `capacity` and of the volumes of its rounds. */
  capacity_unit?: 'liters' | 'gallons';
  /** What it delivers. */
  product?: string | null;
  /** Whether its meter converts to the volume at 15.6 °C. Null: not known. */
  is_compensated?: boolean | null;
  /** The number in your own system. It is unique. */
  external_key?: string | null;
  /** Whether it is not offered for new rounds. Its rounds keep it. */
  is_archived?: boolean;
}

export interface Drivers {
  object: 'list';
  data: Driver[];
}

export interface Driver {
  /** ID of the driver. */
  id: string;
  object: 'driver';
  /** Name. Drivers in use have different names. */
  name: string;
  /** Phone number. */
  phone: string | null;
  /** The number in your own system. It is unique. */
  external_key: string | null;
  /** Whether it is not offered for new rounds. Its rounds keep it. */
  is_archived: boolean;
  /** When it was created. Read-only. */
  created_at: string;
  /** When it was last changed. Read-only. */
  updated_at: string;
  /** Send it as `If-Match`. It changes with the fields that can be written. */
  etag: string;
}

export interface NewDriver {
  /** Name. Drivers in use have different names. */
  name: string;
  /** Phone number. */
  phone?: string | null;
  /** The number in your own system. It is unique. */
  external_key?: string | null;
  /** Whether it is not offered for new rounds. Its rounds keep it. */
  is_archived?: boolean;
}

export interface DriverPatch {
  /** Name. Drivers in use have different names. */
  name?: string;
  /** Phone number. */
  phone?: string | null;
  /** The number in your own system. It is unique. */
  external_key?: string | null;
  /** Whether it is not offered for new rounds. Its rounds keep it. */
  is_archived?: boolean;
}

export interface DeliveryDaysList {
  object: 'list';
  data: DeliveryDays[];
}

export interface DeliveryDays {
  object: 'delivery_days';
  /** All tanks in this city. Null: the days of a tank. */
  city: string | null;
  /** This tank. Its days overrule the days of its city. Null: the days of a city. */
  tank_id: string | null;
  /** The days: 1 is Monday, 7 is Sunday. Empty: none are set. A tank then has the days of its city, and a city every day but Sunday. */
  weekdays: number[];
}

export interface NewDeliveryDays {
  /** The days: 1 is Monday, 7 is Sunday. Empty: none are set. A tank then has the days of its city, and a city every day but Sunday. */
  weekdays: number[];
}

export interface Round {
  /** ID of the round. */
  id: string;
  object: 'round';
  /** Day of the round in the organization's time zone. */
  date: string;
  /** ID of the truck. */
  truck_id: string;
  /** ID of the driver. Null if the round has no driver yet. */
  driver_id: string | null;
  /** planned, under_way, done or cancelled. A round is also done when all its stops are closed. */
  state: 'planned' | 'under_way' | 'done' | 'cancelled';
  /** Up to which level tanks are filled, in percent. */
  fill_to_percentage: number;
  /** Above this chance of being empty before the next delivery day, from 0 to 1, a tank has to be visited. */
  chance_limit: number;
  /** Unit of the volumes: that of the truck. */
  volume_unit: 'liters' | 'gallons';
  /** In their order. */
  stops: RoundStop[];
  /** When it was created. Read-only. */
  created_at: string;
  /** When it was last changed. Read-only. */
  updated_at: string;
  /** Send it as `If-Match`. It changes with the plan, and not with reports of drivers and gauges. */
  etag: string;
}

export interface RoundStop {
  /** Number of the stop in its round. It stays when the order changes. */
  number: number;
  /** must: the chance of being empty before the next delivery day is above `chance_limit`, or the customer called. could: fits into the round. added: by a person. */
  kind: 'must' | 'could' | 'added';
  /** Volume to deliver. While the stop is open, it follows the level of the tank, unless a person chose it. 0 if the stop is blocked, or its tank was filled meanwhile. */
  volume: number;
  /** Volume when the stop was planned, or that a person chose. */
  planned_volume: number;
  /** Where the volume comes from. level: what fits now. person: somebody chose it. plan: as planned, because the level is not known or the stop is closed. */
  volume_from: 'level' | 'person' | 'plan';
  /** Whether the volume differs from the planned one by 5 % and 10 gallons or more. */
  is_volume_changed: boolean;
  /** Chance of being empty before the next delivery day, from 0 to 1. While the stop is open, it is the current chance, otherwise the chance when it was planned. Null without a forecast. */
  chance: number | null;
  /** Level now, in percent. Null if the stop is closed or the level is not known. */
  fill_percentage: number | null;
  /** Level when the stop was planned, in percent. Null if it is not known. */
  planned_fill_percentage: number | null;
  /** Whether the tank was filled since the stop was planned, so that less than 5 % of it fits. */
  is_filled_meanwhile: boolean;
  /** Not null while the tank loses gas: nobody may deliver there. */
  block: {
    /** When the loss began. */
    since: string;
    /** When the driver confirmed having read about the loss. Null before that. */
    read_at: string | null;
  } | null;
  /** Whether the truck delivers another product than the tank holds: nobody should deliver. False if the stop is closed. */
  is_other_product: boolean;
  /** not_possible: somebody was there or tried to get there. not_done: the round ended without a report about it. */
  outcome: 'open' | 'delivered' | 'not_possible' | 'not_done';
  /** Who reported the outcome. gauge: nobody did, but the gauge saw a refill on that day. */
  outcome_from: 'driver' | 'person' | 'gauge' | null;
  /** When it happened. */
  outcome_at: string | null;
  /** Why it was not possible. */
  reason: 'no_access' | 'refused' | 'full' | 'truck_empty' | 'unsafe' | 'other' | null;
  /** Volume as the driver reported it, otherwise as the gauge measured it. */
  delivered_volume: number | null;
  /** Volume of the refill that the gauge saw on that day. */
  seen_volume: number | null;
  /** The gauge contradicts the outcome. refill_seen: it saw a refill, although the delivery was not possible. no_refill_seen: it saw no refill until 12 hours after the day. */
  contradiction: 'refill_seen' | 'no_refill_seen' | null;
  /** ID of the tank. Null if it was deleted. */
  tank_id: string | null;
}

export interface NewRound {
  /** Day of the round in the organization's time zone. */
  date: string;
  /** ID of the truck. */
  truck_id?: string;
  /** Your own number of the truck, instead of its ID. */
  truck_external_key?: string;
  /** ID of the driver. Null if the round has no driver yet. */
  driver_id?: string | null;
  /** Your own number of the driver, instead of its ID. */
  driver_external_key?: string;
  /** Up to which level tanks are filled, in percent. */
  fill_to_percentage?: number;
  /** Above this chance of being empty before the next delivery day, from 0 to 1, a tank has to be visited. */
  chance_limit?: number;
  /** All stops in their order, at most 200. */
  stops?: NewStop[];
}

export interface NewStop {
  /** ID of the tank. */
  tank_id?: string;
  /** Your own number of the tank, instead of its ID. */
  tank_external_key?: string;
  /** Why it is visited. Default: added. */
  kind?: 'must' | 'could' | 'added';
  /** In the unit of the truck. Default, and null: what fits up to `fill_to_percentage`. A volume that differs from it by more than 1 % stays when the level changes. */
  volume?: number | null;
  /** true: keep the stop, although its tank was filled meanwhile. Default: false. */
  is_kept?: boolean;
}

export interface RoundPatch {
  /** Day of the round in the organization's time zone. */
  date?: string;
  /** ID of the truck. */
  truck_id?: string;
  /** Your own number of the truck, instead of its ID. */
  truck_external_key?: string;
  /** ID of the driver. Null if the round has no driver yet. */
  driver_id?: string | null;
  /** Your own number of the driver, instead of its ID. */
  driver_external_key?: string;
  /** Up to which level tanks are filled, in percent. */
  fill_to_percentage?: number;
  /** Above this chance of being empty before the next delivery day, from 0 to 1, a tank has to be visited. */
  chance_limit?: number;
  /** planned, under_way, done or cancelled. A round is also done when all its stops are closed. */
  state?: 'planned' | 'under_way' | 'done' | 'cancelled';
}

export interface RoundPrint {
  object: 'round_print';
  /** When the sheet was printed. */
  at: string;
  /** When the sheet was printed that it replaces. Null: it is the first. */
  replaces: string | null;
}

export interface StopOrder {
  /** All stops in their order, at most 200. */
  stops: NewStop[];
}

export interface VroomOrder {
  /** The answer of VROOM to the problem of `GET /fleet/v1/rounds/{id}?format=vroom`. */
  solution: Record<string, unknown>;
}

export interface StopOutcome {
  /** `open` revokes the earlier report. */
  outcome: 'delivered' | 'not_possible' | 'open';
  /** What was delivered, in the unit of the truck. */
  volume?: number;
  /** Why it was not possible. */
  reason?: 'no_access' | 'refused' | 'full' | 'truck_empty' | 'unsafe' | 'other';
}

export interface NewStopEntry {
  /** What happened. `reopened` revokes the earlier entry, so it is a correction. */
  kind: 'delivered' | 'not_possible' | 'reopened';
  /** What was delivered by the meter, in the unit of the truck. Needed with delivered. */
  volume?: number;
  /** Why it was not possible. */
  reason?: 'no_access' | 'refused' | 'full' | 'truck_empty' | 'unsafe' | 'other';
  /** What the driver wrote, at most 500 characters. */
  comment?: string;
  /** Series and number of the delivery note. It is stored too. */
  note?: string;
  /** Level on the dial after filling, in percent. */
  filled_to?: number;
  /** When it happened. Default: now. */
  at?: string;
  /** true: it replaces the earlier entry, which is kept. Default: false. */
  is_correction?: boolean;
}

export interface MovedStop {
  object: 'moved_stop';
  from: Round;
  to: Round;
}

export interface StopMove {
  /** ID of the truck that visits the tank instead. */
  truck_id: string;
}

export interface RoundProposal {
  object: 'round_proposal';
  /** Day of the round. */
  date: string;
  /** ID of the truck. */
  truck_id: string;
  /** Unit of the volumes: that of the truck. */
  volume_unit: 'liters' | 'gallons';
  /** What the truck holds. */
  capacity: number;
  /** Sum of the stops. */
  volume: number;
  /** How often the truck has to be loaded. */
  loads: number;
  /** What must be delivered beyond one load. 0: one load is enough. */
  beyond_one_load: number;
  /** From the depot through all stops and back, on straight lines. It is not a route. */
  straight_line_km: number;
  /** Everything that must be visited, and what could be visited beside it, in straight-line order, at most 200. Stops without coordinates come last. */
  stops: ProposedStop[];
  /** Musts beyond 200 stops, at most 100: plan them for another truck. */
  musts_left: ({
    /** ID of the tank. */
    tank_id: string;
    /** Name of the tank. */
    name: string;
    /** The customer's own identifier for the tank. */
    custom_id: string | null;
    /** City. */
    city: string | null;
    /** Latitude in degrees. Null: not known, so the tank is not ordered. */
    latitude: number | null;
    /** Longitude in degrees. */
    longitude: number | null;
    /** Name of the customer. */
    owner_name: string;
    /** Phone number of the customer. */
    owner_phone: string | null;
    /** Estimated level now. Null without a forecast. */
    fill_percentage: number | null;
    /** Likely days until it is empty. Null: more than two years, or no forecast. */
    days_to_empty: number | null;
    /** Earliest days until it is empty: in one of ten cases it is sooner. For a silent tank, the days are counted from the last reading; 0: it may be empty already. */
    earliest_days_to_empty: number | null;
    /** Chance of being empty before the next delivery day after the round, from 0 to 1. */
    chance: number | null;
    /** Whether the device is silent, so that the estimate comes from an old reading. */
    is_silent: boolean;
    /** The latest reading, from which the estimate is made. Null: there is none. */
    reading: {
      /** When it was taken. */
      created_at: string;
      /** Level as the device sent it, in percent. */
      fill_percentage: number;
    } | null;
    /** The estimated level of a tank without a sensor. Null: the tank has a sensor. */
    estimate: {
      /** Lower end of the range that contains the level in four of five cases. Null: there is no estimate. */
      low_percentage: number | null;
      /** Upper end of this range. Null: there is no estimate. */
      high_percentage: number | null;
      /** When a person last read the level. Null: never so far. */
      last_dip_at: string | null;
    } | null;
    /** What fits, in the unit of the truck. */
    volume: number;
  })[];
  /** What could be visited too, the most volume for the detour first. */
  could: ({
    /** ID of the tank. */
    tank_id: string;
    /** Name of the tank. */
    name: string;
    /** The customer's own identifier for the tank. */
    custom_id: string | null;
    /** City. */
    city: string | null;
    /** Latitude in degrees. Null: not known, so the tank is not ordered. */
    latitude: number | null;
    /** Longitude in degrees. */
    longitude: number | null;
    /** Name of the customer. */
    owner_name: string;
    /** Phone number of the customer. */
    owner_phone: string | null;
    /** Estimated level now. Null without a forecast. */
    fill_percentage: number | null;
    /** Likely days until it is empty. Null: more than two years, or no forecast. */
    days_to_empty: number | null;
    /** Earliest days until it is empty: in one of ten cases it is sooner. For a silent tank, the days are counted from the last reading; 0: it may be empty already. */
    earliest_days_to_empty: number | null;
    /** Chance of being empty before the next delivery day after the round, from 0 to 1. */
    chance: number | null;
    /** Whether the device is silent, so that the estimate comes from an old reading. */
    is_silent: boolean;
    /** The latest reading, from which the estimate is made. Null: there is none. */
    reading: {
      /** When it was taken. */
      created_at: string;
      /** Level as the device sent it, in percent. */
      fill_percentage: number;
    } | null;
    /** The estimated level of a tank without a sensor. Null: the tank has a sensor. */
    estimate: {
      /** Lower end of the range that contains the level in four of five cases. Null: there is no estimate. */
      low_percentage: number | null;
      /** Upper end of this range. Null: there is no estimate. */
      high_percentage: number | null;
      /** When a person last read the level. Null: never so far. */
      last_dip_at: string | null;
    } | null;
    /** What fits, in the unit of the truck. */
    volume: number;
    /** Additional straight lines, in km. */
    detour_km: number;
  })[];
  /** Tanks without a forecast, at most 100. */
  no_forecast: ProposedTank[];
  /** Numbers of tanks that were left out. */
  not_offered: {
    /** Tanks that lose gas: nothing is delivered until they are checked. */
    losing: number;
    /** Tanks that hold another product than the truck delivers. */
    other_product: number;
    /** Tanks whose gauge is unreliable. */
    gauge_unreliable: number;
    /** Tanks on another round from today until this day, also those that got their delivery there. */
    planned_elsewhere: number;
    /** Tanks that have another delivery day. */
    not_visited: number;
  };
  /** Number of tanks that were evaluated: the most urgent ones, at most 4000. */
  looked_at: number;
  /** False if there are more tanks. Then ask for some cities only. */
  is_complete: boolean;
}

export interface ProposedStop {
  /** ID of the tank. */
  tank_id: string;
  /** Name of the tank. */
  name: string;
  /** The customer's own identifier for the tank. */
  custom_id: string | null;
  /** City. */
  city: string | null;
  /** Latitude in degrees. Null: not known, so the tank is not ordered. */
  latitude: number | null;
  /** Longitude in degrees. */
  longitude: number | null;
  /** Name of the customer. */
  owner_name: string;
  /** Phone number of the customer. */
  owner_phone: string | null;
  /** Estimated level now. Null without a forecast. */
  fill_percentage: number | null;
  /** Likely days until it is empty. Null: more than two years, or no forecast. */
  days_to_empty: number | null;
  /** Earliest days until it is empty: in one of ten cases it is sooner. For a silent tank, the days are counted from the last reading; 0: it may be empty already. */
  earliest_days_to_empty: number | null;
  /** Chance of being empty before the next delivery day after the round, from 0 to 1. */
  chance: number | null;
  /** Whether the device is silent, so that the estimate comes from an old reading. */
  is_silent: boolean;
  /** The latest reading, from which the estimate is made. Null: there is none. */
  reading: {
    /** When it was taken. */
    created_at: string;
    /** Level as the device sent it, in percent. */
    fill_percentage: number;
  } | null;
  /** The estimated level of a tank without a sensor. Null: the tank has a sensor. */
  estimate: {
    /** Lower end of the range that contains the level in four of five cases. Null: there is no estimate. */
    low_percentage: number | null;
    /** Upper end of this range. Null: there is no estimate. */
    high_percentage: number | null;
    /** When a person last read the level. Null: never so far. */
    last_dip_at: string | null;
  } | null;
  /** Why it is proposed. */
  kind: 'must' | 'could';
  /** What fits, in the unit of the truck. */
  volume: number;
}

export interface ProposedTank {
  /** ID of the tank. */
  tank_id: string;
  /** Name of the tank. */
  name: string;
  /** The customer's own identifier for the tank. */
  custom_id: string | null;
  /** City. */
  city: string | null;
  /** Latitude in degrees. Null: not known, so the tank is not ordered. */
  latitude: number | null;
  /** Longitude in degrees. */
  longitude: number | null;
  /** Name of the customer. */
  owner_name: string;
  /** Phone number of the customer. */
  owner_phone: string | null;
  /** Estimated level now. Null without a forecast. */
  fill_percentage: number | null;
  /** Likely days until it is empty. Null: more than two years, or no forecast. */
  days_to_empty: number | null;
  /** Earliest days until it is empty: in one of ten cases it is sooner. For a silent tank, the days are counted from the last reading; 0: it may be empty already. */
  earliest_days_to_empty: number | null;
  /** Chance of being empty before the next delivery day after the round, from 0 to 1. */
  chance: number | null;
  /** Whether the device is silent, so that the estimate comes from an old reading. */
  is_silent: boolean;
  /** The latest reading, from which the estimate is made. Null: there is none. */
  reading: {
    /** When it was taken. */
    created_at: string;
    /** Level as the device sent it, in percent. */
    fill_percentage: number;
  } | null;
  /** The estimated level of a tank without a sensor. Null: the tank has a sensor. */
  estimate: {
    /** Lower end of the range that contains the level in four of five cases. Null: there is no estimate. */
    low_percentage: number | null;
    /** Upper end of this range. Null: there is no estimate. */
    high_percentage: number | null;
    /** When a person last read the level. Null: never so far. */
    last_dip_at: string | null;
  } | null;
}

export interface RoundRequest {
  /** Day of the round. */
  date: string;
  /** ID of the truck. */
  truck_id: string;
  /** The round that is planned again. The tanks of its stops are offered like all others. */
  round_id?: string;
  /** Only tanks in these cities, whatever their delivery days are; at most 50. Default: the tanks whose delivery day it is. */
  cities?: string[];
  /** Tanks whose owners asked for a delivery: they must be visited. */
  called_tank_ids?: string[];
  /** Up to which level tanks are filled, in percent. */
  fill_to_percentage?: number;
  /** Above this chance of being empty before the next delivery day, from 0 to 1, a tank has to be visited. */
  chance_limit?: number;
}

export interface DeliveryNote {
  /** ID of the note. */
  id: string;
  object: 'delivery_note';
  /** Series of the note. Empty if it has none. */
  series: string;
  /** Number of the note. */
  number: string;
  /** When it was written. The beginning of the day, if only the day is known. */
  at: string;
  /** How exact `at` is. */
  precision: 'minute' | 'day';
  /** The volume, as written. */
  volume: number;
  /** Unit of the volume. */
  unit: 'liters' | 'gallons';
  /** ID of the customer. */
  customer_id: string;
  /** ID of the tank. Null if the note names only the customer, or if the tank was deleted. */
  tank_id: string | null;
  /** ID of the truck. */
  truck_id: string | null;
  /** ID of the driver. */
  driver_id: string | null;
  /** What was delivered, if the note says it. Null if it is the product that the tank holds. */
  product: 'propane' | 'butane' | 'lpg_mix' | 'heating_oil' | 'diesel' | 'gasoline' | 'kerosene' | 'water' | 'def' | 'other' | null;
  /** Whether the tank holds another product than the note says. Read-only. */
  is_other_product: boolean;
  /** Whether the truck's meter converts to the volume at 15.6 °C (60 °F). Null if the setting of the truck counts. */
  compensated: boolean | null;
  /** Temperature of the product in °C, if the note prints it. */
  product_temperature: number | null;
  /** Level after the delivery in percent, as the driver wrote it. */
  filled_to: number | null;
  /** Your own reference, such as the number of an order or an invoice. Several notes can have the same. */
  reference: string | null;
  /** A cancelled note counts nowhere. */
  status: 'valid' | 'cancelled';
  /** How it was first written. Read-only. */
  source: 'api' | 'console' | 'import' | 'driver';
  /** The key, contact or login that first wrote it. Read-only. */
  written_by: string;
  /** Which refills people said it belongs to, or not. Read-only. */
  pins: {
    /** ID of the tank. */
    tank_id: string;
    /** Time of the refill. */
    refill_at: string;
    /** Whether note and refill are one delivery. */
    kind: 'together' | 'apart';
    /** The key or the contact that set the pin. */
    pinned_by: string;
    /** When the pin was set. */
    created_at: string;
  }[];
  /** What it said before its last 20 changes of time, volume or status, newest first. Read-only. */
  earlier: {
    /** When it was written, according to the note before the change. */
    at: string;
    /** How exact `at` is. */
    precision: 'minute' | 'day';
    /** The volume, as written. */
    volume: number;
    /** Unit of the volume. */
    unit: 'liters' | 'gallons';
    /** A cancelled note counts nowhere. */
    status: 'valid' | 'cancelled';
    /** When it was changed. */
    changed_at: string;
    /** The key, contact or login that changed it. */
    changed_by: string;
    /** The name of the person. Null if it was not a person, or the person was removed. */
    changed_by_name: string | null;
  }[];
  /** When it was created. Read-only. */
  created_at: string;
  /** When it was last changed. Read-only. */
  updated_at: string;
  /** Send it as `If-Match`. */
  etag: string;
}

export interface NewDeliveryNote {
  /** When it was written: a time, or only the day, such as 2025-10-31. */
  at: string;
  /** The volume, as written. */
  volume: number;
  /** liters or gallons. Null: the unit of the tank, or of the truck. */
  unit?: string | null;
  /** ID, custom ID, external_key or device of the tank. Null: the note names only the customer. */
  tank?: string | null;
  /** ID or external_key of the customer. Needed without a tank. */
  customer?: string | null;
  /** ID, external_key or name of the truck. */
  truck?: string | null;
  /** ID, external_key or name of the driver. */
  driver?: string | null;
  /** What was delivered, if the note says it. Null if it is the product that the tank holds. */
  product?: 'propane' | 'butane' | 'lpg_mix' | 'heating_oil' | 'diesel' | 'gasoline' | 'kerosene' | 'water' | 'def' | 'other' | null;
  /** Whether the truck's meter converts to the volume at 15.6 °C (60 °F). Null if the setting of the truck counts. */
  compensated?: boolean | null;
  /** Temperature of the product in °C, if the note prints it. */
  product_temperature?: number | null;
  /** Level after the delivery in percent, as the driver wrote it. */
  filled_to?: number | null;
  /** Your own reference, such as the number of an order or an invoice. Several notes can have the same. */
  reference?: string | null;
  /** A cancelled note counts nowhere. */
  status?: 'valid' | 'cancelled';
}

export interface NewPin {
  /** Whether note and refill are one delivery. */
  kind: 'together' | 'apart';
  /** ID of the tank. */
  tank_id: string;
  /** Time of the refill, as the ledger shows it. */
  refill_at: string;
}

export interface Dip {
  object: 'dip';
  /** ID of the tank. */
  tank_id: string;
  /** The level that somebody saw, from 0 to 100 percent of the capacity. */
  fill_percentage: number;
  /** When the level was seen. */
  created_at: string;
}

export interface NewDip {
  /** The level that somebody saw, from 0 to 100 percent of the capacity. */
  fill_percentage: number;
  /** When the level was seen. Default: now. */
  created_at?: string;
}

export interface Estimate {
  object: 'estimate';
  /** ID of the tank. */
  tank_id: string;
  /** False if the use of the tank is unpredictable, such as in a holiday home or a dryer. No level is estimated then. */
  is_told: boolean;
}

export interface NewEstimate {
  /** False if the use of the tank is unpredictable, such as in a holiday home or a dryer. No level is estimated then. */
  is_told: boolean;
}

export interface DriverLink {
  object: 'driver_link';
  /** ID of the round. */
  round_id: string;
  /** The link for the driver. It is shown once. Without PUBLIC_URL it begins with the path. */
  url: string;
  /** Until when the link shows the round: 03:00 after its day, by the clock of the organization. */
  read_until: string;
  /** Until when a phone can send what it has queued, 7 days longer. */
  send_until: string;
}

export interface DriverEntries {
  object: 'list';
  data: DriverEntry[];
}

export interface DriverEntry {
  /** ID of the entry, made by the phone, or by the service if the office recorded it. */
  id: string;
  /** Number of the stop in its round. */
  stop: number;
  /** ID of the tank. Null: deleted. */
  tank_id: string | null;
  /** What the driver reported. `reopened` revokes the earlier entry. */
  kind: 'delivered' | 'not_possible' | 'reopened';
  /** Delivered volume by the meter of the truck, as the driver typed it. */
  volume: number | null;
  /** Unit of the volume. */
  unit: 'liters' | 'gallons' | null;
  /** Why the delivery was not possible. */
  reason: 'no_access' | 'refused' | 'full' | 'truck_empty' | 'unsafe' | 'other' | null;
  /** What the driver wrote. */
  comment: string | null;
  /** Series and number of the delivery note, if the driver typed it. */
  note: string | null;
  /** The level on the dial after filling, in percent: a dip of a tank without a sensor. */
  filled_to: number | null;
  /** When it happened, by the clock of the phone. */
  at: string;
  /** When it arrived. */
  received_at: string;
  /** The contact or key that recorded it for the driver. Null: the phone sent it. */
  recorded_by: string | null;
  /** The name of the person. Null: it was no person, or one who was removed. */
  recorded_by_name: string | null;
  /** Whether the office replaced the earlier entry with it. */
  is_correction: boolean;
}

export interface Acknowledgements {
  object: 'list';
  data: Acknowledgement[];
}

export interface Acknowledgement {
  /** ID of the acknowledgement. */
  id: string;
  object: 'acknowledgement';
  /** ID of the tank. */
  tank_id: string;
  /** The condition that is handled. */
  condition: 'losing' | 'low' | 'gauge_unreliable' | 'silent' | 'device';
  /** When the acknowledgement ends at the latest. */
  until: string;
  /** What is done. */
  comment: string | null;
  /** For a low tank, the level at which the acknowledgement ends. Null: the level does not end it. */
  returns_at_percentage: number | null;
  /** The key or the contact. */
  acknowledged_by: string;
  /** Name or address of the contact, until the acknowledgement ends. Null for a key. */
  name: string | null;
  /** When it was acknowledged. */
  created_at: string;
  /** When its end was recorded, a few seconds after the end. Null: it has not ended. */
  ended_at: string | null;
  /** Why it ended. Null: it has not ended. */
  ended_because: 'resolved' | 'new_event' | 'worse' | 'expired' | 'withdrawn' | 'replaced' | null;
}

export interface NewAcknowledgement {
  /** What you take care of. Each must be true now. */
  conditions: ('losing' | 'low' | 'gauge_unreliable' | 'silent' | 'device')[];
  /** When the acknowledgement ends at the latest: 5 minutes to 14 days from now; at most 4 hours for a loss. */
  until: string;
  /** What is done, in at most 500 characters. */
  comment?: string | null;
  /** IDs of the acknowledgements of these conditions that you have seen and replace. */
  replaces?: string[];
}

export interface Mute {
  /** ID of the mute. */
  id: string;
  object: 'mute';
  /** ID of the tank. */
  tank_id: string;
  /** When it ends: 5 minutes to 14 days from now. */
  until: string;
  /** Why the tank is muted, in 1 to 500 characters. A person must give a reason. Null: a key gave none. */
  reason: string | null;
  /** The key or the contact that began it. */
  muted_by: string;
  /** When it began. */
  created_at: string;
}

export interface NewMute {
  /** When it ends: 5 minutes to 14 days from now. */
  until: string;
  /** Why the tank is muted, in 1 to 500 characters. A person must give a reason. Null: a key gave none. */
  reason?: string | null;
}

export interface Contact {
  /** ID of the contact. */
  id: string;
  object: 'contact';
  /** Mail address. It cannot be changed: add another contact. */
  email: string;
  /** Name of the person. */
  name: string | null;
  /** The types of events that are mailed at once. */
  types: ('tank.low_fill' | 'tank.fill_recovered' | 'tank.order_due' | 'tank.refilled' | 'tank.overfilled' | 'tank.rapid_loss' | 'tank.unusual_use' | 'tank.device_silent' | 'tank.device_reporting' | 'tank.gauge_unreliable' | 'tank.gauge_reliable')[];
  /** Time of the daily digest in the organization's time zone, such as 07:00. Null: no digest. */
  digest_at: string | null;
  /** What the person may do in the console. Only an administrator can give or change roles, not a key. */
  roles: ('viewer' | 'dispatcher' | 'technician' | 'administrator')[];
  /** The language of mails to the person. Null: the organization's language. */
  language: 'en' | 'es' | null;
  /** When the person was invited last. Null: never. Read-only. */
  invited_at: string | null;
  /** When the person used the console last, to the minute. Null: never. Read-only. */
  last_seen_at: string | null;
  /** When it was created. Read-only. */
  created_at: string;
  /** Send it as `If-Match`. */
  etag: string;
}

export interface NewContact {
  /** Mail address. It cannot be changed: add another contact. */
  email: string;
  /** Name of the person. */
  name?: string | null;
  /** The types of events that are mailed at once. */
  types: ('tank.low_fill' | 'tank.fill_recovered' | 'tank.order_due' | 'tank.refilled' | 'tank.overfilled' | 'tank.rapid_loss' | 'tank.unusual_use' | 'tank.device_silent' | 'tank.device_reporting' | 'tank.gauge_unreliable' | 'tank.gauge_reliable')[];
  /** Time of the daily digest in the organization's time zone, such as 07:00. Null: no digest. */
  digest_at?: string | null;
  /** What the person may do in the console. Only an administrator can give or change roles, not a key. */
  roles?: ('viewer' | 'dispatcher' | 'technician' | 'administrator')[];
  /** The language of mails to the person. Null: the organization's language. */
  language?: 'en' | 'es' | null;
  /** True: also mails an invitation, as `/contacts/{id}/invite` does. It needs a role. */
  invite?: boolean;
}

export interface Contacts {
  object: 'list';
  data: Contact[];
}

export interface ContactPatch {
  /** Name of the person. */
  name?: string | null;
  /** The types of events that are mailed at once. */
  types?: ('tank.low_fill' | 'tank.fill_recovered' | 'tank.order_due' | 'tank.refilled' | 'tank.overfilled' | 'tank.rapid_loss' | 'tank.unusual_use' | 'tank.device_silent' | 'tank.device_reporting' | 'tank.gauge_unreliable' | 'tank.gauge_reliable')[];
  /** Time of the daily digest in the organization's time zone, such as 07:00. Null: no digest. */
  digest_at?: string | null;
  /** What the person may do in the console. Only an administrator can give or change roles, not a key. */
  roles?: ('viewer' | 'dispatcher' | 'technician' | 'administrator')[];
  /** The language of mails to the person. Null: the organization's language. */
  language?: 'en' | 'es' | null;
}

export interface Invitation {

}

export interface DutyPlan {
  object: 'duty_plan';
  /** The parts of every week. They do not overlap. */
  shifts: Shift[];
  /** What differs from the week. It overrules shifts. */
  exceptions: DutyException[];
  /** Whether people are told of losses and empty tanks that nobody handles. */
  escalates: boolean;
  /** Minutes until the person on duty is told. */
  first_minutes: number;
  /** Minutes after that until the next person is told. */
  next_minutes: number;
  /** Minutes after that until all are told. */
  all_minutes: number;
  /** Minutes until all are told again, at most 1440. Null: they are told once. */
  repeat_minutes: number | null;
  /** At or below this level, at most 50, a low tank counts as empty. Null: people are told of losses only. */
  empty_percentage: number | null;
  /** Time zone of the organization. Read-only. */
  time_zone: string;
  /** Whether a provider of texts is set up. Read-only. */
  sends_texts: boolean;
  /** Who is on duty now. Read-only. */
  now: {
    /** ID of the contact who is on duty. Null: nobody is on duty. */
    contact_id: string | null;
    /** ID of the contact who is told next. Null: nobody is told next. */
    next_contact_id: string | null;
    /** Name or address of who is on duty. */
    name: string | null;
    /** Name or address of who is next. */
    next_name: string | null;
    /** Whether this comes from an exception and not from a shift. */
    is_exception: boolean;
  };
  /** First day of `week`. Read-only. */
  week_from: string;
  /** Seven days, divided where the person on duty changes. The last part can end after the seven days. Read-only. */
  week: {
    /** When it begins. */
    from: string;
    /** When it ends. */
    to: string;
    /** ID of the contact who is on duty. Null: nobody is on duty. */
    contact_id: string | null;
    /** ID of the contact who is told next. Null: nobody is told next. */
    next_contact_id: string | null;
    /** Name or address of who is on duty. */
    name: string | null;
    /** Name or address of who is next. */
    next_name: string | null;
    /** Whether this comes from an exception and not from a shift. */
    is_exception: boolean;
  }[];
  /** Send it as `If-Match`. */
  etag: string;
}

export interface Shift {
  /** The days on which the shift begins: 1 is Monday, 7 is Sunday. */
  weekdays: number[];
  /** When it begins by a clock in the organization's time zone, such as 07:00. */
  from: string;
  /** When it ends. On the next day, if it is not after `from`. */
  to: string;
  /** ID of the contact who is on duty. Null: nobody is on duty. */
  contact_id: string | null;
  /** ID of the contact who is told next. Null: nobody is told next. */
  next_contact_id: string | null;
}

export interface DutyException {
  /** When it begins, in the time of the organization, such as 2026-12-24T19:00. */
  from: string;
  /** When it ends. */
  to: string;
  /** ID of the contact who is on duty. Null: nobody is on duty. */
  contact_id: string | null;
  /** ID of the contact who is told next. Null: nobody is told next. */
  next_contact_id: string | null;
}

export interface NewDutyPlan {
  /** The parts of every week. They do not overlap. */
  shifts: Shift[];
  /** What differs from the week. It overrules shifts. */
  exceptions: DutyException[];
  /** Whether people are told of losses and empty tanks that nobody handles. */
  escalates?: boolean;
  /** Minutes until the person on duty is told. */
  first_minutes?: number;
  /** Minutes after that until the next person is told. */
  next_minutes?: number;
  /** Minutes after that until all are told. */
  all_minutes?: number;
  /** Minutes until all are told again, at most 1440. Null: they are told once. */
  repeat_minutes?: number | null;
  /** At or below this level, at most 50, a low tank counts as empty. Null: people are told of losses only. */
  empty_percentage?: number | null;
}

export interface TextChannel {
  object: 'text_channel';
  /** `gateway` is any other service that answers as documented. */
  provider: 'twilio' | 'vonage' | 'messagebird' | 'gateway';
  /** The sender: a number such as +18025550100, or a name. */
  from: string;
  /** Account SID of Twilio, API key of Vonage. */
  account: string | null;
  /** Address of a gateway, or an address of a provider that differs from its usual one. */
  url: string | null;
  /** The largest number of requests to the provider in a day (UTC), 200 if missing. */
  daily_limit: number;
  /** Requests to the provider today (UTC), without those that it refused. Read-only. */
  used_today: number;
}

export interface NewTextChannel {
  /** `gateway` is any other service that answers as documented. */
  provider: 'twilio' | 'vonage' | 'messagebird' | 'gateway';
  /** The sender: a number such as +18025550100, or a name. */
  from: string;
  /** Account SID of Twilio, API key of Vonage. */
  account?: string;
  /** Address of a gateway, or an address of a provider that differs from its usual one. */
  url?: string;
  /** Auth token, API secret, access key, or token of the gateway. It is stored encrypted. */
  secret: string;
  /** Key with which MessageBird signs its reports. */
  signing_key?: string;
  /** The largest number of requests to the provider in a day (UTC), 200 if missing. */
  daily_limit?: number;
}

export interface ReachList {
  object: 'list';
  data: ContactReach[];
}

export interface ContactReach {
  object: 'contact_reach';
  /** ID of the contact. */
  contact_id: string;
  /** Name or address of the contact. */
  name: string;
  /** Number with its country (E.164), such as +18025550111. */
  phone: string | null;
  /** Whether the person wants texts. */
  by_text: boolean;
  /** Whether the person wants mails when told by an escalation. */
  by_mail: boolean;
  /** When quiet hours begin, in the organization's time, such as 22:00. Only losses are told then. */
  quiet_from: string | null;
  /** When quiet hours end. Null: there are no quiet hours. */
  quiet_to: string | null;
  /** Whether the browsers of the person show losses and steps of escalations. */
  by_push: boolean;
  /** How the person is told that a tank is low: `text`, `push`, both or neither. Mails are chosen by type. */
  low_by: ('text' | 'push')[];
  /** How the person is told of other events whose types the person chose for mails, except events of devices. */
  other_by: ('text' | 'push')[];
  /** In how many browsers the person gets notifications. Read-only. */
  browsers: number;
  /** When the code was entered. Null: no texts but the code are sent. Read-only. */
  verified_at: string | null;
  /** The last text to the person. Read-only. */
  last_text: {
    /** `sent`: the provider has accepted it. `delivered`: the provider says that it arrived. */
    status: 'waiting' | 'sent' | 'delivered' | 'failed' | 'canceled';
    /** What the text was for. */
    purpose: 'alert' | 'code' | 'test';
    /** When the text was made. */
    at: string;
    /** Why it failed. */
    error: string | null;
  } | null;
}

export interface NewReach {
  /** Number with its country (E.164), such as +18025550111. */
  phone: string | null;
  /** Whether the person wants texts. */
  by_text: boolean;
  /** Whether the person wants mails when told by an escalation. */
  by_mail: boolean;
  /** When quiet hours begin, in the organization's time, such as 22:00. Only losses are told then. */
  quiet_from: string | null;
  /** When quiet hours end. Null: there are no quiet hours. */
  quiet_to: string | null;
  /** Whether the browsers of the person show losses and steps of escalations. */
  by_push?: boolean;
  /** How the person is told that a tank is low: `text`, `push`, both or neither. Mails are chosen by type. */
  low_by?: ('text' | 'push')[];
  /** How the person is told of other events whose types the person chose for mails, except events of devices. */
  other_by?: ('text' | 'push')[];
}

export interface PhoneCode {
  /** The code of the text. */
  code: string;
}

export interface TestText {

}

export interface Escalations {
  object: 'list';
  data: Escalation[];
}

export interface Escalation {
  /** ID of the escalation. */
  id: string;
  object: 'escalation';
  /** ID of the tank. */
  tank_id: string;
  /** Name of the tank. */
  tank_name: string | null;
  /** `low`: the tank is empty. */
  condition: 'losing' | 'low';
  /** When it began. */
  began_at: string;
  /** Who is told by the next step. Null: there is no next step. */
  next: 'on_duty' | 'next' | 'all' | null;
  /** When the next step is made. */
  next_at: string | null;
  /** Since when somebody handles the condition. Meanwhile nobody is told. Null: nobody handles it. */
  taken_at: string | null;
  /** When it ended. */
  ended_at: string | null;
  /** `told`: all were told as often as planned. `unreachable`: nobody could be told. `failed`: no attempt succeeded. */
  ended_because: 'over' | 'told' | 'unreachable' | 'failed' | null;
  /** The texts of this escalation. */
  texts: {
    /** ID of the contact who got the text. */
    contact_id: string;
    /** Name or address of the contact. */
    name: string | null;
    /** The step of the escalation, from 1 on. -1 says that it was a false alarm. */
    step: number;
    /** `sent`: the provider has accepted it. `delivered`: the provider says that it arrived. */
    status: 'waiting' | 'sent' | 'delivered' | 'failed' | 'canceled';
    /** When the step was made. */
    created_at: string;
    /** When the text arrived or failed. */
    finished_at: string | null;
    /** Why it failed. */
    error: string | null;
  }[];
}

export interface EscalationStep {
  /** Whether all are told, and not only the next person. */
  all?: boolean;
}

export interface WebhookWithSecret {
  /** ID of the webhook. */
  id: string;
  object: 'webhook';
  /** Where events are sent: https, at a public address. */
  url: string;
  /** The types of messages that are sent. Empty: all events, also those of later releases, and no changes (`….changed`). */
  types: ('tank.low_fill' | 'tank.fill_recovered' | 'tank.order_due' | 'tank.refilled' | 'tank.overfilled' | 'tank.rapid_loss' | 'tank.unusual_use' | 'tank.device_silent' | 'tank.device_reporting' | 'tank.gauge_unreliable' | 'tank.gauge_reliable' | 'tank.acknowledged' | 'tank.acknowledgement_ended' | 'tank.muted' | 'tank.unmuted' | 'device.battery_low' | 'device.battery_ok' | 'connector.down' | 'connector.up' | 'customer.changed' | 'tank.changed' | 'round.changed' | 'stop.changed' | 'delivery_note.changed' | 'verdict.changed')[];
  /** Whether events are sent. */
  enabled: boolean;
  /** When it was disabled. Read-only. */
  disabled_at: string | null;
  /** Why it was disabled: by somebody, because the endpoint answered 410, or because it failed for days. Read-only. */
  disabled_because: 'operator' | 'gone' | 'failing' | null;
  /** The first failure since the last success. Read-only. */
  failing_since: string | null;
  /** Until when messages are also signed with the previous secret. Read-only. */
  previous_secret_until: string | null;
  /** The result of the last test message. Null: none was sent. Read-only. */
  last_test: {
    /** When it was sent. */
    at: string;
    /** The status of the response. Null: no response came. */
    status: number | null;
    /** How long it took. */
    duration_ms: number;
    /** Why no response came. */
    error: string | null;
  } | null;
  /** When it was created. Read-only. */
  created_at: string;
  /** Send it as `If-Match`. */
  etag: string;
  /** Verifies the signatures of messages. It is shown only here. Null in a dry run. */
  secret: string | null;
}

export interface NewWebhook {
  /** Where events are sent: https, at a public address. */
  url: string;
  /** The types of messages that are sent. Empty: all events, also those of later releases, and no changes (`….changed`). */
  types?: ('tank.low_fill' | 'tank.fill_recovered' | 'tank.order_due' | 'tank.refilled' | 'tank.overfilled' | 'tank.rapid_loss' | 'tank.unusual_use' | 'tank.device_silent' | 'tank.device_reporting' | 'tank.gauge_unreliable' | 'tank.gauge_reliable' | 'tank.acknowledged' | 'tank.acknowledgement_ended' | 'tank.muted' | 'tank.unmuted' | 'device.battery_low' | 'device.battery_ok' | 'connector.down' | 'connector.up' | 'customer.changed' | 'tank.changed' | 'round.changed' | 'stop.changed' | 'delivery_note.changed' | 'verdict.changed')[];
}

export interface Webhooks {
  object: 'list';
  data: Webhook[];
}

export interface Webhook {
  /** ID of the webhook. */
  id: string;
  object: 'webhook';
  /** Where events are sent: https, at a public address. */
  url: string;
  /** The types of messages that are sent. Empty: all events, also those of later releases, and no changes (`….changed`). */
  types: ('tank.low_fill' | 'tank.fill_recovered' | 'tank.order_due' | 'tank.refilled' | 'tank.overfilled' | 'tank.rapid_loss' | 'tank.unusual_use' | 'tank.device_silent' | 'tank.device_reporting' | 'tank.gauge_unreliable' | 'tank.gauge_reliable' | 'tank.acknowledged' | 'tank.acknowledgement_ended' | 'tank.muted' | 'tank.unmuted' | 'device.battery_low' | 'device.battery_ok' | 'connector.down' | 'connector.up' | 'customer.changed' | 'tank.changed' | 'round.changed' | 'stop.changed' | 'delivery_note.changed' | 'verdict.changed')[];
  /** Whether events are sent. */
  enabled: boolean;
  /** When it was disabled. Read-only. */
  disabled_at: string | null;
  /** Why it was disabled: by somebody, because the endpoint answered 410, or because it failed for days. Read-only. */
  disabled_because: 'operator' | 'gone' | 'failing' | null;
  /** The first failure since the last success. Read-only. */
  failing_since: string | null;
  /** Until when messages are also signed with the previous secret. Read-only. */
  previous_secret_until: string | null;
  /** The result of the last test message. Null: none was sent. Read-only. */
  last_test: {
    /** When it was sent. */
    at: string;
    /** The status of the response. Null: no response came. */
    status: number | null;
    /** How long it took. */
    duration_ms: number;
    /** Why no response came. */
    error: string | null;
  } | null;
  /** When it was created. Read-only. */
  created_at: string;
  /** Send it as `If-Match`. */
  etag: string;
}

export interface WebhookPatch {
  /** Where events are sent: https, at a public address. */
  url?: string;
  /** The types of messages that are sent. Empty: all events, also those of later releases, and no changes (`….changed`). */
  types?: ('tank.low_fill' | 'tank.fill_recovered' | 'tank.order_due' | 'tank.refilled' | 'tank.overfilled' | 'tank.rapid_loss' | 'tank.unusual_use' | 'tank.device_silent' | 'tank.device_reporting' | 'tank.gauge_unreliable' | 'tank.gauge_reliable' | 'tank.acknowledged' | 'tank.acknowledgement_ended' | 'tank.muted' | 'tank.unmuted' | 'device.battery_low' | 'device.battery_ok' | 'connector.down' | 'connector.up' | 'customer.changed' | 'tank.changed' | 'round.changed' | 'stop.changed' | 'delivery_note.changed' | 'verdict.changed')[];
  /** Whether events are sent. */
  enabled?: boolean;
}

export interface SecretRotation {
  /** How long messages are still signed with the old secret, in hours: 0 to 168; 24 if missing. */
  overlap_hours?: number;
}

export interface WebhookTest {

}

export interface Replay {
  object: 'replay';
  /** How many events and messages of changes are sent again. */
  events: number;
}

export interface NewReplay {
  /** Events that happened at this time or later. */
  since?: string;
  /** IDs of at most 100 events or messages of changes. */
  event_ids?: string[];
}

export interface WebhookDeliveries {
  object: 'list';
  data: WebhookDelivery[];
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null;
  /** Whether there is another page. */
  has_more: boolean;
}

export interface WebhookDelivery {
  /** Number of the delivery. The last one of a page is `next`. */
  number: number;
  object: 'delivery';
  /** ID of the event; for a change, the ID of its message. */
  event_id: string;
  /** Type of the message. */
  type: string;
  /** When the event happened, or the change was found. */
  occurred_at: string;
  /** ID of the tank. Null: it is a change. */
  tank_id: string | null;
  /** ID of the object that changed, as in the change feed. Null: it is an event. */
  object_id: string | null;
  /** Its outcome so far. */
  status: 'pending' | 'delivered' | 'failed' | 'canceled';
  /** How often it was sent. */
  attempts: number;
  /** The last attempt. Null: there was none. */
  last_attempt: {
    /** When it was sent. */
    at: string;
    /** The status of the response. Null: no response came. */
    status: number | null;
    /** How long it took. */
    duration_ms: number;
    /** Why no response came. */
    error: string | null;
  } | null;
  /** When it is sent again. Null: it is not sent again. */
  next_attempt_at: string | null;
}

export interface Connectors {
  object: 'list';
  data: Connector[];
}

export interface Connector {
  /** ID of the connector. */
  id: string;
  object: 'connector';
  /** `otodata` and `tank_utility` are clouds of makers, `json` any API that answers JSON, `mqtt` a broker; `nws` and `dwd` are weather services, `weather_csv` any file of temperatures; `home_assistant` is a broker to which levels are published. */
  kind: 'otodata' | 'tank_utility' | 'json' | 'mqtt' | 'nws' | 'dwd' | 'weather_csv' | 'home_assistant';
  /** Its name, which no other connector of the organization has. */
  name: string;
  /** Where and how it is asked, as `docs/operators/sources.md` describes for each kind. Without the secret. */
  settings: Record<string, unknown>;
  /** Whether it has a secret. Read-only. */
  has_secret: boolean;
  /** `down`: it has failed for 15 minutes. `refused`: its key is not accepted, and it is not tried again. Read-only. */
  state: 'works' | 'starting' | 'failing' | 'down' | 'refused' | 'paused';
  /** When it was paused. Null: it is not. Read-only. */
  paused_at: string | null;
  /** Since when it is down or refused. Meanwhile its devices are not silent. Read-only. */
  down_since: string | null;
  /** Why the last attempt failed. Null: it worked. Read-only. */
  last_error: string | null;
  /** When it was last asked. Read-only. */
  last_attempt_at: string | null;
  /** When all new readings were last read. Read-only. */
  last_success_at: string | null;
  /** When it is asked next. Null: it is not asked. Read-only. */
  next_attempt_at: string | null;
  /** Readings up to this time are read. Null: it has no history. Read-only. */
  read_up_to: string | null;
  /** Older readings since this time are still being read. Null: all are read. Read-only. */
  backfill_from: string | null;
  /** Number of devices that it has reported, of places with weather, or of published tanks. Read-only. */
  devices: number;
  /** How many of these devices are on a tank, or tanks with this weather. Read-only. */
  tanks: number;
  /** What the last try has found. Null: it was not tried. Read-only. */
  last_try: {
    /** When it was tried. */
    at: string;
    /** Whether it answered as expected. */
    works: boolean;
    /** Devices in the answer, or places with weather. */
    devices: number;
    /** How many of them are on a tank. */
    devices_on_tanks: number;
    /** Readings or temperatures in the answer. None of them is stored. */
    readings: number;
    /** What was wrong. Null: nothing. */
    error: string | null;
  } | null;
  /** The last 24 hours, with this one, the oldest first. Read-only. */
  hours: {
    /** When the hour began. */
    at: string;
    /** Readings that it brought. A source without history repeats its last ones. */
    readings: number;
    /** How often all new readings were read. */
    successes: number;
    /** How often it failed. */
    failures: number;
  }[];
  /** When it was added. Read-only. */
  created_at: string;
  /** Send it as `If-Match`. */
  etag: string;
}

export interface NewConnector {
  /** `otodata` and `tank_utility` are clouds of makers, `json` any API that answers JSON, `mqtt` a broker; `nws` and `dwd` are weather services, `weather_csv` any file of temperatures; `home_assistant` is a broker to which levels are published. */
  kind: 'otodata' | 'tank_utility' | 'json' | 'mqtt' | 'nws' | 'dwd' | 'weather_csv' | 'home_assistant';
  /** Its name, which no other connector of the organization has. */
  name: string;
  /** Where and how it is asked, as `docs/operators/sources.md` describes for each kind. Without the secret. */
  settings: Record<string, unknown>;
  /** Key or password of the account at the source; `user:password` for Tank Utility. It is stored encrypted and never returned. */
  secret?: string;
  /** How far back readings are read, if the source has them; 30 days if missing. */
  days?: number;
  /** True if the source is not asked. */
  paused?: boolean;
}

export interface ConnectorPatch {
  /** `otodata` and `tank_utility` are clouds of makers, `json` any API that answers JSON, `mqtt` a broker; `nws` and `dwd` are weather services, `weather_csv` any file of temperatures; `home_assistant` is a broker to which levels are published. */
  kind?: 'otodata' | 'tank_utility' | 'json' | 'mqtt' | 'nws' | 'dwd' | 'weather_csv' | 'home_assistant';
  /** Its name, which no other connector of the organization has. */
  name?: string;
  /** Where and how it is asked, as `docs/operators/sources.md` describes for each kind. Without the secret. */
  settings?: Record<string, unknown>;
  /** Key or password of the account at the source; `user:password` for Tank Utility. It is stored encrypted and never returned. */
  secret?: string;
  /** True if the source is not asked. */
  paused?: boolean;
}

export interface ConnectorTrial {

}

export interface OrganizationSettings {
  object: 'organization';
  /** The product of tanks that have none of their own. */
  default_product: 'propane' | 'butane' | 'lpg_mix' | 'heating_oil' | 'diesel' | 'gasoline' | 'kerosene' | 'water' | 'def' | 'other';
  /** Whether unusual use of tanks is reported: as the event `tank.unusual_use`, and as a section of the day. What was reported before stays. */
  reports_unusual_use: boolean;
}

export interface OrganizationPatch {
  /** The product of tanks that have none of their own. */
  default_product?: 'propane' | 'butane' | 'lpg_mix' | 'heating_oil' | 'diesel' | 'gasoline' | 'kerosene' | 'water' | 'def' | 'other';
  /** Whether unusual use of tanks is reported: as the event `tank.unusual_use`, and as a section of the day. What was reported before stays. */
  reports_unusual_use?: boolean;
}

export interface AuditLog {
  object: 'list';
  data: AuditEntry[];
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null;
  /** Whether there is another page. */
  has_more: boolean;
}

export interface AuditEntry {
  /** Number of the entry. `next` is the number of the last entry of a page. */
  number: number;
  object: 'audit_entry';
  /** When it was changed. */
  at: string;
  /** Who changed it: a contact, a key, an owner, a link, an issuer, or the user of a command. */
  actor: string;
  /** Name or address of the contact. Null for others, and for a contact that was removed. */
  name: string | null;
  /** Such as create, update, delete. */
  action: string;
  /** What was changed, such as tank. */
  changed: string;
  /** ID of the object. Null: there are several objects, or it has no ID here. */
  changed_id: string | null;
  /** Name, address, host, number or day of the object, as it is now. Null: there are several objects, or it has no name or is deleted. */
  changed_name: string | null;
  /** ID of the tank that a note, an acknowledgement, a mute or a delivery note belongs to. */
  tank_id: string | null;
  /** How many objects were changed together. */
  changed_objects: number;
  /** The changed fields, without their values. */
  fields: string[];
  /** The request to `/manage/v1` that changed it. Null if it was changed in another way, such as by a command. */
  request_id: string | null;
}

export interface Problem {
  /** URN of the kind of problem. It does not change. */
  type: string;
  /** The kind of problem, for people. */
  title: string;
  /** The HTTP status. */
  status: number;
  /** What happened and what to do. */
  detail: string;
  /** The kind of problem, for programs. Codes do not change. */
  code: string;
  /** ID of the request. Quote it when you ask for help. */
  request_id: string;
  /** The invalid parameters, at most 20. */
  errors?: {
    /** Name of the parameter. */
    param: string;
    /** Error code, for programs. Codes do not change. */
    code: string;
    /** What is wrong and which values are valid, for people. */
    detail: string;
  }[];
  /** ID of the object that prevents the change. */
  conflicting_id?: string;
}

export interface WebhookData {
  /** ID of the event, or of the message of event.retracted. It stays the same in every attempt and every replay. */
  id: string;
  /** The tank as the API returns it at the time of sending. */
  tank?: Tank | DeletedTank;
  /** The owner of the tank, as the API returns it at the time of sending. */
  customer?: Customer | DeletedCustomer;
  /** Your own number of the tank among those of its owner. Null if it has none or is deleted. */
  tank_custom_id?: string | null;
  /** Your own number of the tank in the organization, which `/v1` does not return. Null if it has none or is deleted. */
  tank_external_key?: string | null;
  /** Your own number of the customer, which `/v1` does not return. Null if it has none or is deleted. */
  customer_external_key?: string | null;
  /** Until when nobody gets mails about the tank, except for a loss. Only while the tank is muted. */
  muted_until?: string;
  /** Only in event.retracted: ID of the event that did not happen. */
  event_id?: string;
  /** Only in event.retracted: type of the event. */
  event_type?: string;
  /** Only in event.retracted: `occurred_at` of the event. */
  event_occurred_at?: string;
}

/** A deleted object. */
export interface DeletedCustomer {
  id: string;
  object: 'customer';
  deleted: true;
}

/** A deleted object. */
export interface DeletedTank {
  id: string;
  object: 'tank';
  deleted: true;
}

/** One page of a list, with the totals of the whole list. */
export interface List<Item> {
  object: 'list';
  /** The objects of this page, at most `size`. Empty if the page is past the end. */
  data: Item[];
  /** Number of this page. */
  page: number;
  /** Maximum number of objects on a page. */
  size: number;
  /** Number of pages. 0 if no object matches. */
  total_pages: number;
  /** Number of objects that match, on all pages. */
  total_items: number;
}

export interface ListParameters {
  /** Return only objects created at or after this time. A time without Z or an offset is UTC. */
  created_at_gte?: Date | string | undefined;
  /** Return only objects created at or before this time. A time without Z or an offset is UTC. */
  created_at_lte?: Date | string | undefined;
  /** Number of the page to return. A page past the end is empty and has the correct totals. */
  page?: number | undefined;
  /** Maximum number of objects on a page. */
  size?: number | undefined;
}

export interface CustomerListParameters extends ListParameters {
  /** Return only customers with this e-mail address. Upper and lower case are different. */
  email?: string | undefined;
}

export interface TankStatusPage {
  object: 'list';
  /** The objects of this page, at most `size`. */
  data: TankStatus[];
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null;
  /** Whether there is another page. */
  has_more: boolean;
  /** Send it as `before` to get the previous page. Null on the first page. */
  previous: string | null;
  /** Number of objects that match, on all pages, counted at `as_of`. */
  total_items: number;
  /** When `total_items` was counted, at most 10 seconds ago. */
  as_of: string;
}

export interface TankEventPage {
  object: 'list';
  /** The items after the position, at most `size`. */
  data: TankEvent[];
  /** Send it as `after` to continue, now or later. Null if there is no item yet. */
  next: string | null;
  /** Whether more items can be read now. */
  has_more: boolean;
}

export interface ChangePage {
  object: 'list';
  /** The items after the position, at most `size`. */
  data: Change[];
  /** Send it as `after` to continue, now or later. Null if there is no item yet. */
  next: string | null;
  /** Whether more items can be read now. */
  has_more: boolean;
}

export interface ReadingPage {
  object: 'list';
  /** The items after the position, at most `size`. */
  data: Reading[];
  /** Send it as `after` to continue, now or later. Null if there is no item yet. */
  next: string | null;
  /** Whether more items can be read now. */
  has_more: boolean;
}

export interface FleetCustomerPage {
  object: 'list';
  /** The objects of this page, at most `size`. */
  data: FleetCustomer[];
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null;
  /** Whether there is another page. */
  has_more: boolean;
  /** Send it as `before` to get the previous page. Null on the first page. */
  previous: string | null;
  /** Number of objects that match, on all pages, counted at `as_of`. */
  total_items: number;
  /** When `total_items` was counted, at most 10 seconds ago. */
  as_of: string;
}

export interface WrittenDeliveryNotePage {
  object: 'list';
  /** The items after the position, at most `size`. */
  data: WrittenDeliveryNote[];
  /** Send it as `after` to continue, now or later. Null if there is no item yet. */
  next: string | null;
  /** Whether more items can be read now. */
  has_more: boolean;
}

export interface ListTankStatusesParameters {
  /** Return only tanks with this status. */
  status?: 'losing' | 'low' | 'gauge_unreliable' | 'silent' | 'soon' | 'refilled' | undefined;
  /** Return only tanks of this section: what is to be done today. Each tank is in one section at most, the most urgent one. */
  section?: 'losing' | 'low' | 'unusual_use' | 'gauge' | 'silent_low' | 'handled' | 'due' | 'refilled' | undefined;
  /** never: return only tanks without a reading so far. */
  reporting?: 'never' | undefined;
  /** wanted: return only tanks without a sensor whose level a person should read. */
  dip?: 'wanted' | undefined;
  /** due: return only tanks at or below their order threshold. */
  order?: 'due' | undefined;
  /** Return only tanks that are low or reach their threshold within this many days, by the time zone of the organization. */
  within_days?: number | undefined;
  /** Return only tanks with this use. */
  use_case?: 'residential' | 'commercial' | 'industrial' | undefined;
  /** Return only tanks in this city, written as in the tank. */
  city?: string | undefined;
  /** Return only tanks of this customer. */
  owner_id?: string | undefined;
  /** Return only the tank with this `external_key`, the operator's own number of the tank. */
  external_key?: string | undefined;
  /** Return only these tanks: up to 100 IDs, separated by commas. */
  ids?: string | undefined;
  /** Return only tanks that contain all these words, in any order, in their name, custom ID, device, street, district, city or postal code, or in the name, number, e-mail address or phone number of their owner. Case, accents and signs do not matter. A word of one or two characters is compared with the beginning of words. At least one word must have three letters or digits. */
  q?: string | undefined;
  /** Return only tanks near this place: latitude and longitude in degrees. */
  near?: string | undefined;
  /** The distance for `near`, in km. */
  km?: number | undefined;
  /** Return only tanks in this area: west, south, east and north in degrees. */
  bbox?: string | undefined;
  /** The order. Urgency: losing tanks first, then low ones, the soonest to be empty first, then by the time they reach their threshold. Use `created` to read every tank once: readings do not change this order. A minus reverses the order. */
  sort?: 'urgency' | '-urgency' | 'level' | '-level' | 'last_reading' | '-last_reading' | 'last_refill' | '-last_refill' | 'created' | '-created' | undefined;
  /** Maximum number of objects on a page. */
  size?: number | undefined;
  /** `next` of the page before. */
  after?: string | undefined;
  /** `previous` of the page after. */
  before?: string | undefined;
  /** spark: also return the last level of each of the last 14 days. */
  include?: 'spark' | undefined;
}

export interface RetrieveSeriesParameters {
  /** Start of the range. Default: 90 days before `until`. A time without Z or an offset is UTC. A day such as 2025-11-01 is the time at which it begins in the time zone of the organization. */
  since?: Date | string | undefined;
  /** End of the range. Default: now. A time without Z or an offset is UTC. A day such as 2025-11-01 is the time at which it begins in the time zone of the organization. */
  until?: Date | string | undefined;
  /** The same as `since`. */
  from?: Date | string | undefined;
  /** The same as `until`. */
  to?: Date | string | undefined;
  /** Number of buckets, such as the width of a chart in pixels. */
  buckets?: number | undefined;
}

export interface TryThresholdParameters {
  /** The threshold to try, in percent. Required. */
  threshold?: number | undefined;
}

export interface RetrieveUsageParameters {
  /** Length of a period. Default: month. */
  unit?: 'month' | 'week' | undefined;
  /** Time zone in which months and weeks begin, as in the IANA database. */
  zone?: string | undefined;
  /** Number of periods, up to now. */
  periods?: number | undefined;
}

export interface ListTankEventsParameters {
  /** Maximum number of objects on a page. */
  size?: number | undefined;
  /** `next` of the page before. */
  after?: string | undefined;
  /** Return only events that happened before this time. To read page by page, use `after`. A time without Z or an offset is UTC. A day such as 2025-11-01 is the time at which it begins in the time zone of the organization. */
  before?: Date | string | undefined;
  /** include: return retracted events as well, if somebody may have been notified of them. They have `retracted_at`. */
  retracted?: 'include' | undefined;
}

export interface RetrieveTimelineParameters {
  /** Return only entries of this kind. */
  kind?: 'level' | 'event' | 'mail' | 'text' | 'act' | 'delivery' | 'note' | undefined;
  /** Maximum number of objects on a page. */
  size?: number | undefined;
  /** `next` of the page before. */
  after?: string | undefined;
}

export interface ListDevicesParameters {
  /** Return only devices with this state that nobody has taken on. `trouble`: all devices that are not `reporting`, in this order. `taken_on`: devices in trouble that somebody has taken on. Without it: all devices. */
  state?: 'silent' | 'fault' | 'gauge_unreliable' | 'battery_low' | 'weak_signal' | 'never_heard' | 'trouble' | 'taken_on' | undefined;
  /** Return only tanks in this city, written as in the tank. */
  city?: string | undefined;
  /** Return only the devices that this contact put on their tanks. */
  commissioned_by?: string | undefined;
  /** Maximum number of objects on a page. */
  size?: number | undefined;
  /** `next` of the page before. */
  after?: string | undefined;
}

export interface ListEventsParameters {
  /** Return only events of this type. */
  type?: 'tank.low_fill' | 'tank.fill_recovered' | 'tank.order_due' | 'tank.refilled' | 'tank.overfilled' | 'tank.rapid_loss' | 'tank.unusual_use' | 'tank.device_silent' | 'tank.device_reporting' | 'tank.gauge_unreliable' | 'tank.gauge_reliable' | 'tank.acknowledged' | 'tank.acknowledgement_ended' | 'tank.muted' | 'tank.unmuted' | 'device.battery_low' | 'device.battery_ok' | 'connector.down' | 'connector.up' | undefined;
  /** Maximum number of objects on a page. */
  size?: number | undefined;
  /** `next` of the last response. Leave it out to begin with the first event. */
  after?: string | undefined;
}

export interface ListChangesParameters {
  /** What to return, separated by commas: customer, tank, level, event, round, stop, delivery_note, verdict. Default: customer,tank. A cursor belongs to its types. */
  types?: string | undefined;
  /** Maximum number of changes. */
  size?: number | undefined;
  /** `next` of the last response. Leave it out to begin with everything that there is. */
  after?: string | undefined;
}

export interface ListReadingsParameters {
  /** Maximum number of readings. */
  size?: number | undefined;
  /** `next` of the last response. Leave it out to begin with what was measured in the last 6 days. */
  after?: string | undefined;
}

export interface ListHistoryParameters {
  /** Return only events of this type. */
  type?: 'tank.low_fill' | 'tank.fill_recovered' | 'tank.order_due' | 'tank.refilled' | 'tank.overfilled' | 'tank.rapid_loss' | 'tank.unusual_use' | 'tank.device_silent' | 'tank.device_reporting' | 'tank.gauge_unreliable' | 'tank.gauge_reliable' | 'tank.acknowledged' | 'tank.acknowledgement_ended' | 'tank.muted' | 'tank.unmuted' | 'device.battery_low' | 'device.battery_ok' | 'connector.down' | 'connector.up' | undefined;
  /** Return only events that happened at this time or later. A time without Z or an offset is UTC. A day such as 2025-11-01 is the time at which it begins in the time zone of the organization. */
  since?: Date | string | undefined;
  /** Return only events that happened before this time. A time without Z or an offset is UTC. A day such as 2025-11-01 is the time at which it begins in the time zone of the organization. */
  until?: Date | string | undefined;
  /** Return only events of the tanks of this customer. */
  owner_id?: string | undefined;
  /** include: return retracted events as well, if somebody may have been notified of them. They have `retracted_at`. */
  retracted?: 'include' | undefined;
  /** Maximum number of objects on a page. */
  size?: number | undefined;
  /** `next` of the page before. */
  after?: string | undefined;
}

export interface SearchParameters {
  /** The words to look for, in any order: in the tank (name, custom ID, device, street, district, city, postal code) and its owner (name, number, e-mail address, phone number). Case, accents and signs do not matter. A word of one or two characters is compared with the beginning of words. At least one word must have three letters or digits. */
  q?: string | undefined;
}

export interface FindCustomersParameters {
  /** Return only the customer with this `external_key`, the operator's own number of the customer. Numbers are unique. */
  external_key?: string | undefined;
  /** Return only customers that contain all these words, in any order, in their name, number, e-mail address or phone number. Case, accents and signs do not matter. A word of one or two characters is compared with the beginning of words. At least one word must have three letters or digits. */
  q?: string | undefined;
  /** Maximum number of objects on a page. */
  size?: number | undefined;
  /** `next` of the page before. */
  after?: string | undefined;
  /** `previous` of the page after. */
  before?: string | undefined;
}

export interface FindSimilarCustomersParameters {
  /** Name. Similar names are found too. */
  name?: string | undefined;
  /** E-mail address. */
  email?: string | undefined;
  /** Phone number, in any form. Its last eight digits are compared. */
  phone?: string | undefined;
  /** The operator's own number. */
  external_key?: string | undefined;
  /** Street of a tank. Used only with `street_number`. */
  street?: string | undefined;
  /** House number of a tank. */
  street_number?: string | undefined;
  /** The ID of a customer that is not returned, such as the customer that is being edited. */
  except?: string | undefined;
}

export interface RetrieveCustomerUsageParameters {
  /** Length of a period. Default: month. */
  unit?: 'month' | 'week' | undefined;
  /** Time zone in which months and weeks begin, as in the IANA database. */
  zone?: string | undefined;
  /** Number of periods, up to now. */
  periods?: number | undefined;
}

export interface RetrieveCustomerRefillsParameters {
  /** Time zone in which months begin, as in the IANA database. */
  zone?: string | undefined;
  /** Number of months, up to now. */
  months?: number | undefined;
}

export interface ListDeliveryNotesParameters {
  /** Only notes written at or after this time. A time without Z or an offset is UTC. A day such as 2025-11-01 is the time at which it begins in the time zone of the organization. */
  since?: Date | string | undefined;
  /** Only notes written before this time. A time without Z or an offset is UTC. A day such as 2025-11-01 is the time at which it begins in the time zone of the organization. */
  until?: Date | string | undefined;
  /** Only notes with this status. */
  status?: 'valid' | 'cancelled' | undefined;
  /** Only notes with this number, of any series. */
  number?: string | undefined;
  /** Only notes with this reference of your own system. */
  reference?: string | undefined;
  /** Only notes and refills of this customer. */
  owner_id?: string | undefined;
  /** Only notes and refills of this tank. */
  tank_id?: string | undefined;
  /** Only notes of this truck. */
  truck_id?: string | undefined;
  /** Only notes of this driver. */
  driver_id?: string | undefined;
  /** Maximum number of objects on a page. */
  size?: number | undefined;
  /** `next` of the page before. */
  after?: string | undefined;
}

export interface ListLedgerParameters {
  /** Only entries with this verdict. */
  verdict?: 'not_consistent' | 'note_without_refill' | 'refill_without_note' | 'cannot_be_told' | 'waiting' | 'consistent' | undefined;
  /** Only entries of this month, by the time zone of the organization. */
  month?: string | undefined;
  /** Only notes of this truck. */
  truck_id?: string | undefined;
  /** Only notes of this driver. */
  driver_id?: string | undefined;
  /** Only notes and refills of this tank. */
  tank_id?: string | undefined;
  /** Only notes and refills of this customer. */
  owner_id?: string | undefined;
  /** Maximum number of objects on a page. */
  size?: number | undefined;
  /** `next` of the page before. */
  after?: string | undefined;
}

export interface RetrieveLedgerTotalsParameters {
  /** What to sum by. The default is truck. */
  by?: 'truck' | 'driver' | 'month' | undefined;
  /** The last month of the period. The default is this month. */
  month?: string | undefined;
  /** Number of months of the period. */
  months?: number | undefined;
}

export interface RetrieveMapParameters {
  /** Return only tanks with this status. */
  status?: 'losing' | 'low' | 'gauge_unreliable' | 'silent' | 'soon' | 'refilled' | undefined;
  /** Return only tanks of this section: what is to be done today. Each tank is in one section at most, the most urgent one. */
  section?: 'losing' | 'low' | 'unusual_use' | 'gauge' | 'silent_low' | 'handled' | 'due' | 'refilled' | undefined;
  /** never: return only tanks without a reading so far. */
  reporting?: 'never' | undefined;
  /** wanted: return only tanks without a sensor whose level a person should read. */
  dip?: 'wanted' | undefined;
  /** due: return only tanks at or below their order threshold. */
  order?: 'due' | undefined;
  /** Return only tanks that are low or reach their threshold within this many days, by the time zone of the organization. */
  within_days?: number | undefined;
  /** Return only tanks with this use. */
  use_case?: 'residential' | 'commercial' | 'industrial' | undefined;
  /** Return only tanks in this city, written as in the tank. */
  city?: string | undefined;
  /** Return only tanks of this customer. */
  owner_id?: string | undefined;
  /** Return only the tank with this `external_key`, the operator's own number of the tank. */
  external_key?: string | undefined;
  /** Return only these tanks: up to 100 IDs, separated by commas. */
  ids?: string | undefined;
  /** Return only tanks that contain all these words, in any order, in their name, custom ID, device, street, district, city or postal code, or in the name, number, e-mail address or phone number of their owner. Case, accents and signs do not matter. A word of one or two characters is compared with the beginning of words. At least one word must have three letters or digits. */
  q?: string | undefined;
  /** Return only tanks near this place: latitude and longitude in degrees. */
  near?: string | undefined;
  /** The distance for `near`, in km. */
  km?: number | undefined;
  /** The area: west, south, east and north in degrees. Default: the whole world. */
  bbox?: string | undefined;
  /** Zoom of the map, as in web maps. A cell is about 32 pixels wide, and wider if the area is much larger than a screen. */
  zoom?: number | undefined;
  /** tanks: return tanks one by one instead of in cells: all if the area has at most 2,000 tanks, otherwise those that are losing gas. */
  include?: 'tanks' | undefined;
}

export interface ListRoundsParameters {
  /** The first day. Default: today in the organization's time zone. */
  from?: string | undefined;
  /** The last day, at most 42 days later. Default: 6 days after the first. */
  to?: string | undefined;
}

export interface RetrieveRoundParameters {
  /** vroom: return the round as a problem for VROOM, with the numbers of the stops as ids, in liters. Stops that are closed, blocked, filled meanwhile or without coordinates are left out. */
  format?: 'json' | 'vroom' | undefined;
}

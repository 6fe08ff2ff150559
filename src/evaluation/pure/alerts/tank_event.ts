import { tenth } from '../../../values/tenth.ts';
import { HOUR_MS } from '../../../values/time.ts';
import type { Rise } from '../estimator/assessed_reading.ts';
import type { GaugeFault } from '../estimator/gauge_health.ts';
import type { LevelReading } from '../estimator/level_filter.ts';
import type { EventData, EventReading, EventType, RetractionReason } from './event_types.ts';
import type { AlertSettings } from './tank_state.ts';

/** One tank never has two events of one type at one time: (tank, type, atMs) is an event's identity. */
export type TankEvent = {
  [Type in EventType]: {
    type: Type;
    atMs: number;
    data: EventData[Type];
    /** The readings that caused it, oldest first. */
    readings: readonly EventReading[];
  };
}[EventType];

/** The identity of a reported event that a later reading has shown to be wrong. */
export interface RetractedEvent {
  type: EventType;
  atMs: number;
  reason: RetractionReason;
}

export const isSameEvent = (a: { type: EventType; atMs: number }, b: { type: EventType; atMs: number }): boolean =>
  a.type === b.type && a.atMs === b.atMs;

export const excludeRetracted = (events: readonly TankEvent[], retracted: readonly RetractedEvent[]): TankEvent[] =>
  events.filter((event) => !retracted.some((retraction) => isSameEvent(retraction, event)));

export const refilled = (
  { capacity, capacityUnit }: AlertSettings,
  rise: Rise,
  atMs: number,
  readings: readonly EventReading[],
): TankEvent => {
  const before = tenth(Math.min(100, Math.max(0, rise.before)));
  const after = tenth(Math.min(100, before + rise.points));
  const delivered_volume = tenth(((after - before) / 100) * capacity);
  return {
    type: 'tank.refilled',
    atMs,
    data: {
      before_percentage: before,
      after_percentage: after,
      delivered_volume,
      volume_unit: capacityUnit,
      ...(rise.isMaybeFault === true && { maybe_gauge_fault: true as const }),
    },
    readings,
  };
};

/** How far the level fell, in which time, and the volume. */
function fallOf(capacity: number, from: LevelReading, to: LevelReading) {
  const { fillPercentage: from_percentage } = from;
  const { fillPercentage: to_percentage } = to;
  const fall = { from_percentage, to_percentage, hours: tenth((to.atMs - from.atMs) / HOUR_MS) };
  return { fall, volume: tenth((Math.max(0, from_percentage - to_percentage) / 100) * capacity) };
}

export const rapidLoss = (
  { capacity, capacityUnit }: AlertSettings,
  from: LevelReading,
  to: LevelReading,
  readings: readonly EventReading[],
): TankEvent => {
  const { fall, volume } = fallOf(capacity, from, to);
  const data = { ...fall, lost_volume: volume, volume_unit: capacityUnit };
  return { type: 'tank.rapid_loss', atMs: to.atMs, data, readings };
};

export const unusualUse = (
  { capacity, capacityUnit }: AlertSettings,
  { from, usual }: { from: LevelReading; usual: number },
  to: LevelReading,
  readings: readonly EventReading[],
): TankEvent => {
  const { fall, volume } = fallOf(capacity, from, to);
  const usual_volume_per_day = tenth((usual / 100) * capacity);
  const data = { ...fall, used_volume: volume, usual_volume_per_day, volume_unit: capacityUnit };
  return { type: 'tank.unusual_use', atMs: to.atMs, data, readings };
};

export const deviceSilent = (latest: LevelReading, usualMs: number, atMs: number): TankEvent => ({
  type: 'tank.device_silent',
  atMs,
  data: {
    last_reading_at: iso(latest.atMs),
    silent_for_hours: tenth((atMs - latest.atMs) / HOUR_MS),
    usual_interval_hours: tenth(usualMs / HOUR_MS),
  },
  readings: eventReadings(latest),
});

export const deviceReporting = (latest: LevelReading, reading: LevelReading): TankEvent => ({
  type: 'tank.device_reporting',
  atMs: reading.atMs,
  data: { silent_since: iso(latest.atMs) },
  readings: eventReadings(latest, reading),
});

export const gaugeUnreliable = (
  reason: GaugeFault,
  sinceMs: number,
  reading: LevelReading,
  readings: readonly EventReading[],
): TankEvent => ({
  type: 'tank.gauge_unreliable',
  atMs: reading.atMs,
  data: { reason, since: iso(sinceMs), fill_percentage: reading.fillPercentage },
  readings,
});

export const gaugeReliable = (
  sinceMs: number,
  reading: LevelReading,
  readings: readonly EventReading[],
): TankEvent => ({
  type: 'tank.gauge_reliable',
  atMs: reading.atMs,
  data: { unreliable_since: iso(sinceMs), fill_percentage: reading.fillPercentage },
  readings,
});

/** The readings that are not null, once each. */
export function eventReadings(...readings: readonly (LevelReading | null)[]): EventReading[] {
  const byTime = new Map(readings.flatMap((reading) => (reading === null ? [] : [[reading.atMs, reading]])));
  return [...byTime.values()].map(({ atMs, fillPercentage }) => ({
    created_at: iso(atMs),
    fill_percentage: fillPercentage,
  }));
}

const iso = (ms: number): string => new Date(ms).toISOString();

import type { NewTank } from '../src/catalog/tanks.ts';
import type { SimulatedReading } from '../src/simulation/life.ts';
import { Random } from '../src/simulation/random.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import { zonedDate } from '../src/values/zoned_time.ts';
import { VERMONT } from './regions.ts';

/** A tank of the story, with its readings before the story begins. */
export interface StoryTank {
  tank: Omit<NewTank, 'owner_no'>;
  history: readonly SimulatedReading[];
}

/** A report that a device of the story sends while the demo runs. */
export interface Scene {
  /** When the report is sent, as a share of the story's duration. */
  at: number;
  deviceId: string;
  /** One sentence for the visitor. */
  text: string;
  /** The hourly readings that the device has collected since its last report. */
  readings: readonly SimulatedReading[];
}

export interface Story {
  tanks: readonly StoryTank[];
  scenes: readonly Scene[];
}

/** From these days, the estimator learns the use and the noise of each tank. */
const HISTORY_DAYS = 42;
const HISTORY_HOURS = HISTORY_DAYS * 24;
/** The hours between the last report of the devices and the start. The detection needs several collected readings. */
const COLLECTED_HOURS = 12;

const THRESHOLD = 20;
/**
 * The refill of the bakery, an hour ago. The driver can still read the round of that day, because a round can be read until 03:00 of
 * the next day. The gauge measures 602 gallons.
 */
export const REFILL = { hoursAgo: 1, noteGallons: 605 } as const;
/** The day on which the gauge measures the refill. In the first hour of a day, that is the previous day. */
export const storyDay = (nowMs: number): string => zonedDate(nowMs - REFILL.hoursAgo * HOUR_MS, VERMONT.timeZone);
const REFILL_HOUR = COLLECTED_HOURS - REFILL.hoursAgo;
export const BAKERY = 'STORY-BAKERY';
const CABIN = 'STORY-CABIN';
const KILN = 'STORY-KILN';

/**
 * Three tanks whose devices measure every hour and send what they have collected. The bakery runs low and is refilled,
 * the cabin leaks, and the gauge of the kiln fails. The readings were measured in the last hours, so the rules that need
 * several hourly readings are satisfied at once. They are in the order of time, and none is in the future.
 */
export function planStory(nowMs: number): Story {
  const startMs = nowMs - COLLECTED_HOURS * HOUR_MS;
  const measure = (deviceId: string, levelAfter: (hours: number) => number, fromHour: number, toHour: number) => {
    const gauge = Random.named(1, `${deviceId} ${fromHour}`);
    return Array.from({ length: toHour - fromHour }, (_, index): SimulatedReading => {
      const hours = fromHour + index;
      const level = levelAfter(hours);
      // A gauge that has failed shows exactly 0.
      const shown = level <= 0 ? 0 : level + gauge.noise(0.05);
      return { atMs: startMs + hours * HOUR_MS, fillPercentage: Math.round(shown * 10) / 10 };
    });
  };
  const plan = (tank: StoryTank['tank'], levelAfter: (hours: number) => number) => ({
    tank: { tank, history: measure(tank.assigned_device_id, levelAfter, -HISTORY_HOURS, 0) },
    scene: (at: number, text: string, fromHour: number, toHour: number): Scene => ({
      at,
      deviceId: tank.assigned_device_id,
      text,
      readings: measure(tank.assigned_device_id, levelAfter, fromHour, toHour),
    }),
  });

  const [perHour, slowPerHour] = [1.2 / 24, 0.5 / 24];
  // The level is below the threshold after five hours.
  const bakery = plan(tankOf(BAKERY, 'Church Street bakery', 1_000, nowMs), (hours) =>
    hours < REFILL_HOUR ? THRESHOLD + perHour * (5 - hours) : 80 - perHour * (hours - REFILL_HOUR),
  );
  const cabin = plan(tankOf(CABIN, 'Lake cabin', 500, nowMs), (hours) =>
    hours < 0 ? 64 - slowPerHour * hours : 64 - 2.5 * hours,
  );
  const kiln = plan(tankOf(KILN, 'Pottery kiln', 2_000, nowMs), (hours) => (hours < 0 ? 52 - slowPerHour * hours : 0));
  return {
    tanks: [bakery.tank, cabin.tank, kiln.tank],
    scenes: [
      bakery.scene(0.1, 'the bakery uses gas until its tank is below the threshold of 20 %', 0, REFILL_HOUR),
      bakery.scene(
        0.4,
        'the gauge of the bakery sees that a truck has filled its tank',
        REFILL_HOUR,
        COLLECTED_HOURS + 1,
      ),
      cabin.scene(0.6, 'the tank of the cabin leaks', 0, COLLECTED_HOURS + 1),
      kiln.scene(0.8, 'the gauge of the kiln fails and shows 0', 0, COLLECTED_HOURS + 1),
    ],
  };
}

const tankOf = (deviceId: string, name: string, capacity: number, nowMs: number): StoryTank['tank'] => ({
  assigned_device_id: deviceId,
  name,
  custom_id: deviceId,
  capacity,
  capacity_unit: 'gallons',
  min_fill_alert_percentage: THRESHOLD,
  use_case: 'commercial',
  city: 'Burlington',
  country: 'US',
  region: 'Vermont',
  postal_code: '05401',
  street: 'Church Street',
  street_number: String(capacity / 10),
  latitude: 44.4774,
  longitude: -73.2127,
  created_at: new Date(nowMs - HISTORY_DAYS * DAY_MS).toISOString(),
});

import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '../values/time.ts';
import { SimulatedClock } from './clock.ts';
import { mqttIdentity, readingsMessage } from './device_login.ts';
import type { SimulatedDevice } from './fleet.ts';
import { planHabits, type SimulatedReport, sendReadings, takeReadings } from './habits.ts';
import { planLife, VirtualTank } from './life.ts';
import { DeviceClosed, MqttDevice, type MqttDeviceOptions } from './mqtt_device.ts';
import { Random } from './random.ts';

export interface FleetOptions {
  url: string;
  devices: readonly SimulatedDevice[];
  /** How many simulated seconds pass in one, until the present is reached. */
  speed: number;
  /** How far back a life begins, unless its tank was heard of later. */
  lookBackMs?: number;
  seed?: number;
  connection?: Pick<MqttDeviceOptions, 'maxBackoffMs'>;
}

export interface FleetProgress {
  devices: number;
  connected: number;
  /** Reports; each holds one reading or several. */
  sent: number;
  acknowledged: number;
  /** Sent again because a connection was lost; what devices repeat by habit is not counted here. */
  resent: number;
  /** In the reports that were acknowledged. */
  readings: number;
  /** The time in which the hindmost of the fleet lives. */
  simulatedMs: number;
  /** Why a device is not connected. */
  lastError: string | undefined;
}

export interface Simulation {
  progress(): FleetProgress;
  /** Sends nothing new, gives what is on its way some seconds, and disconnects. */
  stop(): Promise<FleetProgress>;
}

const CONNECTS_PER_SECOND = 500; // a listener of Node's lets 511 wait
const GRACE_MS = 5_000;

/** Starts a fleet that lives until it is stopped, each device over a connection of its own. */
export function simulateFleet(options: FleetOptions): Simulation {
  const stopping = new AbortController();
  const fleet = options.devices.map((device, index) =>
    startDevice(device, options, (index * 1_000) / CONNECTS_PER_SECOND, stopping.signal),
  );

  const progress = (): FleetProgress => {
    const total = (count: (device: LivingDevice) => number): number => fleet.reduce((sum, one) => sum + count(one), 0);
    return {
      devices: fleet.length,
      connected: total((device) => (device.mqtt?.isConnected ? 1 : 0)),
      sent: total((device) => device.sent),
      acknowledged: total((device) => device.acknowledged),
      resent: total((device) => device.mqtt?.resent ?? 0),
      readings: total((device) => device.readings),
      simulatedMs: fleet.reduce((hindmost, device) => Math.min(hindmost, device.clock.nowMs()), Date.now()),
      lastError: fleet.find(({ mqtt }) => mqtt && !mqtt.isConnected && mqtt.lastError)?.mqtt?.lastError,
    };
  };

  return {
    progress,
    async stop() {
      stopping.abort();
      const lives = Promise.all(fleet.map((device) => device.life));
      const isAnybodyConnected = fleet.some(({ mqtt }) => mqtt?.isConnected);
      await Promise.race([lives, sleep(isAnybodyConnected ? GRACE_MS : 0, undefined, { ref: false })]);
      const last = progress();
      await Promise.all(fleet.flatMap(({ mqtt }) => (mqtt ? [mqtt.close()] : [])));
      await lives;
      return last;
    },
  };
}

interface LivingDevice {
  clock: SimulatedClock;
  mqtt: MqttDevice | undefined;
  sent: number;
  acknowledged: number;
  readings: number;
  life: Promise<void>;
}

function startDevice(
  device: SimulatedDevice,
  options: FleetOptions,
  delayMs: number,
  stopping: AbortSignal,
): LivingDevice {
  const { url, speed, seed = 1, lookBackMs = 30 * DAY_MS, connection } = options;
  const startMs = Math.max(device.latest?.atMs ?? 0, Date.now() - lookBackMs);
  const clock = new SimulatedClock(startMs, speed);

  const live = async (): Promise<void> => {
    await sleep(delayMs, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return;
    living.mqtt = new MqttDevice({ url, ...mqttIdentity(device), ...connection });
    for (const report of reportsOf(device, seed, startMs)) {
      await clock.until(report.sendAtMs, stopping);
      if (stopping.aborted) return;
      living.sent++;
      await living.mqtt.publish(readingsMessage(device, report.readings));
      living.acknowledged++;
      living.readings += report.readings.length;
    }
  };
  const living: LivingDevice = {
    clock,
    mqtt: undefined,
    sent: 0,
    acknowledged: 0,
    readings: 0,
    life: Promise.resolve(),
  };
  living.life = live().catch((error: unknown) => {
    // Switched off with a report on its way.
    if (!(error instanceof DeviceClosed)) throw error;
  });
  return living;
}

/** What one device sends from some time on, for ever; the same for the same seed. */
function* reportsOf(device: SimulatedDevice, seed: number, startMs: number): Generator<SimulatedReport> {
  const own = Random.named(seed, device.deviceId);
  const life = planLife(own, { ...device, useCase: device.useCase ?? 'residential' });
  const habits = planHabits(own);
  // Another stretch of the same life must not repeat the draws of the one before.
  const random = Random.named(seed, `${device.deviceId} from ${startMs}`);
  const tank = new VirtualTank(life, random.fork(), {
    atMs: startMs,
    ...(device.latest && { fill: device.latest.fillPercentage }),
  });
  const readings = takeReadings(random, tank, habits, startMs + 1, Number.POSITIVE_INFINITY);
  yield* sendReadings(random, habits, readings);
}

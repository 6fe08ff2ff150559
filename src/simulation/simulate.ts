import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '../values/time.ts';
import { SimulatedClock } from './clock.ts';
import { mqttIdentity, readingsMessage } from './device_login.ts';
import type { SimulatedDevice } from './fleet.ts';
import { planHabits, type SimulatedReport, sendReadings, takeReadings } from './habits.ts';
import { planLife, VirtualTank } from './life.ts';
import { DeviceClosedError, MqttDevice, type MqttDeviceOptions } from './mqtt_device.ts';
import { Random } from './random.ts';

export interface FleetOptions {
  url: string;
  devices: readonly SimulatedDevice[];
  /** Simulated seconds per second, until the present is reached. */
  speed: number;
  /** The time before the present at which a tank starts, unless it has a later reading. */
  lookBackMs?: number;
  seed?: number;
  connection?: Pick<MqttDeviceOptions, 'maxBackoffMs'>;
}

export interface FleetProgress {
  devices: number;
  connected: number;
  /** The number of reports. Each contains one or more readings. */
  sent: number;
  acknowledged: number;
  /** Reports sent again after a lost connection, without the reports that a device repeats by habit. */
  resent: number;
  /** Readings in acknowledged reports. */
  readings: number;
  /** The simulated time of the device that is furthest behind. */
  simulatedMs: number;
  /** The error of a device that is not connected, if there is one. */
  lastError: string | undefined;
}

export interface Simulation {
  progress(): FleetProgress;
  /** Stops sending, waits some seconds for acknowledgements, and disconnects. */
  stop(): Promise<FleetProgress>;
}

const CONNECTS_PER_SECOND = 500; // a gateway refuses more than 500 half-open connections
const STOP_TIMEOUT_MS = 5_000;

/** Starts a fleet that reports until it is stopped. Each device has its own connection. */
export function simulateFleet(options: FleetOptions): Simulation {
  const stopping = new AbortController();
  const fleet = options.devices.map((device, index) =>
    startDevice(device, options, (index * 1_000) / CONNECTS_PER_SECOND, stopping.signal),
  );

  const progress = (): FleetProgress => {
    const total = (count: (device: RunningDevice) => number): number =>
      fleet.reduce((sum, device) => sum + count(device), 0);
    return {
      devices: fleet.length,
      connected: total((device) => (device.mqtt?.isConnected ? 1 : 0)),
      sent: total((device) => device.sent),
      acknowledged: total((device) => device.acknowledged),
      resent: total((device) => device.mqtt?.resent ?? 0),
      readings: total((device) => device.readings),
      simulatedMs: fleet.reduce((earliestMs, device) => Math.min(earliestMs, device.clock.nowMs()), Date.now()),
      lastError: fleet.find(({ mqtt }) => mqtt && !mqtt.isConnected && mqtt.lastError)?.mqtt?.lastError,
    };
  };

  return {
    progress,
    async stop() {
      stopping.abort();
      const lives = Promise.all(fleet.map((device) => device.life));
      const isAnyConnected = fleet.some(({ mqtt }) => mqtt?.isConnected);
      await Promise.race([lives, sleep(isAnyConnected ? STOP_TIMEOUT_MS : 0, undefined, { ref: false })]);
      const last = progress();
      await Promise.all(fleet.flatMap(({ mqtt }) => (mqtt ? [mqtt.close()] : [])));
      await lives;
      return last;
    },
  };
}

interface RunningDevice {
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
): RunningDevice {
  const { url, speed, seed = 1, lookBackMs = 30 * DAY_MS, connection } = options;
  const startMs = Math.max(device.latest?.atMs ?? 0, Date.now() - lookBackMs);
  const clock = new SimulatedClock(startMs, speed);

  const run = async (): Promise<void> => {
    await sleep(delayMs, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return;
    running.mqtt = new MqttDevice({ url, ...mqttIdentity(device), ...connection });
    for (const report of reportsOf(device, seed, startMs)) {
      await clock.until(report.sendAtMs, stopping);
      if (stopping.aborted) return;
      running.sent++;
      await running.mqtt.publish(readingsMessage(device, report.readings));
      running.acknowledged++;
      running.readings += report.readings.length;
    }
  };
  const running: RunningDevice = {
    clock,
    mqtt: undefined,
    sent: 0,
    acknowledged: 0,
    readings: 0,
    life: Promise.resolve(),
  };
  running.life = run().catch((error: unknown) => {
    // The simulation was stopped before the last report was acknowledged.
    if (!(error instanceof DeviceClosedError)) throw error;
  });
  return running;
}

/** Yields the reports of one device without an end. The same seed gives the same reports. */
function* reportsOf(device: SimulatedDevice, seed: number, startMs: number): Generator<SimulatedReport> {
  const deviceRandom = Random.named(seed, device.deviceId);
  const life = planLife(deviceRandom, { ...device, useCase: device.useCase ?? 'residential' });
  const habits = planHabits(deviceRandom);
  // A later run for the same device must not repeat the random numbers of an earlier run.
  const random = Random.named(seed, `${device.deviceId} from ${startMs}`);
  const tank = new VirtualTank(life, random.fork(), {
    atMs: startMs,
    ...(device.latest && { fill: device.latest.fillPercentage }),
  });
  const readings = takeReadings(random, tank, habits, startMs + 1, Number.POSITIVE_INFINITY);
  yield* sendReadings(random, habits, readings);
}

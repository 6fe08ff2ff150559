import type { DeviceLogin } from '../../src/simulation/device_login.ts';
import type { SimulatedReading } from '../../src/simulation/life.ts';

export interface ReadingPlan {
  readingsPerPublish: number;
  /** The time of the first reading of every device. */
  startAtMs: number;
  /** The time between two readings of a device. */
  stepMs: number;
}

/** A reading as it should be stored. */
export interface LoadedReading {
  organizationCode: string;
  deviceId: string;
  createdAt: string;
  fillPercentage: number;
}

/**
 * The outcome of every reading of a run. A reading is computed from its device and its number, so that only the device, the
 * number and the outcome of a publish are stored, and minutes at full load fit into memory.
 */
export class LoadRecord {
  readonly #devices: readonly DeviceLogin[];
  readonly #plan: ReadingPlan;
  /** By device: the number of its publishes. */
  readonly #publishesOf: number[];
  /** By publish: its device, its number among those of the device, and its outcome. */
  readonly #device: number[] = [];
  readonly #ordinal: number[] = [];
  readonly #isAcknowledged: boolean[] = [];
  #acknowledged = 0;

  constructor(devices: readonly DeviceLogin[], plan: ReadingPlan) {
    this.#devices = devices;
    this.#plan = plan;
    this.#publishesOf = devices.map(() => 0);
  }

  /** The number of publishes. */
  get invoked(): number {
    return this.#device.length;
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Creates the next publish of a device: its number in this record and its readings. From now on it may be stored. */
  invoke(device: number): { publish: number; readings: SimulatedReading[] } {
    const ordinal = this.#publishesOf[device] ?? 0;
    const readings = this.#readings(device, ordinal);
    if ((readings.at(-1)?.atMs ?? 0) > Date.now())
      throw new RangeError('the load has reached the present; start earlier or use smaller steps');
    this.#publishesOf[device] = ordinal + 1;
    this.#ordinal.push(ordinal);
    this.#isAcknowledged.push(false);
    return { publish: this.#device.push(device) - 1, readings };
  }

  acknowledge(publish: number): void {
    this.#isAcknowledged[publish] = true;
    this.#acknowledged++;
  }

  /** The readings of one publish. */
  readingsOf(publish: number): LoadedReading[] {
    const device = this.#device[publish] ?? 0;
    const { organizationCode = '', deviceId = '' } = this.#devices[device] ?? {};
    return this.#readings(device, this.#ordinal[publish] ?? 0).map(({ atMs, fillPercentage }) => ({
      organizationCode,
      deviceId,
      createdAt: new Date(atMs).toISOString(),
      fillPercentage,
    }));
  }

  /** Lists readings by outcome. Acknowledged readings must be stored, unknown ones may be, and no other reading may be. */
  *readings(state: 'acknowledged' | 'unknown'): Generator<LoadedReading> {
    for (let publish = 0; publish < this.invoked; publish++) {
      if (this.#isAcknowledged[publish] === (state === 'acknowledged')) yield* this.readingsOf(publish);
    }
  }

  #readings(device: number, ordinal: number): SimulatedReading[] {
    const { readingsPerPublish, startAtMs, stepMs } = this.#plan;
    return Array.from({ length: readingsPerPublish }, (_, index) => {
      const number = ordinal * readingsPerPublish + index;
      return {
        atMs: startAtMs + number * stepMs,
        fillPercentage: levelOf(device, number),
      };
    });
  }
}

/**
 * The level falls by 0.01 from 85 % to 25 %, and is then refilled. Random values would make every reading a refill or an
 * alert, which is not the load of a real fleet.
 */
const levelOf = (device: number, number: number): number => (8_500 - ((number + device * 37) % 6_000)) / 100;

export const firstLevelOf = (device: number): number => levelOf(device, 0);

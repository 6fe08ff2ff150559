import { connect, type MqttClient } from 'mqtt';
import type { ReadingsMessage } from './device_login.ts';

export interface MqttDeviceOptions {
  /** mqtt://host:port, or mqtts:// for TLS. */
  url: string;
  clientId: string;
  username: string;
  password: string;
  /** The longest pause before the next attempt to connect. */
  maxBackoffMs?: number;
}

/** The device was closed before the gateway acknowledged the message. The message may or may not have arrived. */
export class DeviceClosedError extends Error {}

const INITIAL_BACKOFF_MS = 200;
const DEFAULT_MAX_BACKOFF_MS = 10_000;

/**
 * A device that stays connected. When it loses the connection, it reconnects with backoff and sends the unacknowledged
 * message again. It publishes one message at a time.
 */
export class MqttDevice {
  readonly #client: MqttClient;
  readonly #maxBackoffMs: number;
  /** The number of attempts to connect since the last acknowledged message. A gateway that cannot store closes every connection. */
  #attempts = 0;
  #isSent = false;
  #isClosed = false;
  #rejectPublish: ((error: Error) => void) | undefined;

  /** The number of messages that were sent again after a lost connection. */
  resent = 0;
  lastError: string | undefined;

  constructor({ url, maxBackoffMs = DEFAULT_MAX_BACKOFF_MS, ...login }: MqttDeviceOptions) {
    this.#maxBackoffMs = maxBackoffMs;
    this.#client = connect(url, {
      ...login,
      protocolVersion: 4,
      reconnectPeriod: this.#nextBackoffMs(),
      // A refused login is retried too: the operator may rotate the password while the simulation runs.
      reconnectOnConnackError: true,
    });
    this.#client.on('reconnect', () => {
      this.#client.options.reconnectPeriod = this.#nextBackoffMs();
    });
    this.#client.on('packetsend', ({ cmd }) => {
      if (cmd !== 'publish') return;
      if (this.#isSent) this.resent++;
      this.#isSent = true;
    });
    this.#client.on('close', () => {
      this.lastError ??= 'the gateway closed the connection';
    });
    this.#client.on('connect', () => {
      this.lastError = undefined;
    });
    this.#client.on('error', (error) => {
      this.lastError = describeError(error, login.username);
    });
  }

  get isConnected(): boolean {
    return this.#client.connected;
  }

  /** Publishes a message and waits until the gateway acknowledges it. Rejects with DeviceClosedError if the device is closed first. */
  publish({ topic, payload }: ReadingsMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new DeviceClosedError());
    this.#isSent = false;
    return new Promise((resolve, reject) => {
      this.#rejectPublish = reject;
      this.#client.publish(topic, payload, { qos: 1 }, (error) => {
        if (error) return reject(error);
        this.#attempts = 0;
        resolve();
      });
    });
  }

  /** Disconnects. A message that is still unacknowledged is not sent again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#rejectPublish?.(new DeviceClosedError());
    await this.#client.endAsync(true);
  }

  /** Returns a pause that doubles with each attempt. Half of it is random, so that devices do not all reconnect at the same time. */
  #nextBackoffMs(): number {
    const longestMs = Math.min(this.#maxBackoffMs, INITIAL_BACKOFF_MS * 2 ** this.#attempts);
    this.#attempts++;
    return Math.ceil(longestMs * (0.5 + Math.random() / 2));
  }
}

/** Describes an error of the connection. A refused connection to a name with several addresses is an AggregateError without a message. */
function describeError(error: Error & { code?: number | string }, username: string): string {
  const [, refusal] = /^Connection refused: (.*)$/.exec(error.message) ?? [];
  if (refusal !== undefined) return `the gateway refused ${username}: ${refusal}`;
  return error.message || String(error.code ?? error.name);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionLost, MqttConnection, type MqttConnectionOptions } from './mqtt_connection.ts';
import type { PublishPacket } from './mqtt_packets.ts';

export interface PublisherOptions extends Omit<MqttConnectionOptions, 'keepAliveSeconds' | 'timeoutMs' | 'signal'> {
  /** How many publishes may be unacknowledged at once. */
  inFlight?: number;
  /** Whether what a lost connection left unacknowledged is sent again over the next one. */
  isResending?: boolean;
  timeoutMs?: number;
  keepAliveSeconds?: number;
  /** The longest pause before another attempt to connect. */
  maxBackoffMs?: number;
}

const DEFAULTS = { inFlight: 1, isResending: true, timeoutMs: 20_000, keepAliveSeconds: 60, maxBackoffMs: 10_000 };
const FIRST_BACKOFF_MS = 200;

/** A device that stays connected: when the broker goes, it comes back after growing pauses and sends again. */
export class MqttPublisher {
  readonly #options: PublisherOptions & typeof DEFAULTS;
  readonly #switchedOff = new AbortController();
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #connection: MqttConnection | undefined;
  #connecting: Promise<MqttConnection>;
  /** Lost connections in a row without a PUBACK: a broker that lets us in but cannot store must not be hammered. */
  #failures = 0;

  /** How many publishes were sent again. */
  resent = 0;
  connects = 0;
  lastError: string | undefined;

  constructor(options: PublisherOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#free = this.#options.inFlight;
    this.#connecting = this.#connect(0);
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Resolves when the broker has acknowledged; rejects with ConnectionLost when that will not be known any more. */
  async publish(packet: PublishPacket): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      await this.#publishUntilAcknowledged(packet);
      this.#failures = 0;
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  /** Disconnects. What is still unacknowledged then stays unknown. */
  async close(): Promise<void> {
    this.#switchedOff.abort();
    await this.#connection?.end();
    await this.#connecting.catch(() => {});
  }

  async #publishUntilAcknowledged(packet: PublishPacket): Promise<void> {
    for (let isAgain = false; ; isAgain = true) {
      const connection = this.#connection ?? (await this.#connecting);
      if (isAgain) this.resent++;
      try {
        return await connection.publish(packet, isAgain);
      } catch (error) {
        if (!(error instanceof ConnectionLost) || !this.#options.isResending) throw error;
      }
    }
  }

  #connect(pauseMs: number): Promise<MqttConnection> {
    const connecting = this.#open(pauseMs);
    // Nobody may be publishing; whoever is hears of it by awaiting the same promise.
    connecting.catch(() => {});
    return connecting;
  }

  async #open(firstPauseMs: number): Promise<MqttConnection> {
    const { signal } = this.#switchedOff;
    for (let pauseMs = firstPauseMs; ; pauseMs = this.#nextPauseMs()) {
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) throw new ConnectionLost('the device was switched off');
      try {
        const connection = await MqttConnection.open({ ...this.#options, signal }, (lost) => this.#comeBack(lost));
        this.connects++;
        if (signal.aborted) await connection.end();
        if (!connection.isLost) this.#connection = connection;
        return connection;
      } catch (error) {
        this.lastError = error instanceof Error ? error.message : String(error);
      }
    }
  }

  #comeBack(lost: ConnectionLost): void {
    this.lastError = lost.message;
    this.#connection = undefined;
    this.#connecting = this.#connect(this.#nextPauseMs());
  }

  /** Doubled each time, and never the same for two devices, or all would come back at once. */
  #nextPauseMs(): number {
    const longestMs = Math.min(this.#options.maxBackoffMs, FIRST_BACKOFF_MS * 2 ** this.#failures++);
    return longestMs * (0.5 + Math.random() / 2);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionLostError, MqttConnection, type MqttConnectionOptions } from './mqtt_connection.ts';
import type { PublishPacket } from './mqtt_packets.ts';

export interface PublisherOptions
  extends Omit<MqttConnectionOptions, 'keepAliveSeconds' | 'timeoutMs' | 'signal' | 'url'> {
  /** A function returns the address for each new connection. */
  url: string | (() => string);
  /** How many publishes may be unacknowledged at once. */
  inFlight?: number;
  /** Whether to send unacknowledged publishes again over the next connection. */
  isResending?: boolean;
  timeoutMs?: number;
  keepAliveSeconds?: number;
  /** The longest pause before another attempt to connect. */
  maxBackoffMs?: number;
  /** Called when the broker has accepted a connection. */
  onConnected?: () => void;
  /** Called when an accepted connection was lost. */
  onLost?: () => void;
}

const DEFAULTS = { inFlight: 1, isResending: true, timeoutMs: 20_000, keepAliveSeconds: 60, maxBackoffMs: 10_000 };
const INITIAL_BACKOFF_MS = 200;

/** A publisher that reconnects with backoff when its connection is lost, and sends unacknowledged publishes again. */
export class MqttPublisher {
  readonly #options: PublisherOptions & typeof DEFAULTS;
  readonly #closed = new AbortController();
  /** Publishes that wait until another one is acknowledged. */
  readonly #waiting: (() => void)[] = [];
  /** How many more publishes may be unacknowledged. */
  #free: number;
  #connection: MqttConnection | undefined;
  #connecting: Promise<MqttConnection>;
  /** Failed attempts and lost connections since the last PUBACK. A broker that accepts clients but cannot store must not be flooded. */
  #failures = 0;

  /** How often a publish was sent again. */
  resent = 0;
  /** Connections that the broker accepted. */
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

  /** Resolves when the broker has acknowledged the publish. Rejects with ConnectionLostError if the outcome stays unknown. */
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

  /** Disconnects. The outcome of unacknowledged publishes stays unknown. */
  async close(): Promise<void> {
    this.#closed.abort();
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
        if (!(error instanceof ConnectionLostError) || !this.#options.isResending) throw error;
      }
    }
  }

  #connect(pauseMs: number): Promise<MqttConnection> {
    const connecting = this.#open(pauseMs);
    // Callers of `publish` await this promise and get its error. Without a caller, the rejection would be unhandled.
    connecting.catch(() => {});
    return connecting;
  }

  async #open(firstPauseMs: number): Promise<MqttConnection> {
    const { signal } = this.#closed;
    for (let pauseMs = firstPauseMs; ; pauseMs = this.#nextPauseMs()) {
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) throw new ConnectionLostError('the publisher was closed');
      try {
        const { url } = this.#options;
        const options = { ...this.#options, url: typeof url === 'string' ? url : url(), signal };
        const connection = await MqttConnection.open(options, (lost) => this.#reconnect(lost));
        this.connects++;
        this.#options.onConnected?.();
        if (signal.aborted) await connection.end();
        if (!connection.isLost) this.#connection = connection;
        return connection;
      } catch (error) {
        this.lastError = error instanceof Error ? error.message : String(error);
      }
    }
  }

  #reconnect(lost: ConnectionLostError): void {
    this.lastError = lost.message;
    this.#options.onLost?.();
    this.#connection = undefined;
    this.#connecting = this.#connect(this.#nextPauseMs());
  }

  /** Counts a failure. The pause doubles with each one; half of it is random, so that publishers do not all reconnect at once. */
  #nextPauseMs(): number {
    const longestMs = Math.min(this.#options.maxBackoffMs, INITIAL_BACKOFF_MS * 2 ** this.#failures);
    this.#failures++;
    return longestMs * (0.5 + Math.random() / 2);
  }
}

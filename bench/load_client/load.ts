import { setTimeout as sleep } from 'node:timers/promises';
import { type DeviceLogin, mqttIdentity, readingsMessage } from '../../src/simulation/device_login.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { percentile } from '../report.ts';
import { type LoadedReading, LoadRecord, type ReadingPlan } from './load_record.ts';
import { ConnectionLostError } from './mqtt_connection.ts';
import { type PublishPacket, publishPacket } from './mqtt_packets.ts';
import { MqttPublisher, type PublisherOptions } from './mqtt_publisher.ts';

export interface LoadOptions extends Partial<ReadingPlan> {
  url: PublisherOptions['url'];
  devices: readonly DeviceLogin[];
  /** Default: one per device. With more connections than devices, several connections use the same device. */
  connections?: number;
  /** Unacknowledged publishes of one connection. */
  inFlight?: number;
  durationMs: number;
  /** Ends the load early. */
  signal?: AbortSignal;
  /** For all connections together. Default: as fast as the broker acknowledges. */
  publishesPerSecond?: number;
  /** The share of acknowledged publishes that are sent again some seconds later, as by a device that missed the PUBACK. */
  replayShare?: number;
  /** Whether to send unacknowledged publishes again after a lost connection. */
  isResending?: boolean;
  /** How long to wait at the end for missing acknowledgements. */
  drainMs?: number;
  connection?: Pick<PublisherOptions, 'tls' | 'timeoutMs' | 'maxBackoffMs' | 'onConnected' | 'onLost'>;
  /** How fast the connections are opened. */
  connectsPerSecond?: number;
  /** How long to wait for the last connection after all were opened. */
  connectTimeoutMs?: number;
  onAcknowledged?: (readings: LoadedReading[], latencyMs: number) => void;
}

export interface LoadResult {
  /** The outcome of every reading. */
  record: LoadRecord;
  seconds: number;
  /** The number of publishes. Each one is either acknowledged or unknown. */
  invoked: number;
  acknowledged: number;
  unknown: number;
  replayed: number;
  resent: number;
  /** The number of opened connections, including reconnects. */
  connects: number;
  /** From the time a publish was due until its PUBACK. */
  latencyMs: { p50: number; p99: number; max: number };
}

const CONNECT_MS = 30_000;
const CONNECTS_PER_SECOND = 500; // the listen queue of Node holds 511 connections

/** Publishes over many connections for some time, and records the outcome of every reading. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { devices, connections = devices.length, durationMs, drainMs = 10_000 } = options;
  const { connectsPerSecond = CONNECTS_PER_SECOND, connectTimeoutMs = CONNECT_MS } = options;
  const record = new LoadRecord(devices, {
    readingsPerPublish: options.readingsPerPublish ?? 1,
    startAtMs: options.startAtMs ?? Date.now() - 30 * DAY_MS,
    stepMs: options.stepMs ?? 1_000,
  });
  const clients: LoadConnection[] = [];
  for (let index = 0; index < connections; index++) {
    clients.push(new LoadConnection(options, record, index, connections));
    if (index % 10 === 9) await sleep(10_000 / connectsPerSecond);
  }
  let sentForMs = 0;
  try {
    await untilConnected(clients, connectTimeoutMs);
    const startMs = performance.now();
    const runs = Promise.all(clients.map((client) => client.run(startMs, startMs + durationMs)));
    const { signal } = options;
    // There is one listener for all clients, because adding one takes longer the more a signal has.
    signal?.addEventListener('abort', () => {
      for (const client of clients) client.wake();
    });
    const over = sleep(durationMs, undefined, { ref: false, ...(signal ? { signal } : {}) }).catch(() => {});
    await Promise.race([runs, over]);
    sentForMs = performance.now() - startMs;
    await Promise.race([runs, sleep(drainMs, undefined, { ref: false })]);
    await Promise.all(clients.map((client) => client.close()));
    await runs;
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
  return resultOf(record, clients, sentForMs / 1_000);
}

/** Waits until all clients are connected, so that connecting is not measured. */
async function untilConnected(clients: readonly LoadConnection[], timeoutMs: number): Promise<void> {
  const deadlineMs = Date.now() + timeoutMs;
  for (;;) {
    const unconnected = clients.find((client) => !client.publisher.isConnected);
    if (unconnected === undefined) return;
    if (Date.now() > deadlineMs)
      throw new ConnectionLostError(unconnected.publisher.lastError ?? 'the broker accepts no client');
    await sleep(10);
  }
}

function resultOf(record: LoadRecord, clients: readonly LoadConnection[], seconds: number): LoadResult {
  const { invoked, acknowledged } = record;
  const sum = (count: (client: LoadConnection) => number): number =>
    clients.reduce((total, client) => total + count(client), 0);
  const latenciesMs = clients.flatMap((client) => client.latenciesMs);
  return {
    record,
    seconds,
    invoked,
    acknowledged,
    unknown: invoked - acknowledged,
    replayed: sum((client) => client.replayed),
    resent: sum((client) => client.publisher.resent),
    connects: sum((client) => client.publisher.connects),
    latencyMs: {
      p50: percentile(latenciesMs, 0.5),
      p99: percentile(latenciesMs, 0.99),
      max: percentile(latenciesMs, 1),
    },
  };
}

/** The connection of one device, with up to `inFlight` unacknowledged publishes. */
class LoadConnection {
  readonly publisher: MqttPublisher;
  readonly latenciesMs: number[] = [];
  replayed = 0;
  readonly #options: LoadOptions;
  readonly #record: LoadRecord;
  readonly #deviceIndex: number;
  readonly #login: DeviceLogin;
  readonly #pauseMs: number;
  readonly #phase: number;
  readonly #pauses = new Set<() => void>();
  readonly #replays: { packet: PublishPacket; atMs: number }[] = [];
  #dueMs = 0;
  #isClosed = false;

  constructor(options: LoadOptions, record: LoadRecord, index: number, connections: number) {
    const { url, devices, inFlight = 1, isResending = true, publishesPerSecond, connection } = options;
    this.#options = options;
    this.#record = record;
    this.#deviceIndex = index % devices.length;
    const login = devices[this.#deviceIndex];
    if (login === undefined) throw new RangeError('load needs at least one device');
    this.#login = login;
    this.#pauseMs = publishesPerSecond === undefined ? 0 : (connections * 1_000) / publishesPerSecond;
    this.#phase = index / connections;
    const identity = mqttIdentity(login);
    // A broker closes a connection when another client connects with the same client identifier.
    const clientId = index < devices.length ? identity.clientId : `${identity.clientId}#${index}`;
    this.publisher = new MqttPublisher({ url, ...identity, clientId, inFlight, isResending, ...connection });
  }

  async run(startMs: number, endMs: number): Promise<void> {
    this.#dueMs = startMs + this.#phase * this.#pauseMs;
    await Promise.all(Array.from({ length: this.#options.inFlight ?? 1 }, () => this.#publishUntil(endMs)));
  }

  /** Ends the pauses between publishes. */
  wake(): void {
    for (const end of this.#pauses) end();
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.publisher.close();
  }

  async #publishUntil(endMs: number): Promise<void> {
    for (;;) {
      const dueMs = this.#pauseMs === 0 ? performance.now() : await this.#untilDueMs();
      const isOver = this.#isClosed || this.#options.signal?.aborted === true;
      if (isOver || Math.max(dueMs, performance.now()) >= endMs) return;
      const replay = this.#takeReplay(dueMs);
      if (replay !== undefined) {
        if (await this.#publish(replay)) this.replayed++;
        continue;
      }
      const { publish, readings } = this.#record.invoke(this.#deviceIndex);
      const { topic, payload } = readingsMessage(this.#login, readings);
      const packet = publishPacket(topic, payload);
      if (!(await this.#publish(packet))) continue;
      const nowMs = performance.now();
      this.#record.acknowledge(publish);
      this.latenciesMs.push(nowMs - dueMs);
      this.#options.onAcknowledged?.(this.#record.readingsOf(publish), nowMs - dueMs);
      const isReplayed = Math.random() < (this.#options.replayShare ?? 0);
      if (isReplayed) this.#replays.push({ packet, atMs: nowMs + 1_000 + Math.random() * 2_000 });
    }
  }

  /**
   * Waits until the next publish is due, and returns that time. If the gateway stalls, later publishes start late, which adds
   * to their latency.
   */
  async #untilDueMs(): Promise<number> {
    const dueMs = this.#dueMs;
    this.#dueMs += this.#pauseMs;
    const restMs = dueMs - performance.now();
    if (restMs > 0 && this.#options.signal?.aborted !== true) await this.#pause(restMs);
    return dueMs;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#pauses.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#pauses.add(end);
    });
  }

  #takeReplay(nowMs: number): PublishPacket | undefined {
    const next = this.#replays[0];
    return next !== undefined && next.atMs <= nowMs ? this.#replays.shift()?.packet : undefined;
  }

  /** Returns true when the publish is acknowledged, and false if the connection is lost before. */
  async #publish(packet: PublishPacket): Promise<boolean> {
    try {
      await this.publisher.publish(packet);
      return true;
    } catch (error) {
      if (error instanceof ConnectionLostError) return false;
      throw error;
    }
  }
}

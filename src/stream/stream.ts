import {
  AckPolicy,
  type Consumer,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { connect, type NatsConnection, nanos } from '@nats-io/transport-node';

export type StreamMessage = JsMsg;

export interface StreamOptions {
  /** nats://user:password@host:port, several separated by commas. */
  url: string;
  /** Of the stream, and of the subject that feeds it. */
  name: string;
  replicas: number;
  maxBytes: number;
  clientName: string;
  onEvent: (level: 'info' | 'warn', event: string, detail?: unknown) => void;
}

/** Nothing can be stored in the stream now: it is full, missing or out of reach. */
export class StreamUnavailable extends Error {}

const CONSUMER = 'writer';
/** How long a writer may be silent about a message before another gets it: the price of a writer's death. */
export const ACK_WAIT_MS = 5_000;
const PUBLISH_DEADLINE_MS = 5_000;
/** The error codes of nats-server for a stream that takes no more. */
const FULL = new Set([10047, 10077, 10167]);

/**
 * The buffer between gateways and writers, on disk before anything is acknowledged. What it takes stays until it is
 * trimmed (see trim): it never drops by age or to make room, because it may hold the only copy of a reading.
 */
export class Stream {
  readonly #options: StreamOptions;
  readonly #connection: NatsConnection;
  readonly #jetstream: JetStreamClient;
  readonly #manager: JetStreamManager;
  #consumer: Promise<Consumer> | undefined;

  private constructor(options: StreamOptions, connection: NatsConnection, manager: JetStreamManager) {
    this.#options = options;
    this.#connection = connection;
    this.#jetstream = jetstream(connection);
    this.#manager = manager;
  }

  /** Waits for nats-server if it is away, and makes the stream if it is missing. */
  static async connect(options: StreamOptions): Promise<Stream> {
    const connection = await connect({
      ...serversAndLogin(options.url),
      name: options.clientName,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      waitOnFirstConnect: true,
      pingInterval: 5_000,
      maxPingOut: 2,
    });
    const version = connection.info?.version ?? '0';
    if (compareVersions(version, '2.10') < 0) {
      await connection.close();
      throw new StreamUnavailable(
        `nats-server ${version} loses acknowledged messages in a power cut; version 2.10 or newer is needed, with sync_interval: always.`,
      );
    }
    void reportStatus(connection, options.onEvent);
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const stream = new Stream(options, connection, manager);
    await untilDone(() => stream.declare(), options.onEvent);
    return stream;
  }

  get isConnected(): boolean {
    return !this.#connection.isClosed() && this.#connection.getServer() !== '';
  }

  /** Makes the stream, or brings it to the wanted settings. Limits and replicas may change at any time. */
  async declare(): Promise<void> {
    const { name, replicas, maxBytes } = this.#options;
    const wanted = {
      name,
      subjects: [name],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.New,
      max_bytes: maxBytes,
      max_age: 0,
      num_replicas: replicas,
      duplicate_window: nanos(120_000),
    };
    try {
      await this.#manager.streams.update(name, wanted);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await this.#manager.streams.add(wanted);
      this.#options.onEvent('info', 'made the stream', { stream: name });
    }
  }

  /** When this returns, the message is on disk (in R3, on two of three). Published twice under one id, it is there once. */
  async publish(id: string, payload: string): Promise<void> {
    const { name } = this.#options;
    for (const deadlineMs = Date.now() + PUBLISH_DEADLINE_MS; ; ) {
      try {
        await this.#jetstream.publish(name, payload, { msgID: id, timeout: 2_000, expect: { streamName: name } });
        return;
      } catch (error) {
        const isFull = error instanceof JetStreamApiError && FULL.has(error.code);
        if (isFull || this.#connection.isClosed() || Date.now() > deadlineMs) {
          throw new StreamUnavailable(isFull ? 'the stream is full' : 'the stream does not answer', { cause: error });
        }
        await pause(100);
        // Nobody answers where a stream is missing; where it is only away, this changes nothing.
        await this.declare().catch(() => {});
      }
    }
  }

  /** What writers have not committed yet, as it comes: ends after so many messages or so long a wait. */
  async *fetch(maxMessages: number, waitMs: number): AsyncGenerator<StreamMessage> {
    try {
      this.#consumer ??= this.#declareConsumer();
      const consumer = await this.#consumer;
      yield* await consumer.fetch({ max_messages: maxMessages, expires: waitMs });
    } catch (error) {
      this.#consumer = undefined;
      throw error;
    }
  }

  async #declareConsumer(): Promise<Consumer> {
    const { name } = this.#options;
    await this.declare();
    await this.#manager.consumers.add(name, {
      durable_name: CONSUMER,
      deliver_policy: DeliverPolicy.All,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ACK_WAIT_MS),
      max_deliver: -1, // after any other number a message would silently never come back
      max_ack_pending: 10_000,
    });
    return this.#jetstream.consumers.get(name, CONSUMER);
  }

  async status(): Promise<StreamStatus> {
    const { name } = this.#options;
    const [stream, consumer] = await Promise.all([
      this.#manager.streams.info(name),
      this.#manager.consumers.info(name, CONSUMER),
    ]);
    return {
      messages: stream.state.messages,
      bytes: stream.state.bytes,
      maxBytes: stream.config.max_bytes,
      firstSequence: stream.state.first_seq,
      firstAtMs: Date.parse(stream.state.first_ts),
      committedSequence: consumer.ack_floor.stream_seq,
      waiting: consumer.num_pending + consumer.num_ack_pending,
    };
  }

  /** When a message was stored; undefined where there is none of that number. */
  async storedAtMs(sequence: number): Promise<number | undefined> {
    const found = await this.#manager.streams.getMessage(this.#options.name, { seq: sequence });
    return found?.time.getTime();
  }

  /** Removes what comes before this one. */
  async removeBefore(sequence: number): Promise<void> {
    await this.#manager.streams.purge(this.#options.name, { seq: sequence });
  }

  /** Gives writers everything again that was stored since then: what they know already, they leave. */
  async replaySince(atMs: number): Promise<void> {
    const { name } = this.#options;
    await this.#manager.consumers.delete(name, CONSUMER);
    await this.#manager.consumers.add(name, {
      durable_name: CONSUMER,
      deliver_policy: DeliverPolicy.StartTime,
      opt_start_time: new Date(atMs).toISOString(),
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ACK_WAIT_MS),
      max_deliver: -1,
      max_ack_pending: 10_000,
    });
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }
}

export interface StreamStatus {
  messages: number;
  bytes: number;
  maxBytes: number;
  firstSequence: number;
  firstAtMs: number;
  /** Everything up to here is committed. */
  committedSequence: number;
  /** Messages that are not. */
  waiting: number;
}

async function reportStatus(connection: NatsConnection, onEvent: StreamOptions['onEvent']): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect') onEvent('warn', 'lost the connection to nats-server');
    if (status.type === 'reconnect') onEvent('info', 'connected to nats-server again');
  }
}

/** A cluster that is still choosing its leader refuses; it is asked until it has one. */
async function untilDone(work: () => Promise<void>, onEvent: StreamOptions['onEvent']): Promise<void> {
  for (let isTold = false; ; ) {
    try {
      return await work();
    } catch (error) {
      if (!isTold) onEvent('warn', 'the stream cannot be declared yet; trying again', error);
      isTold = true;
      await pause(250);
    }
  }
}

function serversAndLogin(url: string): { servers: string[]; user?: string; pass?: string; tls?: object } {
  const urls = url.split(',').map((one) => new URL(one.trim()));
  const { username, password } = urls[0] ?? new URL('nats://localhost');
  return {
    servers: urls.map(({ host }) => host),
    ...(username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === 10059;
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map((part) => Number.parseInt(part, 10)));
  for (const at of [0, 1]) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

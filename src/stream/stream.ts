import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Consumer,
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
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import { connectToServer } from './connection.ts';
import { CONSUMER, consumerInfo, ensureConsumer, isMissing, restartConsumer } from './consumer.ts';
import { StreamUnavailable } from './unavailable.ts';

export type StreamMessage = JsMsg;

export interface StreamOptions {
  /** nats://user:password@host:port, several separated by commas. */
  url: string;
  clientName: string;
  /** Of the stream, and of the subject that feeds it. */
  name: string;
  replicas: number;
  maxBytes: number;
  onEvent: (level: 'info' | 'warn', event: string, detail?: unknown) => void;
}

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
  #isAway = false;

  private constructor(options: StreamOptions, connection: NatsConnection, manager: JetStreamManager) {
    this.#options = options;
    this.#connection = connection;
    this.#jetstream = jetstream(connection);
    this.#manager = manager;
  }

  /** For who takes part: waits for nats-server if it is away, and makes the stream or changes it to these settings. */
  static async connect(options: StreamOptions): Promise<Stream> {
    const patience = setTimeout(
      () => options.onEvent('warn', 'nats-server cannot be reached yet; waiting for it'),
      2_000,
    );
    const stream = await Stream.#open(options, true).finally(() => clearTimeout(patience));
    await untilDone(() => stream.declare(), options.onEvent);
    return stream;
  }

  /** For whoever only looks: the stream stays as it is, or as missing as it is, whatever settings he has. */
  static async attach(options: StreamOptions): Promise<Stream> {
    const stream = await Stream.#open(options, false);
    try {
      await stream.status();
      return stream;
    } catch (error) {
      await stream.close();
      if (!isMissing(error)) throw error;
      throw new StreamUnavailable(`there is no stream ${options.name}; gateways and writers make it when they start`);
    }
  }

  static async #open(options: StreamOptions, isWaitedFor: boolean): Promise<Stream> {
    const connection = await connectToServer(options.url, { clientName: options.clientName, isWaitedFor });
    const stream = new Stream(options, connection, await jetstreamManager(connection, { checkAPI: false }));
    void stream.#followConnection();
    return stream;
  }

  get isConnected(): boolean {
    return !this.#connection.isClosed() && !this.#isAway;
  }

  async #followConnection(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type !== 'disconnect' && type !== 'reconnect') continue;
      this.#isAway = type === 'disconnect';
      if (this.#isAway) this.#options.onEvent('warn', 'lost the connection to nats-server');
      else this.#options.onEvent('info', 'connected to nats-server again');
    }
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
      const { config } = await this.#manager.streams.info(name);
      await this.#manager.streams.update(name, wanted);
      const before = { max_bytes: config.max_bytes, num_replicas: config.num_replicas };
      const after = { max_bytes: maxBytes, num_replicas: replicas };
      // Whoever starts applies his own settings; that must not happen unseen.
      if (before.max_bytes !== after.max_bytes || before.num_replicas !== after.num_replicas)
        this.#options.onEvent('warn', 'changed the settings of the stream', { stream: name, before, after });
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
        await sleep(100);
        // Nobody answers where a stream is missing. Where nats-server itself is away, nobody would answer this either.
        if (this.isConnected) await this.declare().catch(() => {});
      }
    }
  }

  /** What writers have not committed yet, as it comes: ends after so many messages or so long a wait. */
  async *fetch(maxMessages: number, waitMs: number): AsyncGenerator<StreamMessage> {
    try {
      this.#consumer ??= this.#findConsumer();
      const consumer = await this.#consumer;
      yield* await consumer.fetch({ max_messages: maxMessages, expires: waitMs });
    } catch (error) {
      this.#consumer = undefined;
      throw error;
    }
  }

  async #findConsumer(): Promise<Consumer> {
    const { name } = this.#options;
    await this.declare();
    await ensureConsumer(this.#manager, name);
    return this.#jetstream.consumers.get(name, CONSUMER);
  }

  async status(): Promise<StreamStatus> {
    const { name } = this.#options;
    const [stream, consumer] = await Promise.all([this.#manager.streams.info(name), consumerInfo(this.#manager, name)]);
    return {
      messages: stream.state.messages,
      bytes: stream.state.bytes,
      maxBytes: stream.config.max_bytes,
      firstSequence: stream.state.first_seq,
      firstAtMs: Date.parse(stream.state.first_ts),
      committedSequence: consumer?.ack_floor.stream_seq ?? 0,
      waiting: consumer ? consumer.num_pending + consumer.num_ack_pending : stream.state.messages,
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

  /**
   * Gives writers everything again that was stored since then: what they know already, they leave. What is not
   * committed yet comes in any case, however old: passed over, it would be trimmed as if it were.
   */
  async replaySince(atMs: number): Promise<void> {
    const { firstSequence, committedSequence } = await this.status();
    // What is older and was never committed would be passed over.
    const waitingSinceMs = await this.storedAtMs(Math.max(firstSequence, committedSequence + 1));
    await restartConsumer(this.#manager, this.#options.name, Math.min(atMs, waitingSinceMs ?? atMs));
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

/** A cluster that is still choosing its leader refuses; it is asked until it has one. */
async function untilDone(work: () => Promise<void>, onEvent: StreamOptions['onEvent']): Promise<void> {
  for (let isTold = false; ; ) {
    try {
      return await work();
    } catch (error) {
      if (!isTold) onEvent('warn', 'the stream cannot be declared yet; trying again', error);
      isTold = true;
      await sleep(250);
    }
  }
}

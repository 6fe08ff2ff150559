import {
  AckPolicy,
  type Consumer,
  type ConsumerConfig,
  type ConsumerInfo,
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
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import { type NatsOptions, reachNats, StreamUnavailable } from './nats.ts';

export type StreamMessage = JsMsg;

export interface StreamOptions extends NatsOptions {
  /** Of the stream, and of the subject that feeds it. */
  name: string;
  replicas: number;
  maxBytes: number;
  onEvent: (level: 'info' | 'warn', event: string, detail?: unknown) => void;
}

export { StreamUnavailable };

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
  #isConnected = true;

  private constructor(options: StreamOptions, connection: NatsConnection, manager: JetStreamManager) {
    this.#options = options;
    this.#connection = connection;
    this.#jetstream = jetstream(connection);
    this.#manager = manager;
  }

  /** For who takes part: waits for nats-server if it is away, and makes the stream or changes it to these settings. */
  static async connect(options: StreamOptions): Promise<Stream> {
    const stream = await Stream.#over(options, await reachNats(options, { isPatient: true }));
    await untilDone(() => stream.declare(), options.onEvent);
    return stream;
  }

  /** For who looks and mends: does not wait, and leaves the stream's settings to those who know them. */
  static async open(options: StreamOptions): Promise<Stream> {
    return Stream.#over(options, await reachNats(options, { isPatient: false }));
  }

  static async #over(options: StreamOptions, connection: NatsConnection): Promise<Stream> {
    const stream = new Stream(options, connection, await jetstreamManager(connection, { checkAPI: false }));
    void stream.#followConnection();
    return stream;
  }

  get isConnected(): boolean {
    return this.#isConnected && !this.#connection.isClosed();
  }

  async #followConnection(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'disconnect') this.#options.onEvent('warn', 'lost the connection to nats-server');
      if (type === 'reconnect') this.#options.onEvent('info', 'connected to nats-server again');
      if (type === 'disconnect' || type === 'reconnect') this.#isConnected = type === 'reconnect';
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
        // Nobody answers where a stream is missing. Where nats-server itself is away, nobody would answer this either.
        if (this.#isConnected) await this.declare().catch(() => {});
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

  /** Left as it is where it is there: a replay may have made it begin elsewhere. */
  async #declareConsumer(): Promise<Consumer> {
    const { name } = this.#options;
    await this.declare();
    if ((await this.#consumerInfo()) === undefined) await this.#addConsumer({ deliver_policy: DeliverPolicy.All });
    return this.#jetstream.consumers.get(name, CONSUMER);
  }

  async #addConsumer(start: Partial<ConsumerConfig>): Promise<void> {
    await this.#manager.consumers.add(this.#options.name, {
      durable_name: CONSUMER,
      ...start,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ACK_WAIT_MS),
      max_deliver: -1, // after any other number a message would silently never come back
      max_ack_pending: 10_000,
    });
  }

  /** Undefined before the first writer has come. */
  async #consumerInfo(): Promise<ConsumerInfo | undefined> {
    try {
      return await this.#manager.consumers.info(this.#options.name, CONSUMER);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async status(): Promise<StreamStatus> {
    const { name } = this.#options;
    const stream = await this.#manager.streams.info(name).catch((error: unknown) => {
      throw isMissing(error)
        ? new StreamUnavailable(`there is no stream ${name}; a gateway or writer makes it`)
        : error;
    });
    const consumer = await this.#consumerInfo();
    return {
      messages: stream.state.messages,
      bytes: stream.state.bytes,
      maxBytes: stream.config.max_bytes,
      firstSequence: stream.state.first_seq,
      firstAtMs: Date.parse(stream.state.first_ts),
      committedSequence: consumer?.ack_floor.stream_seq ?? 0,
      waiting: consumer === undefined ? stream.state.messages : consumer.num_pending + consumer.num_ack_pending,
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
    const { committedSequence } = await this.status();
    const waitingSinceMs = await this.storedAtMs(committedSequence + 1);
    if ((await this.#consumerInfo()) !== undefined) await this.#manager.consumers.delete(this.#options.name, CONSUMER);
    await this.#addConsumer(
      waitingSinceMs !== undefined && waitingSinceMs < atMs
        ? { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: committedSequence + 1 }
        : { deliver_policy: DeliverPolicy.StartTime, opt_start_time: new Date(atMs).toISOString() },
    );
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
      await pause(250);
    }
  }
}

/** The error codes of nats-server for a stream or consumer that is not there. */
function isMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && (error.code === 10059 || error.code === 10014);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Consumer,
  DiscardPolicy,
  JetStreamApiError,
  type JsMsg,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { Outage, type StatusLogger } from '../health/outage.ts';
import { CONSUMER, consumerInfo, ensureConsumer, isMissing, restartConsumer } from './consumer.ts';
import { withDeadline } from './deadline.ts';
import { ServerConnection } from './server_connection.ts';
import { explainDeclareError, type NatsAddress } from './server_errors.ts';
import { StreamUnavailableError } from './unavailable.ts';

export type StreamMessage = JsMsg;
/** A message that is only read and cannot be acknowledged. */
export type StoredMessage = Pick<StreamMessage, 'data' | 'seq' | 'time'>;

export interface StreamOptions extends NatsAddress {
  clientName: string;
  /** The name of the stream and of its subject. */
  name: string;
  replicas: number;
  maxBytes: number;
  /** False if an existing stream keeps its settings. A gateway may only create the stream: see deploy/nats.conf. */
  changesSettings?: boolean;
  logger: StatusLogger;
}

const PUBLISH_DEADLINE_MS = 5_000;
const PUBLISH_TIMEOUT_MS = 2_000;
/** The timeout of requests that store nothing. nats-server answers within milliseconds. */
const REQUEST_TIMEOUT_MS = 4_000;
/** The number of messages that are requested at a time. Each has up to 512 KiB. */
const READ_AHEAD = 16;
/** Error codes of nats-server for a stream that is full. */
const FULL_CODES = new Set([10047, 10077, 10167]);

/**
 * The buffer between gateways and writers. A message is on disk before it is acknowledged and stays until a writer trims
 * it. The stream never drops messages by age or to make room, because it may hold the only copy of a reading.
 */
export class Stream {
  readonly #options: StreamOptions;
  readonly #server: ServerConnection;
  #consumer: Promise<Consumer> | undefined;

  private constructor(options: StreamOptions, server: ServerConnection) {
    this.#options = options;
    this.#server = server;
  }

  /** Connects a gateway or writer: waits until nats-server is up, then calls `declare`. */
  static async connect(options: StreamOptions): Promise<Stream> {
    const stream = await Stream.#open(options, true);
    await stream.#declareWithRetries();
    return stream;
  }

  /** Connects for diagnosis: never creates or changes the stream. */
  static async attach(options: StreamOptions): Promise<Stream> {
    const stream = await Stream.#open(options, false);
    try {
      await stream.status();
      return stream;
    } catch (error) {
      await stream.close();
      if (!isMissing(error)) throw error;
      throw new StreamUnavailableError(
        `the stream ${options.name} does not exist; a gateway or writer creates it when it starts`,
      );
    }
  }

  static async #open(options: StreamOptions, waitForServer: boolean): Promise<Stream> {
    const { url, setting, clientName, logger } = options;
    const outage = new Outage(logger, 'connecting to nats-server');
    return new Stream(options, await ServerConnection.open({ url, setting, clientName, waitForServer, outage }));
  }

  get name(): string {
    return this.#options.name;
  }

  get isConnected(): boolean {
    return this.#server.isConnected;
  }

  /** The reason why nats-server cannot be reached; undefined if it can be reached. */
  get notConnectedReason(): string | undefined {
    if (this.isConnected) return undefined;
    const reason = this.#server.reason;
    return reason === undefined ? 'nats-server cannot be reached' : `nats-server cannot be reached: ${reason}`;
  }

  /** Creates the stream. Unless `changesSettings` is false, an existing stream is changed to the configured settings. */
  async declare(): Promise<void> {
    const { name, replicas, maxBytes, changesSettings = true, logger } = this.#options;
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
      const { config } = await this.#server.manager.streams.info(name);
      if (!changesSettings) return;
      await this.#server.manager.streams.update(name, wanted);
      const before = { max_bytes: config.max_bytes, num_replicas: config.num_replicas };
      const after = { max_bytes: maxBytes, num_replicas: replicas };
      // The settings of a starting role may differ from those of a running role, which it overrides.
      if (before.max_bytes !== after.max_bytes || before.num_replicas !== after.num_replicas)
        logger.warn({ stream: name, before, after }, 'changed the settings of the stream');
    } catch (error) {
      if (!isMissing(error)) throw error;
      await this.#server.manager.streams.add(wanted);
      logger.info({ stream: name }, 'created the stream');
    }
  }

  /** Retries, because a cluster that is still electing its leader refuses to create a stream. */
  async #declareWithRetries(): Promise<void> {
    const outage = new Outage(this.#options.logger, 'declaring the stream');
    for (;;) {
      try {
        await this.declare();
        outage.worked();
        return;
      } catch (error) {
        outage.failed(explainDeclareError(error, this.#options));
        await sleep(250);
      }
    }
  }

  /** When this returns, the message is on disk (with 3 replicas, on two of them). An id is stored only once in two minutes. */
  async publish(id: string, payload: string): Promise<void> {
    const { name } = this.#options;
    // The clock is monotonic, so that a step of the wall clock does not change how long a sender waits.
    const deadlineMs = performance.now() + PUBLISH_DEADLINE_MS;
    for (;;) {
      try {
        const options = { msgID: id, timeout: PUBLISH_TIMEOUT_MS, expect: { streamName: name } };
        const published = this.#server.jetstream.publish(name, payload, options);
        await withDeadline(published, 2 * PUBLISH_TIMEOUT_MS, 'publishing');
        return;
      } catch (error) {
        const isFull = error instanceof JetStreamApiError && FULL_CODES.has(error.code);
        if (isFull || performance.now() > deadlineMs) {
          throw new StreamUnavailableError(isFull ? 'the stream is full' : 'the stream does not answer', {
            cause: error,
          });
        }
        await sleep(100);
        // A missing stream also causes a timeout, so create it. This fails too while nats-server is down.
        if (this.isConnected) await this.declare().catch(() => {});
      }
    }
  }

  /** Yields messages that no writer has committed yet, until there were `maxMessages` or `waitMs` has passed. */
  async *fetch(maxMessages: number, waitMs: number): AsyncGenerator<StreamMessage> {
    const timeoutMs = waitMs + REQUEST_TIMEOUT_MS;
    try {
      this.#consumer ??= this.#findConsumer();
      const consumer = await withDeadline(this.#consumer, 3 * REQUEST_TIMEOUT_MS, 'finding the consumer');
      const fetching = consumer.fetch({ max_messages: maxMessages, expires: waitMs });
      const messages = (await withDeadline(fetching, timeoutMs, 'fetching'))[Symbol.asyncIterator]();
      for (;;) {
        const next = await withDeadline(messages.next(), timeoutMs, 'fetching');
        if (next.done === true) return;
        yield next.value;
      }
    } catch (error) {
      this.#consumer = undefined;
      throw error;
    }
  }

  async #findConsumer(): Promise<Consumer> {
    const { name } = this.#options;
    await this.declare();
    await ensureConsumer(this.#server.manager, name);
    return this.#server.jetstream.consumers.get(name, CONSUMER);
  }

  /** Reads the size without the consumer, which gateways may not read. */
  async size(): Promise<StreamSize> {
    const request = this.#server.manager.streams.info(this.#options.name);
    const { state, config, cluster } = await withDeadline(request, REQUEST_TIMEOUT_MS, 'reading the size');
    // The leader answers. Without a cluster, it is the only replica.
    const followers = (cluster?.replicas ?? []).filter(({ current, offline }) => current && !offline);
    return {
      messages: state.messages,
      bytes: state.bytes,
      maxBytes: config.max_bytes,
      replicas: config.num_replicas,
      currentReplicas: 1 + followers.length,
    };
  }

  async status(): Promise<StreamStatus> {
    const { name } = this.#options;
    const { manager } = this.#server;
    const requests = Promise.all([manager.streams.info(name), consumerInfo(manager, name)]);
    const [stream, consumer] = await withDeadline(requests, REQUEST_TIMEOUT_MS, 'reading the status');
    return {
      messages: stream.state.messages,
      bytes: stream.state.bytes,
      maxBytes: stream.config.max_bytes,
      firstSequence: stream.state.first_seq,
      firstAtMs: Date.parse(stream.state.first_ts),
      committedSequence: consumer?.ack_floor.stream_seq ?? 0,
      waiting: consumer ? consumer.num_pending + consumer.num_ack_pending : stream.state.messages,
      serverTimeMs: stream.ts === undefined ? Date.now() : Date.parse(stream.ts),
    };
  }

  /** Returns the time when a message was stored; undefined if the stream has no message with this sequence. */
  async storedAtMs(sequence: number): Promise<number | undefined> {
    const request = this.#server.manager.streams.getMessage(this.#options.name, { seq: sequence });
    const found = await withDeadline(request, REQUEST_TIMEOUT_MS, 'reading a message');
    return found?.time.getTime();
  }

  /**
   * Yields the messages after this sequence, up to the last one in the stream at the time of the call, without deleted ones. It
   * uses no consumer, so writers are not affected.
   */
  async *readAfter(sequence: number): AsyncGenerator<StoredMessage> {
    const { name } = this.#options;
    const { manager } = this.#server;
    const { state } = await withDeadline(manager.streams.info(name), REQUEST_TIMEOUT_MS, 'reading the status');
    for (let from = Math.max(sequence + 1, state.first_seq); from <= state.last_seq; from += READ_AHEAD) {
      const count = Math.min(READ_AHEAD, state.last_seq - from + 1);
      const requests = Array.from({ length: count }, (_, n) => manager.streams.getMessage(name, { seq: from + n }));
      for (const request of requests) {
        const found = await withDeadline(request, 2 * REQUEST_TIMEOUT_MS, 'reading a message');
        if (found !== null) yield found;
      }
    }
  }

  /** Deletes all messages before this sequence. */
  async removeBefore(sequence: number): Promise<void> {
    await this.#server.manager.streams.purge(this.#options.name, { seq: sequence });
  }

  /**
   * Delivers all messages since this time to writers again. Readings that are stored already are duplicates and stay as
   * they are. Uncommitted messages are always delivered, even older ones: if skipped, they would be trimmed and lost.
   */
  async replaySince(atMs: number): Promise<void> {
    const { firstSequence, committedSequence } = await this.status();
    const waitingSinceMs = await this.storedAtMs(Math.max(firstSequence, committedSequence + 1));
    await restartConsumer(this.#server.manager, this.#options.name, {
      atMs: Math.min(atMs, waitingSinceMs ?? atMs),
    });
  }

  /** Delivers the committed messages after this sequence to writers again. Returns their number. */
  async replayAfter(sequence: number): Promise<number> {
    const { committedSequence } = await this.status();
    if (committedSequence <= sequence) return 0;
    await restartConsumer(this.#server.manager, this.#options.name, { sequence: sequence + 1 });
    return committedSequence - sequence;
  }

  async close(): Promise<void> {
    await this.#server.close();
  }
}

export interface StreamSize {
  messages: number;
  bytes: number;
  maxBytes: number;
  /** The configured number of servers that have a copy of the stream. */
  replicas: number;
  /** The number of servers whose copy is complete now. */
  currentReplicas: number;
}

export interface StreamStatus extends Pick<StreamSize, 'messages' | 'bytes' | 'maxBytes'> {
  firstSequence: number;
  firstAtMs: number;
  /** All messages up to this sequence are committed. */
  committedSequence: number;
  /** Messages that are not committed. */
  waiting: number;
  /** When nats-server sent this response, by its own clock, which also dates messages. */
  serverTimeMs: number;
}

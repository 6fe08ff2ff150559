import { setTimeout as sleep } from 'node:timers/promises';
import type { Outage } from '../health/outage.ts';
import { ACK_WAIT_MS } from '../stream/consumer.ts';
import type { Stream, StreamMessage } from '../stream/stream.ts';

/** A pull ends after this time, even if nats-server dies during the pull. */
const PULL_TIMEOUT_MS = 1_000;

export interface InboxOptions {
  stream: Stream;
  /** Maximum number of messages in the inbox. */
  capacity: number;
  deliver: (message: StreamMessage) => void;
  outage: Outage;
}

/**
 * Holds stream messages until they are committed. Messages are fetched ahead, so that a lane does not wait for the
 * network. The number is limited: if this process dies, other writers get its messages only after ACK_WAIT_MS.
 */
export class Inbox {
  readonly #options: InboxOptions;
  /** Messages that are fetched and not acknowledged. */
  readonly #messages = new Set<StreamMessage>();
  readonly #keepAlive: NodeJS.Timeout;
  #changed = Promise.withResolvers<void>();
  #isPaused = false;
  #isClosed = false;

  constructor(options: InboxOptions) {
    this.#options = options;
    // Without this, messages that wait longer than ACK_WAIT_MS behind a large backlog go to another writer.
    this.#keepAlive = setInterval(() => {
      for (const message of this.#messages) respond(() => message.working());
    }, ACK_WAIT_MS / 3);
    void this.#pull();
  }

  /** Call it when all readings of the message are committed. */
  settle(message: StreamMessage): void {
    respond(() => message.ack());
    this.#messages.delete(message);
    this.#notify();
  }

  /**
   * Returns all messages to the stream at once, so that another writer stores them, and fetches no more. If this writer
   * still commits one of them, its readings are duplicates for the other writer. Returns the number of these messages.
   */
  pause(): number {
    this.#isPaused = true;
    const returned = this.#messages.size;
    for (const message of this.#messages) respond(() => message.nak());
    this.#messages.clear();
    return returned;
  }

  resume(): void {
    this.#isPaused = false;
    this.#notify();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#keepAlive);
    this.pause();
    this.#notify();
  }

  async #pull(): Promise<void> {
    const { stream, capacity, outage } = this.#options;
    while (!this.#isClosed) {
      const freeSlots = capacity - this.#messages.size;
      if (freeSlots <= 0 || this.#isPaused) {
        await this.#changed.promise;
        continue;
      }
      try {
        for await (const message of stream.fetch(freeSlots, PULL_TIMEOUT_MS)) this.#add(message);
        outage.worked();
      } catch (error) {
        if (!this.#isClosed) outage.failed(error);
        await sleep(250);
      }
    }
  }

  #add(message: StreamMessage): void {
    if (this.#isPaused) return respond(() => message.nak());
    this.#messages.add(message);
    this.#options.deliver(message);
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** Ignores the error of a response on a closed connection: the message is redelivered, and its readings are duplicates. */
function respond(send: () => void): void {
  try {
    send();
  } catch {
    // The stream redelivers the message.
  }
}

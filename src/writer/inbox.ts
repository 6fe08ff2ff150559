import { setTimeout as sleep } from 'node:timers/promises';
import { ACK_WAIT_MS } from '../stream/consumer.ts';
import type { Stream, StreamMessage } from '../stream/stream.ts';

/** A pull ends after this time, also if nats-server dies during the pull. */
const PULL_TIMEOUT_MS = 1_000;

export interface InboxOptions {
  stream: Stream;
  /** Maximum number of messages in the inbox. */
  capacity: number;
  deliver: (message: StreamMessage) => void;
  onError: (error: unknown) => void;
}

/**
 * Holds stream messages until they are committed. Messages are fetched ahead, so that a lane does not wait for the
 * network. The number is limited: if this process dies, other writers get its messages only after ACK_WAIT_MS.
 */
export class Inbox {
  readonly #stream: Stream;
  readonly #capacity: number;
  readonly #onError: (error: unknown) => void;
  readonly #deliver: (message: StreamMessage) => void;
  /** Messages that are fetched and not acknowledged. */
  readonly #messages = new Set<StreamMessage>();
  readonly #keepAlive: NodeJS.Timeout;
  #spaceFreed = Promise.withResolvers<void>();
  #isClosed = false;

  constructor({ stream, capacity, deliver, onError }: InboxOptions) {
    this.#stream = stream;
    this.#capacity = capacity;
    this.#deliver = deliver;
    this.#onError = onError;
    // Without this, messages that wait longer than ACK_WAIT_MS, as in a database outage, go to another writer.
    this.#keepAlive = setInterval(() => {
      for (const message of this.#messages) message.working();
    }, ACK_WAIT_MS / 3);
    void this.#pull();
  }

  /** Call it when all readings of the message are committed. */
  settle(message: StreamMessage): void {
    message.ack();
    this.#messages.delete(message);
    this.#spaceFreed.resolve();
    this.#spaceFreed = Promise.withResolvers();
  }

  /** Returns uncommitted messages to the stream at once. If one is committed after that, its readings are duplicates. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#keepAlive);
    for (const message of this.#messages) message.nak();
    this.#spaceFreed.resolve();
  }

  async #pull(): Promise<void> {
    for (let hasFailed = false; !this.#isClosed; ) {
      const freeSlots = this.#capacity - this.#messages.size;
      if (freeSlots <= 0) {
        await this.#spaceFreed.promise;
        continue;
      }
      try {
        for await (const message of this.#stream.fetch(freeSlots, PULL_TIMEOUT_MS)) this.#add(message);
        hasFailed = false;
      } catch (error) {
        if (!hasFailed && !this.#isClosed) this.#onError(error);
        hasFailed = true;
        await sleep(250);
      }
    }
  }

  #add(message: StreamMessage): void {
    if (this.#isClosed) return message.nak();
    this.#messages.add(message);
    this.#deliver(message);
  }
}

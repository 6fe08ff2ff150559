import { setTimeout as sleep } from 'node:timers/promises';
import type { Outage } from '../health/outage.ts';
import { ACK_WAIT_MS } from '../stream/consumer.ts';
import type { Stream, StreamMessage } from '../stream/stream.ts';

/** A pull ends after this time, also if nats-server dies during the pull. */
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
  readonly #stream: Stream;
  readonly #capacity: number;
  readonly #outage: Outage;
  readonly #deliver: (message: StreamMessage) => void;
  /** Messages that are fetched and not acknowledged. */
  readonly #messages = new Set<StreamMessage>();
  readonly #keepAlive: NodeJS.Timeout;
  #spaceFreed = Promise.withResolvers<void>();
  #isClosed = false;

  constructor({ stream, capacity, deliver, outage }: InboxOptions) {
    this.#stream = stream;
    this.#capacity = capacity;
    this.#deliver = deliver;
    this.#outage = outage;
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
    while (!this.#isClosed) {
      const freeSlots = this.#capacity - this.#messages.size;
      if (freeSlots <= 0) {
        await this.#spaceFreed.promise;
        continue;
      }
      try {
        for await (const message of this.#stream.fetch(freeSlots, PULL_TIMEOUT_MS)) this.#add(message);
        this.#outage.worked();
      } catch (error) {
        if (!this.#isClosed) this.#outage.failed(error);
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

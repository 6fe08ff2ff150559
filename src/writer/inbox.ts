import { setTimeout as sleep } from 'node:timers/promises';
import type { Outage } from '../health/outage.ts';
import { ACK_WAIT_MS } from '../stream/consumer.ts';
import type { Stream, StreamMessage } from '../stream/stream.ts';

/** One pull from the stream ends after this; a server that died in the middle of one costs no more. */
const PULL_MS = 1_000;

export interface InboxOptions {
  stream: Stream;
  /** How many it holds at most. */
  capacity: number;
  deliver: (message: StreamMessage) => void;
  outage: Outage;
}

/**
 * Holds messages from the stream until they are committed: pulled ahead, so that a lane never waits for the network, and
 * few, so that the death of this process leaves little for others to wait for.
 */
export class Inbox {
  readonly #stream: Stream;
  readonly #capacity: number;
  readonly #outage: Outage;
  readonly #deliver: (message: StreamMessage) => void;
  /** Everything pulled and not acknowledged yet. */
  readonly #held = new Set<StreamMessage>();
  readonly #keepAlive: NodeJS.Timeout;
  #room = Promise.withResolvers<void>();
  #isClosed = false;

  constructor({ stream, capacity, deliver, outage }: InboxOptions) {
    this.#stream = stream;
    this.#capacity = capacity;
    this.#deliver = deliver;
    this.#outage = outage;
    // Says "still at it" for what waits here longer than another writer would wait for us, as in a database outage.
    this.#keepAlive = setInterval(() => {
      for (const message of this.#held) message.working();
    }, ACK_WAIT_MS / 3);
    void this.#pull();
  }

  /** Everything in it is committed. */
  settle(message: StreamMessage): void {
    message.ack();
    this.#held.delete(message);
    this.#room.resolve();
    this.#room = Promise.withResolvers();
  }

  /** What is not committed is for others, at once; if it is committed all the same, they find it known. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#keepAlive);
    for (const message of this.#held) message.nak();
    this.#room.resolve();
  }

  async #pull(): Promise<void> {
    while (!this.#isClosed) {
      const room = this.#capacity - this.#held.size;
      if (room <= 0) {
        await this.#room.promise;
        continue;
      }
      try {
        for await (const message of this.#stream.fetch(room, PULL_MS)) this.#add(message);
        this.#outage.worked();
      } catch (error) {
        if (!this.#isClosed) this.#outage.failed(error);
        await sleep(250);
      }
    }
  }

  #add(message: StreamMessage): void {
    if (this.#isClosed) return message.nak();
    this.#held.add(message);
    this.#deliver(message);
  }
}

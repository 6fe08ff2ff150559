import { setTimeout as sleep } from 'node:timers/promises';
import { ACK_WAIT_MS, type Stream, type StreamMessage } from '../stream/stream.ts';

/** One pull from the stream ends after this; a server that died in the middle of one costs no more. */
const PULL_MS = 1_000;

/**
 * Holds messages between the stream and the lanes: pulled ahead, so that a lane never waits for the network, and few,
 * so that the death of this process leaves little for others to wait for.
 */
export class Inbox {
  readonly #stream: Stream;
  readonly #capacity: number;
  readonly #onError: (error: unknown) => void;
  readonly #queue: StreamMessage[] = [];
  /** Everything pulled and not acknowledged yet. */
  readonly #held = new Set<StreamMessage>();
  readonly #keepAlive: NodeJS.Timeout;
  #arrived = Promise.withResolvers<void>();
  #room = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(stream: Stream, capacity: number, onError: (error: unknown) => void) {
    this.#stream = stream;
    this.#capacity = capacity;
    this.#onError = onError;
    // Says "still at it" for what waits here longer than another writer would wait for us, as in a database outage.
    this.#keepAlive = setInterval(() => {
      for (const message of this.#held) message.working();
    }, ACK_WAIT_MS / 3);
    void this.#pull();
  }

  /** What is there, at most so many; waits for the first. Nothing once closed. */
  async take(max: number): Promise<StreamMessage[]> {
    while (this.#queue.length === 0 && !this.#isClosed) await this.#arrived.promise;
    return this.#isClosed ? [] : this.#queue.splice(0, max);
  }

  settled(messages: readonly StreamMessage[]): void {
    for (const message of messages) this.#held.delete(message);
    this.#room.resolve();
    this.#room = Promise.withResolvers();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#keepAlive);
    this.#arrived.resolve();
    this.#room.resolve();
  }

  async #pull(): Promise<void> {
    for (let hasFailed = false; !this.#isClosed; ) {
      const room = this.#capacity - this.#held.size;
      if (room <= 0) {
        await this.#room.promise;
        continue;
      }
      try {
        for await (const message of this.#stream.fetch(room, PULL_MS)) this.#add(message);
        hasFailed = false;
      } catch (error) {
        if (!hasFailed && !this.#isClosed) this.#onError(error);
        hasFailed = true;
        await sleep(250);
      }
    }
  }

  #add(message: StreamMessage): void {
    this.#held.add(message);
    this.#queue.push(message);
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers();
  }
}

import type { Stream, StreamSize } from '../stream/stream.ts';
import { encodeMessage } from '../telemetry/stream_message.ts';
import { uuid7 } from '../values/uuid7.ts';

const CHECK_INTERVAL_MS = 2_000;

/**
 * Records whether the stream accepts messages now, by the result of every publish. A periodic check reads the size of the
 * stream, and after a failure publishes a message without readings, because there may be no senders, for example while a
 * load balancer sends nothing here. The size alone is not enough: a nats-server with a full disk responds and stores nothing.
 */
export class StreamHealth {
  readonly #stream: Stream;
  readonly #onSize: (size: StreamSize | undefined) => void;
  readonly #timer: NodeJS.Timeout;
  #failure: string | undefined;
  #isChecking = false;

  /** `onSize` gets undefined if the stream cannot be asked. */
  constructor(stream: Stream, onSize: (size: StreamSize | undefined) => void) {
    this.#stream = stream;
    this.#onSize = onSize;
    this.#timer = setInterval(() => void this.#check(), CHECK_INTERVAL_MS).unref();
  }

  /** Undefined while the stream accepts messages. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Publishes a message and records whether the stream accepted it. */
  async publish(id: string, payload: string): Promise<void> {
    try {
      await this.#stream.publish(id, payload);
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : 'unknown error';
      throw error;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      if (this.#failure !== undefined) {
        const id = uuid7();
        await this.publish(id, encodeMessage(id, Date.now(), [], []));
      }
      this.#onSize(await this.#stream.size());
    } catch (error) {
      this.#failure ??= error instanceof Error ? error.message : 'unknown error';
      this.#onSize(undefined);
    } finally {
      this.#isChecking = false;
    }
  }
}

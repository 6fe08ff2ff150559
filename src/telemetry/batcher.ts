import { setTimeout as sleep } from 'node:timers/promises';
import { StreamUnavailableError } from '../stream/unavailable.ts';
import { uuid7 } from '../values/uuid7.ts';
import { GatherWindow } from './gather_window.ts';
import {
  encodeMessage,
  encodeReading,
  encodeRejection,
  type OrganizationHealth,
  type OrganizationReading,
  type OrganizationRejectedPayload,
} from './stream_message.ts';

const MAX_MESSAGE_READINGS = 500;
/** Half of nats-server's default limit, so that one more entry always fits below that limit. */
const MAX_MESSAGE_BYTES = 512 * 1_024;
/** If more than this waits for the stream, new readings are refused at once. */
const MAX_UNPUBLISHED_BYTES = 64 * 1_024 * 1_024;

interface OpenMessage {
  id: string;
  readings: string[];
  rejections: string[];
  health: string[];
  bytes: number;
  stored: PromiseWithResolvers<void>;
}

/**
 * Combines the readings that arrive from all senders within 20 ms into one stream message, because the stream syncs each
 * message to disk (about 0.5 ms). If the stream is busy, it combines the readings of up to 250 ms.
 */
export class Batcher {
  readonly #publish: (id: string, payload: string) => Promise<void>;
  readonly #window = new GatherWindow();
  #open: OpenMessage | undefined;
  #timer: NodeJS.Timeout | undefined;
  #unpublishedBytes = 0;

  constructor(publish: (id: string, payload: string) => Promise<void>) {
    this.#publish = publish;
  }

  /**
   * Resolves with the ids of the stream messages when the stream has stored all entries. Throws StreamUnavailableError if that is not
   * certain.
   */
  async submit(
    readings: readonly OrganizationReading[],
    rejections: readonly OrganizationRejectedPayload[],
    health: readonly OrganizationHealth[] = [],
  ): Promise<string[]> {
    const messages = new Map<string, Promise<void>>();
    try {
      const add = ({ id, stored }: OpenMessage): unknown => messages.set(id, stored.promise);
      for (const reading of readings) add(this.#add('readings', encodeReading(reading)));
      for (const rejection of rejections) add(this.#add('rejections', encodeRejection(rejection)));
      for (const report of health) add(this.#add('health', JSON.stringify(report)));
    } finally {
      // If the limit is reached in the middle, the sender gets an error and sends everything again. The entries that were
      // already added are published, but nothing waits for the result.
      for (const stored of messages.values()) stored.catch(() => {});
    }
    await Promise.all(messages.values());
    return [...messages.keys()];
  }

  /** Resolves when the stream has confirmed everything that was submitted, or after the timeout. */
  async untilEmpty(timeoutMs: number): Promise<void> {
    const deadlineMs = performance.now() + timeoutMs;
    while (this.#unpublishedBytes > 0 && performance.now() < deadlineMs) await sleep(5);
  }

  #add(kind: 'readings' | 'rejections' | 'health', entry: string): OpenMessage {
    if (this.#unpublishedBytes > MAX_UNPUBLISHED_BYTES) {
      throw new StreamUnavailableError('too many readings wait for the stream');
    }
    const bytes = Buffer.byteLength(entry) + 1;
    if (this.#open && this.#open.bytes + bytes > MAX_MESSAGE_BYTES) this.#send();
    this.#open ??= this.#openMessage();
    const message = this.#open;
    message[kind].push(entry);
    message.bytes += bytes;
    this.#unpublishedBytes += bytes;
    if (Math.max(message.readings.length, message.health.length) >= MAX_MESSAGE_READINGS) this.#send();
    return message;
  }

  #openMessage(): OpenMessage {
    this.#timer = setTimeout(() => this.#send(), this.#window.currentMs(performance.now()));
    return { id: uuid7(), readings: [], rejections: [], health: [], bytes: 0, stored: Promise.withResolvers() };
  }

  #send(): void {
    clearTimeout(this.#timer);
    const message = this.#open;
    this.#open = undefined;
    if (message === undefined) return;
    const { id } = message;
    const payload = encodeMessage(id, Date.now(), message.readings, message.rejections, message.health);
    const recordEnd = this.#window.recordSent(performance.now());
    this.#publish(id, payload)
      .then(message.stored.resolve, message.stored.reject)
      .finally(() => {
        recordEnd(performance.now());
        this.#unpublishedBytes -= message.bytes;
      });
  }
}

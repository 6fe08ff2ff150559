import { StreamUnavailable } from '../stream/unavailable.ts';
import {
  encodeMessage,
  encodeReading,
  encodeRejection,
  type OrganizationReading,
  type OrganizationRejectedPayload,
} from '../telemetry/stream_message.ts';
import { uuid7 } from '../values/uuid7.ts';

/** The stream syncs each message to disk (about 0.5 ms), so many senders share a message. */
const MAX_WAIT_MS = 20;
const MAX_MESSAGE_READINGS = 500;
/** Half of nats-server's default limit. The other half is room for the entry that exceeds it. */
const MAX_MESSAGE_BYTES = 512 * 1_024;
/** If more than this waits for the stream, new readings are refused at once. */
const MAX_UNPUBLISHED_BYTES = 64 * 1_024 * 1_024;

interface OpenMessage {
  readings: string[];
  rejections: string[];
  bytes: number;
  stored: PromiseWithResolvers<void>;
}

/** Combines the readings that arrive from all senders within 20 ms into one stream message. */
export class Batcher {
  readonly #publish: (id: string, payload: string) => Promise<void>;
  #open: OpenMessage | undefined;
  #timer: NodeJS.Timeout | undefined;
  #unpublishedBytes = 0;

  constructor(publish: (id: string, payload: string) => Promise<void>) {
    this.#publish = publish;
  }

  /** Resolves when the stream has stored everything. Throws StreamUnavailable if that is not certain. */
  async submit(
    readings: readonly OrganizationReading[],
    rejections: readonly OrganizationRejectedPayload[],
  ): Promise<void> {
    const messages = new Set<Promise<void>>();
    try {
      for (const reading of readings) messages.add(this.#add('readings', encodeReading(reading)));
      for (const rejection of rejections) messages.add(this.#add('rejections', encodeRejection(rejection)));
    } finally {
      // If the limit is reached in between, the sender gets an error and sends everything again. What was added until
      // then is published; its outcome matters to nobody.
      for (const message of messages) message.catch(() => {});
    }
    await Promise.all(messages);
  }

  #add(kind: 'readings' | 'rejections', entry: string): Promise<void> {
    if (this.#unpublishedBytes > MAX_UNPUBLISHED_BYTES) {
      throw new StreamUnavailable('too many readings wait for the stream');
    }
    const bytes = Buffer.byteLength(entry) + 1;
    if (this.#open && this.#open.bytes + bytes > MAX_MESSAGE_BYTES) this.#send();
    this.#open ??= this.#openMessage();
    const { stored } = this.#open;
    this.#open[kind].push(entry);
    this.#open.bytes += bytes;
    this.#unpublishedBytes += bytes;
    if (this.#open.readings.length >= MAX_MESSAGE_READINGS) this.#send();
    return stored.promise;
  }

  #openMessage(): OpenMessage {
    this.#timer = setTimeout(() => this.#send(), MAX_WAIT_MS);
    return { readings: [], rejections: [], bytes: 0, stored: Promise.withResolvers() };
  }

  #send(): void {
    clearTimeout(this.#timer);
    const message = this.#open;
    this.#open = undefined;
    if (message === undefined) return;
    const id = uuid7();
    const payload = encodeMessage(id, Date.now(), message.readings, message.rejections);
    this.#publish(id, payload)
      .then(message.stored.resolve, message.stored.reject)
      .finally(() => {
        this.#unpublishedBytes -= message.bytes;
      });
  }
}

import { StreamUnavailable } from '../stream/unavailable.ts';
import {
  encodeMessage,
  encodeReading,
  encodeRejection,
  type OrganizationReading,
  type OrganizationRejectedPayload,
} from '../telemetry/stream_message.ts';
import { uuid7 } from '../values/uuid7.ts';

/** Each message costs the stream a write to disk that lasts (some 0.5 ms), so many senders share one. */
const GATHER_MS = 20;
const MAX_MESSAGE_READINGS = 500;
/** Half of what nats-server takes by default; no entry comes near the other half. */
const MAX_MESSAGE_BYTES = 512 * 1_024;
/** What may wait for the stream before senders are turned away at once. */
const MAX_WAITING_BYTES = 64 * 1_024 * 1_024;

interface OpenMessage {
  readings: string[];
  rejections: string[];
  bytes: number;
  stored: PromiseWithResolvers<void>;
}

/** Gathers what many senders bring within some 20 ms into one message of the stream. */
export class Batcher {
  readonly #publish: (id: string, payload: string) => Promise<void>;
  #open: OpenMessage | undefined;
  #timer: NodeJS.Timeout | undefined;
  #waitingBytes = 0;

  constructor(publish: (id: string, payload: string) => Promise<void>) {
    this.#publish = publish;
  }

  /** Resolves when the stream has stored all of it; throws StreamUnavailable where it may not have. */
  async submit(
    readings: readonly OrganizationReading[],
    rejections: readonly OrganizationRejectedPayload[],
  ): Promise<void> {
    if (this.#waitingBytes > MAX_WAITING_BYTES) throw new StreamUnavailable('too much waits for the stream already');
    const carriers = new Set<Promise<void>>();
    for (const reading of readings) carriers.add(this.#add('readings', encodeReading(reading)));
    for (const rejection of rejections) carriers.add(this.#add('rejections', encodeRejection(rejection)));
    await Promise.all(carriers);
  }

  #add(kind: 'readings' | 'rejections', entry: string): Promise<void> {
    const bytes = Buffer.byteLength(entry) + 1;
    if (this.#open && this.#open.bytes + bytes > MAX_MESSAGE_BYTES) this.#send();
    this.#open ??= this.#begin();
    const { stored } = this.#open;
    this.#open[kind].push(entry);
    this.#open.bytes += bytes;
    this.#waitingBytes += bytes;
    if (this.#open.readings.length >= MAX_MESSAGE_READINGS) this.#send();
    return stored.promise;
  }

  #begin(): OpenMessage {
    this.#timer = setTimeout(() => this.#send(), GATHER_MS);
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
        this.#waitingBytes -= message.bytes;
      });
  }
}

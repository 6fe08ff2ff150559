import { everyInterval } from '../health/every_interval.ts';
import { Outage, type StatusLogger } from '../health/outage.ts';
import type { Stream } from '../stream/stream.ts';
import { measureStreamRate } from '../stream/stream_rate.ts';
import type { WriterMetrics } from './metrics.ts';
import type { StreamPosition } from './stream_position.ts';
import { trimStream } from './trim.ts';

const TRIM_INTERVAL_MS = 60_000;
const RATE_INTERVAL_MS = 60_000;
const HOUR_S = 3_600;
const STATUS_INTERVAL_MS = 2_000;

export interface StreamWatchOptions {
  stream: Stream;
  position: StreamPosition;
  keepMs: number;
  metrics: WriterMetrics;
  logger: StatusLogger;
}

/** Polls the status of the stream for metrics, readiness and evaluation, stores its position, and trims the stream. */
export class StreamWatch {
  readonly #options: StreamWatchOptions;
  readonly #statusOutage: Outage;
  readonly #timers: NodeJS.Timeout[];
  readonly #checked = Promise.withResolvers<void>();
  #storedUpToMs = 0;

  constructor(options: StreamWatchOptions) {
    const { stream, keepMs, logger } = options;
    this.#options = options;
    this.#statusOutage = new Outage(logger, 'reading the status of the stream');
    const trimOutage = new Outage(logger, 'trimming the stream');
    const checkStatus = everyInterval(STATUS_INTERVAL_MS, this.#statusOutage, () => this.#check());
    const trim = everyInterval(TRIM_INTERVAL_MS, trimOutage, async () => {
      const { serverTimeMs } = await stream.status();
      await trimStream(stream, keepMs, serverTimeMs);
    });
    const measureRate = everyInterval(RATE_INTERVAL_MS, this.#statusOutage, () => this.#measureRate());
    this.#timers = [checkStatus.timer, trim.timer, measureRate.timer];
    void checkStatus.run();
    void measureRate.run();
  }

  /** Resolves when `storedUpToMs` is known. */
  get checked(): Promise<void> {
    return this.#checked.promise;
  }

  get isFailing(): boolean {
    return this.#statusOutage.isOn;
  }

  /** All readings that arrived before this time are stored, by the clock of nats-server, which also dates messages. */
  get storedUpToMs(): number {
    return this.#storedUpToMs;
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  async #check(): Promise<void> {
    const { stream, position, metrics } = this.#options;
    const startMs = performance.now();
    const { waiting, bytes, maxBytes, committedSequence, serverTimeMs } = await stream.status();
    // The status may be as old as the start of the request. A message may have been stored after it.
    const checkedAtMs = serverTimeMs - Math.ceil(performance.now() - startMs);
    const oldestWaitingMs = waiting === 0 ? checkedAtMs : await stream.storedAtMs(committedSequence + 1);
    if (oldestWaitingMs !== undefined) {
      this.#storedUpToMs = oldestWaitingMs;
      metrics.lagSeconds.set(waiting === 0 ? 0 : Math.max(0, serverTimeMs - oldestWaitingMs) / 1_000);
      this.#checked.resolve();
    }
    // Not awaited: a database that hangs must not delay the next check of the stream.
    void position.confirm(committedSequence);
    metrics.waitingMessages.set(waiting);
    metrics.streamBytes.set(bytes);
    metrics.streamMaxBytes.set(maxBytes);
  }

  /** Sets both times to infinity if the rate is unknown, for example for a stream without messages. */
  async #measureRate(): Promise<void> {
    const { stream, metrics } = this.#options;
    const rate = await measureStreamRate(await stream.status(), (sequence) => stream.storedAtMs(sequence));
    metrics.streamKeepsSeconds.set((rate?.keepsHours ?? Infinity) * HOUR_S);
    metrics.streamSecondsUntilFull.set((rate?.hoursUntilFull ?? Infinity) * HOUR_S);
  }
}

import { repeat } from './repeat.ts';

/** Less than the 30 seconds that a role remembers a delay at least. */
const READ_EVERY_MS = 5_000;

/** The longest delay of the event loop of each role, in milliseconds, from the metrics of the processes while they run. */
export class EventLoopDelays {
  readonly longestMs = new Map<string, number>();
  readonly #ports = new Map<number, string>();
  readonly #reading = repeat(READ_EVERY_MS, () => this.#readAll());

  watch(role: string, metricsPort: number): void {
    this.#ports.set(metricsPort, role);
  }

  async stop(): Promise<void> {
    await this.#reading.stop();
  }

  async #readAll(): Promise<void> {
    await Promise.all([...this.#ports].map(([port, role]) => this.#read(port, role)));
  }

  /** A process that was killed does not answer, and one of an older release has no such metric. */
  async #read(port: number, role: string): Promise<void> {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(READ_EVERY_MS) });
      for (const [, seconds] of (await response.text()).matchAll(/^tankwatch_event_loop_delay_seconds\{.*\} (\S+)$/gm))
        this.longestMs.set(role, Math.max(this.longestMs.get(role) ?? 0, Number(seconds) * 1_000));
    } catch {
      // The next read may succeed.
    }
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../src/setup/servers/free_port.ts';
import { repeat } from './repeat.ts';

/** A role exports a delay for at least 30 seconds, so no delay is missed. */
const READ_EVERY_MS = 5_000;

const IDLE = 'an idle process';
const IDLE_PROGRAM = fileURLToPath(new URL('idle_process.ts', import.meta.url));

/**
 * Reads the longest delay of the event loop of each role from the metrics of the running processes. An idle process is measured in
 * the same way: its delays are those that other work on the machine causes.
 */
export class EventLoopDelays {
  /** The address of the idle process. */
  readonly idleUrl: string;
  readonly #idle: ChildProcess;
  readonly #longestMs = new Map<string, number>();
  readonly #ports = new Map<number, string>();
  readonly #reading = repeat(READ_EVERY_MS, () => this.#readAll());

  private constructor(idle: ChildProcess, port: number) {
    this.#idle = idle;
    this.idleUrl = `http://127.0.0.1:${port}/`;
    this.watch(IDLE, port);
  }

  static async start(): Promise<EventLoopDelays> {
    const port = await freePort();
    const idle = spawn(process.execPath, [IDLE_PROGRAM, String(port)], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(idle.stdout, 'data');
    return new EventLoopDelays(idle, port);
  }

  get idleMs(): number {
    return this.#longestMs.get(IDLE) ?? 0;
  }

  /** The longest delay by role, without the idle process. */
  get longestMs(): ReadonlyMap<string, number> {
    return new Map([...this.#longestMs].filter(([role]) => role !== IDLE));
  }

  watch(role: string, metricsPort: number): void {
    this.#ports.set(metricsPort, role);
  }

  async stop(): Promise<void> {
    await this.#reading.stop();
    this.#idle.stdin?.end();
  }

  async #readAll(): Promise<void> {
    await Promise.all([...this.#ports].map(([port, role]) => this.#read(port, role)));
  }

  /** Reads one process. A killed process does not answer, and one of an older release has no such metric. */
  async #read(port: number, role: string): Promise<void> {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(READ_EVERY_MS) });
      for (const [, seconds] of (await response.text()).matchAll(/^tankwatch_event_loop_delay_seconds\{.*\} (\S+)$/gm))
        this.#longestMs.set(role, Math.max(this.#longestMs.get(role) ?? 0, Number(seconds) * 1_000));
    } catch {
      // The next read may succeed.
    }
  }
}

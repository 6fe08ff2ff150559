import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePort } from '../src/setup/servers/free_port.ts';
import { stopProcess } from '../src/setup/servers/server_process.ts';
import type { EventLoopDelays } from './event_loop_delays.ts';

export const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** The environment of the program. With a cache of compiled code, a command needs half of the CPU time to start. */
export const programEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
});

/** Whether the role behind this port is ready. Without an answer within a second it is not, as for a load balancer. */
export async function probeReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(1_000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

/** A role of Tankwatch in its own process. */
export class RoleProcess {
  /** Measures all roles that are started from now on. */
  static eventLoopDelays: EventLoopDelays | undefined;

  readonly #role: string;
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #isWanted = false;
  /** The last output, for error messages. */
  log = '';
  /** Called with all output. */
  onOutput: (text: string) => void = () => {};
  /** A command that is put before the command of the role, such as one that limits its memory. */
  startedBy: readonly string[] = [];
  /** How often the process ended by itself. */
  crashes = 0;

  readonly #main: string;

  /** `main` is the program to run. Default: that of this source tree. */
  constructor(role: string, environment: Readonly<Record<string, string>>, main: string = MAIN) {
    this.#role = role;
    this.#environment = environment;
    this.#main = main;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves when the role logs that it runs. */
  async start(): Promise<void> {
    const delays = RoleProcess.eventLoopDelays;
    const metricsPort = Number(this.#environment['METRICS_PORT'] ?? (delays === undefined ? 0 : await freePort()));
    const [command, ...args] = [...this.startedBy, process.execPath, this.#main, this.#role];
    const child = spawn(command, args, {
      // The role does not read the settings of the machine on which it runs.
      env: {
        ...programEnvironment(),
        TANKWATCH_CONFIG: '/dev/null',
        LOG_LEVEL: 'info',
        ...this.#environment,
        METRICS_PORT: String(metricsPort),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#isWanted = true;
    child.once('close', () => {
      if (this.#isWanted) this.crashes++;
    });
    await new Promise<void>((resolve, reject) => {
      const onOutput = (chunk: Buffer): void => {
        this.onOutput(chunk.toString());
        this.log = (this.log + chunk.toString()).slice(-20_000);
        if (/gateway started|writer started|worker runs|connector started|Server listening/.test(chunk.toString()))
          resolve();
      };
      child.stdout.on('data', onOutput);
      child.stderr.on('data', onOutput);
      child.once('close', () => reject(new Error(`${this.#role} ended: ${this.log.slice(-2_000)}`)));
    });
    delays?.watch(this.#role, metricsPort);
  }

  /** Kills the process with kill -9. */
  async kill(): Promise<void> {
    this.#isWanted = false;
    if (this.#child) await stopProcess(this.#child, 'SIGKILL');
  }

  async stop(): Promise<void> {
    this.#isWanted = false;
    if (this.#child) await stopProcess(this.#child, 'SIGTERM');
  }
}

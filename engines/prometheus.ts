import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { freePort } from '../src/setup/servers/free_port.ts';
import { unpackOnce } from '../src/setup/servers/nats.ts';
import { stopProcess } from '../src/setup/servers/server_process.ts';

const INSTALLED = '/usr/bin';

/** Returns the folder with prometheus and promtool. If they are not installed, unpacks them once from Debian's package into a cache. */
export async function findPrometheus(): Promise<string> {
  if (existsSync(join(INSTALLED, 'promtool'))) return INSTALLED;
  const cache = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url));
  const folder = join(cache, 'prometheus');
  if (!existsSync(folder))
    await unpackOnce('prometheus.sh', cache, 'prometheus').catch((error: unknown) => {
      throw new Error(
        'prometheus is not installed, and engines/prometheus.sh could not unpack it; install it with: apt-get install prometheus',
        { cause: error },
      );
    });
  return join(folder, 'usr/bin');
}

const Alerts = Type.Object({
  data: Type.Object({
    alerts: Type.Array(
      Type.Object({
        state: Type.String(),
        labels: Type.Record(Type.String(), Type.String()),
        annotations: Type.Record(Type.String(), Type.String()),
      }),
    ),
  }),
});

const QueryResult = Type.Object({
  data: Type.Object({ result: Type.Array(Type.Object({ value: Type.Tuple([Type.Number(), Type.String()]) })) }),
});

export interface FiringAlert {
  name: string;
  labels: Readonly<Record<string, string>>;
  summary: string;
}

/** A real Prometheus that scrapes the roles every second. */
export class PrivatePrometheus {
  readonly #server: ChildProcess;
  readonly #folder: string;
  readonly #url: string;

  private constructor(server: ChildProcess, folder: string, url: string) {
    this.#server = server;
    this.#folder = folder;
    this.#url = url;
  }

  /** `rules` is the text of a rule file, `ports` are the ports of /metrics. */
  static async start(rules: string, ports: readonly number[]): Promise<PrivatePrometheus> {
    const folder = await mkdtemp(join(tmpdir(), 'tankwatch-prometheus-'));
    const port = await freePort();
    await writeFile(join(folder, 'alerts.yml'), rules);
    const targets = ports.map((target) => `'127.0.0.1:${target}'`).join();
    await writeFile(
      join(folder, 'prometheus.yml'),
      `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [alerts.yml]
scrape_configs: [{ job_name: tankwatch, static_configs: [{ targets: [${targets}], labels: { cell: '0' } }] }]
`,
    );
    const args = [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const server = spawn(join(await findPrometheus(), 'prometheus'), args, { stdio: 'ignore' });
    const url = `http://127.0.0.1:${port}`;
    const isReady = (): Promise<boolean> =>
      fetch(`${url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    const deadlineMs = Date.now() + 60_000;
    while (!(await isReady())) {
      if (server.exitCode !== null) throw new Error(`prometheus ended with ${server.exitCode}`);
      if (Date.now() > deadlineMs) throw new Error('prometheus was not ready after 60 s');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return new PrivatePrometheus(server, folder, url);
  }

  async firing(): Promise<FiringAlert[]> {
    const { data } = Value.Parse(Alerts, await this.#get('/api/v1/alerts'));
    return data.alerts
      .filter(({ state }) => state === 'firing')
      .map(({ labels, annotations }) => ({
        name: labels['alertname'] ?? '',
        labels,
        summary: annotations['summary'] ?? '',
      }));
  }

  /** The values of a query. */
  async query(expression: string): Promise<number[]> {
    const answer = await this.#get(`/api/v1/query?query=${encodeURIComponent(expression)}`);
    return Value.Parse(QueryResult, answer).data.result.map(({ value }) => Number(value[1]));
  }

  async #get(path: string): Promise<unknown> {
    const response = await fetch(this.#url + path);
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  }

  async stop(): Promise<void> {
    await stopProcess(this.#server, 'SIGTERM');
    await rm(this.#folder, { recursive: true, force: true });
  }
}

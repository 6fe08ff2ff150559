import { execFile, spawn } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../src/setup/servers/free_port.ts';
import { stopProcess } from '../src/setup/servers/server_process.ts';
import { writeCertificate } from './certificate.ts';
import { type Proxy, runNginx, untilAnswering, withoutTls } from './nginx.ts';
import { cpuSeconds } from './process_use.ts';
import { findProgram } from './programs.ts';

const run = promisify(execFile);
const { PATH } = process.env;
const SHIPPED = fileURLToPath(new URL('../deploy/router', import.meta.url));

/** The addresses of a cell on this machine. */
export interface RoutedCell {
  name: string;
  slots: readonly string[];
  /** The host of its PUBLIC_URL. */
  host: string;
  apiPort: number;
  ingestPort: number;
  mqttPort: number;
}

/** The router of `deploy/router` on free ports of this machine. All its files are shipped ones, except the cells and their map. */
export interface Router {
  /** The ports with TLS. */
  httpsPort: number;
  mqttsPort: number;
  httpPort: number;
  metricsPort: number;
  /** The self-signed certificate of the router. */
  certificate: string;
  /** The log of the router. */
  log(): string;
  /** CPU seconds of the router so far. */
  cpuSeconds(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the router. `limits` are settings of haproxy.cfg. */
export async function startRouter(
  cells: readonly RoutedCell[],
  limits: Readonly<Record<string, string>> = {},
): Promise<Router> {
  const folder = await copyConfiguration(cells);
  await writeFile(join(folder, 'cells.cfg'), haproxyCells(cells));
  const files = ['-f', join(folder, 'haproxy.cfg'), '-f', join(folder, 'cells.cfg')];
  const [httpsPort, mqttsPort, httpPort, metricsPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const env = {
    PATH,
    ROUTER_HTTPS_ADDRESS: `127.0.0.1:${httpsPort}`,
    ROUTER_MQTTS_ADDRESS: `127.0.0.1:${mqttsPort}`,
    ROUTER_HTTP_ADDRESS: `127.0.0.1:${httpPort}`,
    ROUTER_METRICS_ADDRESS: `127.0.0.1:${metricsPort}`,
    ...limits,
  };
  await run(findProgram('haproxy'), ['-c', ...files], { env });
  const haproxy = spawn(findProgram('haproxy'), files, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  const onOutput = (chunk: Buffer): void => {
    log = (log + chunk.toString()).slice(-100_000);
  };
  haproxy.stdout.on('data', onOutput);
  haproxy.stderr.on('data', onOutput);
  await untilAnswering(haproxy, `http://127.0.0.1:${metricsPort}/readyz`, () => log);
  return {
    httpsPort,
    mqttsPort,
    httpPort,
    metricsPort,
    certificate: await readFile(join(folder, 'fullchain.pem'), 'utf8'),
    log: () => log,
    cpuSeconds: () => cpuSeconds(haproxy.pid),
    async stop() {
      await stopProcess(haproxy, 'SIGTERM');
      await rm(folder, { recursive: true });
    },
  };
}

/** Throws if HAProxy or nginx refuses the shipped configuration with the example cells. */
export async function checkShippedConfiguration(): Promise<void> {
  const folder = await copyConfiguration();
  try {
    await run(findProgram('haproxy'), ['-c', '-f', join(folder, 'haproxy.cfg'), '-f', join(folder, 'cells.cfg')], {
      env: { PATH },
    });
    const globals = `pid ${join(folder, 'pid')};`;
    await run(findProgram('nginx'), ['-t', '-c', join(folder, 'nginx', 'nginx.conf'), '-g', globals], {
      env: { PATH },
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Starts nginx with the configuration of `deploy/router`, which routes HTTP only. */
export async function startNginxRouter(
  cells: readonly RoutedCell[],
): Promise<Pick<Router, 'httpsPort' | 'certificate' | 'stop'>> {
  const folder = await copyConfiguration(cells);
  const httpsPort = await freePort();
  const certificate = await readFile(join(folder, 'fullchain.pem'), 'utf8');
  const listen = (shipped: string): string => shipped.replace('listen 443', `listen 127.0.0.1:${httpsPort}`);
  // Any answer ends the wait, also "use HTTPS".
  const stop = await runNginxRouter(folder, cells, listen, `http://127.0.0.1:${httpsPort}/`);
  return { httpsPort, certificate, stop };
}

/** Starts nginx with the configuration of `deploy/router` without TLS. */
export async function startPlainNginxRouter(cells: readonly RoutedCell[]): Promise<Proxy> {
  const folder = await copyConfiguration(cells);
  const httpPort = await freePort();
  const listen = (shipped: string): string => withoutTls(shipped, httpPort);
  const stop = await runNginxRouter(folder, cells, listen, `http://127.0.0.1:${httpPort}/healthz`);
  return { httpPort, stop };
}

async function runNginxRouter(
  folder: string,
  cells: readonly RoutedCell[],
  listen: (shipped: string) => string,
  url: string,
): Promise<() => Promise<void>> {
  const file = join(folder, 'nginx', 'nginx.conf');
  await writeFile(file, listen(await readFile(file, 'utf8')));
  await writeFile(join(folder, 'nginx', 'upstreams.conf'), nginxUpstreams(cells));
  return runNginx(folder, file, url);
}

/** Makes a temporary copy of the shipped files, with a certificate and, if given, the map of these cells. */
async function copyConfiguration(cells?: readonly RoutedCell[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-router-'));
  await chmod(folder, 0o755); // the workers of nginx run as another user
  await cp(SHIPPED, folder, { recursive: true });
  const certificates = join(folder, 'certificates');
  await mkdir(certificates);
  const { cert, key } = await writeCertificate(folder);
  const [certificateText, keyText] = [await readFile(cert, 'utf8'), await readFile(key, 'utf8')];
  await writeFile(join(certificates, 'router.pem'), certificateText + keyText);
  if (cells === undefined) return folder;
  const lines = cells.flatMap(({ name, slots, host }) => [...slots, host].map((routed) => `${routed} ${name};`));
  await writeFile(join(folder, 'cells.map'), `${lines.join('\n')}\n`);
  return folder;
}

const haproxyCells = (cells: readonly RoutedCell[]): string =>
  [
    ...cells.map(
      ({ name, apiPort, ingestPort, mqttPort }) => `
backend ${name}_api from http
    server api1 127.0.0.1:${apiPort}
backend ${name}_ingest from http
    server gateway1 127.0.0.1:${ingestPort}
backend ${name}_mqtt from mqtt
    server gateway1 127.0.0.1:${mqttPort} port ${ingestPort} send-proxy-v2
`,
    ),
    'backend any_api from http\n',
    ...cells.map(
      ({ name, apiPort }) => `    server ${name}_api1 127.0.0.1:${apiPort} no-check track ${name}_api/api1\n`,
    ),
  ].join('');

const nginxUpstreams = (cells: readonly RoutedCell[]): string =>
  [
    ...cells.map(
      ({ name, apiPort, ingestPort }) => `
upstream ${name}_api { server 127.0.0.1:${apiPort}; keepalive 32; }
upstream ${name}_ingest { server 127.0.0.1:${ingestPort}; keepalive 32; }
`,
    ),
    `upstream any_api { ${cells.map(({ apiPort }) => `server 127.0.0.1:${apiPort};`).join(' ')} }\n`,
  ].join('');

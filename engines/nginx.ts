import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../src/setup/servers/free_port.ts';
import { stopProcess } from '../src/setup/servers/server_process.ts';
import { findProgram } from './programs.ts';

/** nginx or HAProxy with a shipped file, on a free port of this machine. */
export interface Proxy {
  /** The port without TLS. */
  httpPort: number;
  stop(): Promise<void>;
}

/** Starts the proxy of `deploy/nginx` in front of one api and one gateway, with other addresses and without TLS. */
export async function startNginxProxy(ports: { api: number; gateway: number }): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-nginx-'));
  await chmod(folder, 0o755); // the workers of nginx run as another user
  const httpPort = await freePort();
  const shipped = await readFile(fileURLToPath(new URL('../deploy/nginx/tankwatch.conf', import.meta.url)), 'utf8');
  const here = withoutTls(shipped, httpPort)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${ports.api}`)
    .replaceAll('127.0.0.1:8081', `127.0.0.1:${ports.gateway}`);
  const file = join(folder, 'nginx.conf');
  // Debian's nginx.conf has these lines around the files of conf.d. docs/operators/install.md sets the connections.
  await writeFile(file, `worker_processes auto;\nevents { worker_connections 8192; }\nhttp {\n${here}\n}\n`);
  const stop = await runNginx(folder, file, `http://127.0.0.1:${httpPort}/healthz`);
  return { httpPort, stop };
}

/** Changes a configuration to listen on one port without TLS, whose handshakes would take CPU time from the measured programs. */
export const withoutTls = (configuration: string, httpPort: number): string =>
  configuration
    .replace(/server \{\s*listen 80;.*?\n\}/s, '') // the redirect to HTTPS
    .replace(/^ *listen \[::\].*\n/gm, '')
    .replace(/^ *ssl_.*\n/gm, '')
    .replace(/listen 443 [^;]*;/, `listen 127.0.0.1:${httpPort};`);

/** Runs nginx until the returned function is called, which also removes the folder. */
export async function runNginx(folder: string, file: string, url: string): Promise<() => Promise<void>> {
  // Debian's folders for temporary files belong to root.
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  const configuration = await readFile(file, 'utf8');
  await writeFile(file, configuration.replace('http {', `http { ${folders.join(' ')}`));
  const globals = `daemon off; pid ${join(folder, 'pid')}; error_log stderr;`;
  const nginx = spawn(findProgram('nginx'), ['-c', file, '-g', globals], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  nginx.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-4_000);
  });
  await untilAnswering(nginx, url, () => log);
  return async () => {
    await stopProcess(nginx, 'SIGTERM');
    await rm(folder, { recursive: true });
  };
}

/** Waits until the server answers, with any status. */
export async function untilAnswering(server: ChildProcess, url: string, log: () => string): Promise<void> {
  const deadlineMs = Date.now() + 30_000;
  for (;;) {
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    if (server.exitCode !== null || Date.now() > deadlineMs) throw new Error(`the proxy did not start: ${log()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { RoleProcess } from '../../engines/process.ts';
import { findProgram } from '../../engines/programs.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { findNatsServer } from '../../src/setup/servers/nats.ts';
import { stopProcess } from '../../src/setup/servers/server_process.ts';
import { ingestEnvironment, test } from '../support/ingest.ts';

const openssl = async (folder: string, command: string): Promise<void> => {
  await promisify(execFile)(findProgram('openssl'), command.split(' '), { cwd: folder });
};

/** Creates a certificate authority, and two certificates of a server, one of which has expired. */
async function makeCertificates(folder: string): Promise<void> {
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes';
  await openssl(folder, `req -x509 ${key} -keyout ca.key -out ca.pem -days 2 -subj /CN=tests`);
  await openssl(folder, `req ${key} -keyout server.key -out server.csr -subj /CN=localhost`);
  await writeFile(join(folder, 'names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1');
  const sign = 'x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names';
  await openssl(folder, `${sign} -days 1 -out valid.pem`);
  await openssl(folder, `${sign} -days -1 -out expired.pem`);
}

test('gateway and writer recover after the TLS certificate of nats-server had expired', async ({ database }) => {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-tls-'));
  await makeCertificates(folder);
  const port = await freePort();
  const config = `listen: "127.0.0.1:${port}"
    jetstream { store_dir: "${folder}/data" }
    tls { cert_file: "${folder}/server.pem", key_file: "${folder}/server.key" }`;
  await writeFile(join(folder, 'nats.conf'), config);
  let server: ChildProcess | undefined;
  const serve = async (certificate: 'valid' | 'expired'): Promise<void> => {
    if (server) await stopProcess(server, 'SIGKILL');
    await writeFile(join(folder, 'server.pem'), await readFile(join(folder, `${certificate}.pem`)));
    server = spawn(await findNatsServer(), ['-c', join(folder, 'nats.conf')], { stdio: 'ignore' });
    await once(server, 'spawn');
  };

  await serve('valid');
  const started = await Promise.all(
    (['gateway', 'writer'] as const).map(async (name) => {
      const metricsPort = await freePort();
      const role = new RoleProcess(name, {
        ...ingestEnvironment(database, { NATS_URL: `tls://localhost:${port}` }),
        NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
        METRICS_PORT: String(metricsPort),
      });
      await role.start();
      const isReady = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${metricsPort}/readyz`)).ok;
      return { role, isReady };
    }),
  );
  onTestFinished(async () => {
    await Promise.all(started.map(({ role }) => role.stop()));
    if (server) await stopProcess(server, 'SIGTERM');
    await rm(folder, { recursive: true });
  });
  const areReady = async (): Promise<boolean[]> => Promise.all(started.map(({ isReady }) => isReady()));
  await expect.poll(areReady).toEqual([true, true]);

  await serve('expired');
  await expect.poll(areReady).toEqual([false, false]);
  await new Promise((resolve) => setTimeout(resolve, 3_000)); // several refused handshakes
  expect(await areReady()).toEqual([false, false]);

  await serve('valid');
  await expect.poll(areReady).toEqual([true, true]);
});

import { execFileSync, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { onTestFinished } from 'vitest';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { findNatsServer } from '../../src/setup/servers/nats.ts';
import { stopProcess } from '../../src/setup/servers/server_process.ts';

const PASSWORDS = { gateway: '7gateway', writer: '7writer', operator: '7operator' };
export type NatsUser = keyof typeof PASSWORDS;

export interface DeployedNats {
  urlOf: (user: NatsUser) => string;
  connectAs: (user: NatsUser) => Promise<NatsConnection>;
  monitorUrl: string;
  stop: () => Promise<void>;
}

export const DEPLOYED_CONFIG = new URL('../../deploy/nats.conf', import.meta.url);
/** The configuration that 0.2.0 shipped: all users in one account, with permissions on subjects. */
export const CONFIG_OF_0_2_0 = new URL('nats_0.2.0.conf', import.meta.url);

/** Starts a nats-server with deploy/nats.conf or another file. Only the ports and the folder are replaced. */
export async function startDeployedNats(folder: string, file = DEPLOYED_CONFIG): Promise<DeployedNats> {
  const [port, monitorPort] = [await freePort(), await freePort()];
  const config = (await readFile(file, 'utf8'))
    .replace('"0.0.0.0:4222"', `"127.0.0.1:${port}"`)
    .replace('"127.0.0.1:8222"', `"127.0.0.1:${monitorPort}"`);
  await writeFile(join(folder, 'nats.conf'), config);
  const env = Object.fromEntries(
    Object.entries(PASSWORDS).map(([user, password]) => [`NATS_${user.toUpperCase()}_PASSWORD`, `"${password}"`]),
  );
  env['NATS_DATA'] = `"${folder}"`;
  const program = await findNatsServer();
  const args = ['-c', join(folder, 'nats.conf')];
  execFileSync(program, [...args, '-t'], { env: { ...process.env, ...env }, stdio: 'ignore' });
  const server = spawn(program, args, { env: { ...process.env, ...env }, stdio: 'ignore' });
  const stop = (): Promise<void> => stopProcess(server, 'SIGTERM');
  onTestFinished(stop);
  const urlOf = (user: NatsUser): string => `nats://${user}:${PASSWORDS[user]}@127.0.0.1:${port}`;
  const connectAs = async (user: NatsUser): Promise<NatsConnection> => {
    const connection = await connect({
      servers: `127.0.0.1:${port}`,
      user,
      pass: PASSWORDS[user],
      inboxPrefix: `_INBOX.${user}`,
      waitOnFirstConnect: true,
      maxReconnectAttempts: 50,
    });
    onTestFinished(() => connection.close());
    return connection;
  };
  return { urlOf, connectAs, monitorUrl: `http://127.0.0.1:${monitorPort}`, stop };
}

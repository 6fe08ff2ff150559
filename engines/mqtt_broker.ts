import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../src/setup/servers/free_port.ts';
import { untilListening } from '../src/setup/servers/nats.ts';
import { stopProcess } from '../src/setup/servers/server_process.ts';
import { findProgram } from './programs.ts';

/** A mosquitto broker, as organizations run it, with sessions and messages on disk. */
export interface MqttBroker {
  url: string;
  user: string;
  password: string;
  /** Lets the broker save its messages, which it otherwise does at intervals only, and kills it with kill -9. */
  kill(): Promise<void>;
  /** Starts the broker again after `kill`, with or without its stored messages and sessions. */
  restart(options: { keepsMessages: boolean }): Promise<void>;
  stop(): Promise<void>;
}

export async function startMqttBroker(): Promise<MqttBroker> {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-broker-'));
  const port = await freePort();
  const inFolder = (name: string): string => join(folder, name);
  const [file, passwords, data] = [inFolder('broker.conf'), inFolder('passwords'), inFolder('data')];
  const [user, password] = ['tankwatch', 'broker-password'];
  execFileSync(findProgram('mosquitto_passwd'), ['-b', '-c', passwords, user, password], { stdio: 'ignore' });
  await writeFile(
    file,
    // Without `user`, mosquitto changes from root to a user that cannot read the folder.
    `user root
     listener ${port} 127.0.0.1
     password_file ${passwords}
     persistence true
     persistence_location ${data}/
     max_queued_messages 100000`,
  );
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    await mkdir(data, { recursive: true });
    server = spawn(findProgram('mosquitto'), ['-c', file], { stdio: 'ignore' });
    await untilListening(server, port, () => '', 'mosquitto');
  };
  await start();
  const readSavedAtMs = (): Promise<number> =>
    stat(join(data, 'mosquitto.db')).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    if (server) await stopProcess(server, signal);
  };
  return {
    url: `mqtt://127.0.0.1:${port}`,
    user,
    password,
    async kill() {
      const before = await readSavedAtMs();
      server?.kill('SIGUSR1');
      while ((await readSavedAtMs()) <= before) await sleep(10);
      await end('SIGKILL');
    },
    async restart({ keepsMessages }) {
      if (!keepsMessages) await rm(data, { recursive: true, force: true });
      await start();
    },
    async stop() {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

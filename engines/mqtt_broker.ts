import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../src/setup/servers/free_port.ts';
import { findNatsServer, startNatsServer } from '../src/setup/servers/nats.ts';
import { stopProcess } from '../src/setup/servers/postgres.ts';

/** A broker of a user: nats-server, which speaks MQTT 3.1.1 with sessions and messages of QoS 1 on disk. */
export interface MqttBroker {
  url: string;
  user: string;
  password: string;
  kill(): Promise<void>;
  /** Starts it again after `kill`, with or without what it had stored. */
  restart(options: { keepsMessages: boolean }): Promise<void>;
  stop(): Promise<void>;
}

export async function startMqttBroker(): Promise<MqttBroker> {
  const program = await findNatsServer();
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-broker-'));
  const [natsPort, mqttPort] = [await freePort(), await freePort()];
  const file = join(folder, 'broker.conf');
  const data = join(folder, 'data');
  const [user, password] = ['tankwatch', 'broker-password'];
  await writeFile(
    file,
    `server_name: broker
     listen: "127.0.0.1:${natsPort}"
     jetstream { store_dir: "${data}", sync_interval: always }
     mqtt { host: "127.0.0.1", port: ${mqttPort} }
     authorization { user: ${user}, password: ${password} }`,
  );
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    server = await startNatsServer(program, file, mqttPort, {
      isDetached: false,
      onStarting: (child) => {
        server = child;
      },
    });
  };
  await start();
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    if (server) await stopProcess(server, signal);
  };
  return {
    url: `mqtt://127.0.0.1:${mqttPort}`,
    user,
    password,
    kill: () => end('SIGKILL'),
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

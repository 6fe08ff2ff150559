import { execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { programEnvironment } from '../../engines/process.ts';
import { missingProgram } from '../../engines/programs.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { startNats } from '../../src/setup/servers/nats.ts';
import { stopProcess } from '../../src/setup/servers/server_process.ts';
import { test } from '../support/test.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const missing = missingProgram('mosquitto_pub');
const without = missing && ` (all but those with mosquitto_pub: ${missing})`;

/** The boxes marked `sh`, in their order, as one script for the ports of this test. */
async function readCommands(ports: Readonly<Record<string, number>>): Promise<string> {
  const page = await readFile(`${ROOT}/docs/integrators/devices.md`, 'utf8');
  const boxes = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, box = '']) => box);
  expect(boxes.length).toBeGreaterThan(8);
  const usable = boxes.filter((box) => missing === '' || !box.includes('mosquitto_pub'));
  return usable
    .join('\n')
    .replace(/localhost:(\d+)/g, (_, port: string) => `localhost:${ports[port]}`)
    .replaceAll('-p 1883', `-p ${ports['1883']}`);
}

test(`the commands of docs/integrators/devices.md work and store the readings of the page${without}`, async ({
  database,
}) => {
  const nats = await startNats();
  const ports = { '8080': await freePort(), '8081': await freePort(), '1883': await freePort() };
  const environment = {
    ...programEnvironment(),
    PATH: `${ROOT}/bin:${process.env['PATH']}`,
    DATABASE_URL: database.ownerUrl,
    SECRETS_KEY: 'a key of at least thirty-two characters',
    NATS_URL: nats.url,
    DEVICE_SECRET: 'a secret that is long enough for a test',
    API_PORT: String(ports['8080']),
    API_DRAIN_MS: '0',
    GATEWAY_DRAIN_MS: '0',
    GATEWAY_HTTP_PORT: String(ports['8081']),
    GATEWAY_MQTT_PORT: String(ports['1883']),
    METRICS_PORT: String(await freePort()),
  };
  const service = spawn('tankwatch', ['all'], { env: environment, stdio: 'ignore' });
  try {
    const isReady = async (): Promise<boolean> => {
      const response = await fetch(`http://localhost:${environment.METRICS_PORT}/readyz`).catch(() => undefined);
      return response?.ok ?? false;
    };
    await expect.poll(isReady).toBe(true);
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', await readCommands(ports)], { env: environment });

    expect(stdout).toContain('"code":"out_of_range"');
    expect(stdout).toContain('unknown_device');
    expect(stdout).toContain('1 stored, 0 duplicates, 0 rejected again');
    expect(stdout).toContain('discarded 1');
    expect(stdout).toContain('"total_items":3');
    const { rows } = await database.owner.query<{ reading: string }>(
      `select assigned_device_id || ' ' || to_char(c.created_at at time zone 'UTC', 'DD HH24:MI') || ' ' || fill_percentage as reading
       from telemetry c join tanks t on t.no = c.tank_no order by assigned_device_id, c.created_at`,
    );
    expect(rows.map(({ reading }) => reading)).toEqual([
      '70B3D57ED0061A2B 14 12:00 82',
      '70B3D57ED0061A2B 15 06:00 79',
      '70B3D57ED0061A2B 16 06:00 78',
      ...(missing === '' ? ['ABCD1234 13 06:00 45.5', 'ABCD1234 13 12:00 45.1', 'ABCD1234 13 18:00 44.8'] : []),
      'ABCD1234 14 06:00 44.5',
      'ABCD1234 17 06:00 43',
      'ABCD1234 18 06:00 41.5',
      'ABCD1234 19 06:00 45.2',
      'EFGH5678 17 06:00 61',
    ]);
  } finally {
    await stopProcess(service, 'SIGTERM');
    await nats.stop();
  }
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { programEnvironment } from '../../engines/process.ts';
import { revokeDevice, rotateDevice } from '../../src/catalog/devices.ts';
import { transaction } from '../../src/db/pool.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { devicePassword } from '../../src/keys/device_password.ts';
import { organizationSecret } from '../../src/keys/organization_secret.ts';
import { readFleet, type SimulatedDevice } from '../../src/simulation/fleet.ts';
import { type Simulation, simulateFleet } from '../../src/simulation/simulate.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { eventually, type Published, startBroker } from '../support/broker.ts';
import { MAIN, tankwatch } from '../support/cli.ts';
import { organizationCodeOf } from '../support/fleet.ts';
import { givenFleet } from '../support/readings.ts';
import { type TestDatabase, test } from '../support/test.ts';

const SECRET = 'a secret of at least thirty-two characters';

interface SentReading {
  fill_percentage: number;
  created_at: string;
}

function readingsIn({ payload }: Published): SentReading[] {
  const parsed = JSON.parse(payload) as SentReading | SentReading[];
  return Array.isArray(parsed) ? parsed : [parsed];
}

async function givenSimulatedFleet(database: TestDatabase, deviceIds: string[]) {
  const { organizationNo, tanks } = await givenFleet(database, deviceIds);
  const code = await organizationCodeOf(database.owner, organizationNo);
  const passwordOf = (deviceId: string, generation = 1): [string, string] => [
    `${code}/${deviceId}`,
    devicePassword(organizationSecret(SECRET, code), deviceId, generation),
  ];
  const environment = { DATABASE_URL: database.urls.operator, DEVICE_SECRET: SECRET };
  return { organizationNo, tanks, code, passwordOf, environment };
}

test('tanks without a sensor are not simulated', async ({ database }) => {
  const { organizationNo: no, code } = await givenSimulatedFleet(database, ['MAN-ABCDEFGHJK', 'SENSOR']);
  const fleet = await readFleet(database.operator, { no, code }, SECRET, 10);
  expect(fleet.map(({ deviceId }) => deviceId)).toEqual(['SENSOR']);
});

test('simulate sends readings of the tanks of an organization over MQTT, from the latest reading of each tank on', async ({
  database,
}) => {
  const fleet = await givenSimulatedFleet(database, ['NEW', 'KNOWN', 'ROTATED', 'REVOKED', 'BEYOND']);
  const latestMs = Date.now() - 2 * DAY_MS;
  await new BatchIngester(database.writer).ingestReadings([
    { tankNo: fleet.tanks[1]?.no ?? 0, atMs: latestMs, fillPercentage: 63.5 },
  ]);
  await transaction(database.operator, async (tx) => {
    await rotateDevice(tx, fleet.organizationNo, 'ROTATED');
    await revokeDevice(tx, fleet.organizationNo, 'REVOKED');
  });
  const passwords = new Map([fleet.passwordOf('NEW'), fleet.passwordOf('KNOWN'), fleet.passwordOf('ROTATED', 2)]);
  const broker = await startBroker({ passwords });

  const args = ['--organization', fleet.code, '--url', broker.url, '--devices', '3', '--json'];
  const timing = ['--speed', '1000000', '--since', '10d', '--duration', '4s'];
  const finished = await tankwatch(['simulate', ...args, ...timing], fleet.environment);
  expect([finished.code, finished.stderr]).toEqual([0, expect.stringMatching(/^20.*3 of 3 connected\n/)]);
  const summary = JSON.parse(finished.stdout);
  expect(summary).toMatchObject({
    devices: 3,
    connected: 3,
    sent: broker.published.length,
    acknowledged: broker.published.length,
    resent: 0,
    readings: broker.published.flatMap(readingsIn).length,
  });
  expect(Date.parse(summary.simulated_until)).toBeGreaterThan(Date.now() - 60_000); // the present was reached

  for (const { clientId, topic, payload } of broker.published) {
    expect(topic).toBe(`readings/${clientId}`);
    for (const reading of readingsIn({ payload } as Published)) {
      expect(Object.keys(reading)).toEqual(['fill_percentage', 'created_at']);
      expect(Date.parse(reading.created_at)).toBeLessThanOrEqual(Date.now());
      expect(reading.fill_percentage).toBeGreaterThanOrEqual(0);
      expect(reading.fill_percentage).toBeLessThanOrEqual(100);
    }
  }
  const timesOf = (deviceId: string): number[] =>
    broker.published
      .filter(({ clientId }) => clientId === `${fleet.code}/${deviceId}`)
      .flatMap(readingsIn)
      .map((reading) => Date.parse(reading.created_at));
  expect(Math.min(...timesOf('KNOWN'))).toBeGreaterThan(latestMs);
  expect(timesOf('NEW').length).toBeGreaterThan(5);
  expect(timesOf('ROTATED').length).toBeGreaterThan(5);
});

test('Ctrl-C ends simulate with a summary, and with exit code 1 if the gateway has refused all devices', async ({
  database,
}) => {
  const fleet = await givenSimulatedFleet(database, ['ONE', 'TWO']);
  const broker = await startBroker({ passwords: new Map([fleet.passwordOf('ONE'), fleet.passwordOf('TWO')]) });
  const run = async (environment: Record<string, string>): Promise<[number | null, string]> => {
    const args = ['simulate', '--organization', fleet.code, '--url', broker.url, '--speed', '3600'];
    const child = spawn(process.execPath, [MAIN, ...args], { env: { ...programEnvironment(), ...environment } });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    await once(child.stderr, 'data'); // the first line of progress
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    return [code, stdout];
  };
  expect(await run(fleet.environment)).toEqual([0, expect.stringMatching(/^20.* reports sent.*2 of 2 connected\n$/)]);
  const mistaken = { ...fleet.environment, DEVICE_SECRET: 'another secret of thirty-two characters' };
  const refused = /0 of 2 connected \(the gateway refused .*: Bad username or password\)\n$/;
  expect(await run(mistaken)).toEqual([1, expect.stringMatching(refused)]);
  await eventually(() => broker.connections.size).toBe(0);
});

test('simulate reports wrong options and settings before it sends anything', async ({ database }) => {
  const fleet = await givenSimulatedFleet(database, []);
  const attempts: [string[], Record<string, string>, RegExp][] = [
    [[], fleet.environment, /has no tank with a sensor; create one first, see: tankwatch tanks create --help/],
    [[], { DATABASE_URL: database.urls.operator }, /DEVICE_SECRET is not set here; use the gateway's value/],
    [['--url', 'http://localhost'], fleet.environment, /Write it like mqtt:\/\/localhost:1883/],
    [['--duration', 'soon'], fleet.environment, /Write it like 90s, 10m, 12h or 30d/],
    [['--speed', '0'], fleet.environment, /Must be a whole number from 1 to 1000000/],
  ];
  for (const [args, environment, message] of attempts) {
    const { code, stderr } = await tankwatch(['simulate', '--organization', fleet.code, ...args], environment);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  }
});

const devices = (latestMs: number): SimulatedDevice[] =>
  Array.from({ length: 10 }, (_, n) => ({
    organizationCode: 'a0t',
    deviceId: `S${n}`,
    password: 'x',
    useCase: 'commercial',
    alertPercentage: 20,
    longitude: -98,
    latest: { atMs: latestMs, fillPercentage: 50 },
  }));

async function untilPresent(simulation: Simulation): Promise<void> {
  await eventually(() => Date.now() - simulation.progress().simulatedMs).toBeLessThan(1_000);
}

test('the same seed gives the same readings, another seed gives others', async () => {
  const latestMs = Date.now() - 5 * DAY_MS;
  const readingsOfSeed = async (seed: number): Promise<Map<string, string>> => {
    const broker = await startBroker();
    const simulation = simulateFleet({ url: broker.url, devices: devices(latestMs), speed: 1_000_000, seed });
    await untilPresent(simulation);
    await eventually(() => simulation.progress().acknowledged).toBeGreaterThan(50);
    await simulation.stop();
    const byDevice = Map.groupBy(broker.published, ({ clientId }) => clientId);
    return new Map([...byDevice].map(([device, sent]) => [device, sent.map(({ payload }) => payload).join('\n')]));
  };
  const [first, second, other] = [await readingsOfSeed(7), await readingsOfSeed(7), await readingsOfSeed(8)];
  let different = 0;
  for (const [device, payloads] of first) {
    const again = second.get(device) ?? '';
    expect(again.startsWith(payloads) || payloads.startsWith(again)).toBe(true); // one run may have sent more
    if (payloads !== other.get(device)) different++;
  }
  expect([first.size, different]).toEqual([10, 10]);
});

test('no reading is missing after an outage of the gateway', async () => {
  const away = await startBroker({ onPublish: () => {} }); // receives all publishes and acknowledges none
  const latestMs = Date.now() - 5 * DAY_MS;
  const simulation = simulateFleet({
    url: away.url,
    devices: devices(latestMs),
    speed: 1_000_000,
    connection: { maxBackoffMs: 50 },
  });
  await eventually(() => away.published.length).toBe(10);
  await away.stop();
  const back = await startBroker({ port: away.port });
  await untilPresent(simulation);
  await eventually(() => simulation.progress().acknowledged).toBeGreaterThan(50);
  const { sent, acknowledged, resent } = await simulation.stop();
  expect([acknowledged, resent]).toEqual([sent, 10]);
  expect(back.published.length).toBe(sent);
  const arrived = new Set(back.published.map(({ payload }) => payload));
  expect(away.published.filter(({ payload }) => !arrived.has(payload))).toEqual([]);
});

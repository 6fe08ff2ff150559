import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect } from 'vitest';
import { type PrivateNats, startNats } from '../../engines/nats.ts';
import { readWriterConfig } from '../../src/config.ts';
import { Stream } from '../../src/stream/stream.ts';
import { encodeMessage, encodeReading } from '../../src/telemetry/message.ts';
import { serveWriter } from '../../src/writer/serve.ts';
import { tankwatch } from '../support/cli.ts';
import { givenCustomer, givenOrganization, givenTank } from '../support/fleet.ts';
import { test as base } from '../support/test.ts';

const test = base.extend<{ $file: { nats: PrivateNats } }>({
  nats: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads what a fixture needs from this pattern
    async ({}, use) => {
      const nats = await startNats();
      await use(nats);
      await nats.stop();
    },
    { scope: 'file' },
  ],
});

const connect = (url: string, name: string): Promise<Stream> =>
  Stream.connect({ url, name, replicas: 1, maxBytes: 16_777_216, clientName: 'test', onEvent: () => {} });

test('looking at the stream changes nothing, whatever the environment says, and tells what is in the way', async ({
  nats,
}) => {
  const environment = { NATS_URL: nats.url, NATS_STREAM: 'looked_at', STREAM_MAX_MIB: '32' };
  expect((await tankwatch(['stream', 'status'], environment)).stderr).toContain('there is no stream looked_at');

  const stream = await connect(nats.url, 'looked_at');
  await stream.publish('1', 'waits');
  const { stdout } = await tankwatch(['stream', 'status', '--json'], environment);
  expect(JSON.parse(stdout)).toMatchObject({ waiting_messages: 1, messages: 1, max_bytes: 16_777_216 });
  await stream.close();

  const away = await tankwatch(['stream', 'status'], { NATS_URL: 'nats://127.0.0.1:1' });
  expect(away).toMatchObject({ code: 1, stderr: expect.stringContaining('is it running') });
});

test('a replay reaches writers that are running, and passes over nothing that is not committed', async ({
  nats,
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const owner = await givenCustomer(database.operator, organizationNo);
  const tank = await givenTank(database.operator, organizationNo, owner.no, { assigned_device_id: 'REPLAY' });
  const environment = { NATS_URL: nats.url, NATS_STREAM: 'replayed', WRITER_DATABASE_URL: database.urls.writer };
  const stream = await connect(nats.url, 'replayed');
  const publish = async (minute: number): Promise<void> => {
    const atMs = Date.UTC(2025, 0, 1, 0, minute);
    const id = `${randomBytes(4).toString('hex')}-0000-7000-8000-${randomBytes(6).toString('hex')}`;
    const reading = encodeReading({ organizationNo, deviceId: 'REPLAY', atMs, level: 50 });
    await stream.publish(id, encodeMessage(id, Date.now(), [reading], []));
  };
  const stored = async (): Promise<number> => {
    const { rows } = await database.owner.query('select from telemetry where tank_no = $1', [tank.no]);
    return rows.length;
  };

  await publish(1);
  const future = await tankwatch(['stream', 'replay', '--since', '2100-01-01T00:00:00Z'], environment);
  expect(future.stdout).toContain('1 messages');
  const writer = await serveWriter(readWriterConfig(environment), pino({ level: 'silent' }), new Registry());
  await expect.poll(stored).toBe(1);

  await database.owner.query('delete from telemetry where tank_no = $1', [tank.no]);
  const again = await tankwatch(['stream', 'replay', '--since', '2025-01-01T00:00:00Z'], environment);
  expect(again.stdout).toContain('1 messages');
  await expect.poll(stored).toBe(1);
  await publish(2);
  await expect.poll(stored).toBe(2);

  await writer.close();
  await stream.close();
});

test('a writer without nats-server says so, until it is back', async ({ database }) => {
  const nats = await startNats();
  const config = readWriterConfig({ NATS_URL: nats.url, WRITER_DATABASE_URL: database.urls.writer });
  const writer = await serveWriter(config, pino({ level: 'silent' }), new Registry());
  expect(await writer.obstacles()).toEqual([]);
  await nats.nodes[0]?.kill();
  await expect.poll(() => writer.obstacles()).toEqual(['nats-server cannot be reached']);
  await nats.nodes[0]?.restart();
  await expect.poll(() => writer.obstacles(), { timeout: 5_000 }).toEqual([]);
  await writer.close();
  await nats.stop();
});

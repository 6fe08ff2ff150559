import { expect, onTestFinished } from 'vitest';
import { TcpProxy } from '../../faults/tcp_proxy.ts';
import { openPool } from '../../src/db/pool.ts';
import {
  counterFaults,
  givenSender,
  ingestEnvironment,
  openStream,
  startWriter,
  streamReadings,
  test,
  untilCommitted,
} from '../support/ingest.ts';
import { within } from '../support/stopwatch.ts';
import { type TestDatabase, untilTestEnds } from '../support/test.ts';

const START_MS = Date.UTC(2026, 0, 1);
/** The documentation promises these two limits. */
const NOT_READY_MS = 10_000;
const TAKEOVER_MS = 20_000;

/** Starts a writer whose database can be made to hang, and registers 20 devices. */
async function givenHangingWriter(database: TestDatabase) {
  const proxy = await TcpProxy.listen(() => Number(new URL(database.urls.writer).port));
  const environment = ingestEnvironment(database);
  const stream = await openStream(environment);
  const devices = Array.from({ length: 20 }, (_, n) => `H${n}`);
  const { organizationNo, tankNos } = await givenSender(database, devices);
  const hanging = await startWriter({ ...environment, DATABASE_URL: through(proxy, database.urls.writer) });
  onTestFinished(async () => {
    await proxy.pass();
    await hanging.close();
    await stream.close();
    await proxy.close();
  });
  /** Sends one message with a reading of every device. */
  const send = (n: number): Promise<string> =>
    streamReadings(
      stream,
      devices.map((deviceId) => ({ organizationNo, deviceId, atMs: START_MS + n * 60_000, level: 50 })),
    );
  return { environment, stream, proxy, hanging, send, tankNos };
}

const through = (proxy: TcpProxy, url: string): string => {
  const changed = new URL(url);
  changed.port = String(proxy.port);
  return changed.href;
};

test('a writer whose database hangs is not ready within 10 s, and another writer stores its messages within 20 s', async ({
  database,
}) => {
  const { environment, stream, proxy, hanging, send } = await givenHangingWriter(database);
  await send(0);
  await untilCommitted(stream);
  proxy.blackHole();
  for (let n = 1; n <= 60; n++) await send(n); // the writer that hangs fetches them all
  await within(NOT_READY_MS, () => expect.poll(() => hanging.notReadyReasons()).not.toEqual([]));
  const healthy = await untilTestEnds(startWriter(environment));
  await within(TAKEOVER_MS, () => untilCommitted(stream));
  expect(await healthy.notReadyReasons()).toEqual([]);

  await proxy.pass();
  await expect.poll(() => hanging.notReadyReasons()).toEqual([]);
  await send(61);
  await untilCommitted(stream);
  expect(await counterFaults(database)).toEqual([]);
});

test('a writer alone stores all readings after its database hung', async ({ database }) => {
  const { stream, proxy, hanging, send } = await givenHangingWriter(database);
  proxy.blackHole();
  for (let n = 1; n <= 20; n++) await send(n);
  await within(NOT_READY_MS, () => expect.poll(() => hanging.notReadyReasons()).not.toEqual([]));
  await proxy.pass();
  await untilCommitted(stream);
  await within(NOT_READY_MS, () => expect.poll(() => hanging.notReadyReasons()).toEqual([]));
  expect(await counterFaults(database)).toEqual([]);
});

test('a host that vanishes during a transaction keeps its tanks locked for less than 20 s', async ({ database }) => {
  const { environment, stream, send, tankNos } = await givenHangingWriter(database);
  await send(0);
  await untilCommitted(stream);
  const vanishingProxy = await TcpProxy.listen(() => Number(new URL(database.urls.writer).port));
  const vanishing = openPool({
    url: through(vanishingProxy, database.urls.writer),
    applicationName: 'tests',
    idleInTransactionTimeoutMs: 10_000,
  });
  const client = await vanishing.connect();
  await client.query('begin');
  await client.query('select from tank_states where tank_no = any ($1) for update', [tankNos]);
  vanishingProxy.blackHole();
  onTestFinished(async () => {
    await vanishingProxy.pass();
    client.release(true);
    await vanishing.end();
    await vanishingProxy.close();
  });
  await untilTestEnds(startWriter(environment));
  await send(1);
  await within(TAKEOVER_MS, () => untilCommitted(stream));
});

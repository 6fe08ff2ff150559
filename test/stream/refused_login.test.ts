import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { startNats } from '../../src/setup/servers/nats.ts';
import {
  givenSender,
  ingestEnvironment,
  openStream,
  postReadings,
  startGateway,
  startWriter,
  test,
  untilCommitted,
} from '../support/ingest.ts';
import { within } from '../support/stopwatch.ts';

/** Readiness must follow a change within this time. */
const READINESS_DELAY_MS = 10_000;

test('gateway, writer and stream recover by themselves after nats-server refused their login', async ({ database }) => {
  const nats = await startNats();
  onTestFinished(() => nats.stop());
  const environment = ingestEnvironment(database, { NATS_URL: nats.url });
  const [gateway, writer, stream] = await Promise.all([
    startGateway(environment),
    startWriter(environment),
    openStream(environment),
  ]);
  onTestFinished(async () => void (await Promise.all([gateway.close(), writer.close(), stream.close()])));
  const { key } = await givenSender(database, ['L1']);
  const post = (created_at: string) =>
    postReadings(gateway.httpUrl, key, [{ device_id: 'L1', created_at, fill_percentage: 50 }]);
  expect((await post('2026-01-01T00:00:00Z')).status).toBe(202);

  await nats.nodes[0]?.changePassword('another');
  await within(READINESS_DELAY_MS, () => expect.poll(() => gateway.notReadyReasons()).not.toEqual([]));
  await within(READINESS_DELAY_MS, () => expect.poll(() => writer.notReadyReasons()).not.toEqual([]));
  expect((await post('2026-01-01T01:00:00Z')).status).toBe(503);
  await sleep(2_000); // the client library gives up after two refused logins

  await nats.nodes[0]?.changePassword('private');
  await within(READINESS_DELAY_MS, () => expect.poll(() => gateway.notReadyReasons()).toEqual([]));
  await within(READINESS_DELAY_MS, () => expect.poll(() => writer.notReadyReasons()).toEqual([]));
  expect((await post('2026-01-01T02:00:00Z')).status).toBe(202);
  await untilCommitted(stream);
});

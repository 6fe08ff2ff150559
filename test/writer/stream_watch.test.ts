import { Registry } from 'prom-client';
import { expect, onTestFinished } from 'vitest';
import { TcpProxy } from '../../faults/tcp_proxy.ts';
import { silentLogger } from '../../src/health/outage.ts';
import { readStreamConfig } from '../../src/settings/command_settings.ts';
import { Stream } from '../../src/stream/stream.ts';
import { writerMetrics } from '../../src/writer/metrics.ts';
import { StreamPosition } from '../../src/writer/stream_position.ts';
import { StreamWatch } from '../../src/writer/stream_watch.ts';
import { ingestEnvironment, test } from '../support/ingest.ts';

test('failing status checks of the stream are logged once, and their recovery once', async ({ database }) => {
  const environment = ingestEnvironment(database);
  const url = new URL(environment['NATS_URL'] ?? '');
  const natsPort = Number(url.port);
  const proxy = await TcpProxy.listen(() => natsPort);
  url.port = String(proxy.port);
  const stream = await Stream.connect({
    ...readStreamConfig({ ...environment, NATS_URL: url.href }),
    clientName: 'tests',
    logger: silentLogger,
  });
  const logged: string[] = [];
  const log = (_fields: object, message: string): void => void logged.push(message);
  const logger = { info: log, warn: log, error: log };
  const watch = new StreamWatch({
    stream,
    position: new StreamPosition({ pool: database.owner, stream, logger }),
    keepMs: 0,
    metrics: writerMetrics(new Registry()),
    logger,
  });
  onTestFinished(async () => {
    watch.close();
    await proxy.pass();
    await stream.close();
    await proxy.close();
  });
  await watch.checked;
  expect(Math.abs(Date.now() - watch.storedUpToMs)).toBeLessThan(5_000);

  const hasPosition = async (): Promise<boolean> => {
    const { rowCount } = await database.owner.query(
      "select from stream_positions where stream = $1 and server_started_at > '-infinity'",
      [stream.name],
    );
    return rowCount === 1;
  };
  await expect.poll(hasPosition).toBe(true);

  proxy.blackHole();
  await expect.poll(() => watch.isFailing).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 6_000)); // more checks that fail
  await proxy.pass();
  await expect.poll(() => watch.isFailing).toBe(false);
  expect(logged).toEqual([
    'reading the status of the stream failed; retrying until it succeeds',
    'reading the status of the stream works again',
  ]);
});

import { expect, onTestFinished } from 'vitest';
import { startDatabase } from '../../engines/database.ts';
import { callApi } from '../support/http.ts';
import {
  counterFaults,
  givenSender,
  ingestEnvironment,
  openStream,
  postReadings,
  startGateway,
  startWriter,
  test,
  untilCommitted,
} from '../support/ingest.ts';
import { connectDevice, publish, topicOf } from '../support/mqtt.ts';

const SERVER_UNAVAILABLE = 3;

test('during a database outage no known sender is refused, and afterwards everything is stored', async () => {
  const { postgres, stop, ...given } = await startDatabase();
  onTestFinished(stop);
  const { owner } = given;
  const database = {
    ...given,
    name: '',
    operator: owner,
    gateway: owner,
    writer: owner,
    api: owner,
    worker: owner,
    manager: owner,
  };
  const sender = await givenSender(database, ['A', 'B']);
  const environment = ingestEnvironment(database);
  const [gateway, writer, stream] = [
    await startGateway(environment),
    await startWriter(environment),
    await openStream(environment),
  ];
  onTestFinished(async () => void (await Promise.all([gateway.close(), writer.close(), stream.close()])));
  const reading = (deviceId: string, n: number) => ({
    device_id: deviceId,
    fill_percentage: 50,
    created_at: new Date(Date.UTC(2025) + n).toISOString(),
  });
  const { organizationCode, key } = sender;
  const before = await connectDevice(gateway.mqttPort, { organizationCode, deviceId: 'A' });

  await postgres.kill();
  const topic = topicOf({ organizationCode, deviceId: 'A' });
  expect(await publish(before, topic, JSON.stringify(reading('A', 0)))).toBe('acknowledged');
  // A device that connects for the first time, and a key that was never used before.
  const during = await connectDevice(gateway.mqttPort, { organizationCode, deviceId: 'B' });
  const ownTopic = topicOf({ organizationCode, deviceId: 'B' });
  expect(await publish(during, ownTopic, JSON.stringify(reading('B', 0)))).toBe('acknowledged');
  expect((await postReadings(gateway.httpUrl, key, [reading('A', 1), reading('B', 1)])).status).toBe(202);
  expect((await callApi(gateway.httpUrl, '/readyz')).status).toBe(200);
  await expect
    .poll(() => writer.notReadyReasons())
    .toEqual([
      expect.stringMatching(/^readings wait in the stream: nothing listens at .*, where PostgreSQL should be/),
    ]);

  // A gateway that starts now cannot load the revoked devices, so it is not ready.
  const fresh = await startGateway(environment);
  onTestFinished(() => fresh.close());
  expect((await callApi(fresh.httpUrl, '/readyz')).status).toBe(503);
  await expect(connectDevice(fresh.mqttPort, { organizationCode, deviceId: 'A' })).rejects.toMatchObject({
    code: SERVER_UNAVAILABLE,
  });
  expect((await postReadings(fresh.httpUrl, key, [])).status).toBe(503);

  await postgres.restart();
  await untilCommitted(stream);
  const { rows } = await owner.query('select count(*) as n from telemetry');
  expect([rows, await counterFaults(database)]).toEqual([[{ n: 4 }], []]);
  await expect.poll(() => writer.notReadyReasons()).toEqual([]);
  await expect.poll(async () => (await callApi(fresh.httpUrl, '/readyz')).status).toBe(200);
  const after = await connectDevice(fresh.mqttPort, { organizationCode, deviceId: 'A' });
  await Promise.all([before, during, after].map((client) => client.endAsync()));
});

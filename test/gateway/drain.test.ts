import { Agent, get } from 'node:http';
import { expect } from 'vitest';
import { givenSender, ingestEnvironment, postReadings, startGateway, test } from '../support/ingest.ts';

test('a gateway that stops is not ready first, still accepts readings, and asks clients to close their connections', async ({
  database,
}) => {
  const gateway = await startGateway(ingestEnvironment(database, { GATEWAY_DRAIN_MS: '4000' }));
  const { key } = await givenSender(database, ['D1']);
  const post = (created_at: string) =>
    postReadings(gateway.httpUrl, key, [{ device_id: 'D1', created_at, fill_percentage: 50 }]);
  expect((await post('2026-01-01T00:00:00Z')).status).toBe(202);
  expect(await gateway.notReadyReasons()).toEqual([]);

  const closing = gateway.close();
  await expect.poll(() => gateway.notReadyReasons()).toEqual(['shutting down']);
  expect((await post('2026-01-01T01:00:00Z')).status).toBe(202);
  const agent = new Agent({ keepAlive: true });
  const connection = await new Promise((resolve, reject) => {
    get(`${gateway.httpUrl}/readyz`, { agent }, (response) => {
      response.resume();
      resolve(response.headers.connection);
    }).once('error', reject);
  });
  expect(connection).toBe('close');
  agent.destroy();
  await closing;
  await expect(post('2026-01-01T02:00:00Z')).rejects.toThrow();
});

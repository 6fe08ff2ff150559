import { expect, onTestFinished } from 'vitest';
import { DailyAllowance } from '../../src/telemetry/daily_allowance.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { givenKey } from '../support/fleet.ts';
import { givenSender, ingestEnvironment, postReadings, readStream, startGateway, test } from '../support/ingest.ts';

/** A reading that is rejected, with about 1 KB of text. */
const REJECTED = { device_id: 'A', fill_percentage: 'x'.repeat(1_000), created_at: '2025-01-01T00:00:00Z' };

test('of the rejected readings of a key at most GATEWAY_REJECTED_MIB_PER_DAY are stored, and all are answered', async ({
  database,
}) => {
  const environment = ingestEnvironment(database, { GATEWAY_REJECTED_MIB_PER_DAY: '1' });
  const gateway = await startGateway(environment);
  onTestFinished(() => gateway.close());
  const { key, organizationNo } = await givenSender(database, ['A']);
  const other = await givenKey(database.operator, { organizationNo, scopes: ['ingest'] });
  const body = Array.from({ length: 900 }, () => REJECTED);
  for (let n = 0; n < 3; n++) {
    const response = await postReadings(gateway.httpUrl, key, body);
    expect([response.status, response.json]).toEqual([202, expect.objectContaining({ rejected_not_listed: 800 })]);
  }
  const storedBytes = async (): Promise<number> =>
    (await readStream(environment))
      .flatMap(({ rejections }) => rejections)
      .reduce((bytes, { raw }) => bytes + raw.length, 0);
  const ofKey = await storedBytes();
  expect(ofKey).toBeLessThan(1_048_576);
  expect(ofKey).toBeGreaterThan(500_000);
  expect((await postReadings(gateway.httpUrl, other.text, body.slice(0, 100))).status).toBe(202);
  expect(await storedBytes()).toBeGreaterThan(ofKey + 100_000);
  const { values = [] } =
    (await gateway.registry.getSingleMetric('tankwatch_gateway_rejected_not_stored_total')?.get()) ?? {};
  expect(values.find(({ labels }) => labels['source'] === 'http')?.value).toBeGreaterThan(1_000);
});

test('an allowance is full again on the next day', () => {
  const allowance = new DailyAllowance(10);
  const take = (sender: string, cost: number, atMs: number) => allowance.take(sender, cost, atMs).isAllowed;
  expect([take('a', 10, 0), take('a', 1, 1), take('b', 5, 1), take('a', 10, DAY_MS)]).toEqual([
    true,
    false,
    true,
    true,
  ]);
});

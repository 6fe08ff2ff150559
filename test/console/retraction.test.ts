import { expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { evaluationsOf, readingsOf, settle } from '../support/evaluation.ts';
import { givenEndpoint } from '../support/events.ts';
import { givenContact, givenCustomer, givenKey, givenOrganization, givenTanks } from '../support/fleet.ts';
import { givenMailWorker, soon } from '../support/mails.ts';
import { openSignedIn, test } from './console_test.ts';

const FAULT_HOURS = 10;
const BACK_HOURS = 8;

/** Hourly readings until now: 72 for 12 days, 9 for ten hours, and 72 again. */
function gaugeFault(): [number, number][] {
  const nowMs = Math.floor(Date.now() / 60_000) * 60_000;
  const fills = [
    ...Array<number>(12 * 24).fill(72),
    ...Array<number>(FAULT_HOURS).fill(9),
    ...Array<number>(BACK_HOURS).fill(72),
  ];
  return fills.map((fill, n) => [nowMs - (fills.length - 1 - n) * HOUR_MS, fill]);
}

interface FeedEvent {
  id: string;
  type: string;
  retracted_at: string | null;
  retracted_because: string | null;
}

test('mails, webhook, feed and console report a gauge fault and then retract it, and late readings have the same result', async ({
  database,
  api,
  browser,
}) => {
  const { operator } = database;
  const organizationNo = await givenOrganization(operator);
  const owner = await givenCustomer(operator, organizationNo, { email: 'owner@example.com', is_verified: true });
  const tanks = await givenTanks(operator, organizationNo, owner.no, [{ name: 'House' }, { name: 'Late' }]);
  const [house, late] = tanks;
  await givenContact(operator, organizationNo, {
    email: 'desk@gas.example',
    types: ['tank.low_fill'],
    digest_at: null,
  });
  const endpoint = await givenEndpoint(database, organizationNo);
  const { text: key } = await givenKey(operator, { organizationNo });
  const { mailbox } = await givenMailWorker(database);
  const ingester = new BatchIngester(database.writer);
  const series = gaugeFault();
  const receivedTypes = (): string[] =>
    endpoint.receiver.received.map(({ body }) => (JSON.parse(body) as { type: string }).type).toSorted();

  // During the fault, people and programs are notified.
  await ingester.ingestReadings(readingsOf(house.no, series.slice(0, -BACK_HOURS)));
  await expect.poll(receivedTypes, soon).toEqual(['tank.low_fill', 'tank.rapid_loss']);
  await expect
    .poll(() => [mailbox.of('owner@example.com').length, mailbox.of('desk@gas.example').length])
    .toEqual([2, 1]);
  const readFeed = async (after: string) =>
    (await api.call(`/fleet/v1/events?size=50${after}`, { key })).json as { data: FeedEvent[]; next: string };
  await expect.poll(async () => (await readFeed('')).data.length).toBe(2);
  const { data: before, next } = await readFeed('');
  const { page, faults } = await openSignedIn(browser, api, { key, path: '' });
  await page.locator('[data-tank]').first().waitFor();
  expect(await page.locator('main').innerText()).toMatch(/Losing gas\s1\s/);

  // The level is back. The same people and programs are notified once.
  await ingester.ingestReadings(readingsOf(house.no, series.slice(-BACK_HOURS)));
  await expect
    .poll(receivedTypes, soon)
    .toEqual(['event.retracted', 'event.retracted', 'tank.gauge_unreliable', 'tank.low_fill', 'tank.rapid_loss']);
  await expect
    .poll(() => [mailbox.of('owner@example.com').length, mailbox.of('desk@gas.example').length])
    .toEqual([3, 2]);
  const correction = mailbox.of('desk@gas.example')[1];
  expect(correction?.subject).toBe('Correction: House (Someone)');
  expect(correction?.text).toMatch(
    /The gauge of House was wrong for a while: we retract “low, at 9%” .+shows 72% now\./,
  );
  const retracted = endpoint.receiver.received
    .map(({ body }) => JSON.parse(body))
    .filter(({ type }) => type === 'event.retracted');
  expect(new Set(retracted.map(({ data }) => `${data.event_id} ${data.reason}`))).toEqual(
    new Set(before.map(({ id }) => `${id} gauge_fault`)),
  );

  // A reader of the feed that has passed the events gets both again, and the event of the gauge, each once.
  await expect.poll(async () => (await readFeed(`&after=${next}`)).data.length).toBe(3);
  const after = (await readFeed(`&after=${next}`)).data;
  expect(new Set(after.map(({ type, retracted_because }) => `${type} ${retracted_because}`))).toEqual(
    new Set(['tank.gauge_unreliable null', 'tank.low_fill gauge_fault', 'tank.rapid_loss gauge_fault']),
  );

  // Today no longer has a loss or a low tank. The page of the tank and the events strike them through and say why.
  await page.reload();
  await page.locator('[data-tank]').first().waitFor();
  expect(await page.locator('main').innerText()).toMatch(
    // The last believable level is from before the fault.
    /Losing gas\s0\sLow now\s0\sGauge unreliable\s1\s[^]*was 72\s?%/,
  );
  await page.goto(`/console/tanks/${house.id}`);
  const struck = page.locator('.timeline s');
  await struck.first().waitFor();
  expect(new Set((await struck.allInnerTexts()).map((text) => text.split(/[\n ]/)[0]))).toEqual(
    new Set(['Losing', 'Low']),
  );
  expect(await page.locator('.timeline .retracted').first().innerText()).toContain('the gauge was wrong');
  await page.goto('/console/events?since=30d');
  await page.locator('.event-table s').first().waitFor();
  expect(await page.locator('.event-table .retracted').count()).toBe(2);
  expect(faults).toEqual([]);
  const spanish = await openSignedIn(browser, api, { key, path: `tanks/${house.id}`, locale: 'es-MX' });
  await spanish.page.locator('.timeline .retracted').first().waitFor();
  expect(await spanish.page.locator('.timeline .retracted').first().innerText()).toContain(
    'Anulado: el indicador falló',
  );

  // The CSV file marks the retracted events, and they do not count as usage.
  const csv = (await api.call('/fleet/v1/events.csv', { key })).text.trim().split('\n');
  expect(csv.filter((line) => line.includes('gauge_fault'))).toHaveLength(2);
  const usage = (await api.call(`/fleet/v1/tanks/${house.id}/usage`, { key })).json as {
    periods: { lost_volume: number; delivered_volume: number }[];
  };
  expect(usage.periods.map(({ lost_volume, delivered_volume }) => [lost_volume, delivered_volume])).toEqual(
    usage.periods.map(() => [0, 0]),
  );

  // The same readings, late and in any order, lead to the same valid events and state.
  const shuffled = series.map((_, n): [number, number] => series[(n * 97) % series.length] ?? [0, 0]);
  for (let from = 0; from < shuffled.length; from += 61)
    await ingester.ingestReadings(readingsOf(late.no, shuffled.slice(from, from + 61)));
  await settle(database);
  const evaluations = await evaluationsOf(database, [house.no, late.no]);
  expect(evaluations.get(late.no)).toBe(evaluations.get(house.no));
});

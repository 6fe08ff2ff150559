import { pino } from 'pino';
import { expect } from 'vitest';
import { type RunningApi, serveApi } from '../../src/api/serve.ts';
import { readApiConfig } from '../../src/settings/api_settings.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { givenKey } from '../support/fleet.ts';
import { within } from '../support/stopwatch.ts';
import type { TestDatabase } from '../support/test.ts';
import { openSignedIn, test } from './console_test.ts';

function startApi(database: TestDatabase, port: string, drainMs = '0'): Promise<RunningApi> {
  const config = readApiConfig({
    API_DATABASE_URL: database.urls.api,
    API_HOST: '127.0.0.1',
    API_PORT: port,
    API_DRAIN_MS: drainMs,
  });
  return serveApi(config, pino({ level: 'silent' }));
}

test('when the api stops, the console says so, keeps its values with their time, and recovers by itself', async ({
  browser,
  database,
  fleet,
}) => {
  const first = await startApi(database, String(await freePort()));
  const { page } = await openSignedIn(browser, first, { key: fleet.key, path: 'fleet' });
  await page.locator('.live-state.live').waitFor();
  await page.locator('tr[data-tank]').first().waitFor();
  // A service that is stopping may still answer when its streams have ended.
  await page.route('**/healthz', (route) => route.fulfill({ status: 200, body: '' }), { times: 1 });
  const banner = page.locator('.banner');
  await within(5_000, () => Promise.all([first.close(), banner.waitFor()]));
  expect(await banner.innerText()).toContain('The service has not answered since');
  expect(await page.locator('tr[data-tank]').count()).toBe(5);

  const second = await startApi(database, new URL(first.url).port);
  await page.locator('.banner').waitFor({ state: 'detached' });
  await page.locator('.live-state.live').waitFor();
  const row = page.locator(`tr[data-tank="${fleet.hotel.id}"]`);
  const readAndShow = async (): Promise<string> => {
    await fleet.ingester.ingestReadings([{ tankNo: fleet.hotel.no, atMs: Date.now(), fillPercentage: 69 }]);
    return row.innerText();
  };
  await expect.poll(readAndShow, { interval: 500 }).toContain('69%');
  await page.context().close();
  await second.close();
});

test('a browser that loses its network says so within five seconds, and recovers', async ({ api, browser, fleet }) => {
  const { page } = await openSignedIn(browser, api, { key: fleet.key, path: 'fleet' });
  await page.locator('.live-state.live').waitFor();
  await within(5_000, async () => {
    await page.context().setOffline(true);
    await page.locator('.banner').waitFor();
  });
  await page.context().setOffline(false);
  await page.locator('.live-state.live').waitFor();
});

test('a search that the service refused says so, and is repeated', async ({ api, browser, fleet }) => {
  const { page } = await openSignedIn(browser, api, { key: fleet.key, path: 'fleet' });
  await page.route('**/fleet/v1/search?*', (route) => route.fulfill({ status: 503, body: '' }));
  await page.locator('.search input').fill('hotel');
  await page.getByText('The search failed.').waitFor();
  await page.unrouteAll();
  await page.locator('.results li').first().waitFor();
});

test('50 open streams do not delay the end of the api', async ({ database, fleet }) => {
  const drainMs = 1_000;
  const running = await startApi(database, '0', String(drainMs));
  // A key has at most 20 streams.
  const keys = await Promise.all(
    [1, 2, 3].map(() => givenKey(database.operator, { organizationNo: fleet.organizationNo })),
  );
  const streams = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      fetch(`${running.url}/fleet/v1/live?tanks=${fleet.bakery.id}`, {
        headers: { 'x-api-key': keys[index % keys.length]?.text ?? '' },
      }),
    ),
  );
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
  const ended = Promise.all(streams.map((stream) => stream.text().catch(() => '')));
  await within(drainMs + 4_000, () => running.close());
  await ended;
});

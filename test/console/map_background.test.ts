import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { launchBrowser } from '../../engines/browser.ts';
import { givenFolder } from '../support/folder.ts';
import { untilTestEnds } from '../support/test.ts';
import { tilesFile } from '../support/tiles_file.ts';
import { isWhole } from '../support/whole_tests.ts';
import { findBarriers, overflow } from './barriers.ts';
import { openSignedIn } from './console_test.ts';
import { drawnNames, test, untilMapIsDrawn } from './map_test.ts';

const whole = test.runIf(isWhole('console/map_background'));

whole(
  'no barrier in the map with its card, in both languages, themes and widths; nothing scrolls sideways',
  async ({ browser, api, bigFleet }) => {
    const found: string[] = [];
    for (const [locale, width] of [
      ['en-US', 1280],
      ['es-MX', 390],
    ] as const) {
      const { page } = await openSignedIn(browser, api, {
        key: bigFleet.key,
        path: 'fleet?view=map',
        locale,
        viewport: { width, height: 800 },
        bypassCSP: true,
      });
      await untilMapIsDrawn(page);
      await page.locator('.map-marks .losing').click();
      await page.locator('.map-card .card-actions').waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        found.push(...(await findBarriers(page, `map, ${locale}, ${width} px, ${colorScheme}`)));
      }
      for (const narrow of [width, 320]) {
        await page.setViewportSize({ width: narrow, height: 800 });
        const pixels = await overflow(page);
        if (pixels > 0) found.push(`${pixels} px too wide at ${narrow} px`);
      }
      await page.context().close();
    }
    expect(found).toEqual([]);
  },
);

// The new language has another map, which is opened while the old one still reads its tiles.
whole('the map stays when the language is changed, also while it is drawn', async ({ browser, api, bigFleet }) => {
  const { page, faults } = await openSignedIn(browser, api, { key: bigFleet.key, path: 'fleet?view=map' });
  for (const language of ['es', 'en', 'es', 'en', 'es', 'en']) {
    await untilMapIsDrawn(page);
    await page.locator('details.menu').evaluate((details) => details.setAttribute('open', ''));
    await page.locator('details.menu select').first().selectOption(language);
    await page.locator(`html[lang=${language}]`).waitFor();
  }
  await untilMapIsDrawn(page);
  expect(faults).toEqual([]);
});

test('without WebGL there is a sentence, the list and the table, and no map is loaded', async ({ api, bigFleet }) => {
  const browser = await untilTestEnds(launchBrowser(['--disable-gpu', '--disable-3d-apis']));
  const { page, faults } = await openSignedIn(browser, api, { key: bigFleet.key });
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  await page.goto('/console/fleet?view=map');
  await page.getByText('This browser cannot draw the map: it needs WebGL.').waitFor();
  await page.locator('.in-view li').first().waitFor();
  expect(await page.locator('.places tbody tr').count()).toBe(3);
  expect(await page.locator('.map').count()).toBe(0);
  expect(loaded.filter((url) => /map_canvas|maplibre|pmtiles/.test(url))).toEqual([]);
  expect(faults).toEqual([]);
});

whole(
  'a file of tiles is the background, with its names and credits; if it does not answer, the built-in world is',
  async ({ browser, database, bigFleet }) => {
    const folder = await givenFolder();
    const file = join(folder, 'world.pmtiles');
    await writeFile(file, tilesFile('<a href="https://example.com">Made of three features</a>', 'Made Town'));
    const api = await untilTestEnds(startApi(database.urls.api, { MAP_PMTILES: file }));
    const { page, faults } = await openSignedIn(browser, api, { key: bigFleet.key });
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('.pmtiles')) statuses.push(response.status());
    });
    await page.goto('/console/fleet?view=map');
    await page.locator('.map[data-background=tiles]').waitFor();
    await page.getByText('Made of three features').waitFor();
    await expect.poll(() => drawnNames(page)).toEqual(['Made Town']);
    await untilMapIsDrawn(page);
    expect(new Set(statuses)).toEqual(new Set([206]));

    await page.route('**/map.pmtiles', (route) => route.abort());
    await page.reload();
    await page.locator('.map[data-background=world]').waitFor();
    await page.getByText('The background map does not answer.').waitFor();
    expect(faults.filter((fault) => !fault.includes('net::ERR_FAILED'))).toEqual([]);
  },
);

whole(
  'a style of another server, which the policy names, is the background',
  async ({ browser, database, bigFleet }) => {
    const requestedPaths: string[] = [];
    const server = createServer((request, response) => {
      requestedPaths.push(request.url ?? '');
      const style = {
        version: 8,
        sources: { roads: { type: 'geojson', data: `${origin}/roads.json`, attribution: '&copy; Roads' } },
        layers: [{ id: 'roads', type: 'line', source: 'roads' }],
      };
      const roads = {
        type: 'LineString',
        coordinates: [
          [-101, 20.5],
          [-100, 20.5],
        ],
      };
      response.writeHead(200, { 'content-type': 'application/json', 'access-control-allow-origin': '*' });
      response.end(JSON.stringify(request.url === '/style.json' ? style : roads));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const api = await untilTestEnds(startApi(database.urls.api, { MAP_STYLE_URL: `${origin}/style.json` }));
    const { page, faults } = await openSignedIn(browser, api, { key: bigFleet.key, path: 'fleet?view=map' });
    await page.locator('.map[data-background=style]').waitFor();
    await page.getByText('© Roads').waitFor();
    await untilMapIsDrawn(page);
    // The policy allows the worker of the map, and nothing else.
    const refused = await page.evaluate<string[]>(`[
    () => { document.body.innerHTML = '<b>x</b>'; },
    () => new Worker('/console/assets/other.mjs'),
    () => { document.createElement('script').src = '/console/assets/other.js'; },
    () => trustedTypes.createPolicy('other', {}),
  ].map((act) => { try { act(); return 'allowed'; } catch (error) { return error.name; } })`);
    expect(refused).toEqual(['TypeError', 'TypeError', 'TypeError', 'TypeError']);
    await expect.poll(() => requestedPaths).toContain('/roads.json');
    const ofThisTest = /^(This document requires 'Trusted|Creating a TrustedTypePolicy named 'other')/;
    expect(faults.filter((fault) => !fault.startsWith(`${origin}/`) && !ofThisTest.test(fault))).toEqual([]);
  },
);

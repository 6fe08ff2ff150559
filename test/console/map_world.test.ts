import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { CONSOLE_FOLDER } from '../../src/api/pages/console.ts';
import { openSignedIn } from './console_test.ts';
import { drawnNames, test, untilMapIsDrawn } from './map_test.ts';

/** Records which hosts the page asks, and which parts of the world file it loads. */
function watchWorld(page: Page) {
  const seen = { hosts: new Set<string>(), ranges: [] as string[], bytes: 0 };
  page.on('request', (request) => seen.hosts.add(new URL(request.url()).host));
  page.on('response', (response) => {
    if (!response.url().endsWith('.pmtiles')) return;
    const range = response.request().headers()['range'] ?? 'all';
    if (seen.ranges.includes(range)) return; // from the cache of the browser
    seen.ranges.push(range);
    seen.bytes += Number(response.headers()['content-length'] ?? 0);
  });
  return seen;
}

test('the map names the towns around the tanks, loads only the part in view, and asks no other server', async ({
  browser,
  api,
  bigFleet,
}) => {
  const { page, faults } = await openSignedIn(browser, api, { key: bigFleet.key });
  const seen = watchWorld(page);
  await page.goto('/console/fleet?view=map&at=20.5,-100.8,11');
  await untilMapIsDrawn(page);
  await page.locator('.map[data-background=world]').waitFor();
  // One town is without tanks, and one has the name that the organization uses.
  await expect.poll(() => drawnNames(page)).toEqual(expect.arrayContaining(['Apaseo el Grande', 'Celaya']));
  await page.getByText('GeoNames (CC BY 4.0)').waitFor();
  const [townBytes, ranges] = [seen.bytes, new Set(seen.ranges)];
  expect(ranges.has('all')).toBe(false);

  // Another part of the world has other tiles.
  await page.goto('/console/fleet?view=map&at=44.47,-73.2,11');
  await expect.poll(() => drawnNames(page)).toEqual(expect.arrayContaining(['Burlington', 'Essex Junction']));
  expect(seen.ranges.some((range) => !ranges.has(range))).toBe(true);

  const names = await readdir(join(CONSOLE_FOLDER, 'assets'));
  const world = names.filter((name) => name.endsWith('.pmtiles'));
  expect(world).toHaveLength(1);
  const { size } = await stat(join(CONSOLE_FOLDER, 'assets', world[0] ?? ''));
  console.log(`the world has ${size} bytes; the first look at a town loads ${townBytes} in ${ranges.size} parts`);
  expect(size).toBeLessThan(10_000_000);
  expect(townBytes).toBeLessThan(300_000);
  expect([...seen.hosts]).toEqual([new URL(api.url).host]);
  expect(faults).toEqual([]);
});

/** The colour in the middle of the left edge of the map. */
async function edgeColor(page: Page): Promise<string> {
  const picture = await page.locator('.map-frame').screenshot();
  return page.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${picture.toString('base64')}';
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return [...context.getImageData(20, Math.round(image.height / 2), 1, 1).data.slice(0, 3)].join(',');
  })()`);
}

test('while the map loads it shows land, and the list does not say that it is empty', async ({
  browser,
  api,
  bigFleet,
}) => {
  for (const [colorScheme, land] of [
    ['light', '244,245,241'],
    ['dark', '20,27,34'],
  ] as const) {
    const { page } = await openSignedIn(browser, api, { key: bigFleet.key, colorScheme });
    await page.route(/\.pmtiles$|\/fleet\/v1\/tanks\?/, () => {}); // these requests get no answer
    await page.goto('/console/fleet?view=map');
    await untilMapIsDrawn(page);
    await expect.poll(() => edgeColor(page)).toBe(land);
    await page.locator('.in-view .skeleton').waitFor();
    expect(await page.getByText('There are no tanks in this part of the map.').count()).toBe(0);
    await page.context().close();
  }
});

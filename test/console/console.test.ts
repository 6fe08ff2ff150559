import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { isWhole } from '../support/whole_tests.ts';
import { givenBigFleet } from './console_fleet.ts';
import { test as base, openConsole, openSignedIn } from './console_test.ts';

const test = base.extend<{ $file: { bigFleet: Awaited<ReturnType<typeof givenBigFleet>> } }>({
  bigFleet: [async ({ database }, use) => use(await givenBigFleet(database)), { scope: 'file' }],
});
const whole = test.runIf(isWhole('console/console'));

const orderOf = (page: Page): Promise<(string | null)[]> =>
  page.locator('tr[data-tank]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-tank')));

test('a wrong key is refused; a dispatcher goes from the day to the worst tank, zooms, and a new reading appears', async ({
  browser,
  api,
  fleet,
}) => {
  const { page, faults } = await openConsole(browser, api);
  await page.locator('input[type=password]').fill('a0wrongwrong.wrong');
  await page.keyboard.press('Enter');
  await page.getByText('This key is not valid').waitFor();
  await page.locator('input[type=password]').fill(fleet.key);
  await page.keyboard.press('Enter');
  await page.locator('.today tr[data-tank]').first().waitFor();
  expect((await orderOf(page))[0]).toBe(fleet.bakery.id);
  await page.locator('.today .tank-name a').first().click();
  await page.waitForURL(`**/console/tanks/${fleet.bakery.id}`);
  await page.locator('figure.chart canvas').waitFor();
  await page.getByRole('button', { name: 'Level over time +' }).click();
  await page.waitForURL('**/tanks/*?*from=*');

  const readAndShow = async (): Promise<string> => {
    await fleet.ingester.ingestReadings([{ tankNo: fleet.bakery.no, atMs: Date.now(), fillPercentage: 11 }]);
    return page.locator('.figures').innerText();
  };
  await expect.poll(readAndShow, { interval: 500 }).toContain('11%');

  const kept = await page.evaluate<string>(
    'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])',
  );
  expect(kept).not.toContain(fleet.key.slice(0, 12));
  expect(await page.evaluate('document.cookie')).toBe('');
  expect(faults).toEqual([]);
});

test('two fingers zoom the chart only by the distance that they move apart', async ({ browser, api, fleet }) => {
  const { page, faults } = await openSignedIn(browser, api, { key: fleet.key, path: `tanks/${fleet.workshop.id}` });
  const over = page.locator('figure.chart .u-over');
  await over.waitFor();
  const { x = 0 } = (await over.boundingBox()) ?? {};
  /** Two fingers go down at the first places, move to the second places, and are lifted. */
  const pinch = async (down: readonly number[], to: readonly number[]): Promise<void> => {
    for (const [type, places] of [
      ['pointerdown', down],
      ['pointermove', to],
      ['pointerup', to],
    ] as const)
      for (const [pointerId, place] of places.entries())
        await over.dispatchEvent(type, { pointerId, pointerType: 'touch', clientX: x + place });
  };
  const shownMs = (): number => {
    const given = new URL(page.url()).searchParams;
    return Date.parse(given.get('to') ?? '') - Date.parse(given.get('from') ?? '');
  };
  await pinch([100, 200], [100, 200]);
  expect(shownMs()).toBeNaN();
  await pinch([100, 200], [100, 300]);
  await page.waitForURL('**from=*');
  const before = shownMs();
  await over.waitFor();
  // Fingers that are close to each other move to the side.
  await pinch([100, 104], [110, 114]);
  expect(shownMs() / before).toBeCloseTo(1, 1);
  expect(faults).toEqual([]);
});

whole(
  'the keyboard alone is enough to search, open, read and zoom, and going back focuses the link that was followed',
  async ({ browser, api, fleet }) => {
    const { page, faults } = await openSignedIn(browser, api, { key: fleet.key, path: 'fleet' });
    await page.locator('tr[data-tank]').first().waitFor();
    const link = page.locator(`tr[data-tank="${fleet.bakery.id}"] .tank-name a`);
    await link.focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).not.toBe('none');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/console/tanks/${fleet.bakery.id}`);
    await page.goBack();
    await expect
      .poll(() => page.evaluate<string>(`document.activeElement.getAttribute('href')`))
      .toBe(`/console/tanks/${fleet.bakery.id}`);

    await page.keyboard.press('/');
    await page.keyboard.type('bakery');
    await page.locator('.results li').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/console/tanks/${fleet.bakery.id}`);
    const chart = page.locator('figure.chart');
    await chart.locator('canvas').waitFor();
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.locator('.readout').innerText()).toMatch(/: 1[12]%/);
    await page.keyboard.press('+');
    await page.waitForURL('**/tanks/*?*from=*');
    await chart.focus();
    await page.keyboard.press('t');
    await page.locator('.reading-table tbody tr').first().waitFor();
    await page.goBack();
    await page.waitForURL(`**/console/tanks/${fleet.bakery.id}`);
    expect(faults).toEqual([]);
  },
);

whole(
  'a silence breaks the line, and the level of a silent tank is never shown as current',
  async ({ browser, api, fleet }) => {
    const { page, faults } = await openSignedIn(browser, api, { key: fleet.key, path: `tanks/${fleet.workshop.id}` });
    await page.locator('figure.chart canvas').waitFor();
    expect(Number(await page.locator('figure.chart').getAttribute('data-segments'))).toBeGreaterThanOrEqual(2);

    await page.goto('/console/fleet?status=silent');
    const row = page.locator(`tr[data-tank="${fleet.garage.id}"]`);
    await row.waitFor();
    expect(await row.innerText()).toContain('was 41%');
    expect(await row.locator('.fill-old').getAttribute('fill')).toMatch(/^url/);
    expect(faults).toEqual([]);
  },
);

whole(
  'the chip of all tanks is current only if no filter leaves a tank out, and leads to all of them',
  async ({ browser, api, bigFleet }) => {
    const { page, faults } = await openSignedIn(browser, api, { key: bigFleet.key, path: 'fleet' });
    const all = page.locator('.chips a').first();
    const count = page.locator('.chips a', { hasText: 'Low' }).locator('b');
    await page.locator('tr[data-tank]').first().waitFor();
    expect(await all.getAttribute('aria-current')).toBe('true');
    await expect.poll(() => count.innerText()).toMatch(/^\d+$/);
    for (const filter of ['place=Celaya', 'section=low', 'q=ranch', 'within=7', 'use=residential']) {
      await page.goto(`/console/fleet?${filter}`);
      await page.locator('.chips a').first().waitFor();
      expect(await all.getAttribute('aria-current'), filter).toBeNull();
      expect(await count.count(), filter).toBe(0);
    }
    await page.goto('/console/fleet?place=Celaya&q=ranch&sort=level');
    await all.click();
    await expect.poll(() => new URL(page.url()).search).toBe('?sort=level');
    expect(await all.getAttribute('aria-current')).toBe('true');
    expect(faults).toEqual([]);
  },
);

whole(
  'no row moves under the pointer while 50 tanks change, until the viewer asks for the new order',
  async ({ browser, api, bigFleet }) => {
    const { page, faults } = await openSignedIn(browser, api, { key: bigFleet.key, path: 'fleet' });
    const row = page.locator('tr[data-tank]').nth(20);
    await row.hover();
    await page.locator('.live-state.live').waitFor();
    const [order, box] = [await orderOf(page), await row.boundingBox()];
    const shown = new Set(order);
    const changing = bigFleet.tanks.filter(({ id }) => shown.has(id)).slice(-50);
    expect(changing).toHaveLength(50);
    const changeAndCount = async (): Promise<number> => {
      const nowMs = Date.now();
      await bigFleet.ingester.ingestReadings(
        changing.map(({ no }, index) => ({ tankNo: no, atMs: nowMs, fillPercentage: 5 + (index % 9) / 10 })),
      );
      return Number(/^\d+/.exec(await page.locator('.changed-note').innerText())?.[0] ?? 0);
    };
    await expect.poll(changeAndCount, { interval: 500 }).toBeGreaterThanOrEqual(50);
    expect(await orderOf(page)).toEqual(order);
    expect(await row.boundingBox()).toEqual(box);
    await page.getByRole('button', { name: 'Update the order' }).click();
    await expect.poll(() => page.locator('.changed-note').innerText()).toBe('');
    expect(faults).toEqual([]);
  },
);

whole('rows that have not changed are not marked when the page becomes live', async ({ browser, api, bigFleet }) => {
  const { page } = await openSignedIn(browser, api, { key: bigFleet.key });
  const readAgain = page.waitForResponse((response) => new URL(response.url()).searchParams.has('ids'));
  await page.goto('/console/fleet');
  await (await readAgain).finished();
  await page.locator('.live-state.live').waitFor();
  expect(await page.locator('tr[data-tank]').count()).toBe(100);
  expect(await page.locator('tr.changed').count()).toBe(0);
});

whole(
  'a large fleet loads 100 tanks with one request, and a search shows at most 16 results',
  async ({ browser, api, bigFleet }) => {
    const { page } = await openSignedIn(browser, api, { key: bigFleet.key, path: 'customers' });
    const requestedPaths: string[] = [];
    page.on('request', (request) => {
      // Not counted: the alarm of every page reads the tanks that lose gas.
      const { pathname, searchParams } = new URL(request.url());
      if (!searchParams.has('section')) requestedPaths.push(pathname);
    });
    await page.goto('/console/fleet');
    await page.locator('tr[data-tank]').first().waitFor();
    expect(await page.locator('tr[data-tank]').count()).toBe(100);
    expect(requestedPaths.filter((path) => path === '/fleet/v1/tanks')).toHaveLength(1);
    await page.locator('.search input').fill('ranch 77');
    await page.locator('.results li').first().waitFor();
    expect(await page.locator('.results li').count()).toBeLessThanOrEqual(16);
  },
);

test('the owner of a tank sees only that tank, and no page of the organization', async ({ browser, api, fleet }) => {
  const { page } = await openSignedIn(browser, api, {
    key: fleet.narrowedKey,
    locale: 'es-MX',
    viewport: { width: 390, height: 800 },
  });
  await page.locator('.owner-tank').waitFor();
  expect(await page.locator('.owner-tank h2').allInnerTexts()).toEqual(['House']);
  await page.goto(`/console/tanks/${fleet.bakery.id}`);
  await page.getByText('Este tanque no existe').waitFor();
  for (const path of ['fleet', 'round', 'customers', `customers/${fleet.maria.id}`, 'events', 'settings']) {
    await page.goto(`/console/${path}`);
    await page.getByText('Esta página no existe').waitFor();
  }
});

whole(
  'events have filters in the URL and lead to tanks; settings show no commands',
  async ({ browser, api, fleet }) => {
    const { page, faults } = await openSignedIn(browser, api, { key: fleet.key, path: 'events?since=30d' });
    await page.locator('.event-table tbody tr').first().waitFor();
    await page.locator('.filters select').first().selectOption('tank.device_silent');
    await page.waitForURL('**/events?*type=tank.device_silent*');
    await page.getByRole('link', { name: 'Garage' }).waitFor();
    const names = await page.locator('.event-table .tank-name').allInnerTexts();
    expect(names.toSorted()).toEqual(['Garage', 'Workshop']);

    await page.goto('/console/settings');
    await page.locator('#thresholds').waitFor();
    const settings = await page.locator('.settings').innerText();
    expect(settings).not.toContain('tankwatch ');
    expect(faults).toEqual([]);
  },
);

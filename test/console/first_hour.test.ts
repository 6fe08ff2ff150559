import { expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenKey, givenOrganization, givenTank } from '../support/fleet.ts';
import { isWhole } from '../support/whole_tests.ts';
import { givenWorstDay, hourly, levels } from '../support/worst_day.ts';
import { test as base, openSignedIn } from './console_test.ts';

/** One day for the whole file, because no test changes it. */
const test = base.extend<{ $file: { day: Awaited<ReturnType<typeof givenWorstDay>> } }>({
  day: [async ({ database }, use) => use(await givenWorstDay(database)), { scope: 'file' }],
});
const whole = test.runIf(isWhole('console/first_hour'));

whole('every page that names a tank also shows its own number', async ({ browser, api, database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const owner = await givenCustomer(database.operator, organizationNo, { name: 'Perkins' });
  const tank = await givenTank(database.operator, organizationNo, owner.no, {
    name: 'House',
    custom_id: 'T-4711',
    city: 'Stowe',
    latitude: 44.4,
    longitude: -72.7,
    capacity_unit: 'gallons',
  });
  const nowMs = Date.now();
  await new BatchIngester(database.writer).ingestReadings([
    ...hourly(tank.no, 12, 6.6, nowMs - 10 * DAY_MS, 8),
    ...hourly(tank.no, 15, 6.6, nowMs, 9.8),
  ]);
  const { text: key } = await givenKey(database.operator, { organizationNo });
  const { text: ownKey } = await givenKey(database.operator, { organizationNo, customerNo: owner.no });
  const { page, faults } = await openSignedIn(browser, api, { key });
  const pages: [string, string][] = [
    ['', 'tr[data-tank] .c-tank'],
    ['fleet', 'tr[data-tank] .c-tank'],
    [`tanks/${tank.id}`, 'h1'],
    [`customers/${owner.id}`, 'tr[data-tank] .c-tank'],
    [`customers/${owner.id}`, '.refills tbody td'],
    ['events?since=30d', '.event-table .tank-name'],
  ];
  for (const [path, place] of pages) {
    await page.goto(`/console/${path}`);
    await page.locator(place).first().waitFor();
    const named = await page.locator(place).filter({ hasText: 'House' }).allInnerTexts();
    expect([path, named.length > 0, named.filter((text) => !text.includes('T-4711'))]).toEqual([path, true, []]);
  }
  expect(await page.getByRole('link', { name: 'Round' }).count()).toBe(0); // a key cannot plan rounds

  const { page: own } = await openSignedIn(browser, api, { key: ownKey });
  await own.getByRole('heading', { name: 'House T-4711' }).waitFor();
  expect(faults).toEqual([]);
});

whole(
  'an unreliable gauge shows since when, the last reliable level and its age; a new tank does not report yet',
  async ({ browser, api, day }) => {
    const { page } = await openSignedIn(browser, api, { key: day.key });
    const row = page.locator(`#gauge tr[data-tank="${day.idOf('stuck gauge')}"]`);
    await row.waitFor();
    const text = await row.innerText();
    expect(text).toContain('was 52%');
    expect(text).toMatch(/gauge shows 0%/);
    expect(text).toMatch(/unreliable since \w+ \d+/);
    expect(await page.locator('.page-head .meta').innerText()).toContain('1 does not report yet');
    await page.goto('/console/fleet');
    const quiet = page.locator(`tr[data-tank="${day.idOf('never reported')}"]`);
    await quiet.waitFor();
    expect(await quiet.innerText()).toContain('not reporting yet');
    expect(await quiet.innerText()).not.toContain('Silent');
    await page.context().close();

    const { page: owner } = await openSignedIn(browser, api, { key: day.ofAnn });
    const article = owner.locator('.owner-tank').filter({ has: owner.getByRole('heading', { name: 'stuck gauge' }) });
    await article.waitFor();
    expect(await article.innerText()).toMatch(/52% on \w+ \d+\. The gauge now shows 0%/);
  },
);

whole('a refill and "no longer low" of the same moment are shown in one line', async ({ browser, api, database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const owner = await givenCustomer(database.operator, organizationNo, {});
  const tank = await givenTank(database.operator, organizationNo, owner.no, { name: 'Mill' });
  const nowMs = Date.now();
  await new BatchIngester(database.writer).ingestReadings([
    ...hourly(tank.no, 15, 1, nowMs - 5 * HOUR_MS, 8),
    ...levels(tank.no, [80, 80, 80, 80], nowMs),
  ]);
  const { rows } = await database.owner.query<{ types: string[] }>(
    'select array_agg(type) as types from events where organization_no = $1 group by occurred_at order by occurred_at desc limit 1',
    [organizationNo],
  );
  expect(rows[0]?.types.toSorted()).toEqual(['tank.fill_recovered', 'tank.refilled']);
  const { text: key } = await givenKey(database.operator, { organizationNo });
  const { page } = await openSignedIn(browser, api, { key, path: 'events?since=30d' });
  await page.locator('.event-table tbody tr').first().waitFor();
  expect(await page.locator('.event-table .event-name').allInnerTexts()).toEqual(['Refilled, no longer low', 'Low']);
  await page.goto(`/console/tanks/${tank.id}`);
  await page.locator('.timeline .event-name').first().waitFor();
  expect(await page.locator('.timeline .event-name').allInnerTexts()).toEqual(['Refilled, no longer low', 'Low']);
});

test('a session that ended says so, and signing in leads back to the same page', async ({ browser, api, day }) => {
  const { page } = await openSignedIn(browser, api, { key: day.key, path: 'fleet?status=low' });
  await page.locator('tr[data-tank]').first().waitFor();
  await page.context().clearCookies();
  await page.getByText('Your session ended.').waitFor();
  await page.locator('input[type=password]').fill(day.key);
  await page.keyboard.press('Enter');
  await page.locator('tr[data-tank]').first().waitFor();
  expect(new URL(page.url()).search).toBe('?status=low');
});

whole(
  'on a phone a tank has three lines and the header one, and the bar at the bottom covers nothing',
  async ({ browser, api, day }) => {
    const { page } = await openSignedIn(browser, api, { key: day.key, viewport: { width: 390, height: 844 } });
    for (const [path, maxHeight] of [
      ['', 130],
      ['fleet', 100],
    ] as const) {
      await page.goto(`/console/${path}`);
      await page.locator('tr[data-tank]').first().waitFor();
      const heights = await page
        // A note under the level takes a fourth line, and so does the time of a silence beside a long name.
        .locator('tr[data-tank]:not(.losing, :has(.c-level .meta, .badge.silent))')
        .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
      expect(heights.length).toBeGreaterThan(path === '' ? 0 : 3); // what can wait is folded
      expect(Math.max(...heights)).toBeLessThanOrEqual(maxHeight);
      expect((await page.locator('header.top').boundingBox())?.height).toBeLessThanOrEqual(56);
      expect(await page.locator('nav.pages').boundingBox()).toMatchObject({ y: 844 - 56, height: 56, width: 390 });
      await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
      const footer = await page.locator('footer').boundingBox();
      expect((footer?.y ?? 0) + (footer?.height ?? 0)).toBeLessThanOrEqual(844 - 56);
    }
    // Losses that nobody handles are counted. The other pages are behind "More", and a press opens what can wait.
    expect(await page.locator('.page-count').innerText()).toMatch(/^2\b/);
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('link', { name: 'Devices' }).click();
    await page.locator('.devices h1').waitFor();
    await page.getByRole('link', { name: 'Today' }).click();
    await page.getByRole('button', { name: /^Within 3 days/ }).click();
    await page.locator('#due tr[data-tank]').first().waitFor();
  },
);

whole(
  'on a phone each time has a label, except for texts that say themselves what they mean',
  async ({ browser, api, day }) => {
    const viewport = { width: 390, height: 844 };
    const { page } = await openSignedIn(browser, api, { key: day.key, path: 'fleet', viewport });
    await page.locator('tr[data-tank]').first().waitFor();
    const cellOf = async (name: Parameters<typeof day.idOf>[0], cell: string): Promise<string> => {
      const found = page.locator(`tr[data-tank="${day.idOf(name)}"] ${cell}`);
      const label = await found.getAttribute('data-label');
      return [label ?? '', (await found.innerText()).split('\n')[0]].join(' ').trim();
    };
    expect(await cellOf('due', '.c-why')).toMatch(/^Threshold in \d/);
    expect(await cellOf('low', '.c-why')).toMatch(/^low now/);
    expect(await cellOf('low', '.c-empty')).toMatch(/^Empty in \d/);
    expect(await cellOf('silent and low', '.c-why')).toMatch(/^probably low/);
    expect(await cellOf('stuck gauge', '.c-empty')).toBe('unknown');
    expect(await cellOf('leak', '.c-why')).toMatch(/^losing .* an hour/);
    expect(await page.locator('.alarm p').innerText()).toMatch(/is losing gas\. Ann/);
    const badge = page.locator(`tr[data-tank="${day.idOf('silent and low')}"] .badge`);
    expect((await badge.boundingBox())?.width).toBeGreaterThan(60);
  },
);

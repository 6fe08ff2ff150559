import { expect } from 'vitest';
import { givenCustomer, givenKey, givenOrganization } from '../support/fleet.ts';
import { isWhole } from '../support/whole_tests.ts';
import { openSignedIn } from './console_test.ts';
import { drawnMarks, overlapping, statusText, sum, test, untilMapIsDrawn } from './map_test.ts';

const whole = test.runIf(isWhole('console/map'));

whole('zoomed in to a street, every tank in view has a mark', async ({ browser, api, bigFleet }) => {
  // The nearest tanks are 330 m to the south, just outside of the map.
  const path = 'fleet?view=map&at=20.503,-100.8,17';
  const { page, faults } = await openSignedIn(browser, api, { key: bigFleet.key, path });
  await untilMapIsDrawn(page);
  await expect.poll(() => statusText(page)).toBe('0 of 120 tanks in view.');
  expect(await drawnMarks(page)).toEqual([]);
  // Two tanks of one house: Ranch 1 and 78.
  await page.goto('/console/fleet?view=map&at=20.5,-100.8,18');
  await untilMapIsDrawn(page);
  await expect.poll(() => statusText(page)).toBe('2 of 120 tanks in view.');
  const marks = await drawnMarks(page);
  expect(new Set(marks.map(({ tank }) => tank))).toEqual(new Set([bigFleet.tanks[0]?.id, bigFleet.tanks[77]?.id]));
  expect(marks).toHaveLength(2);
  expect(overlapping(marks)).toEqual([]);
  expect(faults).toEqual([]);
});

whole(
  'at every zoom groups do not overlap, all tanks are drawn, and a losing tank is alone, ringed and on top',
  async ({ browser, api, bigFleet }) => {
    const { page, faults } = await openSignedIn(browser, api, { key: bigFleet.key, path: 'fleet?view=map' });
    await untilMapIsDrawn(page);
    const losingId = bigFleet.tanks[60]?.id;
    for (const steps of [0, 1, 1, -4, -3]) {
      for (let step = 0; step < Math.abs(steps); step++) {
        const before = await page.locator('.map').getAttribute('data-zoom');
        await page.getByRole('button', { name: steps > 0 ? 'Zoom in' : 'Zoom out' }).click();
        await expect.poll(() => page.locator('.map').getAttribute('data-zoom')).not.toBe(before);
      }
      await expect
        .poll(async () => {
          const drawn = await drawnMarks(page);
          const inView = Number(/^(\d+) of 120/.exec(await statusText(page))?.[1]);
          return [inView - sum(drawn), overlapping(drawn.filter(({ classes }) => !classes.includes('losing')))];
        })
        .toEqual([0, []]);
      const marks = await drawnMarks(page);
      expect(marks.filter(({ classes }) => classes.includes('losing')).map(({ tank, tanks }) => [tank, tanks])).toEqual(
        [[losingId, 1]],
      );
      const { isOnTop, ring } = await page.evaluate<{ isOnTop: boolean; ring: string }>(`(() => {
      const mark = document.querySelector('.map-marks .losing');
      const { left, top, width, height } = mark.getBoundingClientRect();
      const found = document.elementFromPoint(left + width / 2, top + height / 2);
      return { isOnTop: mark.contains(found), ring: getComputedStyle(mark).boxShadow };
    })()`);
      expect([isOnTop, ring === 'none']).toEqual([true, false]);
    }
    expect(faults).toEqual([]);
  },
);

whole(
  'a press on a group zooms in, and on a tank opens a card with level, days and phone',
  async ({ browser, api, bigFleet }) => {
    const { page, faults } = await openSignedIn(browser, api, { key: bigFleet.key, path: 'fleet?view=map' });
    await untilMapIsDrawn(page);
    const zoomOf = async (): Promise<number> => Number(await page.locator('.map').getAttribute('data-zoom'));
    const before = await zoomOf();
    await page.locator('.map-marks .map-group:not([hidden])').first().click();
    await expect.poll(zoomOf).toBe(before + 2);
    await page.waitForURL('**/fleet?*at=*');
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(zoomOf).toBe(before);
    await expect.poll(() => page.url()).not.toContain('at=');

    await page.locator('.map-marks .losing').click();
    const card = page.getByRole('dialog', { name: 'Ranch 61' });
    await card.waitFor();
    const text = await card.innerText();
    for (const part of ['Agrícola Sol', 'Camino Real 61', '%', ' L', 'Last reading', 'Call +52 462 100 2000'])
      expect(text).toContain(part);
    // While the rate is unknown, "losing gas" replaces the time. The badge has a capital letter and does not match.
    expect(text).toMatch(/Empty in: \S*\d|losing gas|empty now/);
    expect(text).not.toContain('usual');
    expect(await card.getByRole('link', { name: /^Call/ }).getAttribute('href')).toBe('tel:+524621002000');
    expect(await page.locator('.map-marks .selected').getAttribute('data-tank')).toBe(bigFleet.tanks[60]?.id);
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'detached' });
    await page.locator('.map-marks .losing').click();
    await card.getByRole('link', { name: 'Open' }).click();
    await page.waitForURL(`**/tanks/${bigFleet.tanks[60]?.id}`);
    expect(faults).toEqual([]);
  },
);

test('every group of silent tanks has a flag', async ({ browser, api, bigFleet }) => {
  const { page, faults } = await openSignedIn(browser, api, {
    key: bigFleet.key,
    path: 'fleet?view=map&status=silent',
  });
  await untilMapIsDrawn(page);
  await page.getByRole('button', { name: 'Zoom out' }).click();
  const groups = page.locator('.map-marks .map-group');
  await groups.first().waitFor({ state: 'attached' });
  await expect.poll(() => page.locator('.map-marks .map-group:not(:has(.map-flag))').count()).toBe(0);
  await page.locator('.map-flag.silent').first().waitFor({ state: 'attached' });
  expect(faults).toEqual([]);
});

whole('the filters narrow the map, its list and its towns', async ({ browser, api, bigFleet, database }) => {
  const { rows } = await database.owner.query<{ low: number; celaya: number }>(
    `select count(*) filter (where is_low)::int as low, count(*) filter (where is_low and city = 'Celaya')::int as celaya
     from fleet_tanks where organization_no = $1`,
    [bigFleet.organizationNo],
  );
  const [expected = { low: 0, celaya: 0 }] = rows;
  expect(expected.celaya).toBeGreaterThan(0);
  const { page, faults } = await openSignedIn(browser, api, { key: bigFleet.key, path: 'fleet?view=map' });
  await untilMapIsDrawn(page);
  await page.locator('.chips a', { hasText: 'Low' }).click();
  await expect.poll(() => statusText(page)).toBe(`${expected.low} of ${expected.low} tanks in view.`);
  await expect.poll(async () => sum(await drawnMarks(page))).toBe(expected.low);
  expect(await page.locator('.places tbody tr').count()).toBe(3);
  await page.goto(`/console/fleet?view=map&status=low&place=Celaya`);
  await expect.poll(() => statusText(page)).toBe(`${expected.celaya} of ${expected.celaya} tanks in view.`);
  await expect.poll(async () => sum(await drawnMarks(page))).toBe(expected.celaya);
  expect(await page.locator('.places tbody tr').allInnerTexts()).toHaveLength(1);
  await page.getByRole('button', { name: 'Remove the filter Celaya' }).click();
  await expect.poll(() => statusText(page)).toBe(`${expected.low} of ${expected.low} tanks in view.`);
  expect(faults).toEqual([]);
});

whole('with the keyboard, the map moves and the list beside it opens tanks', async ({ browser, api, bigFleet }) => {
  const { page, faults } = await openSignedIn(browser, api, { key: bigFleet.key, path: 'fleet?view=map' });
  await untilMapIsDrawn(page);
  await page.locator('.in-view li').first().waitFor();
  const canvas = page.getByRole('region', { name: 'Map of the tanks' });
  await canvas.focus();
  const zoom = Number(await page.locator('.map').getAttribute('data-zoom'));
  await page.keyboard.press('+');
  await expect.poll(async () => Number(await page.locator('.map').getAttribute('data-zoom'))).toBe(zoom + 1);
  await page.keyboard.press('ArrowRight');
  await page.waitForURL('**/fleet?*at=*');
  await page.keyboard.press('0');
  await expect.poll(() => page.url()).not.toContain('at=');
  const focused = () => page.evaluate<string>('document.activeElement.closest(".in-view li") ? "list" : "other"');
  for (let presses = 0; presses < 8; presses++) if ((await focused()) !== 'list') await page.keyboard.press('Tab');
  expect(await focused()).toBe('list');
  const name = await page.evaluate<string>('document.activeElement.querySelector("b").textContent');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name }).waitFor();

  await page.goto('/console/fleet?view=map&at=20.5,-100.8,16');
  await expect.poll(() => statusText(page)).toMatch(/^[1-9]\d? of 120/);
  await page.goto('/console/fleet?view=map');
  await page.getByRole('link', { name: 'All 120 in view as a list' }).click();
  await page.locator('tr[data-tank]').first().waitFor();
  expect(await page.locator('.pager').innerText()).toContain('of 120');
  expect(faults).toEqual([]);
});

whole('20,000 tanks are shown as groups, and on a street each tank has a mark', async ({ browser, api, database }) => {
  const { operator, owner } = database;
  const organizationNo = await givenOrganization(operator);
  const customer = await givenCustomer(operator, organizationNo);
  // A part of a city, 20 by 4 km, with a tank every 63 m.
  await owner.query(
    `insert into tanks (id, organization_no, owner_no, assigned_device_id, capacity, capacity_unit, min_fill_alert_percentage,
       name, city, latitude, longitude)
     select gen_random_uuid(), $1, $2, 'BIG' || n, 500, 'liters', 20, 'Tank ' || n, 'Celaya',
       20.4 + (n % 316) * 0.0006, -100.9 + (n / 316) * 0.0006
     from generate_series(0, 19999) as n`,
    [organizationNo, customer.no],
  );
  await owner.query(
    `update fleet_tanks set losing_seen_at = now()
     where tank_no in (select no from tanks where organization_no = $1 and name in ('Tank 7', 'Tank 10000'))`,
    [organizationNo],
  );
  await owner.query('analyze tanks, fleet_tanks');
  const { text: key } = await givenKey(operator, { organizationNo });
  const { page, faults } = await openSignedIn(browser, api, { key, path: 'fleet?view=map' });
  await untilMapIsDrawn(page);
  await expect.poll(() => statusText(page)).toBe('20,000 of 20,000 tanks in view.');
  await expect.poll(async () => sum(await drawnMarks(page))).toBe(20_000);
  const marks = await drawnMarks(page);
  expect(overlapping(marks.filter(({ classes }) => !classes.includes('losing')))).toEqual([]);
  expect(marks.filter(({ classes }) => classes.includes('losing'))).toHaveLength(2);
  await page.goto('/console/fleet?view=map&at=20.5,-100.88,18');
  const tanksInView = async (): Promise<number> => Number(/^(\d+) of 20,000/.exec(await statusText(page))?.[1]);
  await expect.poll(tanksInView).toBeGreaterThan(20);
  await expect.poll(async () => (await drawnMarks(page)).length).toBe(await tanksInView());
  expect((await drawnMarks(page)).filter(({ tank }) => tank === null)).toEqual([]);
  expect(faults).toEqual([]);
});

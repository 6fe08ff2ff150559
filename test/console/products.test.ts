import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { givenWorstDay } from '../support/worst_day.ts';
import { openSignedIn, test } from './console_test.ts';

/** The text of a page in lower case. */
const pageText = async (page: Page): Promise<string> => (await page.locator('body').innerText()).toLowerCase();

test('no page about a leaking tank of water mentions gas, and a leaking tank of oil has the steps for a spill', async ({
  browser,
  api,
  database,
}) => {
  const day = await givenWorstDay(database);
  await database.owner.query(
    `update organizations set default_product = 'water', name = 'Valley', language = 'en-US' where no = $1`,
    [day.organizationNo],
  );
  const office = await openSignedIn(browser, api, { key: day.key, viewport: { width: 1440, height: 900 } });
  const owner = await openSignedIn(browser, api, { key: day.ofAnn, viewport: { width: 390, height: 844 } });
  const leak = `tanks/${day.idOf('leak')}`;
  for (const [name, path, wanted] of [
    ['today', '', 'Losing water'],
    ['fleet', 'fleet', 'Losing water'],
    ['tank', leak, 'Ask whether the tank, a pipe or a tap leaks.'],
    ['events', 'events', 'Losing water'],
  ] as const) {
    await office.page.goto(`/console/${path}`);
    await office.page.getByText(wanted).first().waitFor();
    expect([name, /\bgas\b|911|flame/.exec(await pageText(office.page))]).toEqual([name, null]);
  }
  await owner.page.getByText('Possible water leak').first().waitFor();
  expect(await pageText(owner.page)).not.toMatch(/\bgas\b|911|flame/);

  await database.owner.query(`update tanks set product = 'heating_oil' where id = $1`, [day.idOf('leak')]);
  await office.page.goto(`/console/${leak}`);
  await office.page.getByText('keep it out of drains').waitFor();
  expect(await pageText(office.page)).toContain('losing oil since');
  expect(await pageText(office.page)).not.toMatch(/\bgas\b|go outside/);
  // The tanks hold different things now. Headings name none of them.
  for (const path of ['', 'fleet']) {
    await office.page.goto(`/console/${path}`);
    await office.page.getByText('Losing product').filter({ visible: true }).first().waitFor();
  }
  await owner.page.reload();
  await owner.page.getByText('Make no flame near the tank. Do not smoke.').first().waitFor();
  expect([...office.faults, ...owner.faults]).toEqual([]);
});

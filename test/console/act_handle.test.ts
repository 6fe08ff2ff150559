import { expect } from 'vitest';
import { HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenKey, givenTank } from '../support/fleet.ts';
import { isWhole } from '../support/whole_tests.ts';
import { hourly, levels } from '../support/worst_day.ts';
import { openAs, test } from './act_test.ts';
import { openSignedIn } from './console_test.ts';

const whole = test.runIf(isWhole('console/act_handle'));

whole(
  'a low tank that is handled leaves its section in every browser, and comes back when the handling ends',
  async ({ browser, database, acting, fleet, open }) => {
    const place = { organizationNo: fleet.organizationNo };
    const ana = await openAs(browser, database, acting, { name: 'Ana', roles: ['dispatcher'], ...place });
    const watcher = await openAs(browser, database, acting, { name: 'Vera', roles: ['viewer'], ...place });
    const low = (page: typeof ana.page) => page.locator('#low').getByText('Bakery');
    await Promise.all([low(ana.page).waitFor(), low(watcher.page).waitFor()]);
    expect(await watcher.page.getByRole('button', { name: /^Handle/ }).count()).toBe(0);

    await ana.page.getByRole('button', { name: 'Handle Bakery' }).click();
    await ana.page.getByLabel('Comment').fill('Pedro is there at 14:00');
    await ana.page.getByText(/It returns to the list at 7\s?%/).waitFor();
    await ana.page.getByRole('button', { name: 'Save' }).click();
    await Promise.all([low(ana.page).waitFor({ state: 'detached' }), low(watcher.page).waitFor({ state: 'detached' })]);
    await watcher.page
      .locator('#handled')
      .getByText(/Ana, until/)
      .waitFor();

    await ana.page.goto(`/console/tanks/${fleet.bakery.id}`);
    await ana.page.getByText(/Ana handles it until .*, since .*Pedro is there at 14:00/).waitFor();
    expect(await ana.page.getByRole('button', { name: 'Take over …' }).count()).toBe(0);
    const luz = await open({ name: 'Luz', roles: ['dispatcher'], path: `tanks/${fleet.bakery.id}` });
    await luz.page.getByRole('button', { name: 'Take over …' }).click();
    await luz.page.getByLabel('Comment').fill('Ana is ill');
    await luz.page.getByRole('button', { name: 'Save' }).click();
    await ana.page.getByText(/Luz handles it until .*Ana is ill/).waitFor();
    await luz.page.getByRole('button', { name: 'Stop handling' }).click();
    await low(watcher.page).waitFor();
  },
);

whole('a tank is muted until a time, and the mute can be ended', async ({ browser, database, acting, fleet }) => {
  const place = { organizationNo: fleet.organizationNo, path: `tanks/${fleet.house.id}` };
  const ana = await openAs(browser, database, acting, { name: 'Ana', roles: ['dispatcher'], ...place });
  const watcher = await openAs(browser, database, acting, { name: 'Pedro', roles: ['dispatcher'], ...place });
  const mute = ana.page.getByRole('button', { name: 'Mute …' });
  await mute.click();
  // The form replaces its button. Escape brings the button back, with the focus.
  await ana.page.keyboard.press('Escape');
  await mute.and(ana.page.locator(':focus')).waitFor();
  await mute.click();
  await ana.page.getByLabel('Reason').fill('x'.repeat(501));
  await ana.page.getByRole('button', { name: 'Save' }).click();
  await ana.page.getByText('Write why, in at most 500 characters.').waitFor();
  await ana.page.getByLabel('Reason').fill('New regulator');
  await ana.page.getByRole('button', { name: 'Save' }).click();
  await watcher.page.getByText(/^Ana muted it .*, until .* New regulator/).waitFor();
  await watcher.page.getByRole('button', { name: 'Unmute' }).click();
  await ana.page.getByRole('button', { name: 'Mute …' }).waitFor();
});

whole(
  'an owner keeps the warning of a loss that somebody handles, and the tank cannot be muted',
  async ({ browser, database, acting, fleet }) => {
    const { operator } = database;
    const { organizationNo } = fleet;
    const grace = await givenCustomer(operator, organizationNo, { name: 'Grace Hill', phone: '802 555 0188' });
    const cabin = await givenTank(operator, organizationNo, grace.no, { name: 'Cabin', city: 'Stowe' });
    const { text: key } = await givenKey(operator, { organizationNo, customerNo: grace.no });
    const nowMs = Date.now();
    const fall = Array.from({ length: 9 }, (_, hour) => 64 - (30 / 9) * (hour + 1));
    await fleet.ingester.ingestReadings([
      ...hourly(cabin.no, 64, 1, nowMs - 9 * HOUR_MS),
      ...levels(cabin.no, fall, nowMs),
    ]);
    const ana = await openAs(browser, database, acting, {
      name: 'Ana',
      roles: ['dispatcher'],
      organizationNo,
      path: `tanks/${cabin.id}`,
    });
    const owner = await openSignedIn(browser, acting, { key });
    await owner.page.getByText('Go outside now.').waitFor();
    await ana.page.locator('.act-grid .notes').waitFor();
    expect(await ana.page.locator('#mute').count()).toBe(0);
    await ana.page.getByRole('button', { name: 'Handle Cabin' }).click();
    await ana.page.getByText(/when the loss gets faster/).waitFor();
    await ana.page.getByRole('button', { name: 'Save' }).click();
    await ana.page
      .getByText(/Ana handles it until/)
      .first()
      .waitFor();
    await owner.page.reload();
    await owner.page.getByText('Go outside now.').waitFor();
  },
);

test('an owner reads that somebody handles a low tank, without a name or a comment', async ({
  browser,
  database,
  acting,
  fleet,
}) => {
  const { operator } = database;
  const { organizationNo } = fleet;
  const grace = await givenCustomer(operator, organizationNo, { name: 'Grace Hill' });
  const cottage = await givenTank(operator, organizationNo, grace.no, { name: 'Cottage', city: 'Stowe' });
  const { text: key } = await givenKey(operator, { organizationNo, customerNo: grace.no });
  await fleet.ingester.ingestReadings(hourly(cottage.no, 12, 3, Date.now()));
  const owner = await openSignedIn(browser, acting, { key });
  await owner.page.getByText('Your tank is low. Please call.').waitFor();
  const ana = await openAs(browser, database, acting, { name: 'Ana', roles: ['dispatcher'], organizationNo });
  // The keys J and K go to the next and to the previous tank, and A opens the form of a row.
  await ana.page.locator('#low .c-act button').first().waitFor();
  const name = ana.page.locator('#low .tank-name a').filter({ hasText: 'Cottage' });
  await name.focus();
  await ana.page.keyboard.press('j');
  await ana.page.keyboard.press('k');
  expect(await ana.page.locator('#low .tank-name a:focus').innerText()).toBe('Cottage');
  // The focus goes to the comment. Escape closes the form, and the focus goes to the button of the row.
  await ana.page.keyboard.press('a');
  await ana.page.getByLabel('Comment').waitFor();
  await ana.page.keyboard.press('Escape');
  await ana.page.getByLabel('Comment').waitFor({ state: 'detached' });
  await ana.page.getByRole('button', { name: 'Handle Cottage' }).and(ana.page.locator(':focus')).waitFor();
  await ana.page.keyboard.press('a');
  await ana.page.getByLabel('Comment').and(ana.page.locator(':focus')).waitFor();
  await ana.page.keyboard.type('Pedro jokes about a call');
  await ana.page.keyboard.press('Enter');
  await owner.page.getByText(/Your tank is low\. .* is handling it\./).waitFor();
  expect(await owner.page.locator('main').innerText()).not.toMatch(/Ana|Pedro/);
});

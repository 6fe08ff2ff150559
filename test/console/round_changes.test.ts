import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import { givenManageApi } from '../support/manage.ts';
import { dayFromNow, givenTown, type TownTank } from '../support/rounds.ts';
import type { TestDatabase } from '../support/test.ts';
import { openAs } from './act_test.ts';
import { test } from './console_test.ts';

/** A town with a round of tomorrow. A dispatcher has the page of the round open. */
async function givenOpenRound(
  browser: Browser,
  database: TestDatabase,
  { tanks, ...fields }: { tanks: readonly TownTank[]; fill_to_percentage?: number },
) {
  const manage = await givenManageApi(database);
  const { key, organizationNo, idOf, truckId } = await givenTown(database, manage);
  const date = dayFromNow(1);
  const stops = tanks.map((name) => ({ tank_id: idOf(name) }));
  const { json: round } = await manage.call(key, 'POST', '/rounds', {
    body: { date, truck_id: truckId, stops, ...fields },
  });
  const { page, faults } = await openAs(browser, database, manage, {
    name: 'Ana',
    roles: ['dispatcher'],
    organizationNo,
    path: `round?date=${date}&truck=${truckId}`,
    viewport: { width: 1440, height: 1000 },
  });
  page.setDefaultTimeout(30_000);
  const typeVolume = async (name: TownTank, volume: string): Promise<void> => {
    await page.getByRole('button', { name: `Change the volume of ${name}` }).click();
    await page.getByLabel(`Change the volume of ${name}`).fill(volume);
    await page.keyboard.press('Enter');
  };
  const stored = async () => (await manage.call(key, 'GET', `/rounds/${round.id}`)).json;
  const cancel = () => manage.call(key, 'PATCH', `/rounds/${round.id}`, { body: { state: 'cancelled' }, ifMatch: '*' });
  return { page, faults, idOf, typeVolume, stored, cancel };
}

test('changes that are made while another one is being saved are all stored', async ({ browser, database }) => {
  const { page, faults, idOf, typeVolume, stored } = await givenOpenRound(browser, database, {
    tanks: ['half full', 'full', 'nowhere'],
  });
  const held = Promise.withResolvers<void>();
  await page.route(/\/rounds\/[^/]+\/stops$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Add empty soon' }).click();
  await typeVolume('half full', '111');
  await typeVolume('nowhere', '222');
  await page.getByRole('button', { name: 'Add unheard' }).click();
  await page.getByRole('button', { name: 'Take full off the round' }).click();
  await page.getByRole('button', { name: /^Move nowhere/ }).press('Alt+ArrowUp');
  held.resolve();
  await page.locator('.page-head').getByText('saved', { exact: false }).waitFor();
  const { stops } = await stored();
  const names: TownTank[] = ['nowhere', 'half full', 'empty soon', 'unheard'];
  expect(stops.map(({ tank_id }: { tank_id: string }) => tank_id)).toEqual(names.map(idOf));
  expect(stops.slice(0, 2).map(({ volume }: { volume: number }) => volume)).toEqual([222, 111]);
  expect(faults).toEqual([]);
});

test('a volume that was opened and not changed is neither refused nor sent', async ({ browser, database }) => {
  const { page, faults, stored } = await givenOpenRound(browser, database, {
    tanks: ['full', 'half full'],
    fill_to_percentage: 70,
  });
  const before = await stored();
  expect(before.stops[0].volume).toBe(0);
  for (const name of ['full', 'half full']) {
    await page.getByRole('button', { name: `Change the volume of ${name}` }).click();
    await page.getByLabel(`Change the volume of ${name}`).press('Enter');
    await page.locator('.volume-input').waitFor({ state: 'detached' });
  }
  expect((await stored()).etag).toBe(before.etag);
  expect(faults).toEqual([]);
});

test('an undo that cannot read the round says so, and can be tried again', async ({ browser, database }) => {
  const { page, stored, cancel } = await givenOpenRound(browser, database, { tanks: ['half full'] });
  await cancel();
  await page.reload();
  const notice = page.locator('.undo-round');
  const path = /\/fleet\/v1\/rounds\/[^/?]+$/;
  await page.route(path, (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
  await notice.getByRole('button', { name: 'Undo' }).click();
  await notice.getByText('The service has a problem. Try again in a minute.').waitFor();
  await page.unroute(path);
  await notice.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(async () => (await stored()).state).toBe('planned');
});

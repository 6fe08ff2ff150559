import { expect, onTestFinished } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { roundLines } from '../../packages/console/src/map/round_path.ts';
import { givenRound } from '../support/driven_rounds.ts';
import { givenManagedOrganization, manageApi, manageSettings } from '../support/manage.ts';
import { openAs } from './act_test.ts';
import { findBarriers } from './barriers.ts';
import { test } from './map_test.ts';

test('a round has a map with its line and numbers in the order of the table', async ({ browser, database }) => {
  const { owner } = database;
  const { organizationNo, key } = await givenManagedOrganization(database);
  const round = await givenRound(owner, organizationNo, { stops: 5 });
  for (const { number, tankNo } of round.stops)
    await owner.query('update tanks set latitude = $2, longitude = $3 where no = $1', [
      tankNo,
      number === 5 ? null : 20.5 + 0.02 * number,
      number === 5 ? null : -100.8 + 0.03 * (number % 2),
    ]);
  const api = await startApi(database.urls.api, manageSettings(database));
  onTestFinished(() => api.close());
  const { page, faults } = await openAs(browser, database, api, {
    name: 'Ana',
    roles: ['dispatcher'],
    organizationNo,
    path: `round?date=${round.date}`,
    viewport: { width: 1440, height: 1000 },
  });
  onTestFinished(() => page.context().close());
  const map = page.locator('.round-map .map');
  const numbers = () => page.locator('.round-map .stop-mark:not(.depot)').allInnerTexts();
  await expect.poll(() => map.getAttribute('data-line')).toBe('open');
  expect(await numbers()).toEqual(['1', '2', '3', '4']);
  await page.getByText('1 stop has no position.').waitFor();
  expect(await findBarriers(page, 'a round with its map')).toEqual([]);

  // The driver was at the first stop: the line is grey up to there, and the second stop is the next one.
  const body = { outcome: 'delivered' };
  const { status } = await manageApi(api.url).call(key, 'PUT', `/rounds/${round.id}/stops/1/outcome`, { body });
  expect(status).toBe(200);
  await page.reload();
  await expect.poll(() => map.getAttribute('data-line')).toBe('done open');
  expect(await page.locator('.round-map .stop-mark.delivered').innerText()).toBe('1');
  expect(await page.locator('.round-map .stop-mark.next').innerText()).toBe('2');

  // The table changes the order, and the map follows.
  const second = page.locator('.plan-stops tr.row').nth(1);
  const name = await second.locator('.tank-name').innerText();
  await second.getByRole('button', { name: /^Move/ }).press('Alt+ArrowDown');
  await expect.poll(() => page.locator('.round-map .stop-mark').nth(3).getAttribute('title')).toContain(name);
  expect(await numbers()).toEqual(['1', '2', '3', '4']);
  expect(faults).toEqual([]);
});

test('the line of a round leaves out a blocked stop', () => {
  const at = (longitude: number, kind: 'depot' | 'must' | 'blocked' | 'delivered') =>
    ({ latitude: 20, longitude, kind }) as const;
  const lines = roundLines([at(0, 'depot'), at(1, 'delivered'), at(2, 'blocked'), at(3, 'must'), at(0, 'depot')]);
  const paths = lines.map(({ properties, geometry }) => [
    properties?.['part'],
    geometry.type === 'LineString' ? geometry.coordinates.map(([longitude]) => longitude) : [],
  ]);
  expect(paths).toEqual([
    ['done', [0, 1]],
    ['open', [1, 3, 0]],
  ]);
});

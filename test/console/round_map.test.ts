import { expect } from 'vitest';
import { roundLines } from '../../packages/console/src/map/round_path.ts';
import { givenRound } from '../support/driven_rounds.ts';
import { givenManageApi, givenManagedOrganization } from '../support/manage.ts';
import { openAs } from './act_test.ts';
import { findBarriers, findBarriersInThemes } from './barriers.ts';
import { test } from './map_test.ts';

test('the map of a round has its line and numbers in the order of the table, and a tank without a place gets one', async ({
  browser,
  database,
}) => {
  const { owner } = database;
  const { organizationNo, key } = await givenManagedOrganization(database);
  const round = await givenRound(owner, organizationNo, { stops: 5 });
  for (const { number, tankNo } of round.stops)
    await owner.query('update tanks set latitude = $2, longitude = $3 where no = $1', [
      tankNo,
      number === 5 ? null : 20.5 + 0.02 * number,
      number === 5 ? null : -100.8 + 0.03 * (number % 2),
    ]);
  const api = await givenManageApi(database);
  const { page, faults } = await openAs(browser, database, api, {
    name: 'Ana',
    roles: ['dispatcher', 'administrator'],
    organizationNo,
    path: `round?date=${round.date}`,
    viewport: { width: 1440, height: 1000 },
  });
  const map = page.locator('.round-map .map');
  const numbers = () => page.locator('.round-map .stop-mark:not(.depot)').allInnerTexts();
  await expect.poll(() => map.getAttribute('data-line')).toBe('open');
  expect(await numbers()).toEqual(['1', '2', '3', '4']);
  await page.getByText('1 stop has no position.').waitFor();
  expect(await findBarriers(page, 'a round with its map')).toEqual([]);

  // The driver was at the first stop: the line is grey up to there, and the second stop is the next one.
  const body = { outcome: 'delivered' };
  const { status } = await api.call(key, 'PUT', `/rounds/${round.id}/stops/1/outcome`, { body });
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

  // The form of a tank without a place shows a map of the area of the other tanks. A click sets the place.
  const unplaced = round.stops[4];
  const { rows } = await owner.query<{ id: string }>('select id from tanks where no = $1', [unplaced?.tankNo]);
  await page.goto(`${api.url}/console/tanks/${rows[0]?.id}`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const canvas = page.locator('.place-picker canvas');
  await canvas.waitFor();
  const field = page.getByLabel('Place on the map', { exact: true });
  const place = async (): Promise<number[]> => (await field.inputValue()).split(',').map(Number);
  const takeMiddle = page.getByRole('button', { name: 'Take the middle' });
  await takeMiddle.click();
  const [latitude = 0, longitude = 0] = await place();
  expect(latitude).toBeCloseTo(20.55, 1);
  expect(longitude).toBeCloseTo(-100.785, 1);
  await canvas.click({ position: { x: 60, y: 60 } });
  await expect.poll(async () => (await place())[0]).toBeGreaterThan(latitude);
  expect((await place())[1]).toBeLessThan(longitude);
  // The mark is dragged to the east and the south.
  const mark = page.locator('.place-mark');
  const from = await mark.boundingBox();
  const [x, y] = [(from?.x ?? 0) + 12, (from?.y ?? 0) + 12];
  const [clickedLatitude = 0, clickedLongitude = 0] = await place();
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 80, y + 40, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => (await place())[1]).toBeGreaterThan(clickedLongitude);
  expect((await place())[0]).toBeLessThan(clickedLatitude);
  // The keyboard moves the map below the cross. A typed place moves the mark.
  await canvas.focus();
  await canvas.press('ArrowUp');
  const before = await field.inputValue();
  await expect
    .poll(async () => {
      await takeMiddle.press('Enter');
      return (await place())[0];
    })
    .toBeGreaterThan(latitude);
  expect(await field.inputValue()).not.toBe(before);
  const boxBefore = await mark.boundingBox();
  await field.fill('20.6, -100.77');
  await expect.poll(() => mark.boundingBox()).not.toEqual(boxBefore);
  expect(await findBarriersInThemes(page, 'the map of a place')).toEqual([]);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await canvas.waitFor({ state: 'detached' });
  const placed = await owner.query('select latitude, longitude from tanks where no = $1', [unplaced?.tankNo]);
  expect(placed.rows).toEqual([{ latitude: 20.6, longitude: -100.77 }]);
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

import { expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenTanks } from '../support/fleet.ts';
import { givenManageApi, givenManagedOrganization } from '../support/manage.ts';
import { hourly } from '../support/worst_day.ts';
import { openAs } from './act_test.ts';
import { test } from './console_test.ts';
import { pdfPages } from './pdf_text.ts';

const STOPS = 40;

test('a printed round of 40 stops repeats its head on each page, splits no stop, and has the phone of the office', {
  timeout: 120_000,
}, async ({ browser, database }) => {
  const { operator, owner, writer } = database;
  const api = await givenManageApi(database);
  const { key, organizationNo } = await givenManagedOrganization(database);
  await owner.query(`update organizations set phone = '+1 802 555 0100' where no = $1`, [organizationNo]);
  const customer = await givenCustomer(operator, organizationNo, { name: 'Ann' });
  const numbered = (word: string, index: number): string => `${word}${String(index + 1).padStart(3, '0')}`;
  const tanks = await givenTanks(
    operator,
    organizationNo,
    customer.no,
    Array.from({ length: STOPS }, (_, index) => ({ name: numbered('Tank', index), street: numbered('Street', index) })),
  );
  const nowMs = Date.now();
  await new BatchIngester(writer).ingestReadings(tanks.flatMap(({ no }) => hourly(no, 34, 1, nowMs - HOUR_MS, 2)));
  const create = async (path: string, body: object) => (await api.call(key, 'POST', path, { body })).json;
  const depot = await create('/depots', { name: 'Depot', latitude: 44.4, longitude: -73.2 });
  const truck = { name: 'Truck 1', depot_id: depot.id, capacity: 9_000, capacity_unit: 'gallons' };
  const { id: truck_id } = await create('/trucks', truck);
  const date = new Date().toISOString().slice(0, 10);
  const round = await create('/rounds', { date, truck_id, stops: tanks.map(({ id }) => ({ tank_id: id })) });
  const path = `round?date=${date}&truck=${truck_id}`;
  const { page } = await openAs(browser, database, api, { name: 'Ana', roles: ['dispatcher'], organizationNo, path });
  await page
    .locator('.plan-stops tr.row')
    .nth(STOPS - 1)
    .waitFor();
  await page.locator('.plan-stops .p-level', { hasText: '%' }).first().waitFor();
  const pages = pdfPages(await page.pdf({ format: 'A4' }));
  expect(pages.length).toBeGreaterThan(1);
  for (const [index, text] of pages.entries()) expect(text).toContain(`sheet ${index + 1} of ${pages.length}`);
  expect(pages[0]).toMatch(/(?:fi|ﬁ)rst sheet/);
  for (const line of ['Meter at the start', 'Meter at the end', 'Signature']) expect(pages.at(-1)).toContain(line);
  expect(pages[0]).toContain('+1 802 555 0100');
  for (const text of pages) expect(text).toContain('Tank, customer, place');
  for (const index of tanks.keys()) {
    const [name, street] = [numbered('Tank', index), numbered('Street', index)];
    expect(
      pages
        .map((text) => [text.includes(name), text.includes(street)])
        .filter(([hasName, hasStreet]) => hasName || hasStreet),
    ).toEqual([[true, true]]);
  }
  expect(pages.join('\n').match(/34%/g)).toHaveLength(STOPS);

  // When a volume changes, the console says that the paper is old. The next sheet says which one it replaces.
  const { json: plan } = await api.call(key, 'GET', `/rounds/${round.id}`);
  const stops = plan.stops.map(({ tank_id }: { tank_id: string }, index: number) => ({
    tank_id,
    ...(index === 0 ? { volume: 9 } : {}),
  }));
  await api.call(key, 'PUT', `/rounds/${round.id}/stops`, { body: { stops }, ifMatch: '*' });
  await page.reload();
  await page.getByText(/^The sheet of .* is out of date\.$/).waitFor();
  expect(pdfPages(await page.pdf({ format: 'A4' }))[0]).toContain('replaces the sheet of');
  await page.getByText(/^The sheet of .* is out of date\.$/).waitFor({ state: 'detached' });
});

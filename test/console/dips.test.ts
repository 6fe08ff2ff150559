import { expect } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { learnRegionalRates } from '../../src/evaluation/learn_regional_rates.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { DipStore } from '../../src/ingest/store_dips.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { falling, readingsOf } from '../support/evaluation.ts';
import { givenCustomer, givenKey, givenOrganization, givenTank, givenTanks } from '../support/fleet.ts';
import { manageSettings } from '../support/manage.ts';
import { givenSession } from '../support/sessions.ts';
import { addSession, openConsole, openSignedIn, test } from './console_test.ts';

test('an owner sends the level of a tank without a sensor, and everybody sees that it is estimated', async ({
  database,
  browser,
}) => {
  const api = await startApi(database.urls.api, manageSettings(database));
  const organizationNo = await givenOrganization(database.operator);
  const owner = await givenCustomer(database.operator, organizationNo);
  const neighbour = await givenCustomer(database.operator, organizationNo);
  const sensors = await givenTanks(
    database.operator,
    organizationNo,
    neighbour.no,
    Array.from({ length: 12 }, () => ({})),
  );
  const tank = await givenTank(database.operator, organizationNo, owner.no, {
    name: 'Cabin',
    assigned_device_id: 'manual',
  });
  const ingester = new BatchIngester(database.writer);
  await ingester.ingestReadings(sensors.flatMap(({ no }) => readingsOf(no, falling(70, 1.5, 14))));
  await learnRegionalRates(database.worker, Date.now());
  await ingester.ingestReadings(readingsOf(tank.no, [[Date.now() - 12 * DAY_MS, 70]]));

  const { text } = await givenSession(database, { customerNo: owner.no });
  const opened = await openConsole(browser, api, { locale: 'es-MX' });
  await addSession(opened.page, api, text);
  await opened.page.goto('/console/');
  await opened.page.getByText(/Estimado, \d+\s?% a \d+\s?%; última lectura manual hace 12 días/).waitFor();
  const level = opened.page.getByLabel('Nivel en la carátula, en por ciento');
  await level.fill('105');
  await opened.page.getByRole('button', { name: 'Enviar el nivel' }).click();
  await opened.page.getByText('Escriba un número de 0 a 100.').waitFor();
  await level.fill('31,5');
  await opened.page.getByRole('button', { name: 'Enviar el nivel' }).click();
  await opened.page.getByText(/Enviado: 31[.,]5\s?%\. Gracias\./).waitFor();
  expect(opened.faults).toEqual([]);
  expect(await new DipStore(database.writer).storeBatch()).toBe(false);

  // A session that was opened with a key can only read, so there is no form. The page shows the range of the level.
  const { text: key } = await givenKey(database.operator, { organizationNo });
  const { page, faults } = await openSignedIn(browser, api, { key, path: `tanks/${tank.id}` });
  await page.getByText(/^Estimated, \d+% to \d+%; last manual reading \d+ \w+ ago$/).waitFor();
  await page.getByText(/^Estimated: \d+(\.\d)?% to \d+(\.\d)?% \(80% likely\)\./).waitFor();
  expect(await page.getByRole('button', { name: 'Send the level' }).count()).toBe(0);
  await database.owner.query('update estimated_tanks set is_dip_wanted = true where tank_no = $1', [tank.no]);
  await page.goto('/console/');
  await page.getByRole('link', { name: '1 manual reading needed' }).click();
  await page.getByRole('link', { name: 'Cabin' }).waitFor();
  expect(faults).toEqual([]);
  await api.close();
});

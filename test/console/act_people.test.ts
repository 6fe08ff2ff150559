import { expect } from 'vitest';
import { openAs, test } from './act_test.ts';

test('an administrator gives a role, takes it back, and cannot change the own one', async ({
  browser,
  database,
  acting,
  fleet,
}) => {
  const place = { organizationNo: fleet.organizationNo };
  const ana = await openAs(browser, database, acting, {
    name: 'Ana',
    roles: ['administrator'],
    path: 'people',
    ...place,
  });
  const pedro = await openAs(browser, database, acting, {
    name: 'Pedro',
    roles: ['viewer'],
    path: `tanks/${fleet.bakery.id}`,
    ...place,
  });
  await ana.page.getByLabel('Pedro is dispatcher').click();
  await ana.page.getByText('Pedro is now viewer, dispatcher.').waitFor();
  // The service knows it within a second, and the page that is open within 15.
  await pedro.page.getByRole('button', { name: 'Handle Bakery' }).waitFor();
  await ana.page.getByRole('button', { name: 'Undo' }).click();
  await ana.page.getByText('Pedro is now viewer.').waitFor();
  expect(await ana.page.getByLabel('Ana is administrator').isDisabled()).toBe(true);
  // Others may not even read who is here.
  await pedro.page.goto('/console/people');
  await pedro.page.getByText('Ask an administrator.').waitFor();
});

test('a person who is added can sign in, and a wrong address is marked at its field', async ({
  browser,
  database,
  acting,
  fleet,
}) => {
  const { page } = await openAs(browser, database, acting, {
    name: 'Ana',
    roles: ['administrator'],
    organizationNo: fleet.organizationNo,
    path: 'people',
    locale: 'es-MX',
  });
  await page.getByLabel('Nombre').fill('Marta Olvera');
  await page.getByLabel('Correo electrónico').fill('marta@gas');
  await page.getByRole('button', { name: 'Agregar a esta persona' }).click();
  await page.getByText('Esto no es una dirección de correo.').waitFor();
  await page.getByLabel('Correo electrónico').fill('marta@gas.example');
  await page.getByRole('button', { name: 'Agregar a esta persona' }).click();
  await page.getByText('Marta Olvera ya puede entrar, con esta dirección.').waitFor();
  const { rows } = await database.owner.query<{ roles: string[] }>('select roles from contacts where email = $1', [
    'marta@gas.example',
  ]);
  expect(rows).toEqual([{ roles: ['dispatcher'] }]);
});

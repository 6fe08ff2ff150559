import { expect } from 'vitest';
import { givenWorker } from '../support/events.ts';
import { givenContact, givenOrganization } from '../support/fleet.ts';
import { startMailbox } from '../support/mailbox.ts';
import { mailSettings } from '../support/mails.ts';
import { openAs, test } from './act_test.ts';

test('an administrator gives a role and takes it back, but cannot change their own role', async ({
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
  // The service applies the role within a second, and an open page within 15 seconds.
  await pedro.page.getByRole('button', { name: 'Handle Bakery' }).waitFor();
  await ana.page.getByRole('button', { name: 'Undo' }).click();
  await ana.page.getByText('Pedro is now viewer.').waitFor();
  expect(await ana.page.getByLabel('Ana is administrator').isDisabled()).toBe(true);
  // Other people may not read this list.
  await pedro.page.goto('/console/people');
  await pedro.page.getByText('Ask an administrator.').waitFor();
});

test('a person who is added is invited and signs in with the link, and a wrong address is marked at its field', async ({
  browser,
  database,
  acting,
  open,
}) => {
  const { page } = await open({ name: 'Ana', roles: ['administrator'], path: 'people', locale: 'es-MX' });
  await page.getByLabel('Nombre').fill('Marta Olvera');
  await page.getByLabel('Correo electrónico').fill('marta@gas');
  await page.getByRole('button', { name: 'Agregar e invitar' }).click();
  await page.getByText('Esto no es una dirección de correo.').waitFor();
  await page.getByLabel('Correo electrónico').fill('marta@gas.example');
  await page.getByLabel('Idioma de los correos').selectOption('en');
  await page.getByRole('button', { name: 'Agregar e invitar' }).click();
  await page.getByText('Un correo con un enlace va en camino a Marta Olvera.').waitFor();
  await page.getByText(/con invitación desde .*, aún no ha entrado/).waitFor();
  await page.getByRole('button', { name: 'Invitar a Marta Olvera' }).waitFor();
  const { rows } = await database.owner.query('select roles, language from contacts where email = $1', [
    'marta@gas.example',
  ]);
  expect(rows).toEqual([{ roles: ['dispatcher'], language: 'en' }]);

  const mailbox = await startMailbox();
  await givenWorker(database, { ...mailSettings(mailbox.url), PUBLIC_URL: acting.url });
  await expect.poll(() => mailbox.of('marta@gas.example').length, { interval: 100, timeout: 30_000 }).toBe(1);
  const link = /http:\S+\/session\/links\/\S+/.exec(mailbox.of('marta@gas.example')[0]?.text ?? '')?.[0] ?? '';
  const context = await browser.newContext({ locale: 'es-MX' });
  const marta = await context.newPage();
  await marta.goto(link);
  await marta.getByRole('button', { name: 'Sign in' }).click();
  // The console has the language that the administrator has chosen, not that of the browser.
  await marta.getByRole('link', { name: 'Today', exact: true }).first().waitFor();
  await context.close();
});

test('an address that another person has and an organization with too many people are told apart', async ({
  browser,
  database,
  acting,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  await givenContact(database.operator, organizationNo, { email: 'pedro@gas.example', types: [], digest_at: null });
  const { page } = await openAs(browser, database, acting, {
    name: 'Ana',
    roles: ['administrator'],
    path: 'people',
    organizationNo,
  });
  const add = async (email: string): Promise<void> => {
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('button', { name: 'Add and invite' }).click();
  };
  await add('pedro@gas.example');
  await page.getByText('Not saved: another person has this address.').waitFor();
  await database.owner.query(
    `insert into contacts (id, organization_no, email, types)
     select gen_random_uuid(), $1, 'person' || n || '@gas.example', '{}' from generate_series(1, 500) as n`,
    [organizationNo],
  );
  await add('marta@gas.example');
  await page.getByText('Not saved: your organization has too many people and addresses').waitFor();
  expect(await page.getByText('another person has this address').count()).toBe(0);
});

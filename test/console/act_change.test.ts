import { expect } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { updateContact } from '../../src/mail/contacts.ts';
import { loseAnswers, signInAgain, storedNotes, test } from './act_test.ts';

const NOTES = /\/manage\/v1\/tanks\/[^/]+\/notes$/;
const UNKNOWN = 'We do not know yet whether this was saved.';

test('a note whose answer gets lost is stored once, however often the person asks', async ({
  database,
  fleet,
  open,
}) => {
  const { page } = await open({ name: 'Ana', roles: ['dispatcher'], path: `tanks/${fleet.house.id}` });
  const lost = await loseAnswers(page, NOTES);
  await page.getByRole('button', { name: 'Write a note' }).click();
  await page.getByLabel('New note').fill('Gate code 4711');
  await page.getByRole('button', { name: 'Add the note' }).click();
  await page.getByText(UNKNOWN).waitFor();
  // Nothing is shown as done, and the form cannot be sent as a second note.
  expect(await page.locator('.note-list li').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Add the note' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Ask again' }).click();
  await expect.poll(() => lost.keys.length).toBe(2);
  await page.getByText(UNKNOWN).waitFor();
  await lost.stop();
  await page.getByRole('button', { name: 'Ask again' }).click();
  await page.locator('.note-list').getByText('Gate code 4711').waitFor();
  expect(new Set(lost.keys).size).toBe(1);
  expect(await storedNotes(database, fleet.house.no)).toEqual(['Gate code 4711']);
});

test('after a reload, a note whose answer got lost is stored once', async ({ database, fleet, open }) => {
  const { page } = await open({ name: 'Ana', roles: ['dispatcher'], path: `tanks/${fleet.garage.id}` });
  const lost = await loseAnswers(page, NOTES);
  await page.getByRole('button', { name: 'Write a note' }).click();
  await page.getByLabel('New note').fill('Friendly dog');
  await page.getByRole('button', { name: 'Add the note' }).click();
  await page.getByText(UNKNOWN).waitFor();
  await lost.stop();
  await page.reload();
  await page.locator('.left-change', { hasText: 'Note on Garage: saved.' }).waitFor();
  expect(await storedNotes(database, fleet.garage.no)).toEqual(['Friendly dog']);
  expect(await page.evaluate('Object.keys(sessionStorage).length')).toBe(0);
});

test('a change without an answer counts as unknown after 15 seconds', async ({ fleet, open }) => {
  const { page } = await open({ name: 'Ana', roles: ['dispatcher'], path: `tanks/${fleet.hotel.id}` });
  await page.route(NOTES, (route) => (route.request().method() === 'POST' ? undefined : route.continue()));
  await page.getByRole('button', { name: 'Write a note' }).click();
  await page.getByLabel('New note').fill('Ring twice');
  await page.clock.install();
  await page.getByRole('button', { name: 'Add the note' }).click();
  await page.getByText('Saving …').waitFor();
  await page.clock.fastForward(14_000);
  expect(await page.getByText(UNKNOWN).count()).toBe(0);
  await page.clock.fastForward(1_500);
  await page.getByText(UNKNOWN).waitFor();
});

test('a change that the service could not answer is sent again with the same key', async ({ fleet, open }) => {
  const { page } = await open({ name: 'Ana', roles: ['dispatcher'], path: `tanks/${fleet.workshop.id}` });
  const keys: (string | null)[] = [];
  await page.route(NOTES, async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    keys.push(await route.request().headerValue('idempotency-key'));
    const problem = { type: 'about:blank', status: 503, code: 'unavailable', detail: 'Others changed the same data.' };
    return keys.length === 1
      ? route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) })
      : route.continue();
  });
  await page.getByRole('button', { name: 'Write a note' }).click();
  await page.getByLabel('New note').fill('Key at the neighbour');
  await page.getByRole('button', { name: 'Add the note' }).click();
  await page.getByText(UNKNOWN).waitFor();
  expect(await page.getByLabel('New note').inputValue()).toBe('Key at the neighbour');
  await page.getByRole('button', { name: 'Ask again' }).click();
  await page.locator('.note-list').getByText('Key at the neighbour').waitFor();
  expect(keys[1]).toBe(keys[0]);
});

test('errors stand at their field, and a person who lost the role reads whom to ask, in Spanish', async ({
  database,
  fleet,
  open,
}) => {
  const { page, contactId } = await open({
    name: 'Ana',
    roles: ['dispatcher'],
    path: `tanks/${fleet.bakery.id}`,
    locale: 'es-MX',
  });
  await page.getByRole('button', { name: 'Escribir una nota' }).click();
  await page.getByRole('button', { name: 'Agregar la nota' }).click();
  const field = page.getByLabel('Nota nueva');
  await page.getByText('Escriba de 1 a 2,000 caracteres.').waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  await transaction(database.operator, (tx) =>
    updateContact(operatorChange(tx, fleet.organizationNo), contactId, { roles: ['viewer'] }),
  );
  await field.fill('Perro amigable');
  await page.getByRole('button', { name: 'Agregar la nota' }).click();
  await page.getByText('Pregunte a un administrador.').waitFor();
  expect(await storedNotes(database, fleet.bakery.no)).toEqual([]);
});

test('a note that was saved after the session had ended is stored after the sign-in', async ({
  database,
  acting,
  fleet,
  open,
}) => {
  const { page, contactId } = await open({ name: 'Ana', roles: ['dispatcher'], path: `tanks/${fleet.bakery.id}` });
  await page.getByRole('button', { name: 'Write a note' }).click();
  await page.getByLabel('New note').fill('Blue door');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Add the note' }).click();
  await page.getByText('Your session ended.').waitFor();
  expect(await storedNotes(database, fleet.bakery.no)).toEqual([]);
  await signInAgain(page, database, acting, contactId);
  await page.locator('.left-change', { hasText: 'Note on Bakery: saved.' }).waitFor();
  expect(await storedNotes(database, fleet.bakery.no)).toEqual(['Blue door']);
});

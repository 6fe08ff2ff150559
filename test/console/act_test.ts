import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startApi } from '../../engines/api.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import type { ConsoleRole } from '../../src/keys/console_roles.ts';
import { addContact } from '../../src/mail/contacts.ts';
import { manageSettings } from '../support/manage.ts';
import { givenSession } from '../support/sessions.ts';
import type { TestDatabase } from '../support/test.ts';
import { addSession, test as base, type OpenConsole, openWithSession } from './console_test.ts';

/** Opens the console as a person of the organization of the fleet. */
type Open = (person: Omit<PersonOptions, 'organizationNo'>) => Promise<ActingPerson>;

/** The console of an installation in which people can change something. */
export const test = base.extend<{ $file: { acting: { url: string } }; $test: { open: Open } }>({
  acting: [
    async ({ database }, use) => {
      const running = await startApi(database.urls.api, manageSettings(database));
      await use(running);
      await running.close();
    },
    { scope: 'file' },
  ],
  open: async ({ browser, database, acting, fleet: { organizationNo } }, use) =>
    use((person) => openAs(browser, database, acting, { ...person, organizationNo })),
});

export interface ActingPerson extends OpenConsole {
  contactId: string;
}

interface PersonOptions extends BrowserContextOptions {
  name: string;
  roles: readonly ConsoleRole[];
  organizationNo: number;
  path?: string;
}

/** Opens the console as a new person with these roles, in a browser profile of their own. */
export async function openAs(
  browser: Browser,
  database: TestDatabase,
  api: { url: string },
  { name, roles, organizationNo, path = '', ...options }: PersonOptions,
): Promise<ActingPerson> {
  const { id: contactId } = await transaction(database.operator, (tx) =>
    addContact(operatorChange(tx, organizationNo), { email: `${randomUUID()}@example.com`, types: [], name, roles }),
  );
  const { text } = await givenSession(database, { contactId });
  const opened = await openWithSession(browser, api, text, { path, ...options });
  return { ...opened, contactId };
}

/** The person of this page signs in again, and the page is reloaded. */
export async function signInAgain(
  page: Page,
  database: TestDatabase,
  api: { url: string },
  contactId: string,
): Promise<void> {
  await addSession(page, api, (await givenSession(database, { contactId })).text);
  await page.reload();
}

/** The notes of a tank as they are stored. */
export async function storedNotes({ owner }: TestDatabase, tankNo: number): Promise<string[]> {
  const { rows } = await owner.query<{ text: string }>(
    'select text from tank_notes where tank_no = $1 and deleted_at is null order by no',
    [tankNo],
  );
  return rows.map(({ text }) => text);
}

/** Changes on this path reach the service, but their answers get lost. Returns the idempotency keys that were sent. */
export async function loseAnswers(page: Page, path: RegExp): Promise<{ keys: string[]; stop: () => Promise<void> }> {
  const keys: string[] = [];
  await page.route(path, async (route) => {
    const request = route.request();
    if (request.method() === 'GET') return route.continue();
    keys.push((await request.headerValue('idempotency-key')) ?? '');
    await route.fetch();
    return route.abort('connectionreset');
  });
  return { keys, stop: () => page.unroute(path) };
}

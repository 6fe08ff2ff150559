import { expect } from 'vitest';
import { givenContact } from '../support/fleet.ts';
import { isWhole } from '../support/whole_tests.ts';
import { openAs, test } from './act_test.ts';

const whole = test.runIf(isWhole('console/act_mails'));

whole(
  'an administrator changes who gets which mails, another one sees it, and the audit log names both',
  async ({ browser, database, acting, fleet }) => {
    const place = { organizationNo: fleet.organizationNo, path: 'mails', roles: ['administrator'] as const };
    const ana = await openAs(browser, database, acting, { name: 'Ana', ...place });
    const watcher = await openAs(browser, database, acting, { name: 'Pedro', ...place });
    const form = ana.page.getByRole('form', { name: 'Add an address' });
    await ana.page.getByText('Nobody gets emails about losses.').waitFor();
    await form.getByLabel('Email address').fill('night@gas');
    await form.getByRole('button', { name: 'Add the address' }).click();
    await form.getByText('This is not an email address.').waitFor();
    await form.getByLabel('Email address').fill('night@gas.example');
    await form.getByLabel('Name').fill('Night shift');
    await form.getByLabel('Digest').selectOption('07:00');
    await form.getByRole('button', { name: 'Add the address' }).click();
    await ana.page.getByText('Night shift gets emails now.').waitFor();
    await ana.page.getByText('Nobody gets emails about losses.').waitFor({ state: 'detached' });

    const stored = async () =>
      (
        await database.owner.query<{ types: string[]; digest: string | null }>(
          `select types, to_char(digest_at, 'HH24:MI') as digest from contacts where email = 'night@gas.example'`,
        )
      ).rows[0];
    expect(await stored()).toEqual({ types: ['tank.low_fill', 'tank.rapid_loss'], digest: '07:00' });
    const silent = watcher.page.getByLabel('Device silent, to Night shift');
    await silent.waitFor();
    await ana.page.getByLabel('Device silent, to Night shift').click();
    await ana.page.getByText('The emails to Night shift are changed.').waitFor();
    await expect.poll(() => silent.isChecked()).toBe(true);
    await ana.page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => silent.isChecked()).toBe(false);
    await watcher.page.getByLabel('Daily digest to Night shift').selectOption('');
    await expect.poll(async () => (await stored())?.digest).toBe(null);

    // A removal erases the address, so it has to be typed as a confirmation.
    const row = watcher.page.locator('tbody', { hasText: 'night@gas.example' });
    await row.getByRole('button', { name: 'Remove night@gas.example …' }).click();
    await row.getByRole('button', { name: 'Remove', exact: true }).click();
    await row.getByText('This is not night@gas.example.').waitFor();
    await row.getByLabel('To remove it for good, type night@gas.example').fill('night@gas.example');
    await row.getByRole('button', { name: 'Remove', exact: true }).click();
    await watcher.page.getByText('Night shift is removed.').waitFor();
    await ana.page.getByText('Nobody gets emails about losses.').waitFor();

    await ana.page.getByRole('link', { name: 'who changed what' }).click();
    const entries = ana.page.locator('.audit-table tbody tr');
    await entries.filter({ hasText: 'Pedro removed a person.' }).waitFor();
    await entries.filter({ hasText: 'Ana changed' }).first().waitFor();
    expect(ana.faults).toEqual([]);
    expect(watcher.faults).toEqual([]);
  },
);

whole(
  'two administrators who change the same address do not overwrite each other',
  async ({ browser, database, acting, fleet }) => {
    await givenContact(database.operator, fleet.organizationNo, {
      email: 'desk@gas.example',
      types: ['tank.rapid_loss'],
    });
    const place = { organizationNo: fleet.organizationNo, path: 'mails', roles: ['administrator'] as const };
    const ana = await openAs(browser, database, acting, { name: 'Ana', ...place });
    const low = ana.page.getByLabel('Low, to desk@gas.example', { exact: true });
    await low.waitFor();
    // Ana's page no longer receives changes.
    await ana.page.route(/\/manage\/v1\/contacts$/, (route) => route.abort());
    const pedro = await openAs(browser, database, acting, { name: 'Pedro', ...place });
    await pedro.page.getByLabel('Refilled, to desk@gas.example').click();
    await pedro.page.getByText('The emails to desk@gas.example are changed.').waitFor();
    await low.click();
    await ana.page.getByText(/Pedro changed this at/).waitFor();
    await ana.page.unroute(/\/manage\/v1\/contacts$/);
    await ana.page.getByText(/The stored value is Losing gas, Refilled; digest none\./).waitFor();
    await ana.page.getByRole('button', { name: 'Keep the stored value' }).click();
    await expect.poll(() => ana.page.getByLabel('Refilled, to desk@gas.example').isChecked()).toBe(true);
    expect(await low.isChecked()).toBe(false);
  },
);

test('a dispatcher sees the contacts, and must ask an administrator to change who gets mails', async ({ open }) => {
  const { page } = await open({ name: 'Vera', roles: ['dispatcher'], path: 'settings' });
  const contacts = page.locator('section', { has: page.getByRole('heading', { name: 'Contacts' }) });
  await contacts.getByText('To change this, ask an administrator.').waitFor();
  await page.goto('/console/mails');
  await page.getByText('Ask an administrator.').waitFor();
  await page.goto('/console/audit');
  await page.getByText('Ask an administrator.').waitFor();
});

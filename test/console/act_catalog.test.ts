import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { givenCustomer, givenTank } from '../support/fleet.ts';
import { signInAgain, test } from './act_test.ts';
import { findBarriersInThemes, overflow } from './barriers.ts';

const administrator = { name: 'Ana', roles: ['administrator'] } as const;

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const form = (page: Page, name: string) => page.getByRole('form', { name, exact: true });
const fill = async (page: Page, formName: string, values: Readonly<Record<string, string>>): Promise<void> => {
  for (const [label, value] of Object.entries(values))
    await form(page, formName).getByLabel(label, { exact: true }).fill(value);
};

test('an administrator adds a customer and a tank, and changes the tank', async ({ database, fleet, open }) => {
  const { page, faults } = await open({ ...administrator, path: 'customers' });
  await button(page, 'New customer').click();
  await button(page, 'Add the customer').click();
  await page.getByText('Write a name.').waitFor();
  await page.getByText('This is not an email address.').waitFor();
  await fill(page, 'New customer', {
    Name: 'Church Street Foods',
    'Your key': '10413',
    Email: 'office@churchstreet.example',
    Phone: '+1 802 555 0142',
  });
  await button(page, 'Add the customer').click();
  await page.getByRole('heading', { name: 'Church Street Foods', level: 1 }).waitFor();
  await page.getByText('This customer has no tank.').waitFor();

  await button(page, 'New tank').click();
  const newTank = 'New tank of Church Street Foods';
  await fill(page, newTank, { Name: 'Greenhouse', Size: 'large', 'Place on the map': 'north', Street: 'Church St' });
  await button(page, 'Add the tank').click();
  await page.locator('.act-field.bad', { hasText: 'Size' }).waitFor();
  await page.getByText('Write latitude and longitude, such as', { exact: false }).waitFor();
  await fill(page, newTank, {
    Size: '1,275',
    'House number': '52',
    Town: 'Burlington',
    'Place on the map': '44.4759, -73.2121',
    'Number of the device': 'LDDS04-7',
  });
  await button(page, 'Add the tank').click();
  await page.getByRole('link', { name: 'Greenhouse' }).first().click();
  await page.getByText('LDDS04-7').first().waitFor();
  const stored = async () =>
    (
      await database.owner.query<object>(
        `select t.name, t.capacity, t.capacity_unit, t.latitude, t.street, t.assigned_device_id, c.external_key, c.phone
         from tanks t join customers c on c.no = t.owner_no where c.organization_no = $1 and c.external_key = '10413'`,
        [fleet.organizationNo],
      )
    ).rows;
  expect(await stored()).toEqual([
    {
      name: 'Greenhouse',
      capacity: 1_275,
      capacity_unit: 'liters',
      latitude: 44.4759,
      street: 'Church St',
      assigned_device_id: 'LDDS04-7',
      external_key: '10413',
      phone: '+1 802 555 0142',
    },
  ]);

  await button(page, 'Edit').click();
  const orderAt = 'Order at and below, in %';
  await fill(page, 'Edit Greenhouse', { Name: 'Boiler house', 'Low at and below, in %': '30', [orderAt]: '30' });
  await button(page, 'Save').click();
  await page.locator('.act-field.bad', { hasText: orderAt }).waitFor();
  await fill(page, 'Edit Greenhouse', { [orderAt]: '45' });
  await button(page, 'Save').click();
  await page.getByRole('heading', { name: /Boiler house/, level: 1 }).waitFor();
  await page.getByText('To order at and below 45%.').waitFor();
  expect(faults).toEqual([]);
});

test('Escape and an ended session keep what was typed in a form, and Cancel clears it', async ({
  database,
  acting,
  open,
}) => {
  const { page, contactId } = await open({ ...administrator, path: 'customers' });
  const opener = button(page, 'New customer');
  await opener.press('Enter');
  const name = form(page, 'New customer').getByLabel('Name', { exact: true });
  await expect.poll(() => name.evaluate('document.activeElement.type')).toBe('text');
  await page.keyboard.type('Half a name');
  await page.keyboard.press('Escape');
  expect(await form(page, 'New customer').count()).toBe(0);
  expect(await opener.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  await opener.press('Enter');
  expect(await name.inputValue()).toBe('Half a name');

  // The session ends while the person types, and later at the moment of saving.
  const endSessions = () =>
    database.owner.query(
      'update sessions set ended_at = now() where contact_no = (select no from contacts where id = $1)',
      [contactId],
    );
  await endSessions();
  await page.reload();
  await page.locator('.sign-in').waitFor();
  await signInAgain(page, database, acting, contactId);
  expect(await name.inputValue()).toBe('Half a name');
  await form(page, 'New customer').getByLabel('Email', { exact: true }).fill('half@example.com');
  await endSessions();
  await button(page, 'Add the customer').click();
  await page.locator('.sign-in').waitFor();
  await signInAgain(page, database, acting, contactId);
  await page.locator('.left-change', { hasText: 'Customer Half a name: saved.' }).waitFor();
  await expect.poll(() => form(page, 'New customer').count()).toBe(0);
  await page.getByRole('link', { name: 'Half a name' }).waitFor();
  const { rows } = await database.owner.query(`select from customers where name = 'Half a name'`);
  expect(rows).toHaveLength(1);

  await opener.press('Enter');
  expect(await name.inputValue()).toBe('');
  await name.fill('Never');
  await button(page, 'Cancel').click();
  await opener.press('Enter');
  expect(await name.inputValue()).toBe('');
});

test('of two people who edit a customer, the second to save sees the change of the first, and loses nothing', async ({
  database,
  fleet,
  open,
}) => {
  const customer = await givenCustomer(database.operator, fleet.organizationNo, { name: 'Hill Farm', phone: '1' });
  const path = `customers/${customer.id}`;
  const { page } = await open({ ...administrator, path });
  const pedro = await open({ ...administrator, name: 'Pedro', path });
  for (const editor of [page, pedro.page]) await button(editor, 'Edit').click();
  await fill(page, 'Edit Hill Farm', { Name: 'Hill Farm & Sons' });
  await fill(pedro.page, 'Edit Hill Farm', { Phone: '+1 802 555 0177' });
  await button(pedro.page, 'Save').click();
  await pedro.page.getByRole('link', { name: '+1 802 555 0177' }).waitFor();
  await button(page, 'Save').click();
  await page
    .getByText(/Pedro changed this at .* Phone is now “\+1 802 555 0177”\. What you typed is still here\./)
    .waitFor();
  expect(await form(page, 'Edit Hill Farm').getByLabel('Name', { exact: true }).inputValue()).toBe('Hill Farm & Sons');
  await button(page, 'Use my value').click();
  await page.getByRole('heading', { name: 'Hill Farm & Sons', level: 1 }).waitFor();
  await page.getByRole('link', { name: '+1 802 555 0177' }).waitFor();
});

test('giving a tank away and deleting a tank or a customer show the consequences first', async ({
  database,
  fleet,
  open,
}) => {
  const { operator, owner } = database;
  const old = await givenCustomer(operator, fleet.organizationNo, { name: 'Old Owner' });
  const next = await givenCustomer(operator, fleet.organizationNo, { name: 'Next Owner' });
  const tank = await givenTank(operator, fleet.organizationNo, old.no, { name: 'Barn' });
  await owner.query(
    `insert into tank_notes (id, organization_no, tank_no, text, prints) values (gen_random_uuid(), $1, $2, 'Gate code', true)`,
    [fleet.organizationNo, tank.no],
  );
  await fleet.ingester.ingestReadings(
    [1, 2, 3].map((hours) => ({ tankNo: tank.no, atMs: Date.now() - hours * 3_600_000, fillPercentage: 50 })),
  );
  const { page, faults } = await open({ ...administrator, path: `tanks/${tank.id}` });
  // A tank is given away only after it was read, because its etag is sent.
  const held = Promise.withResolvers<void>();
  const read = `**/manage/v1/tanks/${tank.id}`;
  await page.route(read, async (route) => {
    await held.promise;
    await route.continue();
  });
  await Promise.all([page.waitForRequest(read), button(page, 'Give to another customer …').click()]);
  expect(await button(page, 'Give the tank').count()).toBe(0);
  held.resolve();
  await page.getByLabel('Name, number, phone or email of the new owner').fill('next own');
  await page.getByLabel('Next Owner').check();
  await page.getByText('Next Owner sees the tank with all its readings', { exact: false }).waitFor();
  await page.getByText('Old Owner no longer sees it', { exact: false }).waitFor();
  await button(page, 'Give the tank').click();
  await page.locator('.facts').getByRole('link', { name: 'Next Owner' }).waitFor();

  await button(page, 'Delete …').click();
  await page.getByText('3 readings are erased, with all events.').waitFor();
  await page.getByText('1 note is erased.').waitFor();
  await button(page, 'Remove').click();
  await page.getByText('This is not Barn.').waitFor();
  await page.getByLabel('To remove it for good, type Barn').fill('Barn');
  await button(page, 'Remove').click();
  await page.waitForURL(`**/console/customers/${next.id}`);
  await page.getByText('This customer has no tank.').waitFor();

  await givenTank(operator, fleet.organizationNo, next.no, { name: 'Shed' });
  await page.reload();
  await button(page, 'Delete …').click();
  await page.getByText('1 tank is deleted.').waitFor();
  await page.getByLabel('To remove it for good, type Next Owner').fill('Next Owner');
  await button(page, 'Remove').click();
  await page.waitForURL('**/console/customers');
  const { rows } = await owner.query('select from tanks where owner_no = $1 and deleted_at is null', [next.no]);
  expect(rows).toEqual([]);
  expect(faults).toEqual([]);
});

test('a possible duplicate is shown while typing, and never blocks', async ({ database, fleet, open }) => {
  const known = await givenCustomer(database.operator, fleet.organizationNo, {
    name: 'Riverside Laundry',
    phone: '+1 802 555 0199',
  });
  await givenTank(database.operator, fleet.organizationNo, known.no, { street: 'River Road', street_number: '7' });
  const { page, faults } = await open({ ...administrator, path: 'customers' });
  await button(page, 'New customer').click();
  await fill(page, 'New customer', { Name: 'Riverside Laundy', Email: 'twin@example.com', Phone: '802-555-0199' });
  const hint = page.locator('.similar li', { hasText: 'Riverside Laundry' });
  await hint.getByText('same phone, similar name').waitFor();
  expect(await hint.getByRole('link').getAttribute('href')).toBe(`/console/customers/${known.id}`);
  await button(page, 'Add the customer').click();
  await page.getByRole('heading', { name: 'Riverside Laundy', level: 1 }).waitFor();
  await button(page, 'New tank').click();
  await fill(page, 'New tank of Riverside Laundy', { Street: 'River Rd', 'House number': '7' });
  await page.locator('.similar li', { hasText: 'a tank at the same address' }).waitFor();
  expect(faults).toEqual([]);
});

test('a viewer and a dispatcher have no buttons for customers and tanks', async ({ fleet, open }) => {
  for (const role of ['viewer', 'dispatcher'] as const) {
    const { page } = await open({ name: 'Vera', roles: [role], path: 'customers' });
    const names = /^(New customer|New tank|Edit|Delete …|Give to another customer …)$/;
    for (const path of ['customers', `customers/${fleet.maria.id}`, `tanks/${fleet.hotel.id}`]) {
      await page.goto(`/console/${path}`);
      await page.locator('h1').waitFor();
      await page.waitForLoadState('networkidle');
      expect([role, path, await page.getByRole('button', { name: names }).count()]).toEqual([role, path, 0]);
    }
  }
});

test.for([
  { width: 1440, locale: 'en-US', names: ['Edit', 'New tank', 'Delete …'] },
  { width: 390, locale: 'es-MX', names: ['Editar', 'Tanque nuevo', 'Eliminar …'] },
])(
  'the forms have no serious barrier and fit ($width px, $locale)',
  async ({ width, locale, names }, { fleet, open }) => {
    const { page } = await open({
      ...administrator,
      path: `customers/${fleet.maria.id}`,
      viewport: { width, height: 900 },
      locale,
      bypassCSP: true,
    });
    for (const name of names) {
      await button(page, name).click();
      await page.locator('.panel.opened form').waitFor();
      expect([await findBarriersInThemes(page, name), await overflow(page)]).toEqual([[], 0]);
      await page.keyboard.press('Escape');
      await expect.poll(() => page.locator('.panel.opened').count()).toBe(0);
    }
  },
);

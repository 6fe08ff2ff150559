import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { addContact } from '../../src/mail/contacts.ts';
import { givenCustomer, givenOrganization, givenTank } from '../support/fleet.ts';
import { openAs, test } from './act_test.ts';
import { findBarriers, overflow } from './barriers.ts';

/** The states of the steps, in their order. */
const states = (page: Page): Promise<string[]> => page.locator('.first-day .state').allInnerTexts();

test('the first day leads from step to step by what is stored, and never says that all is well', async ({
  browser,
  database,
  acting,
}) => {
  const { operator, writer } = database;
  const organizationNo = await givenOrganization(operator);
  const { page, faults } = await openAs(browser, database, acting, {
    name: 'Ana',
    roles: ['administrator'],
    organizationNo,
  });
  await page.getByRole('heading', { name: 'Six steps until your tanks are watched' }).waitFor();
  await page.getByText('Nobody is warned yet').waitFor();
  expect(await states(page)).toEqual(['Done', 'Open', 'Next', 'Open', 'Open', 'Open']);
  expect(await page.locator('.first-day a.button').allInnerTexts()).toEqual(['Add a customer']);
  expect(await page.getByText('No tank needs attention now.').count()).toBe(0);
  expect(await findBarriers(page, 'first day')).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await overflow(page)).toBe(0);

  const { no: ownerNo } = await givenCustomer(operator, organizationNo);
  const tank = await givenTank(operator, organizationNo, ownerNo);
  await page.reload();
  await expect.poll(() => states(page)).toEqual(['Done', 'Open', 'Done', 'Next', 'Open', 'Open']);
  const { page: viewed } = await openAs(browser, database, acting, { name: 'Vic', roles: ['viewer'], organizationNo });
  await viewed.getByText('An administrator of your organization can do this.').waitFor();
  expect(await viewed.locator('.first-day a').count()).toBe(0);

  // The list of tanks replaces the steps. What is still open and dangerous stays as one line.
  await new BatchIngester(writer).ingestReadings([{ tankNo: tank.no, atMs: Date.now(), fillPercentage: 70 }]);
  await page.reload();
  await page.getByText('A loss of gas reaches nobody by mail.').waitFor();
  expect(await page.locator('.first-day').count()).toBe(0);
  await transaction(operator, (tx) =>
    addContact(operatorChange(tx, organizationNo), { email: 'night@example.com', types: ['tank.rapid_loss'] }),
  );
  await page.reload();
  await page.getByText('No tank needs attention now.').waitFor();
  expect(await page.getByText('A loss of gas reaches nobody by mail.').count()).toBe(0);
  expect(faults).toEqual([]);
  for (const one of [page, viewed]) await one.context().close();
});

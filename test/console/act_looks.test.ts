import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { givenContact } from '../support/fleet.ts';
import { isWhole } from '../support/whole_tests.ts';
import { openAs, test } from './act_test.ts';
import { findBarriersInThemes, layoutFaults } from './barriers.ts';
import type { givenConsoleFleet } from './console_fleet.ts';

type Fleet = Awaited<ReturnType<typeof givenConsoleFleet>>;

interface State {
  name: string;
  path: (fleet: Fleet) => string;
  ready: string;
  act?: (page: Page) => Promise<unknown>;
}

const click = (page: Page, element: string): Promise<void> => page.locator(element).first().click();

/** The forms and pages in which people change something, also with an error at a field. */
const STATES: readonly State[] = [
  {
    name: 'handle',
    path: () => '',
    ready: '#low tr[data-tank]',
    act: async (page) => {
      // On a phone only a loss has a button in its row.
      if (!(await page.locator('#low .c-act button').first().isVisible())) return;
      await click(page, '#low .c-act button');
      await click(page, '.handle-row input[type=checkbox]');
      await click(page, '.handle-row button[type=submit]');
      await page.locator('.handle-row .field-problem').first().waitFor();
    },
  },
  {
    name: 'tank',
    path: ({ bakery }) => `tanks/${bakery.id}`,
    ready: '.act-grid .notes',
    act: async (page) => {
      await click(page, '.no-print > .button.primary');
      await click(page, '.notes .panel-head button');
      await click(page, '.notes button[type=submit]');
      await click(page, '[aria-labelledby=threshold] button');
      await page.locator('[aria-labelledby=threshold] input').first().fill('135');
      await click(page, '[aria-labelledby=mute] button');
    },
  },
  { name: 'commission', path: () => 'commission', ready: '.step input' },
  {
    name: 'device',
    path: ({ bakery }) => `commission/${bakery.id}`,
    ready: '.step form',
    act: async (page) => {
      await page.locator('.step input[type=text]').fill('x'.repeat(65));
      await click(page, '.step button[type=submit]');
      await page.locator('.step .field-problem').waitFor();
    },
  },
  {
    name: 'dial',
    path: ({ bakery }) => `commission/${bakery.id}?put=1&step=dial`,
    ready: '.step form',
    act: (page) => page.locator('.step input[type=text]').fill('90'),
  },
  {
    name: 'shape',
    path: ({ bakery }) => `commission/${bakery.id}?put=1&measures=distance&step=shape`,
    ready: '.step form',
    act: async (page) => {
      await page.locator('.shape-grid input').first().check();
      await page.locator('.tile-row input').first().check();
    },
  },
  {
    name: 'mount',
    path: ({ bakery }) => `commission/${bakery.id}?put=1&measures=distance&step=mount`,
    ready: '.tank-picture',
    act: (page) => page.locator('.tile-row input').first().check(),
  },
  { name: 'calibration', path: ({ bakery }) => `commission/${bakery.id}/calibration`, ready: '.commission .button' },
  {
    name: 'people',
    path: () => 'people',
    ready: '.people-list li',
    act: (page) => click(page, '[aria-labelledby=invite] button[type=submit]'),
  },
  {
    name: 'mails',
    path: () => 'mails',
    ready: '.mail-table tbody',
    act: async (page) => {
      await click(page, '.mail-table .remove button');
      await click(page, '.removal button[type=submit]');
      await page.locator('.removal .field-problem').waitFor();
    },
  },
  {
    name: 'webhooks',
    path: () => 'webhooks',
    ready: '[aria-labelledby=new-webhook] input',
    act: async (page) => {
      const form = page.locator('form[aria-labelledby=new-webhook]');
      await form.locator('input[type=url]').fill('https://erp.example.com/tankwatch');
      await form.locator('button[type=submit]').click();
      await page.locator('.secret').waitFor();
      await page.locator('.webhook [aria-expanded]').first().click();
      await form.locator('input[type=radio]').last().check();
      await form.locator('button[type=submit]').click();
      await form.locator('.field-problem').waitFor();
    },
  },
  { name: 'audit', path: () => 'audit', ready: '.audit-table tbody tr' },
];

async function checkState(page: Page, name: string, widths: readonly number[]): Promise<string[]> {
  const found = await findBarriersInThemes(page, name);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    for (const fault of await layoutFaults(page)) found.push(`${name} at ${width} px ${fault}`);
  }
  return found;
}

const LOOKS = [
  { width: 390, locale: 'es-MX', widths: [390, 320] },
  { width: 1280, locale: 'en-US', widths: [1440, 1280, 1024, 768] },
];

test.for(LOOKS.slice(0, isWhole('console/act_looks') ? undefined : 1))(
  'no form has a serious barrier or scrolls sideways, light and dark ($width px, $locale)',
  async (look, { browser, database, acting, fleet }) => {
    const { width, locale, widths } = look;
    await givenContact(database.operator, fleet.organizationNo, {
      email: `night.shift.${width}@gas.example`,
      types: ['tank.rapid_loss'],
    });
    const { page, faults } = await openAs(browser, database, acting, {
      name: 'Ana',
      roles: ['administrator', 'dispatcher', 'technician'],
      organizationNo: fleet.organizationNo,
      viewport: { width, height: 800 },
      locale,
      bypassCSP: true, // the checker is injected as a script, which the policy of the console forbids
      colorScheme: 'light',
    });
    const found: string[] = [];
    for (const { name, path, ready, act } of STATES) {
      await page.goto(`/console/${path(fleet)}`);
      await page.locator(ready).first().waitFor();
      await act?.(page);
      found.push(...(await checkState(page, name, widths)));
      await page.setViewportSize({ width, height: 800 });
    }
    expect(found).toEqual([]);
    // The service refuses the device of the form.
    expect(faults.filter((fault) => !fault.includes('422'))).toEqual([]);
  },
);

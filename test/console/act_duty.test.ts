import { expect } from 'vitest';
import { PROVIDER_SECRET } from '../../engines/text_provider.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { deriveApiSecretsKey } from '../../src/values/api_secrets_key.ts';
import { givenProvider, makeLosing } from '../support/duty.ts';
import { givenWorker, lowFillOf, record, SECRETS_KEY } from '../support/events.ts';
import { givenManageApi } from '../support/manage.ts';
import { openAs, test } from './act_test.ts';

const soon = { timeout: 30_000 };

test('an administrator sets up texts, verifies a number and plans a week; a loss then sends texts and is handled', async ({
  browser,
  database,
  fleet: { organizationNo, house, maria },
}) => {
  const port = await freePort();
  const api = await givenManageApi(database, {
    API_PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    API_SECRETS_KEY: deriveApiSecretsKey(SECRETS_KEY),
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  });
  await givenWorker(database, { PUBLIC_URL: api.url });
  const provider = await givenProvider();
  const ana = await openAs(browser, database, api, {
    name: 'Ana',
    organizationNo,
    path: 'duty',
    roles: ['administrator'],
  });
  const { page } = ana;
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  await page.getByText(/^There is no plan yet/).waitFor();

  await button('Set up texts').click();
  const channel = page.getByRole('form', { name: 'Texts' });
  await channel.getByLabel('Provider').selectOption('gateway');
  await channel.getByLabel(/^Sender/).fill('Duty');
  await channel.getByLabel('Address of the gateway').fill(`${provider.url}/send`);
  await channel.getByLabel('Token').fill(PROVIDER_SECRET);
  await channel.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Sent through Another gateway as Duty. 0 of at most 200 today.').waitFor();
  expect(await page.content()).not.toContain(PROVIDER_SECRET);

  await button('Change how Ana is reached').click();
  const reach = page.getByRole('form', { name: 'Change how Ana is reached' });
  await reach.getByLabel(/^Phone/).fill('802 555');
  await reach.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Write + and the country code first, then digits only.').waitFor();
  await reach.getByLabel(/^Phone/).fill('+1 (802) 555-0111');
  await reach.getByLabel('Quiet from').fill('22:00');
  await reach.getByLabel('Quiet until').fill('06:00');
  await reach.getByRole('button', { name: 'Save' }).click();
  await page.getByText('+18025550111, not verified').waitFor();
  await expect.poll(() => provider.texts.length, soon).toBe(1);
  const code = /\d{6}/.exec(provider.texts[0]?.text ?? '')?.[0] ?? '';
  await page.getByLabel('Code of the text', { exact: true }).fill(code === '000000' ? '111111' : '000000');
  await button('Verify').click();
  await page.getByText('This is not the code.').waitFor();
  const setTries = (tries: number) =>
    database.owner.query('update contact_reach set code_tries = $2 where organization_no = $1', [
      organizationNo,
      tries,
    ]);
  await setTries(5);
  await page.getByLabel('Code of the text', { exact: true }).fill(code);
  await button('Verify').click();
  await page.getByText('The code has expired or was tried too often. Send another one.').waitFor();
  await setTries(0);
  await page.getByLabel('Code of the text', { exact: true }).fill(code);
  await button('Verify').click();
  await button('Send a test to Ana').click();
  // The text with the code is also shown as delivered.
  await expect.poll(() => provider.texts.length, soon).toBe(2);
  await page.getByText(/^delivered, /).waitFor();
  await database.owner.query(
    `insert into texts (organization_no, contact_no, purpose, status)
     select $1, no, 'test', 'canceled' from contact_reach, generate_series(1, 10) where organization_no = $1`,
    [organizationNo],
  );
  await button('Send a test to Ana').click();
  await page.getByText('Ten texts were sent to this person today. Try again tomorrow.').waitFor();
  await database.owner.query(`delete from texts where organization_no = $1 and status = 'canceled'`, [organizationNo]);
  await page.getByText('10:00 PM to 6:00 AM').waitFor();

  await button('Change the weekly plan').click();
  const weekly = page.getByRole('form', { name: 'Weekly plan' });
  const shift = (number: number) => weekly.getByRole('group', { name: `Shift ${number}` });
  await shift(1).getByLabel('On duty').selectOption('Ana');
  await weekly.getByRole('button', { name: 'Add a shift' }).click();
  await shift(2).getByLabel('On duty').selectOption('Ana');
  await weekly.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^Not saved\. Shifts must not overlap/).waitFor();
  await shift(2).getByLabel('From').fill('19:00');
  await shift(2).getByLabel('To').fill('07:00');
  await weekly.getByRole('button', { name: 'Save' }).click();
  await weekly.waitFor({ state: 'detached' });

  // The weekend of the next week is in the future on every day of this week.
  const heading = page.locator('.week-head h2');
  const thisWeek = await heading.textContent();
  await button('Next week').click();
  await expect.poll(() => heading.textContent(), soon).not.toBe(thisWeek);
  await button(/^Monday, .* 7:00 AM to 7:00 PM: Ana$/).waitFor();
  await button(/^Choose who is on duty Saturday/).click();
  const exception = page.getByRole('form', { name: /^Saturday/ });
  await exception.getByLabel('On duty').selectOption('Ana');
  await exception.getByRole('button', { name: 'Save' }).click();
  await button(/^Saturday, .*7:00 AM to Monday, .*7:00 AM: Ana, exception$/).waitFor();
  await button('Repeat this week …').click();
  await weekly.getByText(/^These are the shifts of the week shown/).waitFor();
  await weekly.getByRole('button', { name: 'Save' }).click();
  await button(/^Sunday, .*7:00 AM to 7:00 AM: Ana$/).waitFor();
  await button(/^This week$/).click();

  await page.locator('.panel', { hasText: 'Steps for a loss' }).getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('Minutes until the person on duty is told').fill('0');
  await page.getByLabel('Minutes from then until the next one is told').fill('60');
  await page.getByRole('form', { name: 'Steps for a loss' }).getByRole('button', { name: 'Save' }).click();
  await page.getByText('60 min', { exact: true }).waitFor();

  await makeLosing(database, { tank: house });
  const occurredAt = new Date().toISOString();
  await record(
    database,
    lowFillOf(
      { organizationNo, tank: house, customer: maria },
      {
        type: 'tank.rapid_loss',
        occurredAt,
        data: { from_percentage: 64, to_percentage: 34, hours: 9, lost_volume: 150, volume_unit: 'liters' },
        readings: [{ created_at: occurredAt, fill_percentage: 34 }],
      },
    ),
  );
  await page.getByRole('heading', { name: 'Loss at House.' }).waitFor();
  await page.locator('.duty-run .ladder', { hasText: 'Text to Ana' }).waitFor();
  await button('Tell all now').click();
  await expect.poll(() => page.locator('.duty-run .ladder li', { hasText: 'Text to Ana' }).count(), soon).toBe(2);
  await button('Handle House').click();
  await page.getByRole('form', { name: /House/ }).getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^Somebody has been handling it since/).waitFor();
  // The browser reports the code, the text and the plan that were refused.
  expect(ana.faults).toEqual(['409', '409', '422'].map((status) => expect.stringContaining(status)));

  const kim = await openAs(browser, database, api, {
    name: 'Kim',
    organizationNo,
    path: 'duty',
    roles: ['dispatcher'],
  });
  await kim.page.getByRole('heading', { name: 'Loss at House.' }).waitFor();
  expect(await kim.page.getByRole('button', { name: 'Change the weekly plan' }).count()).toBe(0);
  expect(await kim.page.content()).not.toContain('+18025550111');
  expect(kim.faults).toEqual([]);
});

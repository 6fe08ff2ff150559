import { expect } from 'vitest';
import { startCloud, startOtodata } from '../../engines/clouds.ts';
import { deriveApiSecretsKey } from '../../src/values/api_secrets_key.ts';
import { connectorEnvironment, givenConnectorRole, SECRETS_KEY } from '../support/connectors.ts';
import { givenManageApi } from '../support/manage.ts';
import { untilTestEnds } from '../support/test.ts';
import { openAs, test } from './act_test.ts';

test('an administrator adds a source, which is tried first, starts it, sees why it fails, pauses and removes it', async ({
  browser,
  database,
  fleet,
}) => {
  const api = await givenManageApi(database, {
    API_SECRETS_KEY: deriveApiSecretsKey(SECRETS_KEY),
    CONNECTOR_ALLOW_HTTP: 'true',
    CONNECTOR_ALLOW_PRIVATE: 'true',
  });
  const atMs = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000;
  const cloud = await untilTestEnds(
    startOtodata({
      readings: () => ['20008447', '20008448'].map((device) => ({ device, atMs, level: 0.5 })),
    }),
  );
  await givenConnectorRole(connectorEnvironment(database));
  const { organizationNo } = fleet;
  const ana = await openAs(browser, database, api, {
    name: 'Ana',
    organizationNo,
    path: 'sources',
    roles: ['administrator'],
  });
  const { page } = ana;
  const settings = {
    url: `${cloud.url}/tanklevels?startDateUtc={from}&endDateUtc={to}&page={page}`,
    profile: 'otodata-neevo',
    header: { name: 'Authorization', value: 'Bearer {secret}' },
    pages: { first: 0, size: 10_000 },
    requests_per_minute: 6_000,
  };

  await page.getByRole('radio', { name: /Any address that responds with JSON/ }).check();
  await page.getByRole('button', { name: 'Add and try' }).click();
  await page.getByText('Write a name.').waitFor();
  await page.getByLabel('Name').fill('Branch');
  await page.getByLabel('Settings (JSON)').fill(JSON.stringify(settings));
  await page.getByLabel('Key or password').fill('otodata-key');
  await page.getByRole('button', { name: 'Add and try' }).click();
  await page.getByText(/Works \(.*\): 2 devices found\./).waitFor();
  await page.getByText('0 on tanks, 2 not. Nothing is stored yet.').waitFor();
  await page.getByText(/^paused since/).waitFor();
  expect(await page.content()).not.toContain('otodata-key');

  await page.getByRole('button', { name: 'Start Branch' }).click();
  await page.getByText(/^works, last success/).waitFor();
  await page.getByText(/^Last 24 hours: [12] with a success, 0 with failures only, 0 readings\.$/).waitFor();

  cloud.secret = 'another key';
  await page.getByRole('button', { name: 'Try Branch now' }).click();
  await page.getByText(/^Does not work \(.*\): It refuses the key\.$/).waitFor();
  // The next poll is refused as well.
  await database.owner.query('update connector_states set next_attempt_at = now()');
  await page.getByText(/the key has been refused since/).waitFor();
  await page.getByRole('button', { name: 'Change Branch' }).click();
  await page.getByRole('form', { name: 'Change Branch' }).getByLabel('Key or password').fill('another key');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^works, last success/).waitFor();

  await page.getByRole('button', { name: 'Pause Branch' }).click();
  await page.getByText(/^paused since/).waitFor();
  await page.getByRole('button', { name: 'Remove Branch' }).click();
  await page
    .getByRole('form', { name: /Branch/ })
    .getByRole('textbox')
    .fill('Branch');
  await page
    .getByRole('form', { name: /Branch/ })
    .getByRole('button')
    .first()
    .click();
  await page.getByText('There are no sources yet.').waitFor();

  // The next source is a file of temperatures.
  const file = await untilTestEnds(startCloud('', {}, () => Buffer.from('station,date,mean\nQRO,2026-01-05,11.5\n')));
  await page.getByRole('radio', { name: /Weather from a CSV file/ }).check();
  await page.getByLabel('Name').fill('Weather');
  await page.getByRole('textbox', { name: 'Address' }).fill(`${file.url}/temperatures.csv`);
  await page.getByRole('button', { name: 'Add and try' }).click();
  await page.getByText(/Works \(.*\): 1 daily temperature\./).waitFor();
  await page.getByRole('button', { name: 'Start Weather' }).click();
  await page.getByText('0 tanks, 1 place').waitFor();
  expect(ana.faults).toEqual([]);
});

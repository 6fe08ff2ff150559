import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { startReceiver } from '../../engines/webhook_receiver.ts';
import { deriveApiSecretsKey } from '../../src/values/api_secrets_key.ts';
import { givenWorker, lowFillOf, record, SECRETS_KEY } from '../support/events.ts';
import { soon } from '../support/mails.ts';
import { givenManageApi } from '../support/manage.ts';
import { untilTestEnds } from '../support/test.ts';
import { openAs, test } from './act_test.ts';

test('an administrator adds a webhook, tests it, rotates its secret, sends an event again and turns it off', async ({
  browser,
  database,
  fleet,
}) => {
  const api = await givenManageApi(database, {
    API_SECRETS_KEY: deriveApiSecretsKey(SECRETS_KEY),
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  });
  const receiver = await untilTestEnds(startReceiver());
  await givenWorker(database);
  const { host } = new URL(receiver.url);
  const place = { organizationNo: fleet.organizationNo, path: 'webhooks', roles: ['administrator'] as const };
  const ana = await openAs(browser, database, api, { name: 'Ana', ...place });
  const watcher = await openAs(browser, database, api, { name: 'Pedro', ...place });
  const { page } = ana;

  await page.getByLabel('Address (https)').fill('erp.example.com');
  await page.getByRole('button', { name: 'Add the webhook' }).click();
  await page.getByText('Write an address that begins with https://.').waitFor();
  await page.getByLabel('Address (https)').fill(receiver.url);
  await page.getByRole('button', { name: 'Add the webhook' }).click();
  await page.getByRole('heading', { name: `The secret of ${host}` }).waitFor();
  const secret = await page.locator('.secret code').innerText();
  await page.getByRole('button', { name: 'I have saved it' }).click();
  expect(await page.locator('main').innerText()).not.toContain(secret);
  expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain(secret);

  await page.getByRole('button', { name: `Send a test to ${host}` }).click();
  await page.getByText(/Test of .* accepted with 204 after \d+ ms\./).waitFor();
  await watcher.page.getByText(/Test of .* accepted with 204/).waitFor();

  const [eventId] = await record(
    database,
    lowFillOf({ organizationNo: fleet.organizationNo, customer: fleet.maria, tank: fleet.hotel }),
  );
  await expect.poll(() => receiver.received.length, soon).toBe(2);
  await page.getByRole('button', { name: `New secret for ${host}` }).click();
  await page.getByText(/The old secret stays valid until/).waitFor();
  const newSecret = await page.locator('.secret code').innerText();
  await page.getByRole('button', { name: `Messages sent to ${host}` }).click();
  await page.getByRole('button', { name: /^Send again: Low,/ }).click();
  await page.getByText('1 event is sent again.').waitFor();
  await expect.poll(() => receiver.received.length, soon).toBe(3);
  const { body = '', headers = {} } = receiver.received.at(-1) ?? {};
  for (const valid of [secret, newSecret])
    expect(new Webhook(valid).verify(body, headers as Record<string, string>)).toMatchObject({ data: { id: eventId } });

  await page.getByRole('button', { name: `Turn off ${host}` }).click();
  await watcher.page.getByText(/^disabled since .*an operator disabled it/).waitFor();
  await watcher.page.getByRole('button', { name: `Turn on ${host}` }).click();
  await page.getByRole('button', { name: `Turn off ${host}` }).waitFor();
  expect(ana.faults).toEqual([]);
});

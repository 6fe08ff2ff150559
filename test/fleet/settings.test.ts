import { expect } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { addContact } from '../../src/mail/contacts.ts';
import { createEndpoint, disableEndpoint } from '../../src/webhooks/endpoints.ts';
import { givenCustomer, givenKey, givenOrganization, givenTanks } from '../support/fleet.ts';
import { test } from '../support/test.ts';

const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

test('the settings have thresholds, contacts and webhooks, and no secret in any form', async ({ database, api }) => {
  const { operator, owner } = database;
  const organizationNo = await givenOrganization(operator);
  const customer = await givenCustomer(operator, organizationNo);
  await givenTanks(operator, organizationNo, customer.no, [{}, {}, { min_fill_alert_percentage: 35 }]);
  const url = 'https://erp.example.com:8443/hooks/token-of-the-path?key=token-of-the-query';
  const { contact, endpoint } = await transaction(operator, async (tx) => ({
    contact: await addContact(operatorChange(tx, organizationNo), {
      email: 'dispatch@example.com',
      types: ['tank.rapid_loss'],
      digest_at: '07:00',
      roles: ['dispatcher'],
      name: 'Ana',
    }),
    endpoint: await createEndpoint(tx, organizationNo, { url, types: ['tank.low_fill'] }, SECRETS_KEY),
  }));
  const { rows } = await owner.query<{ no: number; secret: string }>(
    'select no, secret from webhook_endpoints where id = $1',
    [endpoint.id],
  );
  const [{ no, secret } = { no: 0, secret: '' }] = rows;
  await transaction(operator, (tx) => disableEndpoint(tx, no, 'gone'));

  const { text: key } = await givenKey(operator, { organizationNo });
  const { text, json } = await api.call('/fleet/v1/settings', { key });
  expect(json.thresholds).toEqual([
    { min_fill_alert_percentage: 20, tanks: 2 },
    { min_fill_alert_percentage: 35, tanks: 1 },
  ]);
  expect(json.contacts).toEqual([
    {
      id: contact.id,
      email: 'dispatch@example.com',
      types: ['tank.rapid_loss'],
      digest_at: '07:00',
      has_console: true,
      name: 'Ana',
      roles: ['dispatcher'],
    },
  ]);
  expect(json.webhooks).toEqual([
    {
      id: endpoint.id,
      host: 'erp.example.com:8443',
      types: ['tank.low_fill'],
      failing_since: null,
      disabled_at: expect.any(String),
      disabled_because: 'gone',
    },
  ]);
  for (const hidden of [secret, endpoint.secret, 'token-of-the-path', 'token-of-the-query', 'secret']) {
    expect(text).not.toContain(hidden);
  }
  expect(text).toContain('a0t');
});

test('the api role cannot read the tables behind the settings', async ({ database }) => {
  for (const table of ['webhook_endpoints', 'contacts']) {
    await expect(database.api.query(`select * from ${table}`)).rejects.toThrow('permission denied');
  }
});

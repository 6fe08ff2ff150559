import { expect } from 'vitest';
import { givenCustomer, givenOrganization } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { newAddress, TestBrowser, test } from '../support/sign_in.ts';
import { writeTable } from './situation.ts';

test('the answer to a wrong key says what may be wrong and what to do', async ({ service }) => {
  const { status, json } = await callApi(service.url, '/v1/tanks', { key: 'a0wrong000000' });
  expect([status, json.detail]).toEqual([
    401,
    'This API key is malformed, unknown, expired or revoked. Check that it is complete, or ask for a new one.',
  ]);
  await writeTable(['GET', '/v1/tanks'], json.detail, 'This API key');
});

test('the page of an expired sign-in link explains it and links to a new sign-in', async ({ database, service }) => {
  const email = newAddress('owner');
  await givenCustomer(database.operator, await givenOrganization(database.operator), { email, is_verified: true });
  const browser = new TestBrowser(service.url);
  await browser.ask(email);
  const { link } = await service.mail(email);
  await database.owner.query(
    `update sign_ins set created_at = created_at - interval '16 minutes', expires_at = now() where address = $1`,
    [email],
  );
  const { status, text } = await browser.press(link);
  expect([status, text]).toEqual([410, expect.stringContaining('This link was used already or has expired.')]);
  expect(text).toContain('<a href="/console/">Sign in again</a>');
  await writeTable(['POST', '/session/links/...'], text, 'This link was used already');
});

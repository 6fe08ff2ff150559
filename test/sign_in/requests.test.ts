import { expect } from 'vitest';
import { givenCustomer, givenOrganization } from '../support/fleet.ts';
import { untilNoJobIsDue } from '../support/mails.ts';
import { givenDispatcher, newAddress, TestBrowser, test } from '../support/sign_in.ts';
import type { TestDatabase } from '../support/test.ts';

async function givenOwner({ operator }: TestDatabase): Promise<{ email: string; organizationNo: number }> {
  const organizationNo = await givenOrganization(operator);
  const email = newAddress('owner');
  await givenCustomer(operator, organizationNo, { email, is_verified: true });
  return { email, organizationNo };
}

const otherThan = (code: string): string => String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0');

test('a code has eight digits, and can be typed with a space', async ({ database, service }) => {
  const { email } = await givenOwner(database);
  const browser = new TestBrowser(service.url);
  await browser.ask(email);
  const { mail, code } = await service.mail(email);
  expect(mail.text.replaceAll('\r', '')).toMatch(/^\d{8}$/m);
  expect((await browser.type(`${code.slice(0, 4)} ${code.slice(4)}`)).status).toBe(204);
});

test('a code is checked only against the newest request of the browser, so that many requests do not help to guess', async ({
  database,
  service,
}) => {
  const [first, second] = [await givenOwner(database), await givenOwner(database)];
  const browser = new TestBrowser(service.url);
  await browser.ask(first.email);
  const older = await service.mail(first.email);
  await browser.ask(second.email);
  const newer = await service.mail(second.email);
  expect((await browser.type(older.code)).json).toMatchObject({
    status: 401,
    detail: expect.stringContaining('newest mail. Tries left: 4.'),
  });
  const { rows } = await database.owner.query(
    'select address, wrong_codes from sign_ins where address = any ($1) order by no',
    [[first.email, second.email]],
  );
  expect(rows).toEqual([
    { address: first.email, wrong_codes: 0 },
    { address: second.email, wrong_codes: 1 },
  ]);
  expect((await browser.type(newer.code)).status).toBe(204);
  // The link of the older mail is still valid, because it is checked against its own request.
  expect((await new TestBrowser(service.url).press(older.link)).status).toBe(303);
});

test('a wrong code gets the same answer if somebody has signed in with the address meanwhile', async ({
  database,
  service,
}) => {
  const ways: Record<string, (email: string, link: string) => Promise<number>> = {
    nobody: async () => 0,
    'the code of another request': async (email) => {
      const browser = new TestBrowser(service.url);
      await browser.ask(email);
      return (await browser.type((await service.mail(email, 2)).code)).status;
    },
    'the link of this request': async (_email, link) => (await new TestBrowser(service.url).press(link)).status,
  };
  const answers = [];
  for (const [way, signIn] of Object.entries(ways)) {
    const { email } = await givenOwner(database);
    const stranger = new TestBrowser(service.url);
    await stranger.ask(email);
    const { code, link } = await service.mail(email);
    expect([way, [0, 204, 303].includes(await signIn(email, link))]).toEqual([way, true]);
    const seen = [];
    for (let n = 0; n < 6; n++) {
      const { status, json } = await stranger.type(otherThan(code));
      seen.push([status, json.detail]);
    }
    answers.push(seen);
  }
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[2]).toEqual(answers[0]);
});

test('an address gets at most 10 mails a day, and further requests are answered as before', async ({
  database,
  service,
}) => {
  const { email } = await givenOwner(database);
  const answers = [];
  for (let n = 0; n < 12; n++) {
    const browser = new TestBrowser(service.url);
    const asked = await browser.ask(email);
    await untilNoJobIsDue(database);
    const typed = await browser.type('00000000');
    answers.push([asked.status, asked.text, typed.status, typed.json.detail]);
    await database.owner.query(
      `update sign_ins set created_at = created_at - interval '16 minutes' where address = $1`,
      [email],
    );
  }
  expect(service.mailsTo(email)).toHaveLength(10);
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
});

test('a browser that asks for a second mail before it chooses can still choose', async ({ database, service }) => {
  const { email, organizationNo } = await givenOwner(database);
  await givenDispatcher(database, organizationNo, email);
  const browser = new TestBrowser(service.url);
  await browser.ask(email);
  const { data } = (await browser.type((await service.mail(email)).code)).json;
  await browser.ask(email);
  expect((await browser.choose(data[0].id)).status).toBe(204);
  expect(await browser.status()).toBe(200);
});

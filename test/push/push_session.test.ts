import { expect } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { holdNotifications, readOpenHold } from '../../src/worker/holds.ts';
import { givenOrganization } from '../support/fleet.ts';
import { newSubscription } from '../support/push.ts';
import { givenDispatcher, signInByMail, test } from '../support/sign_in.ts';
import type { TestDatabase } from '../support/test.ts';

const soon = { interval: 50 };

/** Holds notifications, so that nothing is sent to the addresses of these tests. */
const hold = ({ operator }: TestDatabase) =>
  transaction(operator, async (tx) => {
    if ((await readOpenHold(tx)) === undefined) await holdNotifications(tx, 'test', false);
  });

interface State {
  public_key: string;
  browsers: { id: string; name: string }[];
}

test('a person turns notifications of a browser on and off, and signing out turns them off', async ({
  database,
  service,
}) => {
  await hold(database);
  const organizationNo = await givenOrganization(database.operator);
  const email = await givenDispatcher(database, organizationNo);
  const [phone, desk] = [await signInByMail(service, email), await signInByMail(service, email)];
  const stateOf = async (): Promise<State> => (await desk.call('/session/push')).json;
  expect(await stateOf()).toMatchObject({ browsers: [], public_key: expect.stringMatching(/^[\w-]{87}$/) });
  const subscription = newSubscription();
  const stored = await phone.call('/session/push', { json: subscription });
  expect(stored.status).toBe(201);
  const { id } = stored.json;
  // If the same browser is stored again, it keeps its row.
  expect((await phone.call('/session/push', { json: subscription })).json).toMatchObject({ id });
  expect((await phone.call('/session/push', { json: { ...subscription, id } })).json).toMatchObject({ id });
  expect((await desk.call('/session/push', { json: newSubscription() })).status).toBe(201);
  expect((await stateOf()).browsers).toMatchObject([{ id, name: 'Chrome, Android' }, {}]);
  const chosen = { by_push: false, low_by: ['text', 'push'], other_by: ['push'] };
  expect(
    (await phone.call('/session/push', { method: 'PUT', json: { ...chosen, low_by: ['push', 'text'] } })).status,
  ).toBe(204);
  expect(await stateOf()).toMatchObject(chosen);
  expect((await phone.call('/session/push', { method: 'PUT', json: { ...chosen, low_by: ['call'] } })).status).toBe(
    400,
  );
  const { rows } = await database.owner.query(
    `select actor from audit_log where organization_no = $1 and object = 'contact' order by no desc limit 1`,
    [organizationNo],
  );
  expect(rows[0]?.actor).toMatch(/^contact /);
  expect((await phone.call('/session', { method: 'DELETE' })).status).toBe(204);
  expect((await stateOf()).browsers).toHaveLength(1);
  const [own] = (await stateOf()).browsers;
  expect((await desk.call(`/session/push/${own?.id}/test`, { method: 'POST' })).status).toBe(202);
  expect((await desk.call(`/session/push/${own?.id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await stateOf()).browsers).toEqual([]);
  // A page that is still open in the removed browser does not store it again.
  expect((await desk.call('/session/push', { json: { ...newSubscription(), id: own?.id } })).status).toBe(404);
  expect((await stateOf()).browsers).toEqual([]);
  expect((await desk.call(`/session/push/${own?.id}/test`, { method: 'POST' })).status).toBe(404);
});

test('a person has at most ten browsers and ten tests a day, and cannot change the browsers of another person', async ({
  database,
  service,
}) => {
  await hold(database);
  const organizationNo = await givenOrganization(database.operator);
  const [mine, other] = [
    await signInByMail(service, await givenDispatcher(database, organizationNo)),
    await signInByMail(service, await givenDispatcher(database, organizationNo)),
  ];
  const first = newSubscription();
  const { id } = (await mine.call('/session/push', { json: first })).json;
  // A person who knows the address of a browser, but not its keys, cannot take it over.
  expect((await other.call('/session/push', { json: newSubscription(first.endpoint) })).status).toBe(409);
  expect((await other.call(`/session/push/${id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await other.call(`/session/push/${id}/test`, { method: 'POST' })).status).toBe(404);
  expect((await mine.call('/session/push')).json.browsers).toHaveLength(1);
  const tests: number[] = [];
  for (let n = 0; n < 11; n++) tests.push((await mine.call(`/session/push/${id}/test`, { method: 'POST' })).status);
  expect(tests).toEqual([...Array.from({ length: 10 }, () => 202), 409]);
  for (let n = 0; n < 10; n++) expect((await mine.call('/session/push', { json: newSubscription() })).status).toBe(201);
  const { browsers }: State = (await mine.call('/session/push')).json;
  expect(browsers).toHaveLength(10);
  expect(browsers.map((browser) => browser.id)).not.toContain(id);
  // With eleven browsers, the oldest is stored again and so becomes the newest. Another one is deleted.
  const [oldest] = browsers;
  await database.owner.query(
    `insert into push_subscriptions (organization_no, contact_no, session_prefix, endpoint, p256dh, auth, name)
     select organization_no, contact_no, session_prefix, endpoint || '/more', p256dh, auth, name from push_subscriptions where id = $1`,
    [oldest?.id],
  );
  const { rows } = await database.owner.query<{ endpoint: string; p256dh: Buffer; auth: Buffer }>(
    'select endpoint, p256dh, auth from push_subscriptions where id = $1',
    [oldest?.id],
  );
  const again = rows.map(({ endpoint, p256dh, auth }) => ({
    endpoint,
    keys: { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') },
    name: 'Chrome, Android',
  }));
  expect((await mine.call('/session/push', { json: again[0] })).json).toMatchObject({ id: oldest?.id });
  const kept: State = (await mine.call('/session/push')).json;
  expect(kept.browsers).toHaveLength(10);
  expect(kept.browsers.map((browser) => browser.id)).toContain(oldest?.id);
});

test('a browser cannot be stored while its session or the access of its person ends', async ({ database, service }) => {
  await hold(database);
  const organizationNo = await givenOrganization(database.operator);
  const endings = [
    'update sessions set ended_at = now() where contact_no = (select no from contacts where email = $1)',
    `update contacts set roles = '{}' where email = $1`,
    `update contacts set email = 'new.' || email where email = $1`,
  ];
  for (const ending of endings) {
    const email = await givenDispatcher(database, organizationNo);
    const browser = await signInByMail(service, email);
    const tx = await database.owner.connect();
    try {
      await tx.query('begin');
      await tx.query(ending, [email]);
      let isAnswered = false;
      const storing = browser.call('/session/push', { json: newSubscription() }).finally(() => (isAnswered = true));
      const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      const isWaiting = async () =>
        (
          await database.owner.query('select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))', [
            rows[0]?.pid,
          ])
        ).rowCount !== 0;
      await expect.poll(async () => isAnswered || (await isWaiting()), soon).toBe(true);
      await tx.query('commit');
      // On a slow machine, the request may end with 503 before the transaction ends.
      expect([401, 503]).toContain((await storing).status);
    } finally {
      tx.release();
    }
  }
  const stored = await database.owner.query('select from push_subscriptions where organization_no = $1', [
    organizationNo,
  ]);
  expect(stored.rowCount).toBe(0);
});

test('addresses of private networks, without TLS, wrong keys and requests of other sites are refused', async ({
  database,
  service,
}) => {
  await hold(database);
  const organizationNo = await givenOrganization(database.operator);
  const browser = await signInByMail(service, await givenDispatcher(database, organizationNo));
  const statusOf = async (json: object, headers = {}) =>
    (await browser.call('/session/push', { json, headers })).status;
  expect(await statusOf(newSubscription('https://127.0.0.1/wpush/1'))).toBe(400);
  expect(await statusOf(newSubscription('https://[fd00::1]/wpush/1'))).toBe(400);
  expect(await statusOf(newSubscription('http://9.9.9.9/wpush/1'))).toBe(400);
  expect(await statusOf({ ...newSubscription(), keys: { p256dh: 'B'.repeat(87), auth: 'A'.repeat(22) } })).toBe(400);
  expect(await statusOf({ ...newSubscription(), more: true })).toBe(400);
  expect(await statusOf({ ...newSubscription(), name: 'Chrome\u0000' })).toBe(400);
  expect(await statusOf(newSubscription('https://9.9.9.9/wpush/\u0000'))).toBe(400);
  expect(await statusOf(newSubscription(), { origin: 'https://evil.example.com' })).toBe(403);
  expect(await statusOf(newSubscription())).toBe(201);
  expect(service.logs.join('\n')).not.toContain('/wpush/');
});

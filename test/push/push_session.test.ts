import { expect } from 'vitest';
import { newBrowserKeys } from '../../engines/push_service.ts';
import { transaction } from '../../src/db/pool.ts';
import { holdNotifications, readOpenHold } from '../../src/worker/holds.ts';
import { givenOrganization } from '../support/fleet.ts';
import { givenDispatcher, signInByMail, test } from '../support/sign_in.ts';
import type { TestDatabase } from '../support/test.ts';

let serial = 0;
/** A browser of a push service that is reachable from everywhere. Nothing is sent to it here. */
function newSubscription(endpoint = `https://9.9.9.9/wpush/${serial++}`) {
  const { p256dh, auth } = newBrowserKeys();
  const keys = { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') };
  return { endpoint, keys, name: 'Chrome, Android' };
}

/** Nothing is sent to the addresses of these tests. */
const hold = ({ operator }: TestDatabase) =>
  transaction(operator, async (tx) => {
    if ((await readOpenHold(tx)) === undefined) await holdNotifications(tx, 'test', false);
  });

interface State {
  public_key: string;
  browsers: { id: string; name: string }[];
}

test('a person turns notifications on in a browser and off again; signing out does so too', async ({
  database,
  service,
}) => {
  await hold(database);
  const organizationNo = await givenOrganization(database.operator);
  const email = await givenDispatcher(database, organizationNo);
  const [phone, desk] = [await signInByMail(service, email), await signInByMail(service, email)];
  const stateOf = async (): Promise<State> => (await desk.call('/session/push')).json;
  expect(await stateOf()).toMatchObject({ browsers: [], public_key: expect.stringMatching(/^[\w-]{87}$/) });
  const of = newSubscription();
  const stored = await phone.call('/session/push', { json: of });
  expect(stored.status).toBe(201);
  const { id } = stored.json;
  // The same browser again is the same row.
  expect((await phone.call('/session/push', { json: of })).json).toMatchObject({ id });
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
  expect((await desk.call(`/session/push/${own?.id}/test`, { method: 'POST' })).status).toBe(404);
});

test('a person has at most ten browsers and ten tests a day, and nobody touches those of another', async ({
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
  // Who knows the address of a browser, but not its secret, cannot make it their own.
  expect((await other.call('/session/push', { json: newSubscription(first.endpoint) })).status).toBe(401);
  expect((await other.call(`/session/push/${id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await other.call(`/session/push/${id}/test`, { method: 'POST' })).status).toBe(404);
  expect((await mine.call('/session/push')).json.browsers).toHaveLength(1);
  const tests: number[] = [];
  for (let n = 0; n < 11; n++) tests.push((await mine.call(`/session/push/${id}/test`, { method: 'POST' })).status);
  expect(tests).toEqual([...Array.from({ length: 10 }, () => 202), 409]);
  for (let n = 0; n < 10; n++) expect((await mine.call('/session/push', { json: newSubscription() })).status).toBe(201);
  const { browsers }: State = (await mine.call('/session/push')).json;
  expect(browsers).toHaveLength(10);
  expect(browsers.map((one) => one.id)).not.toContain(id);
});

test('addresses of private networks, without TLS, and wrong keys are refused, and so are pages of other sites', async ({
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
  expect(await statusOf(newSubscription(), { origin: 'https://evil.example.com' })).toBe(403);
  expect(await statusOf(newSubscription())).toBe(201);
  expect(service.logs.join('\n')).not.toContain('/wpush/');
});

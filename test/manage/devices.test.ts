import { expect } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { devicePassword } from '../../src/keys/device_password.ts';
import { readDeviceSecret } from '../../src/keys/own_secrets.ts';
import { organizationCodeOf } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import {
  API_SECRETS_KEY,
  CUSTOMER,
  givenManagedOrganization,
  type ManageApi,
  manageSettings,
  TANK,
  test,
} from '../support/manage.ts';

/** Two tanks with the devices `<mark>1` and `<mark>2`. */
async function givenTwoTanks(manage: ManageApi, key: string, mark: string) {
  const { json: owner } = await manage.call(key, 'POST', '/customers', { body: CUSTOMER });
  const create = async (device: string) =>
    (await manage.call(key, 'POST', '/tanks', { body: { ...TANK, owner_id: owner.id, assigned_device_id: device } }))
      .json;
  return { one: await create(`${mark}1`), two: await create(`${mark}2`) };
}

test('a device moves to a tank, and the tank that loses it gets what the request says', async ({
  database,
  manage,
}) => {
  const { key } = await givenManagedOrganization(database);
  const { one, two } = await givenTwoTanks(manage, key, 'M');
  const put = (id: string, body: object, ifMatch?: string) =>
    manage.call(key, 'PUT', `/tanks/${id}/device`, { body, ...(ifMatch === undefined ? {} : { ifMatch }) });
  const devices = async () =>
    Promise.all(
      [one, two].map(async ({ id }) => (await manage.call(key, 'GET', `/tanks/${id}`)).json.assigned_device_id),
    );
  expect((await put(one.id, { device_id: 'M1' })).json.etag).toBe(one.etag);
  const taken = await put(one.id, { device_id: 'M2' });
  expect([taken.status, taken.json.conflicting_id]).toEqual([409, two.id]);
  expect((await put(one.id, { device_id: 'M2', exchange: 'swap' })).status).toBe(200);
  expect(await devices()).toEqual(['M2', 'M1']);
  expect((await put(one.id, { device_id: 'M1', exchange: 'release' }, one.etag)).status).toBe(412);
  expect((await put(one.id, { device_id: 'M1', exchange: { replacement: 'M3' } })).status).toBe(200);
  expect(await devices()).toEqual(['M1', 'M3']);
  expect((await put(one.id, { device_id: 'M3', exchange: 'release', revoke_old: true })).status).toBe(200);
  const [first, second] = await devices();
  expect([first, second]).toEqual(['M3', expect.stringMatching(/^pending-[a-z0-9]{12}$/)]);
  const refused = [
    { device_id: second },
    { device_id: 'M9', exchange: 'sell' },
    { device_id: 'M9', exchange: { replacement: 5 } },
    { device_id: ' ' },
  ];
  for (const body of refused) expect([body, (await put(one.id, body)).status]).toEqual([body, 422]);
  // The device that was taken off is refused by the gateway, and a new password lets it in again.
  const password = (device: string, body: object) =>
    manage.call(key, 'POST', `/devices/${encodeURIComponent(device)}/password`, { body });
  expect((await password('M1', {})).json.detail).toMatch(/^This device is revoked/);
  expect((await password('M1', { rotate: true })).json).toMatchObject({ device_id: 'M1', generation: 2 });
  expect((await password(second, {})).json.code).toBe('conflict');
  expect((await password('never-seen', {})).status).toBe(404);
});

test('devices in store were taken off a tank or reported by a source, and have no input on a tank', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const { one, two } = await givenTwoTanks(manage, key, 'S#');
  const put = (id: string, body: object) => manage.call(key, 'PUT', `/tanks/${id}/device`, { body });
  const inStore = async () => (await manage.call(key, 'GET', '/devices')).json;
  expect(await inStore()).toEqual({ object: 'list', data: [], total: 0 });
  // The second input of the device is still on a tank.
  await put(one.id, { device_id: 'NEW' });
  expect((await inStore()).total).toBe(0);
  await put(two.id, { device_id: 'manual' });
  await put(one.id, { device_id: 'NEWER', revoke_old: true });
  const { rows } = await database.owner.query<{ no: number }>(
    `insert into connectors (id, organization_no, kind, name, settings)
     values (gen_random_uuid(), $1, 'otodata', 'cloud', '{}') returning no`,
    [organizationNo],
  );
  await database.owner.query(
    `insert into connector_devices (connector_no, device_id) values ($1, 'CLOUD'), ($1, 'NEWER')`,
    [rows[0]?.no],
  );
  const { data, total } = await inStore();
  expect(total).toBe(3);
  expect(data).toMatchObject([
    { device_id: 'NEW', heard_at: null, is_revoked: true, last_tank: { id: one.id } },
    { device_id: 'S', is_revoked: false, last_tank: { id: two.id } },
    { device_id: 'CLOUD', heard_at: null, taken_off_at: null, last_tank: null },
  ]);
});

test('the password is the one that the gateway expects, is audited once, and is not in a dry run', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  await givenTwoTanks(manage, key, 'P/');
  const path = '/devices/P%2F1/password';
  expect((await manage.call(key, 'POST', '/devices/%00/password', { body: {} })).status).toBe(404);
  expect((await manage.call(key, 'POST', `${path}?dry_run=true`, { body: {} })).json.password).toBe(null);
  const call = { body: {}, idempotencyKey: 'shown once' };
  const { status, json } = await manage.call(key, 'POST', path, call);
  const code = await organizationCodeOf(database.owner, organizationNo);
  const secrets = { deviceSecrets: [manageSettings(database)['DEVICE_SECRET'] ?? ''], secretsKeys: [] };
  const secret = await readDeviceSecret(database.owner, secrets, { no: organizationNo, code });
  expect([status, json.user_name, json.password]).toEqual([200, `${code}/P/1`, devicePassword(secret, 'P/1', 1)]);
  // A repeated request shows it again, and records nothing.
  expect((await manage.call(key, 'POST', path, call)).json).toEqual(json);
  const { rows: issued } = await database.owner.query(
    `select actor from audit_log where organization_no = $1 and action = 'issue'`,
    [organizationNo],
  );
  expect(issued).toHaveLength(1);
});

test('an api without DEVICE_SECRET shows no passwords', async ({ database, manage }) => {
  const { key } = await givenManagedOrganization(database);
  await givenTwoTanks(manage, key, 'N');
  const running = await startApi(database.urls.api, { MANAGE_DATABASE_URL: database.urls.manager, API_SECRETS_KEY });
  try {
    const { status } = await callApi(running.url, '/manage/v1/devices/N1/password', {
      key,
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'a' },
    });
    expect(status).toBe(404);
  } finally {
    await running.close();
  }
});

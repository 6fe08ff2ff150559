import { writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { startOtodata } from '../../engines/clouds.ts';
import { deriveApiSecretsKey } from '../../src/values/api_secrets_key.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { connectorEnvironment, givenConnectorRole, SECRETS_KEY } from '../support/connectors.ts';
import { organizationCodeOf } from '../support/fleet.ts';
import { givenFolder } from '../support/folder.ts';
import { givenManageApi, givenManagedOrganization, type ManageApi, test } from '../support/manage.ts';
import { type TestDatabase, untilTestEnds } from '../support/test.ts';

async function givenLocalApi(database: TestDatabase, allowsPrivate: boolean): Promise<ManageApi> {
  return givenManageApi(database, {
    API_SECRETS_KEY: deriveApiSecretsKey(SECRETS_KEY),
    CONNECTOR_ALLOW_HTTP: 'true',
    CONNECTOR_ALLOW_PRIVATE: String(allowsPrivate),
  });
}

async function givenCloud() {
  const atMs = Date.now() - 3_600_000;
  return untilTestEnds(
    startOtodata({
      readings: () => ['20008447', '20008448'].map((device) => ({ device, atMs, level: 0.5 })),
      devices: [
        { Id: 20008447, Name: 'Smith', TankName: 'Yard, north', TankNumber: 'T1', CustomerId: 'C-1', Capacity: 500 },
      ],
    }),
  );
}

test('a source is added paused, tried, resumed, changed and removed over HTTP, and its secret is never shown', async ({
  database,
}) => {
  const manage = await givenLocalApi(database, true);
  const { key, organizationNo } = await givenManagedOrganization(database);
  const cloud = await givenCloud();
  await givenConnectorRole(connectorEnvironment(database));
  const body = {
    kind: 'otodata',
    name: 'Otodata',
    settings: { urls: [cloud.url], requests_per_minute: 6_000 },
    secret: 'otodata-key',
    paused: true,
  };
  const dry = await manage.call(key, 'POST', '/connectors?dry_run=true', { body });
  expect([dry.status, dry.json]).toEqual([201, expect.objectContaining({ state: 'paused' })]);
  const created = await manage.call(key, 'POST', '/connectors', { body });
  expect(created.status).toBe(201);
  const { id, etag } = created.json as { id: string; etag: string };
  expect(created.json).toMatchObject({ kind: 'otodata', state: 'paused', has_secret: true, last_try: null });
  expect((await manage.call(key, 'POST', '/connectors', { body })).status).toBe(409);

  expect((await manage.call(key, 'POST', `/connectors/${id}/try`, { body: {} })).status).toBe(202);
  const get = async () => (await manage.call(key, 'GET', `/connectors/${id}`)).json;
  await expect
    .poll(get)
    .toMatchObject({ state: 'paused', last_try: { works: true, devices: 2, devices_on_tanks: 0, readings: 2 } });
  expect(await get()).toMatchObject({ devices: 0 });

  const resumed = await manage.call(key, 'PATCH', `/connectors/${id}`, { body: { paused: false }, ifMatch: etag });
  expect(resumed.status).toBe(200);
  await expect.poll(get).toMatchObject({ state: 'works', devices: 2, tanks: 0 });
  const { rows } = await database.owner.query<{ text: string }>(
    `select c::text || s::text as text from connectors c join connector_states s on s.connector_no = c.no
     where c.organization_no = $1
     union all select a::text from audit_log a where organization_no = $1`,
    [organizationNo],
  );
  expect(rows.map(({ text }) => text).join()).not.toContain('otodata-key');
  expect(JSON.stringify((await manage.call(key, 'GET', '/connectors')).json)).not.toContain('otodata-key');

  const stale = await manage.call(key, 'PATCH', `/connectors/${id}`, { body: { name: 'Other' }, ifMatch: etag });
  expect(stale.status).toBe(412);
  expect((await manage.call(key, 'DELETE', `/connectors/${id}`)).status).toBe(204);
  expect((await manage.call(key, 'GET', `/connectors/${id}`)).status).toBe(404);
  const { rows: left } = await database.owner.query(
    `select from connector_states union all select from connector_devices
     union all select from connectors where sealed_secret is not null or settings <> '{}'`,
  );
  expect(left).toHaveLength(0);
});

test('addresses of private networks and settings that contradict themselves are refused', async ({ database }) => {
  const manage = await givenLocalApi(database, false);
  const { key } = await givenManagedOrganization(database);
  const refusal = async (kind: string, settings: object) => {
    const { status, json } = await manage.call(key, 'POST', '/connectors', { body: { kind, name: 'x', settings } });
    return [status, JSON.stringify(json)];
  };
  for (const url of ['http://127.0.0.1:1/x', 'http://10.1.2.3/x', 'http://169.254.169.254/x', 'http://[::1]/x'])
    expect(await refusal('json', { url, profile: 'otodata-neevo' })).toEqual([
      422,
      expect.stringContaining('private address'),
    ]);
  expect(await refusal('mqtt', { url: 'mqtt://192.168.1.2:1883', topics: [{ filter: '#' }] })).toEqual([
    422,
    expect.stringContaining('private address'),
  ]);
  expect(await refusal('otodata', { urls: ['https://user:pass@example.com'] })).toEqual([
    422,
    expect.stringContaining('user name'),
  ]);
  for (const [settings, problem] of [
    [{ url: 'https://example.com/{page}', profile: 'x' }, 'needs pages'],
    [{ url: 'https://example.com/{from}', profile: 'x' }, 'both {from} and {to}'],
    [{ url: 'https://example.com/', profile: 'x', more: 1 }, 'cannot be used'],
    [{ url: 'https://example.com/', profile: 'x', header: { name: 'X-Key', value: 'k3y' } }, 'must have {secret}'],
    [{ url: 'ftp://example.com/', profile: 'x' }, 'must begin with https://'],
    // Without the braces this is the host example.com, and with an empty value for {m} it is example.co.
    [{ url: 'https://example.co{m}/', profile: 'x' }, 'placeholders only after its host'],
    [
      { url: 'https://example.com/', profile: 'x', devices: { url: 'https:{m}//example.com', path: 'x' } },
      'only after its host',
    ],
  ] as const)
    expect(await refusal('json', settings)).toEqual([422, expect.stringContaining(problem)]);
  for (const url of ['ws://broker.example.com/', 'tcp://broker.example.com/', 'https://broker.example.com/'])
    expect(await refusal('mqtt', { url, topics: [{ filter: '#' }] })).toEqual([
      422,
      expect.stringContaining('must begin with mqtts://'),
    ]);
});

test('commands add, try and list a source, and propose its tanks', async ({ database }) => {
  const { organizationNo } = await givenManagedOrganization(database);
  const organization = await organizationCodeOf(database.owner, organizationNo);
  const cloud = await givenCloud();
  const environment = {
    DATABASE_URL: database.urls.operator,
    SECRETS_KEY,
    CONNECTOR_ALLOW_HTTP: 'true',
    CONNECTOR_ALLOW_PRIVATE: 'true',
  };
  const run = (...args: string[]) => runCommand(['connectors', ...args, '--organization', organization], environment);
  const settings = JSON.stringify({ urls: [cloud.url] });
  const add = ['add', 'Otodata', '--kind', 'otodata', '--settings', settings];
  const refused = await runCommand(['connectors', ...add, '--organization', organization], {
    ...environment,
    CONNECTOR_ALLOW_PRIVATE: 'false',
  });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('CONNECTOR_ALLOW_PRIVATE=true')]);
  const withoutSecret = await run(...add, '--secret-file', '/dev/null');
  expect([withoutSecret.code, withoutSecret.stderr]).toEqual([1, expect.stringContaining('/dev/null is empty')]);
  expect((await run(...add)).code).toBe(0);
  const failed = await run('try', 'otodata');
  expect([failed.code, failed.stdout]).toEqual([1, 'does NOT work: the key is refused (401)\n']);
  await database.owner.query('delete from connector_states');
  await database.owner.query('delete from connectors');
  const folder = await givenFolder();
  await writeFile(`${folder}/key`, 'otodata-key\n');
  expect((await run(...add, '--secret-file', `${folder}/key`)).code).toBe(0);
  expect((await run('try', 'Otodata')).stdout).toBe(
    'works: 2 devices found, 0 of them on tanks, 2 readings; nothing was stored\n',
  );
  expect((await run('devices', 'Otodata', '--csv')).stdout.split('\n')).toEqual([
    'assigned_device_id,owner,customer_name,name,custom_id,capacity,product,street,city,region,postal_code,country',
    '20008447,C-1,Smith,"Yard, north",T1,500,,,,,,',
    '',
  ]);
  expect((await run('pause', 'Otodata')).code).toBe(0);
  expect((await run('list')).stdout).toContain('paused');
  expect((await run('show', 'Otodata')).stdout).not.toContain('otodata-key');
  expect((await run('remove', 'Otodata')).code).toBe(0);
  expect((await run('show', 'Otodata')).stderr).toContain('there is no such connector');
});

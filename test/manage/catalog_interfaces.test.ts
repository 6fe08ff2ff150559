import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Response } from '../support/http.ts';
import { givenInterfaces } from '../support/interfaces.ts';
import { CUSTOMER, TANK, test } from '../support/manage.ts';

const texts = (values: object): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
const options = (values: object): string[] =>
  Object.entries(values).flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, String(value)]);

test('a customer is created and changed over HTTP, in bulk, by file and by command with the same result and audit', async ({
  database,
  manage,
}) => {
  const { call, bulk, importRow, run, lastAudit, organizationNo } = await givenInterfaces(database, manage);
  const storedCustomer = async (externalKey: string) => {
    const { rows } = await database.owner.query<{ no: number; id: string }>(
      `select no, id, email, name, phone, is_verified, verified_at is not null as has_time
       from customers where organization_no = $1 and external_key = $2`,
      [organizationNo, externalKey],
    );
    const [{ no, id, ...values } = { no: 0, id: '' }] = rows;
    return { no, id, values };
  };
  const put = (external_key: string, values: object) => call('PUT', `/customers/external_key/${external_key}`, values);
  const given = { ...CUSTOMER, is_verified: true };
  const creations: Record<string, (external_key: string) => Promise<unknown>> = {
    POST: (external_key) => call('POST', '/customers', { ...given, external_key }),
    PUT: (external_key) => put(external_key, given),
    bulk: (external_key) => bulk('/customers/bulk', { ...given, external_key }),
    import: (external_key) => importRow('customers', texts({ ...given, external_key })),
    command: (external_key) => run('customers', 'create', ...options({ ...given, external_key })),
  };
  for (const [via, create] of Object.entries(creations)) {
    await create(via);
    const { values } = await storedCustomer(via);
    expect([via, values]).toEqual([via, { ...given, phone: null, has_time: true }]);
    expect([via, await lastAudit()]).toMatchObject([via, { object: 'customer', action: 'create' }]);
  }
  // Another address is not verified.
  const email = 'other@example.com';
  const changed = { email, name: CUSTOMER.name };
  const changes: Record<string, (external_key: string, id: string) => Promise<unknown>> = {
    POST: (_, id) => call('PATCH', `/customers/${id}`, { email }),
    PUT: (external_key) => put(external_key, changed),
    bulk: (external_key) => bulk('/customers/bulk', { ...changed, external_key }),
    import: (external_key) => importRow('customers', texts({ ...changed, external_key })),
    command: (external_key) => run('customers', 'update', external_key, '--email', email),
  };
  for (const [via, change] of Object.entries(changes)) {
    await change(via, (await storedCustomer(via)).id);
    const { values } = await storedCustomer(via);
    expect([via, values]).toEqual([via, { ...changed, phone: null, is_verified: false, has_time: false }]);
    const audit = { object: 'customer', action: 'update', fields: 'email is_verified verified_at' };
    expect([via, await lastAudit()]).toEqual([via, audit]);
  }
  // A change without an effect is not recorded.
  const before = await lastAudit();
  expect((await put('PUT', changed)).status).toBe(200);
  expect((await run('customers', 'update', 'command', '--email', email)).code).toBe(0);
  expect(await lastAudit()).toEqual(before);

  const taken = await storedCustomer('PUT');
  const refused = {
    status: 409,
    json: { detail: 'Another customer has this external_key.', conflicting_id: taken.id },
  };
  expect(await call('POST', '/customers', { ...CUSTOMER, external_key: 'PUT' })).toMatchObject(refused);
  const { id } = await storedCustomer('POST');
  expect(await call('PATCH', `/customers/${id}`, { external_key: 'PUT' })).toMatchObject(refused);
  const stderr =
    'tankwatch: another customer has this external_key; find it with the command list --json of customers, tanks, trucks, drivers or depots.\n';
  const withTakenKey = options({ ...CUSTOMER, external_key: 'PUT' });
  expect(await run('customers', 'create', ...withTakenKey)).toMatchObject({ code: 1, stderr });
  expect(await run('customers', 'update', 'POST', '--external-key', 'PUT')).toMatchObject({
    code: 1,
    stderr,
  });

  const { no: ownerNo } = await storedCustomer('command');
  await run('tanks', 'create', '--owner', 'command', ...options(TANK), '--assigned-device-id', 'D1');
  await run('tanks', 'create', '--owner', 'PUT', ...options(TANK), '--assigned-device-id', 'D2');
  const fact = 'his customer still owns 1 tank(s)';
  expect((await run('customers', 'delete', 'command')).stderr).toBe(
    `tankwatch: t${fact}; transfer or delete them first, or delete both with --with-tanks.\n`,
  );
  expect((await call('DELETE', `/customers/${taken.id}`)).json.detail).toBe(
    `T${fact}. Transfer or delete them first, or send with_tanks=true.`,
  );
  await run('customers', 'delete', 'command', '--with-tanks');
  const audit = await lastAudit();
  expect((await call('DELETE', `/customers/${taken.id}?with_tanks=true`)).status).toBe(204);
  expect(await lastAudit()).toEqual(audit);
  const { rows } = await database.owner.query(
    'select count(*)::int as n from tanks where owner_no = any ($1) and deleted_at is not null and assigned_device_id is null',
    [[ownerNo, taken.no]],
  );
  expect(rows).toEqual([{ n: 2 }]);
});

test('an address is verified by is_verified only, with the same time over HTTP, in bulk, by file and by command', async ({
  database,
  manage,
}) => {
  const { call, run, bulk, importRow, organizationNo } = await givenInterfaces(database, manage);
  const external_key = 'C-1';
  const put = (values: object = {}) =>
    call('PUT', `/customers/external_key/${external_key}`, { ...CUSTOMER, ...values });
  const stored = async (): Promise<unknown> =>
    (
      await database.owner.query(
        `select email, name, is_verified, verified_at is not null as has_time
         from customers where organization_no = $1 and external_key = $2`,
        [organizationNo, external_key],
      )
    ).rows[0];
  const time = ['--verified-at', '2026-01-01T00:00:00Z'];
  const refused = { code: 1, stderr: 'tankwatch: --verified-at is given, but is_verified is not true.\n' };
  expect(await run('customers', 'create', ...options(CUSTOMER), ...time)).toMatchObject(refused);
  await put();
  expect(await run('customers', 'update', external_key, ...time)).toMatchObject(refused);
  // A time needs is_verified beside it, also for an address that is verified already.
  await put({ is_verified: true });
  expect(await run('customers', 'update', external_key, ...time)).toMatchObject(refused);
  const row = texts({ ...CUSTOMER, external_key, verified_at: time[1] });
  expect((await importRow('customers', row)).stderr).toContain('is_verified is not true');
  expect(await run('customers', 'update', external_key, ...time, '--is-verified', 'true')).toMatchObject({ code: 0 });
  expect((await importRow('customers', { ...row, is_verified: 'true' })).code).toBe(0);

  // Another address is not verified, also if the time of its verification is deleted.
  const changed = { email: 'other@example.com', name: CUSTOMER.name };
  for (const change of [
    () => run('customers', 'update', external_key, '--email', changed.email, '--verified-at', ''),
    () => importRow('customers', { ...changed, external_key, verified_at: '' }),
  ]) {
    await put({ is_verified: true });
    await change();
    expect(await stored()).toEqual({ ...changed, is_verified: false, has_time: false });
  }

  // An address that is verified already does not get the time of the change.
  await put({ is_verified: true });
  await database.owner.query('update customers set verified_at = null where organization_no = $1', [organizationNo]);
  const given = { ...CUSTOMER, is_verified: true };
  const changes = {
    PUT: (name: string) => put({ ...given, name }),
    bulk: (name: string) => bulk('/customers/bulk', { ...given, name, external_key }),
    import: (name: string) => importRow('customers', texts({ ...given, name, external_key })),
    command: (name: string) => run('customers', 'update', external_key, '--name', name, '--is-verified', 'true'),
  };
  for (const [via, change] of Object.entries(changes)) {
    await change(via);
    expect([via, await stored()]).toEqual([via, { ...given, name: via, has_time: false }]);
  }
});

test('a tank is created, changed and given a device over HTTP, in bulk, by file and by command with the same result', async ({
  database,
  manage,
}) => {
  const { call, bulk, importRow, run, lastAudit } = await givenInterfaces(database, manage);
  const makeOwner = async (external_key: string): Promise<string> =>
    (await call('POST', '/customers', { ...CUSTOMER, external_key })).json.id;
  const owner_id = await makeOwner('C-1');
  const other = await makeOwner('C-2');
  const pathOf = (custom_id: string): string => `/customers/${owner_id}/tanks/custom_id/${custom_id}`;
  const creations: Record<string, (tank: { custom_id: string; assigned_device_id: string }) => Promise<unknown>> = {
    POST: (tank) => call('POST', '/tanks', { ...TANK, ...tank, owner_id: owner_id.toUpperCase() }),
    PUT: ({ custom_id, ...tank }) =>
      call('PUT', pathOf(custom_id), { ...TANK, ...tank, owner_id: owner_id.toUpperCase() }),
    bulk: (tank) => bulk('/tanks/bulk', { ...TANK, ...tank, owner_id: owner_id.toUpperCase() }),
    import: (tank) => importRow('tanks', texts({ ...TANK, ...tank, owner: owner_id.toUpperCase() })),
    command: (tank) => run('tanks', 'create', '--owner', 'C-1', ...options({ ...TANK, ...tank })),
  };
  const ids = new Map<string, string>();
  for (const [via, create] of Object.entries(creations)) {
    await create({ custom_id: via, assigned_device_id: `D-${via}` });
    const { json } = await call('GET', pathOf(via));
    expect([via, json]).toMatchObject([via, { ...TANK, owner_id, custom_id: via, assigned_device_id: `D-${via}` }]);
    expect([via, await lastAudit()]).toMatchObject([via, { object: 'tank', action: 'create' }]);
    ids.set(via, json.id);
  }
  const idOf = (via: string): string => ids.get(via) ?? '';

  // A capacity that no tank has is refused everywhere.
  for (const [via, create] of Object.entries(creations))
    for (const capacity of [1e30, 1_000_000_001, 0.0001]) {
      const tank = { custom_id: 'huge', assigned_device_id: `D-huge-${via}`, capacity };
      expect([via, JSON.stringify(await create(tank))]).toEqual([
        via,
        expect.stringContaining('ust be a number from 0.001 to 1,000,000,000'),
      ]);
      expect((await call('GET', pathOf('huge'))).status).toBe(404);
    }

  // A device that is on another tank is refused.
  const fact = `evice D-POST is already on the tank ${idOf('POST')}`;
  const onOther = { custom_id: 'more', assigned_device_id: 'D-POST' };
  for (const refused of [
    await call('POST', '/tanks', { ...TANK, ...onOther, owner_id }),
    await call('PUT', pathOf('more'), { ...TANK, assigned_device_id: 'D-POST' }),
    await call('PUT', `/tanks/${idOf('PUT')}/device`, { device_id: 'D-POST' }),
  ]) {
    expect(refused).toMatchObject({ status: 409, json: { conflicting_id: idOf('POST') } });
    expect(refused.json.detail).toContain(`D${fact}`);
  }
  const { results } = await bulk('/tanks/bulk', { ...TANK, ...onOther, owner_id });
  expect(results).toMatchObject([{ status: 'refused', errors: [{ param: 'assigned_device_id' }] }]);
  for (const refused of [
    await run('tanks', 'create', '--owner', 'C-1', ...options({ ...TANK, ...onOther })),
    await run('tanks', 'assign-device', idOf('PUT'), 'D-POST'),
  ])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`tankwatch: d${fact}; to move it`)]);

  // A custom_id that another tank of the owner has is refused.
  const taken = { custom_id: 'PUT', assigned_device_id: 'D-more' };
  const takenFact = 'nother tank of this owner has this custom_id';
  const conflict = { status: 409, json: { detail: `A${takenFact}.`, conflicting_id: idOf('PUT') } };
  expect(await call('POST', '/tanks', { ...TANK, ...taken, owner_id })).toMatchObject(conflict);
  expect(await call('PATCH', `/tanks/${idOf('POST')}`, { custom_id: 'PUT' })).toMatchObject(conflict);
  for (const args of [
    ['create', '--owner', 'C-1', ...options({ ...TANK, ...taken })],
    ['update', idOf('POST'), '--custom-id', 'PUT'],
  ])
    expect((await run('tanks', ...args)).stderr).toBe(`tankwatch: a${takenFact}; change one of them first.\n`);

  // A change, a transfer and another device have the same audit entries over HTTP and by command.
  const expectSameAudit = async (
    overHttp: () => Promise<unknown>,
    byCommand: () => Promise<unknown>,
  ): Promise<unknown> => {
    await overHttp();
    const audit = await lastAudit();
    await byCommand();
    expect(await lastAudit()).toEqual(audit);
    return audit;
  };
  const patch = (via: string, values: object) => call('PATCH', `/tanks/${idOf(via)}`, values);
  expect(
    await expectSameAudit(
      () => patch('POST', { capacity: 2000, name: TANK.name }),
      () => run('tanks', 'update', 'D-command', '--capacity', '2000', '--name', TANK.name),
    ),
  ).toEqual({ object: 'tank', action: 'update', fields: 'capacity' });
  expect(
    await expectSameAudit(
      () => patch('POST', { owner_id: other.toUpperCase() }),
      () => run('tanks', 'transfer', 'D-command', '--to', other.toUpperCase()),
    ),
  ).toEqual({ object: 'tank', action: 'update', fields: 'owner_no' });
  await expectSameAudit(
    () => call('PUT', `/tanks/${idOf('POST')}/device`, { device_id: 'E-1' }),
    () => run('tanks', 'assign-device', 'D-command', 'E-2'),
  );
  const placeholder = 'pending-k3x9qa7mfw2c';
  expect((await call('PUT', `/tanks/${idOf('POST')}/device`, { device_id: placeholder })).status).toBe(422);
  expect((await run('tanks', 'assign-device', idOf('POST'), placeholder)).stderr).toBe(
    'tankwatch: the device must not be a placeholder.\n',
  );
  await expectSameAudit(
    () => call('DELETE', `/tanks/${idOf('POST')}`),
    () => run('tanks', 'delete', 'E-2'),
  );
});

test('a bulk refuses the lines that PUT would refuse, and no others', async ({ database, manage }) => {
  const { call, bulk } = await givenInterfaces(database, manage);
  const customers = await bulk(
    '/customers/bulk',
    { ...CUSTOMER, external_key: ' ' },
    { ...CUSTOMER, external_key: 'C-1' },
    { ...CUSTOMER, external_key: 'C-2' },
  );
  expect([customers.status, customers.results.map(({ status }) => status)]).toEqual([
    207,
    ['refused', 'created', 'created'],
  ]);
  expect(customers.results[0]?.errors).toEqual([
    { param: 'external_key', code: 'invalid', detail: 'Must not be empty.' },
  ]);
  const { json } = await call('GET', '/customers/external_key/C-1');
  const line = { ...TANK, custom_id: 'A', owner_id: json.id };
  const tanks = await bulk(
    '/tanks/bulk',
    { ...line, custom_id: ' ' },
    { ...line, owner_external_key: 'C-2' },
    { ...line, owner_id: 'C-1' },
    { ...line, assigned_device_id: 'pending-k3x9qa7mfw2c' },
    { ...TANK, custom_id: 'A', owner_external_key: ' ' },
    { ...line, owner_id: json.id.toUpperCase(), owner_external_key: 'C-1' },
  );
  expect(
    tanks.results.map(({ status, errors }) => [status, ...errors.map(({ param, detail }) => `${param}: ${detail}`)]),
  ).toEqual([
    ['refused', 'custom_id: Must not be empty.'],
    ['refused', 'owner_external_key: Must name the same customer as the owner.'],
    ['refused', 'owner_id: Must be the ID of a customer.'],
    ['refused', 'assigned_device_id: Must not be a placeholder.'],
    ['refused', 'owner_external_key: Is not the external_key or id of a customer.'],
    ['created'],
  ]);
});

test('deleting a customer with its tanks by a command erases every stored answer about them', async ({
  database,
  manage,
}) => {
  const { key, run } = await givenInterfaces(database, manage);
  const requests: (() => Promise<Response>)[] = [];
  const send = async (method: string, path: string, body: object): Promise<string> => {
    const idempotencyKey = randomUUID();
    const repeat = () => manage.call(key, method, path, { body, idempotencyKey });
    requests.push(repeat);
    const { status, json } = await repeat();
    expect([path, status]).toEqual([path, method === 'POST' && path.endsWith('password') ? 200 : 201]);
    return json.id;
  };
  const owner_id = await send('POST', '/customers', { ...CUSTOMER, external_key: 'C-1' });
  const tank = await send('POST', '/tanks', { ...TANK, owner_id, assigned_device_id: 'D-1' });
  const dipped = await send('POST', '/tanks', { ...TANK, owner_id, assigned_device_id: 'manual' });
  await send('POST', `/tanks/${tank}/notes`, { text: 'Gate code 4711' });
  await send('PUT', `/tanks/${tank}/mute`, { until: new Date(Date.now() + 3_600_000).toISOString(), reason: 'Ana' });
  await send('POST', '/devices/D-1/password', {});
  await send('POST', `/tanks/${dipped}/dips`, { fill_percentage: 45 });
  expect((await run('customers', 'delete', 'C-1', '--with-tanks')).code).toBe(0);
  for (const repeat of requests) expect((await repeat()).status).toBe(410);
});

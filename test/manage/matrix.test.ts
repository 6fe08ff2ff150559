import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { bodyTypeOf, type ManageOperation } from '../../src/api/manage/operation.ts';
import { MANAGE_OPERATIONS } from '../../src/api/manage/operations.ts';
import { transaction } from '../../src/db/pool.ts';
import { CONSOLE_ROLES, type ConsoleRole } from '../../src/keys/console_roles.ts';
import { revokeKey } from '../../src/keys/issue_key.ts';
import { makeKey } from '../../src/keys/key_format.ts';
import { addContact } from '../../src/mail/contacts.ts';
import { newManualDevice } from '../../src/values/manual_device.ts';
import { givenCustomer, givenKey, givenOrganization, givenTank } from '../support/fleet.ts';
import { callApi, type Response } from '../support/http.ts';
import { CUSTOMER, TANK, test } from '../support/manage.ts';
import type { TestDatabase } from '../support/test.ts';

/** The objects that the paths name. */
interface Objects {
  customerId: string;
  tankId: string;
  externalKey: string;
  customId: string;
  deviceId: string;
  noteId: string;
  depotId: string;
  truckId: string;
  driverId: string;
  roundId: string;
  deliveryNoteId: string;
  deliveryNumber: string;
  acknowledgementId: string;
  contactId: string;
}

const REFILL_AT = '2026-01-12T12:00:00Z';

async function givenObjects({ operator, owner }: TestDatabase, organizationNo: number): Promise<Objects> {
  const mark = randomUUID().slice(0, 8);
  const customer = await givenCustomer(operator, organizationNo, { external_key: `key-${mark}` });
  const tank = await givenTank(operator, organizationNo, customer.no, {
    custom_id: `tank-${mark}`,
    assigned_device_id: `dev-${mark}`,
  });
  const noteId = randomUUID();
  await owner.query(
    `insert into tank_notes (id, organization_no, tank_no, text, prints) values ($1, $2, $3, 'Gate code', true)`,
    [noteId, organizationNo, tank.no],
  );
  const [depotId, truckId, driverId, roundId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  await owner.query(
    `with depot as (
       insert into depots (id, organization_no, name, latitude, longitude) values ($1, $5, 'Depot', 20, -100) returning no
     ), truck as (
       insert into trucks (id, organization_no, name, depot_no, capacity, capacity_unit)
       select $2, $5, $6, no, 9000, 'liters' from depot returning no
     ), driver as (
       insert into drivers (id, organization_no, name) values ($3, $5, $6)
     )
     insert into rounds (id, organization_no, date, day_begins_at, day_ends_at, truck_no, fill_to_percentage, chance_limit)
     select $4, $5, current_date, current_date, current_date + 1, no, 80, 0.05 from truck`,
    [depotId, truckId, driverId, roundId, organizationNo, mark],
  );
  await owner.query(
    `insert into round_stops (organization_no, round_no, number, position, tank_no, litres, kind)
     select $1, no, 1, 1, $2, 100, 'must' from rounds where id = $3`,
    [organizationNo, tank.no, roundId],
  );
  const deliveryNoteId = randomUUID();
  await owner.query(
    `insert into delivery_notes (id, organization_no, series, number, customer_no, tank_no, at, precision, volume, unit, source)
     values ($1, $2, 'S', $3, $4, $5, now(), 'minute', 100, 'liters', 'api')`,
    [deliveryNoteId, organizationNo, `N-${mark}`, customer.no, tank.no],
  );
  await owner.query(`insert into seen_refills values ($1, $2, $2, $2, 100, 20, 80, 500, 1, 1, 3600000, true)`, [
    tank.no,
    REFILL_AT,
  ]);
  await owner.query('update fleet_tanks set is_low = true, is_silent = true where tank_no = $1', [tank.no]);
  const acknowledgementId = randomUUID();
  await owner.query(
    `insert into acknowledgements (id, organization_no, tank_no, condition, until)
     values ($1, $2, $3, 'silent', now() + interval '1 hour')`,
    [acknowledgementId, organizationNo, tank.no],
  );
  const { id: contactId } = await transaction(operator, (tx) =>
    addContact(tx, organizationNo, { email: `${mark}@example.com`, types: [] }),
  );
  return {
    depotId,
    truckId,
    driverId,
    roundId,
    deliveryNoteId,
    deliveryNumber: `N-${mark}`,
    customerId: customer.id,
    tankId: tank.id,
    externalKey: `key-${mark}`,
    customId: `tank-${mark}`,
    deviceId: `dev-${mark}`,
    noteId,
    acknowledgementId,
    contactId,
  };
}

/** The path of an operation with the ids of objects. */
function pathOf({ path, tag }: ManageOperation, objects: Objects): string {
  const kind = /^\/manage\/v1\/([a-z-]+)\/:id/.exec(path)?.[1] ?? '';
  const ids: Readonly<Record<string, string>> = {
    notes: objects.noteId,
    acknowledgements: objects.acknowledgementId,
    contacts: objects.contactId,
    devices: objects.deviceId,
    depots: objects.depotId,
    trucks: objects.truckId,
    drivers: objects.driverId,
    rounds: objects.roundId,
    'delivery-notes': objects.deliveryNoteId,
  };
  const id = ids[kind] ?? (tag === 'manage customers' || kind === 'customers' ? objects.customerId : objects.tankId);
  return path
    .replace(':id', id)
    .replace(':external_key', objects.externalKey)
    .replace(':custom_id', objects.customId)
    .replace(':city', 'Celaya')
    .replace(':series/:number', `S/${objects.deliveryNumber}`)
    .replace(':number', '1');
}

/** A body that the operation accepts. */
function bodyOf({ operationId, method, ...operation }: ManageOperation, objects: Objects): string | undefined {
  if ('body' in operation && operation.body === null) return undefined;
  const bodies: Readonly<Record<string, object>> = {
    putCustomer: CUSTOMER,
    createCustomer: CUSTOMER,
    updateCustomer: { name: 'Changed' },
    putCustomers: { ...CUSTOMER, external_key: objects.externalKey },
    putTank: TANK,
    createTank: { ...TANK, owner_id: objects.customerId },
    updateTank: { name: 'Changed' },
    putDevice: { device_id: `D-${objects.customId}`, exchange: 'release' },
    issueDevicePassword: {},
    createNote: { text: 'A dog' },
    updateNote: { text: 'Two dogs' },
    createDepot: { name: 'Depot', latitude: 20, longitude: -100 },
    updateDepot: { name: 'Changed' },
    createTruck: { name: randomUUID(), depot_id: objects.depotId, capacity: 9000, capacity_unit: 'liters' },
    updateTruck: { product: 'LP gas' },
    createDriver: { name: randomUUID() },
    updateDriver: { phone: '+52 461 555 0155' },
    putDeliveryDaysOfCity: { weekdays: [2, 5] },
    putDeliveryDaysOfTank: { weekdays: [2, 5] },
    createRound: { date: '2026-11-18', truck_id: objects.truckId },
    updateRound: { fill_to_percentage: 85 },
    putStops: { stops: [{ tank_id: objects.tankId }] },
    putVroomOrder: { solution: { routes: [] } },
    putStopOutcome: { outcome: 'delivered', volume: 100 },
    proposeRound: { date: '2026-11-18', truck_id: objects.truckId },
    putDeliveryNote: { at: '2026-01-12', volume: 100, tank: objects.tankId },
    putDeliveryNotes: { number: objects.deliveryNumber, at: '2026-01-12', volume: 100, tank: objects.tankId },
    pinDeliveryNote: { kind: 'apart', tank_id: objects.tankId, refill_at: REFILL_AT },
    createDip: { fill_percentage: 45 },
    putEstimate: { is_told: false },
    createContact: { email: `new-${objects.customId}@example.com`, types: [] },
    updateContact: { name: 'Ana' },
    acknowledgeTank: { conditions: ['low'], until: new Date(Date.now() + 3_600_000).toISOString() },
    muteTank: { until: new Date(Date.now() + 3_600_000).toISOString() },
    putTanks: { ...TANK, owner_id: objects.customerId, custom_id: objects.customId },
  };
  const body = bodies[operationId];
  if (body === undefined && method !== 'GET' && method !== 'DELETE')
    throw new Error(`${operationId} needs a body here`);
  return body === undefined ? undefined : JSON.stringify(body);
}

let sent = 0;

const send = (
  url: string,
  operation: ManageOperation,
  objects: Objects,
  headers: Record<string, string>,
): Promise<Response> => {
  const body = bodyOf(operation, objects);
  return callApi(url, pathOf(operation, objects), {
    method: operation.method,
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(body === undefined ? {} : { 'content-type': bodyTypeOf(operation) }),
      'if-match': '*',
      'idempotency-key': randomUUID(),
      'x-forwarded-for': `10.1.${Math.floor(++sent / 250)}.${sent % 250}`,
      ...headers,
    },
  });
};

describe('every operation, with every kind of caller', () => {
  test('only a key of the organization with the scope manage succeeds, and others change nothing', async ({
    database,
    manage,
  }) => {
    const { operator, owner } = database;
    const organizationNo = await givenOrganization(operator);
    const objects = await givenObjects(database, organizationNo);
    const customer = await givenCustomer(operator, organizationNo);
    const issue = async (key: Omit<Parameters<typeof givenKey>[1], 'organizationNo'>) =>
      (await givenKey(operator, { organizationNo, ...key })).text;
    const revoked = await givenKey(operator, { organizationNo, scopes: ['manage'] });
    await revokeKey(operator, revoked.prefix);
    const session = await fetch(`${manage.url}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: await issue({ scopes: ['read', 'manage'] }) }),
    });
    const [cookie = ''] = (session.headers.get('set-cookie') ?? '').split(';');
    const refused: [caller: string, status: number, headers: Record<string, string>][] = [
      ['no key', 401, {}],
      ['a malformed key', 401, { 'x-api-key': 'nonsense' }],
      ['a revoked key', 401, { 'x-api-key': revoked.text }],
      ['an expired key', 401, { 'x-api-key': await issue({ scopes: ['manage'], expiresAt: '2020-01-01T00:00:00Z' }) }],
      ['a key that reads', 403, { 'x-api-key': await issue({ scopes: ['read'] }) }],
      ['a key that sends readings', 403, { 'x-api-key': await issue({ scopes: ['ingest'] }) }],
      ['a narrowed key', 403, { 'x-api-key': await issue({ customerNo: customer.no }) }],
      ['the session of a key', 403, { cookie }],
    ];
    const state = async () =>
      (await owner.query('select * from audit_log where organization_no = $1', [organizationNo])).rowCount;
    const before = await state();
    for (const operation of MANAGE_OPERATIONS)
      for (const [caller, status, headers] of refused)
        expect([operation.operationId, caller, (await send(manage.url, operation, objects, headers)).status]).toEqual([
          operation.operationId,
          caller,
          status,
        ]);
    expect(await state()).toBe(before);

    // A key of another organization gets the same answer as for objects that do not exist, byte for byte.
    const strangersNo = await givenOrganization(operator);
    const { text: stranger } = await givenKey(operator, { organizationNo: strangersNo, scopes: ['manage'] });
    const unknown = {
      customerId: randomUUID(),
      tankId: randomUUID(),
      deviceId: 'unknown',
      noteId: randomUUID(),
      depotId: randomUUID(),
      truckId: randomUUID(),
      driverId: randomUUID(),
      roundId: randomUUID(),
      deliveryNoteId: randomUUID(),
      deliveryNumber: objects.deliveryNumber,
      acknowledgementId: randomUUID(),
      contactId: randomUUID(),
      externalKey: objects.externalKey,
      customId: objects.customId,
    };
    for (const operation of MANAGE_OPERATIONS) {
      if (!operation.path.includes(':id')) continue;
      const headers = { 'x-api-key': stranger, 'x-request-id': 'same' };
      const [foreign, missing] = [
        await send(manage.url, operation, objects, headers),
        await send(manage.url, operation, unknown, headers),
      ];
      expect([operation.operationId, foreign.status, foreign.text]).toEqual([operation.operationId, 404, missing.text]);
    }
    expect(await state()).toBe(before);

    const key = await issue({ scopes: ['manage'] });
    for (const operation of MANAGE_OPERATIONS) {
      const { status, text } = await sendToFresh(manage.url, database, organizationNo, operation, { 'x-api-key': key });
      expect([operation.operationId, status < 300 ? 'ok' : text]).toEqual([operation.operationId, 'ok']);
    }
  });

  test('a person may do what the operation names for one of the roles, from our own pages only', async ({
    database,
    manage,
  }) => {
    const organizationNo = await givenOrganization(database.operator);
    const origin = manage.url;
    for (const role of CONSOLE_ROLES) {
      const { cookie } = await givenSession(database, organizationNo, [role]);
      for (const operation of MANAGE_OPERATIONS) {
        const isAllowed = operation.who.some((one) => one === role);
        const { status, text } = await sendToFresh(manage.url, database, organizationNo, operation, { cookie, origin });
        const outcome = status < 300 ? 'allowed' : status === 403 ? 'refused' : text;
        expect([role, operation.operationId, outcome]).toEqual([
          role,
          operation.operationId,
          isAllowed ? 'allowed' : 'refused',
        ]);
      }
    }
    const { cookie, prefix } = await givenSession(database, organizationNo, ['viewer', 'administrator']);
    for (const operation of MANAGE_OPERATIONS) {
      const strangers: Record<string, string>[] = [{ cookie }, { cookie, origin: 'https://evil.example' }];
      for (const headers of operation.kind === 'read' ? [] : strangers) {
        const { status } = await sendToFresh(manage.url, database, organizationNo, operation, headers);
        expect([operation.operationId, headers['origin'], status]).toEqual([
          operation.operationId,
          headers['origin'],
          403,
        ]);
      }
    }
    await database.owner.query('update sessions set ended_at = now() where prefix = $1', [prefix]);
    const [operation] = MANAGE_OPERATIONS;
    if (operation === undefined) throw new Error('there are no operations');
    const again = () => sendToFresh(manage.url, database, organizationNo, operation, { cookie, origin });
    await expect.poll(async () => (await again()).status).toBe(401);
  });

  test('the audit log names the person, and a lost role counts at once', async ({ database, manage }) => {
    const organizationNo = await givenOrganization(database.operator);
    const { cookie, contactId } = await givenSession(database, organizationNo, ['administrator']);
    const put = () =>
      callApi(manage.url, '/manage/v1/customers/external_key/A', {
        method: 'PUT',
        body: JSON.stringify(CUSTOMER),
        headers: { cookie, origin: manage.url, 'content-type': 'application/json', 'x-request-id': 'of-ana' },
      });
    expect((await put()).status).toBe(201);
    const { rows } = await database.owner.query(
      `select actor, request_id from audit_log where organization_no = $1 and object = 'customer'`,
      [organizationNo],
    );
    expect(rows).toEqual([{ actor: `contact ${contactId}`, request_id: 'of-ana' }]);
    // The api may not know it for a second, but the database does.
    await database.owner.query(`update contacts set roles = '{dispatcher}' where id = $1`, [contactId]);
    expect((await put()).status).toBe(403);
  });
});

/** With objects of their own, because a deletion needs them. */
async function sendToFresh(
  url: string,
  database: TestDatabase,
  organizationNo: number,
  operation: ManageOperation,
  headers: Record<string, string>,
): Promise<Response> {
  const objects = await givenObjects(database, organizationNo);
  if (operation.operationId === 'createDip' || operation.operationId === 'putEstimate')
    await database.owner.query('update tanks set assigned_device_id = $2 where id = $1', [
      objects.tankId,
      newManualDevice(),
    ]);
  const path = operation.operationId === 'deleteCustomer' ? '?with_tanks=true' : '';
  return send(url, { ...operation, path: `${operation.path}${path}` }, objects, headers);
}

/** A contact with these console roles, signed in. */
async function givenSession({ operator, owner }: TestDatabase, organizationNo: number, roles: readonly ConsoleRole[]) {
  const email = `${randomUUID()}@example.com`;
  const { id: contactId } = await transaction(operator, (tx) =>
    addContact(tx, organizationNo, { email, types: [], roles }),
  );
  const { text, prefix, secretSha256 } = makeKey('a0');
  await owner.query(
    `insert into sessions (prefix, secret_sha256, contact_no, organization_no, requests_per_second, burst, expires_at)
     select $1, $2, no, organization_no, 1000, 10000, now() + interval '1 day' from contacts where id = $3`,
    [prefix, secretSha256, contactId],
  );
  return { contactId, prefix, cookie: `__Host-tankwatch=${text}` };
}

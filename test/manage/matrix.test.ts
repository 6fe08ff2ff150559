import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { bodyTypesOf, type ManageOperation } from '../../src/api/manage/manage_operation.ts';
import { MANAGE_OPERATIONS } from '../../src/api/manage/operations.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { createConnector } from '../../src/connectors/connector_changes.ts';
import { transaction } from '../../src/db/pool.ts';
import { assignProfile, setGaugeProfile } from '../../src/gauges/gauge_changes.ts';
import { CONSOLE_ROLES, type ConsoleRole } from '../../src/keys/console_roles.ts';
import { revokeKey } from '../../src/keys/issue_key.ts';
import { removeContact } from '../../src/mail/contacts.ts';
import { newManualDevice } from '../../src/values/manual_device.ts';
import { givenContact, givenCustomer, givenKey, givenOrganization, givenTank } from '../support/fleet.ts';
import { callApi, type Response } from '../support/http.ts';
import { CUSTOMER, givenManageApi, TANK, test } from '../support/manage.ts';
import { givenSession } from '../support/sessions.ts';
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
  otherTruckId: string;
  driverId: string;
  roundId: string;
  deliveryNoteId: string;
  deliveryNumber: string;
  acknowledgementId: string;
  contactId: string;
  /** A contact with a role. */
  personId: string;
  webhookId: string;
  connectorId: string;
  /** The name of a profile of gauges. */
  profile: string;
  importId: string;
  escalationId: string;
}

const gaugeProfile = (profile: string): object => ({
  profile,
  maker: 'Acme',
  device: 'One',
  input: 'bytes',
  frames: [{ fields: { percent: { at: 0, type: 'u8' } } }],
});

const REFILL_AT = '2026-01-12T12:00:00Z';

async function givenObjects({ operator, owner }: TestDatabase, organizationNo: number): Promise<Objects> {
  const mark = randomUUID().slice(0, 8);
  const customer = await givenCustomer(operator, organizationNo, { external_key: `key-${mark}` });
  const tank = await givenTank(operator, organizationNo, customer.no, {
    custom_id: `tank-${mark}`,
    external_key: `key-${mark}`,
    assigned_device_id: `dev-${mark}`,
  });
  const noteId = randomUUID();
  await owner.query(
    `insert into tank_notes (id, organization_no, tank_no, text, prints) values ($1, $2, $3, 'Gate code', true)`,
    [noteId, organizationNo, tank.no],
  );
  await owner.query(
    `insert into tank_gauges (tank_no, organization_no, definition)
     values ($1, $2, '{"shape": {"form": "box", "height_mm": 900}, "measures": "height", "offset_mm": 5}')`,
    [tank.no, organizationNo],
  );
  const [depotId, truckId, driverId, roundId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const otherTruckId = randomUUID();
  await owner.query(
    `with depot as (
       insert into depots (id, organization_no, name, latitude, longitude, external_key)
       values ($1, $5, 'Depot', 20, -100, 'key-' || $6) returning no
     ), truck as (
       insert into trucks (id, organization_no, name, depot_no, capacity, capacity_unit, external_key)
       select $2, $5, $6, no, 9000, 'liters', 'key-' || $6 from depot returning no
     ), driver as (
       insert into drivers (id, organization_no, name, external_key) values ($3, $5, $6, 'key-' || $6)
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
  await owner.query(
    `insert into trucks (id, organization_no, name, depot_no, capacity, capacity_unit)
     select $1, organization_no, 'other ' || name, depot_no, capacity, capacity_unit from trucks where id = $2`,
    [otherTruckId, truckId],
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
  await owner.query('update fleet_tanks set is_gauge_unreliable = true, is_silent = true where tank_no = $1', [
    tank.no,
  ]);
  const acknowledgementId = randomUUID();
  await owner.query(
    `insert into acknowledgements (id, organization_no, tank_no, condition, until)
     values ($1, $2, $3, 'silent', now() + interval '1 hour')`,
    [acknowledgementId, organizationNo, tank.no],
  );
  const { id: contactId } = await givenContact(operator, organizationNo, { email: `${mark}@example.com`, types: [] });
  await owner.query(
    `insert into contact_reach (no, organization_no, phone, code_at) select no, organization_no, '+18025550111', now()
     from contacts where id = $1`,
    [contactId],
  );
  await owner.query('delete from text_channels where organization_no = $1', [organizationNo]);
  await owner.query(
    `insert into text_channels (id, organization_no, provider, settings, sealed_secret, daily_limit)
     values ($1, $2, 'gateway', '{"from": "Gas", "url": "https://1.1.1.1/send"}', 'sealed', 10)`,
    [randomUUID(), organizationNo],
  );
  const { id: personId } = await givenContact(operator, organizationNo, {
    email: 'person@example.com',
    roles: ['viewer'],
  });
  const webhookId = randomUUID();
  // An organization may have 200 webhooks, of which only some may be enabled.
  await owner.query(
    `delete from webhook_endpoints w
     where organization_no = $1 and not exists (select from webhook_deliveries where endpoint_no = w.no)`,
    [organizationNo],
  );
  await owner.query(
    `update webhook_endpoints set disabled_at = now(), disabled_because = 'operator'
     where organization_no = $1 and disabled_at is null`,
    [organizationNo],
  );
  await owner.query(
    `insert into webhook_endpoints (id, organization_no, url, types, secret)
     values ($1, $2, 'https://erp.example.com', '{}', 'sealed')`,
    [webhookId, organizationNo],
  );
  await owner.query('delete from connectors where organization_no = $1', [organizationNo]);
  const { id: connectorId } = await transaction(operator, (tx) =>
    createConnector(
      operatorChange(tx, organizationNo),
      { kind: 'otodata', name: `Otodata ${mark}`, settings: {} },
      'a key of at least thirty-two characters',
      { isPaused: true },
    ),
  );
  const profile = `profile-${mark}`;
  await owner.query('delete from gauge_profiles where organization_no = $1', [organizationNo]);
  await transaction(operator, async (tx) => {
    await setGaugeProfile(operatorChange(tx, organizationNo), gaugeProfile(profile));
    const selector = `device=dev-${mark}#2`;
    await assignProfile(operatorChange(tx, organizationNo), { selector, profile: 'dragino-ldds75', settings: null });
  });
  const importId = randomUUID();
  await owner.query(
    `insert into imports (id, organization_no, what, file_name, rows_read, refused) values ($1, $2, 'tanks', 'a.csv', 0, 0)`,
    [importId, organizationNo],
  );
  const escalationId = randomUUID();
  await owner.query(
    `insert into escalations (id, organization_no, tank_no, event_no, condition, next_at) values ($1, $2, $3, -$3::int, 'losing', now())`,
    [escalationId, organizationNo, tank.no],
  );
  return {
    importId,
    escalationId,
    depotId,
    truckId,
    otherTruckId,
    driverId,
    roundId,
    deliveryNoteId,
    deliveryNumber: `N-${mark}`,
    webhookId,
    connectorId,
    profile,
    customerId: customer.id,
    tankId: tank.id,
    externalKey: `key-${mark}`,
    customId: `tank-${mark}`,
    deviceId: `dev-${mark}`,
    noteId,
    acknowledgementId,
    contactId,
    personId,
  };
}

/** The object that `:id` names, by the part of the path before it. */
const ID_AFTER: Readonly<Record<string, keyof Objects>> = {
  customers: 'customerId',
  tanks: 'tankId',
  devices: 'deviceId',
  notes: 'noteId',
  acknowledgements: 'acknowledgementId',
  contacts: 'contactId',
  webhooks: 'webhookId',
  connectors: 'connectorId',
  escalations: 'escalationId',
  imports: 'importId',
  depots: 'depotId',
  trucks: 'truckId',
  drivers: 'driverId',
  rounds: 'roundId',
  'delivery-notes': 'deliveryNoteId',
};

/** The path of an operation with the ids of objects. */
function pathOf({ path }: ManageOperation, objects: Objects): string {
  const [, list = ''] = path.match(/\/([\w-]+)\/:id/) ?? [];
  const name = path.endsWith('/invite') ? 'personId' : ID_AFTER[list];
  if (path.includes(':id') && name === undefined) throw new Error(`${path} names an object that is not known here`);
  return path
    .replace(':id', name === undefined ? '' : objects[name])
    .replace(':device_id', objects.deviceId)
    .replace(':external_key', objects.externalKey)
    .replace(':custom_id', objects.customId)
    .replace(':profile', objects.profile)
    .replace(':selector', `device=${objects.deviceId}%232`)
    .replace(':city', 'Celaya')
    .replace(':series/:number', `S/${objects.deliveryNumber}`)
    .replace(':number', '1');
}

/** A body that the operation accepts. */
function bodyOf({ operationId, method, ...operation }: ManageOperation, objects: Objects): string | undefined {
  if ('body' in operation && operation.body === null) return undefined;
  if (operation.kind === 'long')
    return operation.takesFile ? `external_key,email,name\n${objects.externalKey},a@example.com,Ana\n` : undefined;
  const bodies: Readonly<Record<string, object>> = {
    putCustomer: CUSTOMER,
    createCustomer: CUSTOMER,
    updateCustomer: { name: 'Changed' },
    putCustomers: { ...CUSTOMER, external_key: objects.externalKey },
    putTank: TANK,
    putTankByExternalKey: { ...TANK, owner_id: objects.customerId },
    createTank: { ...TANK, owner_id: objects.customerId },
    updateTank: { name: 'Changed' },
    putDevice: { device_id: `D-${objects.customId}`, exchange: 'release' },
    issueDevicePassword: {},
    putGaugeProfile: { definition: gaugeProfile(objects.profile) },
    putProfileAssignment: { profile: 'dragino-ldds75' },
    createNote: { text: 'A dog' },
    updateNote: { text: 'Two dogs' },
    setTankGauges: {
      gauges: [{ from_at: null, shape: { form: 'box', height_mm: 900 }, measures: 'height', offset_mm: 0 }],
    },
    calibrateGauge: { dials: [{ at: '2026-01-12T09:30:00Z', fill_percentage: 50 }] },
    createDepot: { name: 'Depot', latitude: 20, longitude: -100 },
    putDepot: { name: 'Depot', latitude: 20, longitude: -100 },
    updateDepot: { name: 'Changed' },
    putTruck: { name: randomUUID(), depot_id: objects.depotId, capacity: 9000, capacity_unit: 'liters' },
    createTruck: { name: randomUUID(), depot_id: objects.depotId, capacity: 9000, capacity_unit: 'liters' },
    updateTruck: { product: 'LP gas' },
    createDriver: { name: randomUUID() },
    putDriver: { name: randomUUID() },
    updateDriver: { phone: '+52 461 555 0155' },
    putDeliveryDaysOfCity: { weekdays: [2, 5] },
    putDeliveryDaysOfTank: { weekdays: [2, 5] },
    createRound: { date: '2026-11-18', truck_id: objects.truckId },
    updateRound: { fill_to_percentage: 85 },
    putStops: { stops: [{ tank_id: objects.tankId }] },
    putVroomOrder: { solution: { routes: [] } },
    putStopOutcome: { outcome: 'delivered', volume: 100 },
    recordStop: { kind: 'delivered', volume: 100 },
    moveStop: { truck_id: objects.otherTruckId },
    proposeRound: { date: '2026-11-18', truck_id: objects.truckId },
    putDeliveryNote: { at: '2026-01-12', volume: 100, tank: objects.tankId },
    putDeliveryNotes: { number: objects.deliveryNumber, at: '2026-01-12', volume: 100, tank: objects.tankId },
    pinDeliveryNote: { kind: 'apart', tank_id: objects.tankId, refill_at: REFILL_AT },
    createDip: { fill_percentage: 45 },
    putEstimate: { is_told: false },
    createContact: { email: `new-${objects.customId}@example.com`, types: [] },
    updateContact: { name: 'Ana' },
    inviteContact: {},
    setTextChannel: { provider: 'gateway', from: 'Gas', url: 'https://1.1.1.1/send', secret: 'token' },
    setReach: { phone: '+18025550111', by_text: true, by_mail: true, quiet_from: null, quiet_to: null },
    verifyPhone: { code: '123456' },
    sendTestText: {},
    tellNow: {},
    setDutyPlan: {
      shifts: [{ weekdays: [1], from: '07:00', to: '19:00', contact_id: objects.contactId, next_contact_id: null }],
      exceptions: [],
    },
    acknowledgeTank: { conditions: ['gauge_unreliable'], until: new Date(Date.now() + 3_600_000).toISOString() },
    muteTank: { until: new Date(Date.now() + 3_600_000).toISOString(), reason: 'New valve' },
    createWebhook: { url: 'https://1.1.1.1/hook' },
    updateWebhook: { types: ['tank.low_fill'] },
    rotateWebhookSecret: {},
    testWebhook: {},
    createConnector: { kind: 'otodata', name: `Connector ${randomUUID()}`, settings: {}, paused: true },
    updateConnector: { paused: true },
    tryConnector: {},
    updateOrganization: { reports_unusual_use: true },
    replayWebhook: { since: '2026-01-01T00:00:00Z' },
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
  sent++;
  return callApi(url, pathOf(operation, objects), {
    method: operation.method,
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(body === undefined ? {} : { 'content-type': bodyTypesOf(operation)[0] }),
      'if-match': '*',
      'idempotency-key': randomUUID(),
      'x-forwarded-for': `10.1.${Math.floor(sent / 250)}.${sent % 250}`,
      ...headers,
    },
  });
};

/** Fewer requests than a sender may have waiting. */
const AT_ONCE = 12;

/** A caller, and the answer that any operation must give. */
interface AnyCaller {
  name: string;
  headers: Record<string, string>;
  /** Null if the operation is not tried with this caller. */
  expected: (operation: ManageOperation) => 'allowed' | 401 | 403 | 404 | null;
}

const always = (status: 401 | 403) => () => status;

async function givenCallers(database: TestDatabase, url: string, organizationNo: number): Promise<AnyCaller[]> {
  const { operator, owner } = database;
  const customer = await givenCustomer(operator, organizationNo);
  const strangersNo = await givenOrganization(operator);
  const key = async (options: Omit<Parameters<typeof givenKey>[1], 'organizationNo'>, ofNo = organizationNo) => ({
    'x-api-key': (await givenKey(operator, { organizationNo: ofNo, ...options })).text,
  });
  const revoked = await givenKey(operator, { organizationNo, scopes: ['manage'] });
  await revokeKey(operator, revoked.prefix);
  const keySession = await fetch(`${url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: (await key({ scopes: ['read', 'manage'] }))['x-api-key'] }),
  });
  const [keyCookie = ''] = (keySession.headers.get('set-cookie') ?? '').split(';');
  const origin = url;
  const session = (roles: readonly ConsoleRole[], ofNo = organizationNo) => givenPerson(database, ofNo, roles);
  const person = async (roles: readonly ConsoleRole[]): Promise<AnyCaller> => ({
    name: roles.join(' and ') || 'a person without a role',
    headers: { cookie: (await session(roles)).cookie, origin },
    expected: ({ allowedCallers }) =>
      allowedCallers.some((caller) => roles.some((role) => role === caller)) ? 'allowed' : 403,
  });
  const administrator = await session(['administrator']);
  const ended = await session(['administrator']);
  await owner.query('update sessions set ended_at = now() where prefix = $1', [ended.prefix]);
  const expired = await session(['administrator']);
  await owner.query(`update sessions set expires_at = now() - interval '1 second' where prefix = $1`, [expired.prefix]);
  const removed = await session(['administrator']);
  await transaction(operator, (tx) => removeContact(operatorChange(tx, organizationNo), removed.contactId));
  // An operation without an ID in its path concerns their own organization.
  const ofStrangers = ({ path }: ManageOperation) => (path.includes(':id') ? 404 : null);
  return [
    { name: 'no key', headers: {}, expected: always(401) },
    { name: 'a malformed key', headers: { 'x-api-key': 'nonsense' }, expected: always(401) },
    { name: 'a revoked key', headers: { 'x-api-key': revoked.text }, expected: always(401) },
    {
      name: 'an expired key',
      headers: await key({ scopes: ['manage'], expiresAt: '2020-01-01T00:00:00Z' }),
      expected: always(401),
    },
    { name: 'a key that reads', headers: await key({ scopes: ['read'] }), expected: always(403) },
    { name: 'a key that sends readings', headers: await key({ scopes: ['ingest'] }), expected: always(403) },
    { name: 'a narrowed key', headers: await key({ customerNo: customer.no }), expected: always(403) },
    {
      name: 'a key that manages',
      headers: await key({ scopes: ['manage'] }),
      expected: ({ allowedCallers }) => (allowedCallers.includes('key') ? 'allowed' : 403),
    },
    {
      name: 'a key of another organization',
      headers: await key({ scopes: ['manage'] }, strangersNo),
      expected: ofStrangers,
    },
    {
      name: 'an administrator of another organization',
      headers: { cookie: (await session(['administrator'], strangersNo)).cookie, origin },
      expected: ofStrangers,
    },
    { name: 'the session of a key', headers: { cookie: keyCookie, origin }, expected: always(403) },
    { name: 'an ended session', headers: { cookie: ended.cookie, origin }, expected: always(401) },
    { name: 'an expired session', headers: { cookie: expired.cookie, origin }, expected: always(401) },
    { name: 'a removed person', headers: { cookie: removed.cookie, origin }, expected: always(401) },
    ...(await Promise.all(CONSOLE_ROLES.map((role) => person([role])))),
    await person(['dispatcher', 'technician']),
    // A browser sends Origin with every change.
    ...[{}, { origin: 'https://evil.example' }].map((from) => ({
      name: `an administrator on ${'origin' in from ? 'a foreign page' : 'no page'}`,
      headers: { cookie: administrator.cookie, ...from },
      expected: ({ kind }: ManageOperation) => (kind === 'read' ? 'allowed' : 403),
    })),
  ];
}

describe('every operation, with every kind of caller', () => {
  test('only callers that the operation allows succeed, and the others change nothing', async ({
    database,
    manage,
  }) => {
    const organizationNo = await givenOrganization(database.operator);
    const callers = await givenCallers(database, manage.url, organizationNo);
    const changes = async () =>
      (
        await database.owner.query('select count(*)::int as n from audit_log where organization_no = $1', [
          organizationNo,
        ])
      ).rows[0]?.n;
    const wrong: string[] = [];
    // First all requests that change nothing, with the same objects. Each change then gets objects of its own.
    const shared = await givenObjects(database, organizationNo);
    const before = await changes();
    const isChange = ({ expected }: AnyCaller, operation: ManageOperation): boolean =>
      expected(operation) === 'allowed' && operation.kind !== 'read';
    for (const caller of callers) {
      const { name, headers, expected } = caller;
      const harmless = MANAGE_OPERATIONS.filter(
        (operation) => expected(operation) !== null && !isChange(caller, operation),
      );
      for (let start = 0; start < harmless.length; start += AT_ONCE)
        await Promise.all(
          harmless.slice(start, start + AT_ONCE).map(async (operation) => {
            const { status } = await send(manage.url, operation, shared, headers);
            if ((status < 300 ? 'allowed' : status) !== expected(operation))
              wrong.push(`${name}: ${operation.operationId} is ${status}`);
          }),
        );
    }
    expect([wrong, await changes()]).toEqual([[], before]);
    for (const caller of callers)
      for (const operation of MANAGE_OPERATIONS) {
        if (!isChange(caller, operation)) continue;
        const { status, text } = await sendToFresh(manage.url, database, organizationNo, operation, caller.headers);
        if (status >= 300) wrong.push(`${caller.name}: ${operation.operationId} is ${status} ${text}`);
      }
    expect(wrong).toEqual([]);
  });

  test('an object of another organization is answered as one that does not exist, byte for byte', async ({
    database,
    manage,
  }) => {
    const objects = await givenObjects(database, await givenOrganization(database.operator));
    const strangersNo = await givenOrganization(database.operator);
    const { text: stranger } = await givenKey(database.operator, { organizationNo: strangersNo, scopes: ['manage'] });
    const unknown: Objects = {
      customerId: randomUUID(),
      tankId: randomUUID(),
      deviceId: 'unknown',
      noteId: randomUUID(),
      depotId: randomUUID(),
      truckId: randomUUID(),
      otherTruckId: randomUUID(),
      driverId: randomUUID(),
      roundId: randomUUID(),
      deliveryNoteId: randomUUID(),
      deliveryNumber: objects.deliveryNumber,
      acknowledgementId: randomUUID(),
      contactId: randomUUID(),
      personId: randomUUID(),
      webhookId: randomUUID(),
      connectorId: randomUUID(),
      profile: 'unknown',
      importId: randomUUID(),
      escalationId: randomUUID(),
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
  });

  test('of two administrators who demote each other at once, one stays and cannot be demoted, and the other is refused', async ({
    database,
    manage,
  }) => {
    // Another api, which does not share the queue of changes of the first.
    const other = await givenManageApi(database);
    for (let round = 0; round < 3; round++) {
      const organizationNo = await givenOrganization(database.operator);
      const [ana, eva] = [
        await givenPerson(database, organizationNo, ['administrator']),
        await givenPerson(database, organizationNo, ['administrator']),
      ];
      const demote = (url: string, { cookie }: { cookie: string }, { contactId }: { contactId: string }) =>
        callApi(url, `/manage/v1/contacts/${contactId}`, {
          method: 'PATCH',
          body: JSON.stringify({ roles: ['viewer'] }),
          headers: {
            cookie,
            origin: url,
            'if-match': '*',
            'content-type': 'application/merge-patch+json',
          },
        });
      const statuses = (await Promise.all([demote(manage.url, ana, eva), demote(other.url, eva, ana)])).map(
        ({ status }) => status,
      );
      const { rows } = await database.owner.query(
        `select from contacts where organization_no = $1 and 'administrator' = any (roles)`,
        [organizationNo],
      );
      // The sender of the second request is not an administrator any more.
      expect([rows.length, statuses.toSorted((a, b) => a - b)]).toEqual([1, [200, 403]]);
      const last = statuses[0] === 200 ? ana : eva;
      const { status, json } = await demote(manage.url, last, last);
      expect([status, json.code]).toEqual([409, 'conflict']);
    }
  });

  test('the audit log names the person, and a lost role counts at once', async ({ database, manage }) => {
    const organizationNo = await givenOrganization(database.operator);
    const { cookie, contactId } = await givenPerson(database, organizationNo, ['administrator']);
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
    // The api may still know the old role for a second, but the database does not.
    await database.owner.query(`update contacts set roles = '{dispatcher}' where id = $1`, [contactId]);
    expect((await put()).status).toBe(403);
  });
});

/** Sends an operation with new objects, because a deletion needs its own. */
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
async function givenPerson(database: TestDatabase, organizationNo: number, roles: readonly ConsoleRole[]) {
  const email = `${randomUUID()}@example.com`;
  const { id: contactId } = await givenContact(database.operator, organizationNo, { email, types: [], roles });
  return { contactId, ...(await givenSession(database, { contactId })) };
}

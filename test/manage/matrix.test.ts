import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import type { ManageOperation } from '../../src/api/manage/operation.ts';
import { bodyTypeOf } from '../../src/api/manage/operation.ts';
import { MANAGE_OPERATIONS } from '../../src/api/manage/operations.ts';
import { revokeKey } from '../../src/keys/issue_key.ts';
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
}

async function givenObjects({ operator }: TestDatabase, organizationNo: number): Promise<Objects> {
  const mark = randomUUID().slice(0, 8);
  const customer = await givenCustomer(operator, organizationNo, { external_key: `key-${mark}` });
  const tank = await givenTank(operator, organizationNo, customer.no, {
    custom_id: `tank-${mark}`,
    assigned_device_id: `dev-${mark}`,
  });
  return {
    customerId: customer.id,
    tankId: tank.id,
    externalKey: `key-${mark}`,
    customId: `tank-${mark}`,
    deviceId: `dev-${mark}`,
  };
}

/** The path of an operation with the ids of objects. */
function pathOf({ path, tag }: ManageOperation, objects: Objects): string {
  const id = path.includes('/devices/')
    ? objects.deviceId
    : tag === 'manage customers' || path.includes('/customers/:id/')
      ? objects.customerId
      : objects.tankId;
  return path.replace(':id', id).replace(':external_key', objects.externalKey).replace(':custom_id', objects.customId);
}

/** A body that the operation accepts. */
function bodyOf({ operationId, method }: ManageOperation, objects: Objects): string | undefined {
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
      const fresh = await givenObjects(database, organizationNo);
      const isOfTanks = operation.operationId === 'deleteCustomer';
      if (isOfTanks)
        await owner.query(
          `update tanks set deleted_at = now(), name = null, custom_id = null, assigned_device_id = null where id = $1`,
          [fresh.tankId],
        );
      const { status, text } = await send(manage.url, operation, fresh, { 'x-api-key': key });
      expect([operation.operationId, status < 300 ? 'ok' : text]).toEqual([operation.operationId, 'ok']);
    }
  });
});

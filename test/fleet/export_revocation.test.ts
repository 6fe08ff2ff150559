import { get, type IncomingMessage } from 'node:http';
import { expect } from 'vitest';
import { revokeKey } from '../../src/keys/issue_key.ts';
import { givenCustomer, givenKey, givenOrganization, givenTanks } from '../support/fleet.ts';
import { test } from '../support/test.ts';

const TANKS = 15_000;

test('an export ends, incomplete, when its key is revoked while it is sent', { timeout: 120_000 }, async ({
  database,
  api,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const { no: ownerNo } = await givenCustomer(database.operator, organizationNo);
  // Long texts, so that the sockets' buffers hold only a part of the file.
  const long = 'x'.repeat(190);
  const tanks = Array.from({ length: TANKS }, () => ({ name: long, street: long, district: long, city: long }));
  await givenTanks(database.operator, organizationNo, ownerNo, tanks);
  const key = await givenKey(database.operator, { organizationNo });

  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get(`${api.url}/fleet/v1/tanks.csv`, { headers: { 'x-api-key': key.text }, agent: false }, resolve).on(
      'error',
      reject,
    ),
  );
  expect(response.statusCode).toBe(200);
  // Nobody reads it meanwhile.
  await revokeKey(database.operator, key.text.slice(0, 12));
  const status = async (): Promise<number> => (await api.call('/v1/tanks', { key: key.text })).status;
  await expect.poll(status, { timeout: 5_000 }).toBe(401);

  let rows = -1; // without the header
  const end = await new Promise((resolve) => {
    response.on('data', (chunk: Buffer) => {
      rows += chunk.filter((byte) => byte === 0x0a).length;
    });
    response.on('end', () => resolve('complete')).on('error', () => resolve('aborted'));
  });
  expect([end, rows < TANKS]).toEqual(['aborted', true]);
});

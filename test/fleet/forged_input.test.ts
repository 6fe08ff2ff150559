import { expect } from 'vitest';
import { encodeCursor } from '../../src/status/cursor.ts';
import { givenCustomer, givenKey, givenOrganization, givenTank } from '../support/fleet.ts';
import { test } from '../support/test.ts';

test('times that PostgreSQL cannot hold, and forged cursors, are 422', async ({ database, api }) => {
  const organizationNo = await givenOrganization(database.operator);
  const { no } = await givenCustomer(database.operator, organizationNo);
  const tank = await givenTank(database.operator, organizationNo, no);
  const { text: key } = await givenKey(database.operator, { organizationNo });
  const times = ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59'];
  const paths = times.flatMap((time) => [
    `/fleet/v1/history?since=${encodeURIComponent(time)}`,
    `/fleet/v1/tanks/${tank.id}/events?before=${encodeURIComponent(time)}`,
    `/fleet/v1/tanks/${tank.id}/series?from=${encodeURIComponent(time)}`,
    `/fleet/v1/tanks/${tank.id}/series?to=${encodeURIComponent(time)}`,
  ]);
  // A forger knows how cursors are made. The key of its own organization makes them valid, except for the position.
  const scope = { organizationNo, customerNo: null };
  const identity = JSON.stringify(['history', scope, null, null]);
  for (const ms of ['253402300800000', '999999999999999999', '-1', 'x'])
    paths.push(`/fleet/v1/history?after=${encodeCursor([ms, '1'], identity)}`);
  const filter = {
    verdict: null,
    fromMs: null,
    untilMs: null,
    truckId: null,
    driverId: null,
    tankId: null,
    ownerId: null,
  };
  paths.push(`/fleet/v1/ledger?after=${encodeCursor(['0', 'x'], JSON.stringify(['ledger', scope, filter]))}`);
  for (const path of paths) expect([path, (await api.call(path, { key })).status]).toEqual([path, 422]);
  const valid = `/fleet/v1/history?after=${encodeCursor(['253402300799999', '1'], identity)}`;
  expect((await api.call(valid, { key })).status).toBe(200);
});

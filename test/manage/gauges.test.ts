import { expect } from 'vitest';
import { recomputeAllTanks } from '../../src/gauges/recomputation_loop.ts';
import { givenCustomer, givenTank } from '../support/fleet.ts';
import { givenManagedOrganization, test } from '../support/manage.ts';

test('the gauges of a tank are set, compared by their ETag, audited, and deleted with the tank', async ({
  database,
  manage,
}) => {
  const { key, prefix, organizationNo } = await givenManagedOrganization(database);
  const owner = await givenCustomer(database.operator, organizationNo);
  const tank = await givenTank(database.operator, organizationNo, owner.no);
  const path = `/tanks/${tank.id}/gauges`;
  const put = (gauges: readonly object[], ifMatch?: string) =>
    manage.call(key, 'PUT', path, { body: { gauges }, ...(ifMatch !== undefined && { ifMatch }) });
  const box = { from_at: null, shape: { form: 'box', height_mm: 900 }, measures: 'height', offset_mm: 0 };
  const auditRows = async () =>
    (await database.owner.query('select from audit_log where organization_no = $1', [organizationNo])).rowCount ?? 0;
  const none = await manage.call(key, 'GET', path);
  expect([none.status, none.json]).toEqual([200, expect.objectContaining({ gauges: [], is_recomputing: false })]);

  const first = await put([box], none.json.etag);
  expect([first.status, first.json]).toMatchObject([
    200,
    { is_recomputing: true, gauges: [{ ...box, changed_by: `key ${prefix}`, unreadable_measures: 0 }] },
  ]);
  expect((await put([], none.json.etag)).status).toBe(412);
  const second = { ...box, from_at: '2026-01-01T00:00:00.000Z', measures: 'raw', range: { empty: 0, full: 255 } };
  expect((await put([second, box], first.json.etag)).json.gauges).toMatchObject([box, second]);
  // A tank without readings has nothing to compute.
  await recomputeAllTanks(database.writer);
  expect((await manage.call(key, 'GET', path)).json.is_recomputing).toBe(false);
  // The same gauges again change nothing.
  expect((await put([box, second])).json.is_recomputing).toBe(false);

  const refused = [
    [{ ...box, shape: { form: 'box', height_mm: 0 } }],
    [{ ...box, shape: { form: 'cube', height_mm: 900 } }],
    [{ ...box, measures: 'pressure' }],
    [{ ...box, measures: 'raw', range: { empty: 1, full: 1 } }],
    [{ ...box, extra: true }],
    [box, box],
    [{ ...box, from_at: 'yesterday' }],
    Array.from({ length: 21 }, (_, n) => ({ ...box, from_at: `2026-01-${String(n + 1).padStart(2, '0')}` })),
  ];
  for (const gauges of refused) expect([gauges, (await put(gauges)).status]).toEqual([gauges, 422]);

  // A change of 20 gauges adds at most two rows to the audit log.
  const many = Array.from({ length: 20 }, (_, n) => ({
    ...box,
    from_at: `2026-02-${String(n + 1).padStart(2, '0')}T00:00:00.000Z`,
  }));
  const before = await auditRows();
  expect((await put(many)).status).toBe(200);
  expect((await auditRows()) - before).toBeLessThanOrEqual(2);
  const { rows: audited } = await database.owner.query(
    `select actor, fields from audit_log where organization_no = $1 and object = 'tank' and action = 'update' order by no`,
    [organizationNo],
  );
  expect(audited).toEqual([1, 2, 3, 4].map(() => ({ actor: `key ${prefix}`, fields: ['gauge'] })));
  expect((await manage.call(key, 'DELETE', `/tanks/${tank.id}`, { ifMatch: '*' })).status).toBe(204);
  const { rows } = await database.owner.query(
    `select (select count(*) from tank_gauges where tank_no = $1) as gauges,
            (select count(*) from gauge_recomputations where tank_no = $1) as queued`,
    [tank.no],
  );
  expect(rows).toEqual([{ gauges: 0, queued: 0 }]);
  expect((await manage.call(key, 'GET', path)).status).toBe(404);
});

test('names that the database cannot store are refused', async ({ database, manage }) => {
  const { key } = await givenManagedOrganization(database);
  const assign = (selector: string, profile = 'oilfox') =>
    manage.call(key, 'PUT', `/profile-assignments/${encodeURIComponent(selector)}`, { body: { profile } });
  // In upper case, the name of the device has 200 characters.
  expect((await assign(`device=${'ß'.repeat(100)}`)).status).toBe(422);
  expect((await assign(`device=${'x'.repeat(100)}*`)).status).toBe(201);
  expect((await assign('device=\0')).status).toBe(422);
  expect((await assign('device=1', 'a\0')).status).toBe(422);
  expect((await assign('device=1', 'A!')).status).toBe(404);
  for (const name of ['%00', 'A', 'x'.repeat(65), 'a%00b'])
    expect([name, (await manage.call(key, 'DELETE', `/gauge-profiles/${name}`)).status]).toEqual([name, 404]);

  const profile = {
    profile: 'own',
    maker: 'M',
    device: 'D',
    input: 'json',
    frames: [{ fields: { percent: { path: 'p' } } }],
  };
  const putProfile = (body: object | string) => manage.call(key, 'PUT', '/gauge-profiles/own', { body });
  for (const name of ['a\0b', 'a\ud800'])
    for (const body of [
      { definition: { ...profile, frames: [{ fields: { percent: { path: 'p', map: { [name]: 1 } } } }] } },
      { definition: profile, [name]: 1 },
    ]) {
      const refused = await putProfile(body);
      expect([name, refused.status, refused.json.detail]).toEqual([
        name,
        422,
        expect.stringContaining('must not contain U+0000'),
      ]);
    }
  for (const levels of [101, 8_150]) {
    const refused = await putProfile(`{"definition":${'['.repeat(levels)}${']'.repeat(levels)}}`);
    expect([levels, refused.status, refused.json.detail]).toEqual([
      levels,
      400,
      'The body must have at most 100 levels of objects and lists.',
    ]);
  }
  expect((await putProfile({ definition: profile })).status).toBe(201);
});

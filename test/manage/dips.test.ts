import { describe, expect } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { fireAllTimers } from '../../src/evaluation/fire_timers.ts';
import { learnRegionalRates } from '../../src/evaluation/learn_regional_rates.ts';
import { decodeState } from '../../src/evaluation/state_codec.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { ingestBatch } from '../../src/ingest/ingest_batch.ts';
import { DipStore } from '../../src/ingest/store_dips.ts';
import { parseBody } from '../../src/telemetry/payload_formats.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { uuid7 } from '../../src/values/uuid7.ts';
import { falling, readingsOf as series, settle } from '../support/evaluation.ts';
import { givenCustomer, givenTank, givenTanks } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { givenTruck } from '../support/ledger.ts';
import { givenManagedOrganization, TANK, test } from '../support/manage.ts';
import { importText, iso, readingsOf } from '../support/readings.ts';
import { givenSession } from '../support/sessions.ts';
import type { TestDatabase } from '../support/test.ts';

const SERIAL = /^MAN-[A-HJ-NP-Z2-9]{10}$/;

const stateOf = async ({ owner }: TestDatabase, tankNo: number) => {
  const { rows } = await owner.query<{ encoded_state: string }>(
    'select encoded_state from tank_states where tank_no = $1',
    [tankNo],
  );
  return decodeState(rows[0]?.encoded_state ?? '');
};

const isDipWanted = async ({ owner }: TestDatabase, tankNo: number): Promise<boolean | undefined> =>
  (
    await owner.query<{ is_dip_wanted: boolean }>('select is_dip_wanted from estimated_tanks where tank_no = $1', [
      tankNo,
    ])
  ).rows[0]?.is_dip_wanted;

describe('a tank without a sensor', () => {
  test('is created with the device `manual`, by PUT and in bulk, and repeating changes nothing', async ({
    database,
    manage,
  }) => {
    const { key, organizationNo } = await givenManagedOrganization(database);
    const owner = await givenCustomer(database.operator, organizationNo);
    const path = `/customers/${owner.id}/tanks/custom_id/A`;
    const body = { ...TANK, assigned_device_id: 'manual' };
    const created = await manage.call(key, 'PUT', path, { body });
    expect([created.status, created.json.assigned_device_id]).toEqual([201, expect.stringMatching(SERIAL)]);
    const again = await manage.call(key, 'PUT', path, { body });
    expect([again.status, again.json.etag]).toEqual([200, created.json.etag]);
    const line = JSON.stringify({ ...body, custom_id: 'A', owner_id: owner.id });
    const other = JSON.stringify({ ...body, custom_id: 'B', owner_id: owner.id });
    const bulk = await manage.call(key, 'POST', '/tanks/bulk', { body: `${line}\n${other}` });
    expect(bulk.text).toContain('"status":"unchanged"');
    expect(bulk.text).toContain('"summary":{"created":1,"updated":0,"unchanged":1,"refused":0}');
    const serial: string = created.json.assigned_device_id;
    const password = await manage.call(key, 'POST', `/devices/${serial}/password`, { body: {} });
    expect(password.status).toBe(409);
  });

  test('takes dips exactly once, which are its readings; nothing is lost while no writer runs', async ({
    database,
    manage,
  }) => {
    const { key, organizationNo } = await givenManagedOrganization(database);
    const owner = await givenCustomer(database.operator, organizationNo);
    const tank = await givenTank(database.operator, organizationNo, owner.no, { assigned_device_id: 'manual' });
    expect(await isDipWanted(database, tank.no)).toBe(true);
    const seenAt = iso(Date.now() - 3 * DAY_MS);
    const dip = { body: { fill_percentage: 45, created_at: seenAt }, idempotencyKey: 'dip' };
    const path = `/tanks/${tank.id}/dips`;
    for (const _ of [1, 2]) {
      const { status, json } = await manage.call(key, 'POST', path, dip);
      expect([status, json]).toEqual([
        201,
        { object: 'dip', tank_id: tank.id, fill_percentage: 45, created_at: seenAt },
      ]);
    }
    expect((await manage.call(key, 'POST', path, { body: { fill_percentage: 44 } })).status).toBe(201);
    for (const body of [{ fill_percentage: 101 }, { fill_percentage: 40, created_at: iso(Date.now() + DAY_MS) }, {}])
      expect((await manage.call(key, 'POST', path, { body })).status).toBe(422);
    const stores = [new DipStore(database.writer), new DipStore(database.writer)];
    await Promise.all(stores.map((store) => store.storeBatch()));
    const levels = (await readingsOf(database, tank)).map((reading) => reading.fill_percentage);
    expect([levels.length, new Set(levels)]).toEqual([2, new Set([44, 45])]);
    const { rows } = await database.owner.query(
      `select actor, fields from audit_log where organization_no = $1 and 'dip' = any (fields)`,
      [organizationNo],
    );
    expect(rows).toHaveLength(2);

    const sensor = await givenTank(database.operator, organizationNo, owner.no);
    const refused = await manage.call(key, 'POST', `/tanks/${sensor.id}/dips`, { body: { fill_percentage: 44 } });
    expect([refused.status, refused.json.code]).toEqual([409, 'conflict']);
  });

  test('refuses readings of its serial, at the gateway and from a gateway of an older release', async ({
    database,
  }) => {
    const { organizationNo } = await givenManagedOrganization(database);
    const owner = await givenCustomer(database.operator, organizationNo);
    const tank = await givenTank(database.operator, organizationNo, owner.no, { assigned_device_id: 'manual' });
    const { rows } = await database.owner.query<{ device: string }>(
      'select assigned_device_id as device from tanks where no = $1',
      [tank.no],
    );
    const device = rows[0]?.device ?? '';
    const body = Buffer.from(JSON.stringify({ readings: [{ device_id: device, fill_percentage: 50 }] }));
    expect(parseBody({ name: 'readings' }, body, Date.now())).toMatchObject({
      readings: [],
      rejections: [{ code: 'unknown_device', detail: expect.stringContaining('tank without a sensor') }],
    });
    const reading = { organizationNo, deviceId: device, atMs: Date.now(), level: 50 };
    const { rejected, stored } = await transaction(database.writer, (tx) =>
      ingestBatch(tx, {
        readings: [{ reading, messageId: uuid7(), position: 0, receivedAtMs: Date.now() }],
        rejections: [],
      }),
    );
    expect([stored, rejected]).toEqual([0, { unknown_device: 1 }]);
    // A file with dips is imported like any other file with readings.
    const file = `device_id,created_at,fill_percentage\n${device},${iso(Date.now() - DAY_MS)},61\n`;
    expect(await importText(database, organizationNo, file)).toMatchObject({ stored: 1, rejections: [] });
    expect((await stateOf(database, tank.no)).dips).not.toBeNull();
  });

  test('takes at most five dips a day from its owner, of the last day, and no other change of the owner', async ({
    database,
    manage,
  }) => {
    const { key, organizationNo } = await givenManagedOrganization(database);
    const [owner, stranger] = [
      await givenCustomer(database.operator, organizationNo),
      await givenCustomer(database.operator, organizationNo),
    ];
    const [own, sensor] = await givenTanks(database.operator, organizationNo, owner.no, [
      { assigned_device_id: 'manual' },
      {},
    ]);
    const foreign = await givenTank(database.operator, organizationNo, stranger.no, { assigned_device_id: 'manual' });
    const { cookie } = await givenSession(database, { customerNo: owner.no });
    const send = (path: string, body: object, headers: Record<string, string> = {}) =>
      callApi(manage.url, `/manage/v1${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: {
          cookie,
          'content-type': 'application/json',
          'idempotency-key': uuid7(),
          origin: manage.url,
          ...headers,
        },
      });
    const dip = (id: string | undefined, body: object = { fill_percentage: 40 }) => send(`/tanks/${id}/dips`, body);
    expect((await dip(own?.id, { fill_percentage: 40, created_at: iso(Date.now() - 2 * DAY_MS) })).status).toBe(422);
    for (let n = 0; n < 5; n++) expect((await dip(own?.id)).status).toBe(201);
    expect((await dip(own?.id)).status).toBe(409);
    expect((await dip(foreign.id)).status).toBe(404);
    expect((await dip(sensor?.id)).status).toBe(409);
    expect(
      (await send(`/tanks/${own?.id}/dips`, { fill_percentage: 40 }, { origin: 'https://evil.example' })).status,
    ).toBe(403);
    for (const [path, body] of [
      [`/tanks/${own?.id}/notes`, { text: 'Mine' }],
      ['/tanks', { ...TANK, owner_id: owner.id }],
    ] as const)
      expect((await send(path, body)).status).toBe(403);
    const { rows } = await database.owner.query<{ actor: string }>(
      `select distinct actor from audit_log where organization_no = $1 and 'dip' = any (fields)`,
      [organizationNo],
    );
    expect(rows).toEqual([{ actor: `customer ${owner.id}` }]);
    // A key of the organization is not limited.
    const more = await manage.call(key, 'POST', `/tanks/${own?.id}/dips`, { body: { fill_percentage: 39 } });
    expect(more.status).toBe(201);
    expect((await manage.call(key, 'DELETE', `/tanks/${own?.id}`, { ifMatch: '*' })).status).toBe(204);
    const { rows: left } = await database.owner.query(
      `select (select count(*) from waiting_dips where tank_no = $1) as dips,
              (select count(*) from estimated_tanks where tank_no = $1) as tanks`,
      [own?.no],
    );
    expect(left).toEqual([{ dips: 0, tanks: 0 }]);
  });

  test('falls with the use of tanks with sensors, becomes low by itself, and asks for a dip', async ({
    database,
    manage,
  }) => {
    const { organizationNo, key } = await givenManagedOrganization(database);
    const owner = await givenCustomer(database.operator, organizationNo);
    const place = { use_case: 'residential' as const, city: 'Toluca' };
    const sensors = await givenTanks(
      database.operator,
      organizationNo,
      owner.no,
      Array.from({ length: 12 }, () => place),
    );
    const tank = await givenTank(database.operator, organizationNo, owner.no, {
      ...place,
      assigned_device_id: 'manual',
    });
    const ingester = new BatchIngester(database.writer);
    await ingester.ingestReadings(sensors.flatMap(({ no }, n) => series(no, falling(70 + n, 2, 14))));
    // The dip comes before the rates of the region. Until they are known, the estimate stays at its level.
    await ingester.ingestReadings(series(tank.no, [[Date.now() - 20 * DAY_MS, 55]]));
    await settle(database);
    expect((await stateOf(database, tank.no)).dips).toMatchObject({ use: 0, estimate: { level: 55 } });
    expect(await learnRegionalRates(database.worker, Date.now())).toBeGreaterThan(0);
    expect(await learnRegionalRates(database.worker, Date.now())).toBe(0);
    const { rows: regions } = await database.owner.query<{
      use_case: string;
      city: string;
      tanks: number;
      rates: number[];
    }>('select use_case, city, tanks, rates from regional_rates where organization_no = $1 order by 1, 2', [
      organizationNo,
    ]);
    expect(regions.map(({ use_case, city, tanks }) => [use_case, city, tanks])).toEqual([
      ['', '', 12],
      ['residential', '', 12],
      ['residential', 'Toluca', 12],
    ]);
    expect(regions[0]?.rates[0]).toBeCloseTo(2, 0);
    await database.owner.query('update tank_states set timer_at = now() where tank_no = $1', [tank.no]);
    await fireAllTimers(database.writer, Date.now() + DAY_MS);
    const state = await stateOf(database, tank.no);
    expect(state.dips?.estimate?.level).toBeLessThan(25);
    expect(state).toMatchObject({ isLow: true, isSilent: false });
    expect(await isDipWanted(database, tank.no)).toBe(true);
    expect((await manage.call(key, 'PUT', `/tanks/${tank.id}/estimate`, { body: { is_told: false } })).status).toBe(
      200,
    );
    await settle(database);
    const { dip, level_range } = (await callApi(manage.url, `/fleet/v1/tanks/${tank.id}`, { key })).json;
    expect([dip.cannot_be_told, level_range]).toEqual(['irregular', null]);
    expect((await manage.call(key, 'PUT', `/tanks/${tank.id}/estimate`, { body: { is_told: true } })).status).toBe(200);
    await settle(database);
    const found = (await callApi(manage.url, '/fleet/v1/tanks?dip=wanted', { key })).json.data;
    expect(found).toMatchObject([{ source: 'estimated', dip: { is_wanted: true, cannot_be_told: null } }]);
    const { likely_percentage, low_percentage } = found[0].level_range;
    expect(likely_percentage).toBeLessThan(25);
    expect(low_percentage).toBeLessThan(likely_percentage);
    expect((await callApi(manage.url, '/fleet/v1/summary', { key })).json.dips_wanted).toBe(1);
    // A proposal of a round marks the estimated tank too, and no tank with a sensor.
    const { id: truckId } = await givenTruck(database.owner, organizationNo, 'Truck 2');
    const body = { date: iso(Date.now() + DAY_MS).slice(0, 10), truck_id: truckId, cities: ['Toluca'] };
    const { stops } = (await manage.call(key, 'POST', '/round-proposals', { body })).json;
    const estimates = new Map(
      stops.map(({ tank_id, estimate }: { tank_id: string; estimate: object | null }) => [tank_id, estimate]),
    );
    expect(estimates.get(tank.id)).toEqual({
      low_percentage: expect.closeTo(low_percentage, -1), // as of the day of the round
      high_percentage: expect.any(Number),
      last_dip_at: expect.any(String),
    });
    expect([...estimates.values()].filter((estimate) => estimate !== null)).toHaveLength(1);
    const { rows } = await database.owner.query(
      `select f.is_low, l.fill < 25 as has_fallen, f.is_silent,
              (select array_agg(type) from events where tank_no = f.tank_no and retracted_at is null) as events
       from fleet_tanks f join fleet_levels l using (tank_no) where f.tank_no = $1`,
      [tank.no],
    );
    expect(rows).toEqual([{ is_low: true, has_fallen: true, is_silent: false, events: ['tank.low_fill'] }]);
  });

  test('learns from delivery notes: “filled to” is a dip, liters alone raise the level, and cancelled notes do not count', async ({
    database,
  }) => {
    const { organizationNo } = await givenManagedOrganization(database);
    const owner = await givenCustomer(database.operator, organizationNo);
    const tank = await givenTank(database.operator, organizationNo, owner.no, {
      assigned_device_id: 'manual',
      capacity: 1_000,
    });
    await new BatchIngester(database.writer).ingestReadings(series(tank.no, [[Date.now() - 6 * DAY_MS, 30]]));
    const note = (number: string, daysAgo: number, filledTo: number | null, isCancelled = false) =>
      database.operator.query(
        `insert into delivery_notes (id, organization_no, number, customer_no, tank_no, at, precision, volume, unit, filled_to,
           is_cancelled, source)
         values ($1, $2, $3, $4, $5, $6, 'minute', 400, 'liters', $7, $8, 'import')`,
        [uuid7(), organizationNo, number, owner.no, tank.no, iso(Date.now() - daysAgo * DAY_MS), filledTo, isCancelled],
      );
    const store = new DipStore(database.writer);
    const levelNow = async (): Promise<number> => {
      await store.storeBatch();
      await settle(database);
      return Math.round((await stateOf(database, tank.no)).dips?.estimate?.level ?? Number.NaN);
    };
    await note('1', 5, null);
    expect(await levelNow()).toBe(70);
    await note('2', 4, 80);
    expect(await levelNow()).toBe(80);
    expect((await readingsOf(database, tank)).map((reading) => reading.fill_percentage)).toEqual(
      expect.arrayContaining([30, 80]),
    );
    await note('3', 3, 10, true);
    expect(await levelNow()).toBe(80);
    await database.operator.query(
      `update delivery_notes set is_cancelled = true where organization_no = $1 and number = '1'`,
      [organizationNo],
    );
    expect(await levelNow()).toBe(80);
    expect((await stateOf(database, tank.no)).isLow).toBe(false);
  });

  test('gets a sensor by a normal assignment, and can lose it again', async ({ database, manage }) => {
    const { key, organizationNo } = await givenManagedOrganization(database);
    const owner = await givenCustomer(database.operator, organizationNo);
    const tank = await givenTank(database.operator, organizationNo, owner.no, { assigned_device_id: 'manual' });
    const ingester = new BatchIngester(database.writer);
    await ingester.ingestReadings(series(tank.no, [[Date.now() - DAY_MS, 55]]));
    const put = (device_id: string) => manage.call(key, 'PUT', `/tanks/${tank.id}/device`, { body: { device_id } });
    const device = `S-${tank.no}`;
    expect((await put(device)).json.assigned_device_id).toBe(device);
    expect(await isDipWanted(database, tank.no)).toBe(false);
    await ingester.ingestReadings(series(tank.no, [[Date.now() + 1, 54]]));
    await settle(database);
    expect(await stateOf(database, tank.no)).toMatchObject({ dips: null, level: { level: 54 } });
    expect((await put('manual')).json.assigned_device_id).toMatch(SERIAL);
    await settle(database);
    expect(await stateOf(database, tank.no)).toMatchObject({ dips: { estimate: null }, level: null });
    expect(await isDipWanted(database, tank.no)).toBe(true);
  });
});

import { expect } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { setTankGauges } from '../../src/gauges/set_gauges.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { givenKey } from '../support/fleet.ts';
import { givenSender, postBody, postReadings, test, untilCommitted } from '../support/ingest.ts';
import { recordRefills, refillOf, settle } from '../support/ledger.ts';
import { givenManageApi } from '../support/manage.ts';
import type { TestDatabase } from '../support/test.ts';
import { ldds75Uplink } from '../support/uplinks.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

/** An organization whose devices send through a gateway and whose settings are changed over HTTP. */
async function givenOffice(database: TestDatabase, deviceIds: string[]) {
  const sender = await givenSender(database, deviceIds);
  const api = await givenManageApi(database);
  const { text: key } = await givenKey(database.operator, {
    organizationNo: sender.organizationNo,
    scopes: ['read', 'manage'],
  });
  return { sender, call: (method: string, path: string, body?: unknown) => api.call(key, method, path, { body }) };
}

/** The upright tank of 275 gal with a riser of 100 mm. */
const OBROUND = { form: 'obround', width_mm: 685.8, height_mm: 1_117.6 } as const;
const RISER = { from_at: null, shape: OBROUND, measures: 'distance', offset_mm: 100 } as const;

test('a device that sends distances is recognized, described, read, compared with the dial and corrected', async ({
  database,
  ingest,
}) => {
  const eui = 'A840410000000275';
  const { sender, call } = await givenOffice(database, ['OTHER-1']);
  const { tankNos, organizationNo, key } = sender;
  const { rows } = await database.owner.query<{ id: string }>('select id from tanks where no = $1', [tankNos[0]]);
  const tankId = rows[0]?.id ?? '';
  const send = async (distanceMm: number): Promise<void> => {
    const { json: answer } = await postBody(
      ingest.gateway.httpUrl,
      key,
      ldds75Uplink(eui, distanceMm),
      '?format=things-stack',
    );
    expect(answer).toMatchObject({ accepted: 1 });
    await untilCommitted(ingest.stream);
  };
  const readDevice = async () => (await call('GET', `/devices/${eui}`)).json;

  const unknown = { profile: null, recognized_by: null, measures: [], reports_level: false, heard_at: null };
  expect(await readDevice()).toMatchObject({ object: 'device', tank_id: null, last_rejection: null, ...unknown });
  // The device is on no tank and sends. Its message shows what it measures.
  await send(568);
  expect(await readDevice()).toMatchObject({
    tank_id: null,
    heard_at: expect.any(String),
    measures: ['distance'],
    last_rejection: { code: 'unknown_device' },
  });
  const readStoredDevices = async () => (await call('GET', '/devices')).json.data;
  expect(await readStoredDevices()).toMatchObject([
    { device_id: eui, heard_at: expect.any(String), taken_off_at: null, last_tank: null },
  ]);

  expect((await call('PUT', `/tanks/${tankId}/device`, { device_id: eui })).status).toBe(200);
  await send(568);
  expect(await readStoredDevices()).toMatchObject([
    { device_id: 'OTHER-1', taken_off_at: expect.any(String), last_tank: { id: tankId } },
  ]);
  expect(await readDevice()).toMatchObject({
    tank_id: tankId,
    profile: 'dragino-ldds75',
    maker: 'Dragino',
    recognized_by: 'messages',
    measures: ['distance'],
    reports_level: false,
    signal_dbm: -96,
    battery_v: 3.387,
    last_rejection: { code: 'no_gauge' },
  });
  expect((await call('POST', `/tanks/${tankId}/gauges/calibration`, {})).status).toBe(409);

  expect((await call('PUT', `/tanks/${tankId}/gauges`, { gauges: [RISER] })).status).toBe(200);
  await send(568);
  const gauges = async () => (await call('GET', `/tanks/${tankId}/gauges`)).json;
  expect((await gauges()).latest_measure).toEqual({
    created_at: expect.any(String),
    kind: 'distance',
    value: 568,
    unit: 'mm',
    height_mm: 649.6,
    inner_height_mm: 1_117.6,
    fill_percentage: expect.closeTo(59, 0),
  });

  // The dial shows one half, which fits a sensor without a riser.
  const at = new Date().toISOString();
  const { json: calibration } = await call('POST', `/tanks/${tankId}/gauges/calibration`, {
    dials: [{ at, fill_percentage: 50 }],
  });
  expect(calibration).toMatchObject({ better: null, left_out: 0 });
  expect(calibration.points).toMatchObject([{ kind: 'dial', expected: 50, measured: { value: 568, unit: 'mm' } }]);
  expect(calibration.fits).toMatchObject([
    { name: 'as_described', errors: [expect.closeTo(9.2, 0)], highest_percentage: null },
    { name: 'other_offset', errors: [expect.closeTo(0, 0)] },
  ]);
  const { gauge } = calibration.fits[1];
  expect(gauge).toMatchObject({ from_at: null, shape: OBROUND, offset_mm: expect.closeTo(9, -1) });
  // A calibration does not change the gauge.
  expect((await gauges()).gauges).toMatchObject([{ offset_mm: 100 }]);
  expect((await call('PUT', `/tanks/${tankId}/gauges`, { gauges: [gauge] })).status).toBe(200);
  await expect
    .poll(async () => (await gauges()).latest_measure)
    .toMatchObject({ value: 568, fill_percentage: expect.closeTo(50, 0) });

  // Another organization sees nothing of the device.
  const other = await givenOffice(database, ['X']);
  expect((await other.call('GET', `/devices/${eui}`)).json).toMatchObject(unknown);
  expect((await other.call('GET', '/devices')).json).toEqual({ object: 'list', data: [], total: 0 });
  expect((await other.call('POST', `/tanks/${tankId}/gauges/calibration`, {})).status).toBe(404);
  expect(organizationNo).not.toBe(other.sender.organizationNo);
});

test('the profile of an assignment describes a device before it sends: its channels, measures and whether it reports levels', async ({
  database,
}) => {
  const { call } = await givenOffice(database, ['OTHER-2']);
  const assign = (selector: string, profile: string) =>
    call('PUT', `/profile-assignments/${encodeURIComponent(selector)}`, { profile });
  await assign('device=FOUR*', 'dragino-ldds04');
  await assign('device=BOTH', 'netvox-r718pe');
  await assign('device=CLOUD', 'oilfox');
  const by = { recognized_by: 'assignment' };
  const readDevice = async (id: string) => (await call('GET', `/devices/${encodeURIComponent(id)}`)).json;
  expect(await readDevice('FOUR-1')).toMatchObject({ ...by, channels: [1, 2, 3, 4], measures: ['distance'] });
  expect(await readDevice('four-1#2')).toMatchObject({ ...by, device_id: 'four-1#2', profile: 'dragino-ldds04' });
  expect(await readDevice('BOTH')).toMatchObject({ ...by, measures: ['distance'], reports_level: true });
  expect(await readDevice('CLOUD')).toMatchObject({ ...by, measures: [], reports_level: true });
  expect((await call('GET', `/devices/${'x'.repeat(65)}`)).status).toBe(422);
});

test('dial readings and deliveries show that the tank has another shape, and measures of another gauge are left out', async ({
  database,
  ingest,
}) => {
  const { sender, call } = await givenOffice(database, ['D-1']);
  const { organizationNo } = sender;
  const beginMs = Date.now() - 400 * HOUR_MS;
  const { rows } = await database.owner.query<{ id: string }>(
    `update tanks set capacity = 1892.7, capacity_unit = 'liters' where organization_no = $1 returning id`,
    [organizationNo],
  );
  const [tank] = rows;
  const tankNo = sender.tankNos[0] ?? 0;
  // The tank is described as a box, but is a lying cylinder of 500 gal.
  const box = { from_at: null, shape: { form: 'box', height_mm: 939.8 }, measures: 'height', offset_mm: 0 } as const;
  await transaction(database.operator, (tx) =>
    setTankGauges(operatorChange(tx, organizationNo), { id: tank?.id ?? '' }, [box]),
  );
  const heights = [160, 310, 470, 620, 780, 230, 700];
  const levels = [11.2, 28.9, 50, 70, 88.8, 19.4, 80.1];
  await postReadings(
    ingest.gateway.httpUrl,
    sender.key,
    heights.map((height_mm, n) => ({ device_id: 'D-1', height_mm, created_at: iso(beginMs + n * DAY_MS) })),
  );
  await untilCommitted(ingest.stream);
  const calibrate = async (body: object) => (await call('POST', `/tanks/${tank?.id}/gauges/calibration`, body)).json;
  const dials = levels
    .slice(0, 5)
    .map((fill_percentage, n) => ({ at: iso(beginMs + n * DAY_MS + HOUR_MS), fill_percentage }));
  const far = { at: iso(beginMs - 13 * HOUR_MS), fill_percentage: 50 };
  const byDial = await calibrate({ dials: [...dials, far] });
  expect(byDial).toMatchObject({ better: 'horizontal_500_gal', left_out: 1 });
  expect(byDial.points).toHaveLength(5);
  expect(byDial.fits[0].rms_error).toBeGreaterThan(3);
  expect(byDial.fits[1]).toMatchObject({ name: 'horizontal_500_gal', rms_error: expect.closeTo(0.3, 0) });

  // A delivery raises the height from 230 to 700 mm, by the volume of its note.
  const [fromMs, toMs] = [beginMs + 5 * DAY_MS, beginMs + 6 * DAY_MS];
  const liters = 1892.7 * 0.607;
  await recordRefills(database.writer, [
    refillOf({ organizationNo, tankNo }, { fromMs, toMs, liters, before: 24.5, after: 74.5 }),
  ]);
  const { status } = await call('PUT', '/delivery-notes/-/1', {
    tank: 'D-1',
    at: iso(toMs - HOUR_MS),
    volume: liters,
    unit: 'liters',
    compensated: false,
  });
  expect(status).toBe(201);
  await settle(database.worker);
  const both = await calibrate({ dials: dials.slice(0, 2), with_deliveries: true });
  expect(both.points.map(({ kind }: { kind: string }) => kind)).toEqual(['dial', 'dial', 'delivery']);
  expect(both.points[2].expected).toBeCloseTo(60.7, 0);
  expect(both.fits[0].errors[2]).toBeCloseTo(50 - 60.7, 0);
  expect(both.better).toBe('horizontal_500_gal');

  // With a new gauge, the measures belong to the previous one, so nothing is left to compare.
  const later = { ...box, from_at: new Date().toISOString() };
  expect((await call('PUT', `/tanks/${tank?.id}/gauges`, { gauges: [box, later] })).status).toBe(200);
  expect(await calibrate({ dials })).toMatchObject({ points: [], fits: [], left_out: 5, better: null });
});

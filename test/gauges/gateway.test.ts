import { readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { builtInProfiles } from '../../src/gauges/built_in_profiles.ts';
import { assignProfile, setGaugeProfile, unassignProfile } from '../../src/gauges/gauge_changes.ts';
import type { GaugeSettings } from '../../src/gauges/selection.ts';
import { setTankGauges } from '../../src/gauges/set_gauges.ts';
import { replayRejected } from '../../src/ingest/replay_rejected.ts';
import type { StreamBatch } from '../../src/telemetry/stream_message.ts';
import type { Response } from '../support/http.ts';
import {
  givenSender,
  postBody,
  readStream,
  rejectedOf,
  type Sender,
  type TestIngest,
  test,
  untilCommitted,
} from '../support/ingest.ts';
import { connectDevice, publish, topicOf } from '../support/mqtt.ts';
import type { TestDatabase } from '../support/test.ts';

interface Payload {
  id: string;
  profile: string;
  port?: number;
  hex?: string;
  body?: unknown;
  text?: string;
  expected: { outcome: string; reports?: { fault?: string | null }[] };
}
const { payloads } = JSON.parse(readFileSync(new URL('payloads.json', import.meta.url), 'utf8')) as {
  payloads: Payload[];
};

const assign = (
  { operator }: TestDatabase,
  { organizationNo }: Sender,
  selector: string,
  profile: string,
  settings: GaugeSettings | null = null,
) => transaction(operator, (tx) => assignProfile(operatorChange(tx, organizationNo), { selector, profile, settings }));

/** An uplink of The Things Stack whose decoder gives a wrong level. */
const thingsStack = (eui: string, port: number, hex: string, more: object = {}): string =>
  JSON.stringify({
    end_device_ids: { dev_eui: eui, application_ids: { application_id: 'tanks' } },
    received_at: new Date().toISOString(),
    uplink_message: {
      f_port: port,
      frm_payload: Buffer.from(hex, 'hex').toString('base64'),
      decoded_payload: { fill_percentage: 99 },
      received_at: '2026-11-16T06:00:00.123456789Z',
      rx_metadata: [{ rssi: -97, snr: 8.2 }],
      ...more,
    },
  });
const chirpStack = (eui: string, port: number, hex: string, more: object = {}): string =>
  JSON.stringify({
    time: '2026-11-16T06:00:00.123456789+00:00',
    deviceInfo: { devEui: eui.toLowerCase(), applicationName: 'tanks', deviceProfileName: 'a gauge' },
    fPort: port,
    data: Buffer.from(hex, 'hex').toString('base64'),
    object: { fill_percentage: 99 },
    rxInfo: [{ rssi: -97, snr: 8.2 }],
    ...more,
  });

/** The entries of the stream that belong to an organization. */
async function streamOf({ environment }: TestIngest, { organizationNo }: Sender) {
  const batches: StreamBatch[] = await readStream(environment);
  const isOwn = (entry: { organizationNo: number | null }): boolean => entry.organizationNo === organizationNo;
  return {
    readings: batches.flatMap(({ readings }) => readings).filter(isOwn),
    rejections: batches.flatMap(({ rejections }) => rejections).filter(isOwn),
    health: batches.flatMap(({ health }) => health).filter(({ organization_no }) => organization_no === organizationNo),
  };
}

/** Sends until the answer is as expected. The gateway needs up to a second to see a change of the database. */
async function sendUntil(send: () => Promise<Response>, expected: object): Promise<void> {
  await expect.poll(async () => (await send()).json, { interval: 100 }).toMatchObject(expected);
}

test('of the documented messages of gauges the gateway reads 29, refuses 5 with a reason and ignores 2', async ({
  database,
  ingest,
}) => {
  const sender = await givenSender(database, ['X']);
  const { organizationCode, key } = sender;
  const { httpUrl, mqttPort } = ingest.gateway;
  const euiOf = (n: number): string => `A84041${String(n).padStart(10, '0')}`;
  const namesNoDevice = (profile: string): boolean => /^(tank-utility|zigbee2mqtt|esphome)/.test(profile);
  const isOverMqtt = ({ profile }: Payload): boolean => /^(mopeka|rtl433)/.test(profile);
  // Models with a name in The Things Stack need no assignment.
  for (const [n, { profile, port }] of payloads.entries())
    if (port !== undefined && (n % 2 === 1 || !builtInProfiles().get(profile)?.models))
      await assign(database, sender, `device=${euiOf(n)}`, profile);
  await assign(database, sender, 'device=MOPEKA*', 'mopeka-pro-propane');
  await assign(database, sender, 'topic=rtl_433', 'rtl433-oil');
  await assign(database, sender, 'device=BRIDGE', 'rtl433-oil'); // it may name other devices
  await sendUntil(() => postBody(httpUrl, key, chirpStack(euiOf(1), 1, '00'), '?format=chirpstack'), { accepted: 1 });
  const bridge = await connectDevice(mqttPort, { organizationCode, deviceId: 'BRIDGE' });
  const before = await streamOf(ingest, sender);

  const outcomes: Record<string, string> = {};
  const overHttp = (n: number, { profile, port, hex = '', body, text }: Payload): [string, string] => {
    const device = namesNoDevice(profile) ? `&device=D-${n}` : '';
    if (port === undefined) return [text ?? JSON.stringify(body), `?profile=${profile}${device}`];
    if (n % 2 === 1) return [chirpStack(euiOf(n), port, hex), '?format=chirpstack'];
    const [brand_id, model_id] = (builtInProfiles().get(profile)?.models?.[0] ?? '/').split('/');
    return [thingsStack(euiOf(n), port, hex, { version_ids: { brand_id, model_id } }), '?format=things-stack'];
  };
  for (const [n, payload] of payloads.entries()) {
    const { id, hex = '', body } = payload;
    if (isOverMqtt(payload)) {
      const deviceId = `MOPEKA-${n}`;
      const isBytes = payload.hex !== undefined;
      const client = isBytes ? await connectDevice(mqttPort, { organizationCode, deviceId }) : bridge;
      const topic = isBytes ? topicOf({ organizationCode, deviceId }) : `readings/${organizationCode}/BRIDGE/rtl_433`;
      const sent = isBytes ? Buffer.from(hex, 'hex') : JSON.stringify(body);
      expect([id, await publish(client, topic, sent)]).toEqual([id, 'acknowledged']);
      if (isBytes) await client.endAsync();
      continue;
    }
    const [sent, query] = overHttp(n, payload);
    const { status, json: answer } = await postBody(httpUrl, key, sent, query);
    expect([id, status]).toEqual([id, 202]);
    const { accepted, rejected } = answer as { accepted: number; rejected: { code: string; detail: string }[] };
    outcomes[id] = accepted > 0 ? 'read' : (rejected[0]?.code ?? 'ignored');
  }
  await bridge.endAsync();

  for (const { id, expected } of payloads.filter((payload) => !isOverMqtt(payload))) {
    const hasLevel = expected.reports?.some(({ fault }) => !fault) ?? false;
    const right = hasLevel ? 'read' : expected.outcome === 'ignored' ? 'ignored' : 'no_reading';
    expect([id, outcomes[id]]).toEqual([id, right]);
  }
  const { readings, rejections, health } = await streamOf(ingest, sender);
  const rejected = rejections.slice(before.rejections.length);
  expect(rejected.map(({ code }) => code)).toEqual(Array.from({ length: 5 }, () => 'no_reading'));
  expect(rejected.map(({ detail }) => detail).toSorted()).toEqual([
    'The device could not measure: "MISSING_STORAGE_CONFIG".',
    'The device could not measure: "no echo".',
    'The device could not measure: "no sensor".',
    'The device could not measure: "tilted".',
    'The device could not measure: "tilted".',
  ]);
  const read = new Set(readings.slice(before.readings.length).map(({ deviceId }) => deviceId.split('#')[0]));
  // 29 messages are read. Two messages of Otodata are of one device, and so are two of Theengs.
  expect(read.size).toBe(27);
  expect(payloads.length - 5 - 2).toBe(29);
  // No level is the 99 of the wrong decoders, and measures are in 0.1 mm.
  expect(readings.slice(before.readings.length).filter(({ level }) => level === 99)).toEqual([]);
  const ldds75 = payloads.findIndex(({ id }) => id === 'dragino-ldds75');
  expect(readings.find(({ deviceId }) => deviceId === euiOf(ldds75))).toMatchObject({
    level: null,
    atMs: Date.parse('2026-11-16T06:00:00.123Z'),
    measure: { kind: 'distance', value: 27_990 },
  });
  const ldds04 = payloads.findIndex(({ id }) => id === 'dragino-ldds04');
  expect(
    readings
      .filter(({ deviceId }) => deviceId.startsWith(euiOf(ldds04)))
      .map(({ deviceId, measure }) => [deviceId, measure?.value]),
  ).toEqual([7_900, 7_920, 7_940, 7_890].map((value, index) => [`${euiOf(ldds04)}#${index + 1}`, value]));
  expect(health.filter(({ device_id }) => device_id.startsWith(euiOf(ldds04)))).toEqual([
    expect.objectContaining({ device_id: euiOf(ldds04), rssi_dbm: -97, snr_db: 8.2, profile: 'dragino-ldds04' }),
  ]);
  expect(readings.find(({ deviceId }) => deviceId === 'Oil-SonicStd/62521')?.measure).toEqual({
    kind: 'distance',
    value: 8_300,
  });
  await untilCommitted(ingest.stream);
});

test('a profile of an organization does not read messages of another organization', async ({ database, ingest }) => {
  const [own, other] = [await givenSender(database, ['O#1', 'O#2']), await givenSender(database, ['O'])];
  const { httpUrl } = ingest.gateway;
  const profile = {
    profile: 'two-tanks',
    maker: 'Acme',
    device: 'Two tanks',
    models: ['acme/two'],
    input: 'bytes',
    frames: [
      {
        fields: {
          'percent#1': { at: 0, type: 'u8' },
          'percent#2': { at: 1, type: 'u8' },
          battery_v: { at: 2, type: 'u8' },
        },
      },
    ],
  };
  await transaction(database.operator, (tx) => setGaugeProfile(operatorChange(tx, own.organizationNo), profile));
  await assign(database, own, 'device=O*', 'two-tanks');
  await assign(database, own, 'application=tanks', 'two-tanks');
  const send = ({ key }: Sender, query: string, sent: string): Promise<Response> => postBody(httpUrl, key, sent, query);
  const uplink = JSON.stringify({
    device_id: 'o',
    model: 'acme/two',
    application: 'tanks',
    port: 1,
    payload_hex: '2a2b1e',
    created_at: '2026-11-16T06:00:00Z',
  });
  await sendUntil(() => send(own, '?format=uplink', uplink), { accepted: 2 });
  const theirs = await send(other, '?format=uplink', uplink);
  expect(theirs.json).toMatchObject({ accepted: 0, rejected: [{ code: 'malformed' }] });
  expect(JSON.stringify(theirs.json)).toContain('3 bytes on port 1 (2a2b1e), model acme/two, application tanks');
  expect(await send(other, '?profile=two-tanks&device=O', '***')).toMatchObject({
    status: 400,
    json: { detail: expect.stringContaining('There is no profile two-tanks') },
  });
  const device = { organizationCode: other.organizationCode, deviceId: 'O' };
  const client = await connectDevice(ingest.gateway.mqttPort, device);
  expect(await publish(client, topicOf(device), Buffer.from('2a2b1e', 'hex'))).toBe('acknowledged');
  await client.endAsync();
  await untilCommitted(ingest.stream);
  // The two tanks of one device have a level each, and the other organization has none.
  const { rows } = await database.owner.query<{ fill_percentage: number }>(
    'select distinct fill_percentage from telemetry where tank_no = any ($1) order by 1',
    [[...own.tankNos, ...other.tankNos]],
  );
  expect(rows.map(({ fill_percentage }) => fill_percentage)).toEqual([42, 43]);
  expect((await rejectedOf(database, other.organizationNo)).map(({ code }) => code)).toEqual([
    'malformed',
    'malformed',
  ]);

  // The messages of the other organization are read when it has a profile of its own.
  const replay = () =>
    transaction(database.operator, (tx) =>
      replayRejected(tx, { organizationNo: other.organizationNo }, { afterNo: 0, limit: 100 }),
    );
  expect(await replay()).toMatchObject({ stored: 0, rejected: [{ code: 'malformed' }, { code: 'malformed' }] });
  const single = { ...profile, frames: [{ fields: { percent: { at: 0, type: 'u8' } } }] };
  await transaction(database.operator, (tx) => setGaugeProfile(operatorChange(tx, other.organizationNo), single));
  await assign(database, other, 'device=o', 'two-tanks');
  expect(await replay()).toMatchObject({ stored: 2, rejected: [] });
});

test('a device with a profile is read from its bytes, and without a profile by the decoder of its network server', async ({
  database,
  ingest,
}) => {
  const sender = await givenSender(database, ['70B3D57ED0061A2B']);
  const { httpUrl } = ingest.gateway;
  const noSensor = () =>
    postBody(httpUrl, sender.key, thingsStack('70B3D57ED0061A2B', 2, '0bb80000000000ff'), '?format=things-stack');
  expect((await noSensor()).json).toMatchObject({ accepted: 1 });
  await assign(database, sender, 'device=70b3d57ed0061a2b', 'dragino-ldds75');
  await sendUntil(noSensor, { accepted: 0, rejected: [{ code: 'no_reading' }] });
  const unknown = await postBody(
    httpUrl,
    sender.key,
    thingsStack('70B3D57ED0061A2B', 77, '0102030405060708090a'),
    '?format=things-stack',
  );
  expect(unknown.json).toMatchObject({
    rejected: [
      {
        code: 'malformed',
        detail:
          'The message of 10 bytes on port 77 (0102030405060708) fits no frame of the profile dragino-ldds75, which has frames for port 2 or port 5.',
      },
    ],
  });
  await untilCommitted(ingest.stream);
  // A replay does not try the messages in which the device itself reported that it has no reading.
  const replayed = await transaction(database.operator, (tx) =>
    replayRejected(tx, { organizationNo: sender.organizationNo }, { afterNo: 0, limit: 100 }),
  );
  expect(replayed.rejected.map(({ code }) => code)).toEqual(['malformed']);
  await transaction(database.operator, (tx) =>
    unassignProfile(operatorChange(tx, sender.organizationNo), 'device=70B3D57ED0061A2B'),
  );
  await sendUntil(noSensor, { accepted: 1 });
});

test('from a message of readings without times the newest is stored, and all new ones if their interval is known', async ({
  database,
  ingest,
}) => {
  const sender = await givenSender(database, ['X']);
  const hex = payloads.find(({ id }) => id === 'tek766-measurement')?.hex ?? '';
  const send = (eui: string) =>
    postBody(ingest.gateway.httpUrl, sender.key, chirpStack(eui, 16, hex), '?format=chirpstack');
  await assign(database, sender, 'device=AA*', 'tekelek-tek766');
  await assign(database, sender, 'device=AAB*', 'tekelek-tek766', { interval_minutes: 60, period_minutes: 180 });
  await assign(database, sender, 'device=AAD*', 'tekelek-tek766', { interval_minutes: 60, period_minutes: 170 });
  await sendUntil(() => send('AAB1'), { accepted: 3 });
  // The third reading is 120 minutes old, and the previous message was sent 170 minutes ago.
  await sendUntil(() => send('AAD1'), { accepted: 3 });
  expect((await send('AAC1')).json).toMatchObject({ accepted: 1 });
  const { readings } = await streamOf(ingest, sender);
  const measuresOf = (eui: string) =>
    readings
      .filter(({ deviceId, measure }) => deviceId === eui && measure !== undefined)
      .map(({ atMs, measure }) => [new Date(atMs).toISOString().slice(11, 16), measure?.value]);
  expect(measuresOf('AAC1')).toEqual([['06:00', 27_400]]);
  expect(new Set(measuresOf('AAB1').map(String))).toEqual(new Set(['06:00,27400', '05:00,27500', '04:00,27400']));
});

test('a device cannot publish below its topic unless a profile is assigned there, and a wrong query is refused', async ({
  database,
  ingest,
}) => {
  const sender = await givenSender(database, ['D']);
  const device = { organizationCode: sender.organizationCode, deviceId: 'D' };
  const client = await connectDevice(ingest.gateway.mqttPort, device);
  onTestFinished(() => void client.end(true));
  expect(await publish(client, `${topicOf(device)}/x`, '{"fill_percentage": 5}')).toBe('closed');
  for (const query of [
    '?profile=A!',
    '?profile=oilfox&format=chirpstack',
    '?device=D',
    '?profile=oilfox&level=a&unit=percent',
  ])
    expect([query, (await postBody(ingest.gateway.httpUrl, sender.key, '{}', query)).status]).toEqual([query, 422]);
});

test('a distance is kept until the gauge of its tank is described and then stored, and later distances are stored at once', async ({
  database,
  ingest,
}) => {
  const sender = await givenSender(database, ['A840410000000099']);
  const { organizationNo, tankNos } = sender;
  const send = (hour: string) =>
    postBody(
      ingest.gateway.httpUrl,
      sender.key,
      thingsStack('A840410000000099', 2, '0d3b01f400000001', {
        version_ids: { brand_id: 'dragino', model_id: 'ldds75' },
        received_at: `2026-11-16T${hour}:00:00Z`,
      }),
      '?format=things-stack',
    );
  expect((await send('06')).json).toMatchObject({ accepted: 1 });
  await untilCommitted(ingest.stream);
  expect((await rejectedOf(database, organizationNo)).map(({ code }) => code)).toEqual(['no_gauge']);
  const gauge = {
    from_at: null,
    shape: { form: 'box', height_mm: 1_000 },
    measures: 'distance',
    offset_mm: 0,
  } as const;
  await transaction(database.operator, (tx) =>
    setTankGauges(operatorChange(tx, organizationNo), { no: tankNos[0] ?? 0 }, [gauge]),
  );
  const levels = async (): Promise<number[]> =>
    (
      await database.owner.query<{ fill_percentage: number }>(
        'select fill_percentage from telemetry where tank_no = $1',
        [tankNos[0]],
      )
    ).rows.map(({ fill_percentage }) => fill_percentage);
  await expect.poll(levels, { timeout: 20_000 }).toEqual([50]);
  await send('07');
  await untilCommitted(ingest.stream);
  expect(await levels()).toEqual([50, 50]);
});

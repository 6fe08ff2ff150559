import { expect, test } from 'vitest';
import type { PayloadFormat } from '../../src/telemetry/format_query.ts';
import { parseBody, UnparsableBodyError } from '../../src/telemetry/payload_formats.ts';
import type { ParsedPayload } from '../../src/telemetry/raw_message.ts';

const NOW_MS = Date.parse('2025-08-13T16:38:55.453Z');
const read = (format: PayloadFormat, sent: object): ParsedPayload =>
  parseBody(format, Buffer.from(JSON.stringify(sent)), NOW_MS);
const NOTHING: ParsedPayload = { readings: [], rejections: [] };

/** A message of The Things Stack v3: it omits fields that are zero or empty, and its times have nanoseconds. */
const thingsStack = (message: object): object => ({
  end_device_ids: {
    device_id: 'eui-a8404194a1875ff3',
    application_ids: { application_id: 'tanks' },
    dev_eui: 'A8404194A1875FF3',
    join_eui: '800000000000000C',
    dev_addr: '260BE6BF',
  },
  correlation_ids: ['gs:uplink:01K9ER8B2712V0HV1YBNRF35ZY'],
  received_at: '2025-08-13T14:34:32.869542824Z',
  ...message,
});
const uplinkMessage = (message: object): object =>
  thingsStack({
    uplink_message: {
      session_key_id: 'AZpdcJdm3ixYYWExQAIgUg==',
      f_port: 2,
      f_cnt: 25,
      frm_payload: 'DTgAAAAAC8MAABA=',
      rx_metadata: [
        {
          gateway_ids: { gateway_id: 'eui-a84041ffff24a438', eui: 'A84041FFFF24A438' },
          time: '2025-08-13T14:34:32.621391Z',
          timestamp: 1010590159,
          rssi: -42,
          snr: 5.8,
        },
      ],
      settings: { data_rate: { lora: { bandwidth: 125000, spreading_factor: 12 } }, frequency: '867500000' },
      received_at: '2025-08-13T14:34:32.656299995Z',
      consumed_airtime: '1.482752s',
      network_ids: { net_id: '000013', tenant_id: 'ttn', cluster_id: 'eu1' },
      ...message,
    },
  });

/** An event of ChirpStack v4: the DevEUI is in lower case, and times have nanoseconds and an offset. */
const chirpStack = (event: object): object => ({
  deduplicationId: 'ce397905-f943-45af-8ab5-cebb371b2a3a',
  time: '2025-08-13T14:34:32.292943009+00:00',
  deviceInfo: {
    tenantId: '52f14cd4-c6f1-4fbd-8f87-4025e1d49242',
    tenantName: 'ChirpStack',
    applicationId: 'acb57b95-2c39-486e-a8e7-724d4d6343ac',
    applicationName: 'tanks',
    deviceProfileId: '6a5e561f-17bd-4bee-a6ff-707a81e71008',
    deviceProfileName: 'gauge',
    deviceName: 'node-01',
    devEui: '9620853c959b5856',
    deviceClassEnabled: 'CLASS_A',
    tags: {},
  },
  ...event,
});
const up = (event: object): object =>
  chirpStack({
    devAddr: '06b0b667',
    adr: false,
    dr: 1,
    fCnt: 79,
    fPort: 51,
    confirmed: false,
    data: '7u7u',
    rxInfo: [{ gatewayId: '0016c001f10550c9', uplinkId: 314812379, rssi: -12, snr: 12.25, crcStatus: 'CRC_OK' }],
    txInfo: { frequency: 903100000, modulation: { lora: { bandwidth: 125000, spreadingFactor: 9 } } },
    ...event,
  });

test('an uplink of The Things Stack is a reading of its DevEUI at the time at which the network received it', () => {
  const atMs = Date.parse('2025-08-13T14:34:32.656Z');
  expect(read({ name: 'things-stack' }, uplinkMessage({ decoded_payload: { fill_percentage: 0 } }))).toEqual({
    readings: [{ deviceId: 'A8404194A1875FF3', atMs, level: 0 }],
    rejections: [],
  });
  const normalized = thingsStack({ uplink_normalized: { normalized_payload: { fill_percentage: 5 } } });
  expect(read({ name: 'things-stack' }, normalized)).toEqual(NOTHING); // the same uplink again
});

test('an uplink of ChirpStack is a reading of its DevEUI, in upper case as on the label', () => {
  const level = { name: 'lvl', unit: 'fraction' } as const;
  expect(read({ name: 'chirpstack', levelField: level }, up({ object: { lvl: 0.25, battery: 3.6 } }))).toEqual({
    readings: [{ deviceId: '9620853C959B5856', atMs: Date.parse('2025-08-13T14:34:32.292Z'), level: 25 }],
    rejections: [],
  });
});

test('an uplink may hold several readings, with or without times', () => {
  const readings = [
    { volume_liters: 300, created_at: '2025-08-13T08:00:00Z' },
    { volume_liters: 290, created_at: null },
    { volume_liters: -1 },
  ];
  for (const [name, sent] of [
    ['things-stack', uplinkMessage({ decoded_payload: { readings } })],
    ['chirpstack', up({ object: { readings } })],
  ] as const) {
    const understood = read({ name }, sent);
    expect(understood.readings.map(({ atMs, level }) => [new Date(atMs).toISOString().slice(0, 19), level])).toEqual([
      ['2025-08-13T08:00:00', { amount: 300, unit: 'liters' }],
      ['2025-08-13T14:34:32', { amount: 290, unit: 'liters' }],
    ]);
    // The rejected reading is stored with the network's time, so that a replay gives the same reading.
    expect(understood.rejections).toMatchObject([{ index: 2, code: 'out_of_range', format: '' }]);
    expect(JSON.parse(understood.rejections[0]?.raw.toString() ?? '')).toMatchObject({
      volume_liters: -1,
      created_at: expect.stringContaining('14:34:32'),
    });
  }
});

test('the same uplink sent twice is the same reading', () => {
  const sent = uplinkMessage({ decoded_payload: { fill_percentage: 5 } });
  const later = { ...sent, received_at: '2025-08-13T14:35:02.000000000Z' }; // only this differs in a retry
  expect(read({ name: 'things-stack' }, later)).toEqual(read({ name: 'things-stack' }, sent));
});

test('messages of a network server that are not uplinks with data are ignored', () => {
  const message = { received_at: '2025-08-13T14:34:32.5Z' };
  const queued = { f_port: 15, frm_payload: 'AQ==', correlation_ids: [] };
  const ignored: [PayloadFormat['name'], object][] = [
    ['things-stack', thingsStack({ join_accept: { session_key_id: 'AXBSH1Pk6Z0G166', ...message } })],
    ['things-stack', thingsStack({ downlink_ack: queued })],
    ['things-stack', thingsStack({ downlink_sent: queued })],
    ['things-stack', thingsStack({ location_solved: { service: 'geo', location: { latitude: 5, longitude: 5 } } })],
    ['things-stack', uplinkMessage({ f_port: undefined, frm_payload: 'VfI=' })], // answers to the network, on port 0
    ['things-stack', uplinkMessage({ frm_payload: undefined })],
    ['chirpstack', chirpStack({ devAddr: '06b0b667' })], // join
    [
      'chirpstack',
      chirpStack({ queueItemId: '98b73db8-4631-479c-a315-aa9d1b58b35a', acknowledged: true, fCntDown: 2 }),
    ],
    ['chirpstack', chirpStack({ downlinkId: 2677400421, gatewayId: '0016c001f10550c9', txInfo: {} })], // txack
    ['chirpstack', chirpStack({ margin: 10, externalPowerSource: false, batteryLevel: 100 })], // status
    ['chirpstack', chirpStack({ level: 'ERROR', code: 'UPLINK_CODEC', description: 'x', context: {} })], // log
    ['chirpstack', chirpStack({ location: { latitude: 5, longitude: 5 } })],
    ['chirpstack', chirpStack({ integrationName: 'loracloud', eventType: 'DAS', object: { fill_percentage: 5 } })],
    ['chirpstack', up({ fPort: 0, data: '' })],
    ['chirpstack', up({ fPort: undefined, data: undefined })],
  ];
  for (const [name, sent] of ignored) expect([sent, read({ name }, sent)]).toEqual([sent, NOTHING]);
});

test('an uplink without a decoder is rejected with a sentence that says what arrived, and can be replayed', () => {
  const sent: [PayloadFormat['name'], object, string][] = [
    ['things-stack', uplinkMessage({}), '11 bytes on port 2 (0d38000000000bc3…), application tanks'],
    ['chirpstack', up({}), '3 bytes on port 51 (eeeeee), model gauge, application tanks'],
    ['chirpstack', up({ object: 'x' }), '3 bytes on port 51 (eeeeee)'],
  ];
  for (const [name, body, arrived] of sent) {
    const { readings, rejections } = read({ name }, body);
    expect(readings).toEqual([]);
    expect(rejections).toMatchObject([
      { code: 'malformed', format: 'format=uplink', detail: expect.stringContaining(arrived) },
    ]);
  }
});

test('an uplink without a level or a DevEUI is a rejected reading', () => {
  const codes = (name: PayloadFormat['name'], sent: object) => read({ name }, sent).rejections.map(({ code }) => code);
  expect(codes('chirpstack', up({ object: { battery: 3.6 } }))).toEqual(['malformed_level']);
  expect(codes('chirpstack', up({ deviceInfo: {}, object: { fill_percentage: 5 } }))).toEqual(['malformed_device']);
  expect(codes('things-stack', uplinkMessage({ decoded_payload: {} }))).toEqual(['malformed_level']);
});

test('an uplink with more than 1,000 readings is refused as a whole, in every format', () => {
  const many = (count: number) => ({ readings: Array.from({ length: count }, () => 0) });
  const bodies: [PayloadFormat, (count: number) => object][] = [
    [{ name: 'chirpstack' }, (count) => chirpStack({ object: many(count) })],
    [{ name: 'things-stack' }, (count) => uplinkMessage({ decoded_payload: many(count) })],
    [{ name: 'readings' }, many],
  ];
  for (const [format, body] of bodies) {
    expect(read(format, body(1_000)).rejections.length).toBe(1_000);
    expect(() => read(format, body(10_000))).toThrow(
      new UnparsableBodyError('A body may hold at most 1000 readings; this one has 10000.'),
    );
  }
});

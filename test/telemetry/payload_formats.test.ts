import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readByProfile } from '../../src/gauges/read_message.ts';
import { OrganizationGauges } from '../../src/gauges/selection.ts';
import { formatName, parseFormat } from '../../src/telemetry/format_query.ts';
import {
  parseBody,
  parseDevicePayload,
  parseRejectedPayload,
  UnparsableBodyError,
} from '../../src/telemetry/payload_formats.ts';
import type { ParsedPayload, ReadByProfile } from '../../src/telemetry/raw_message.ts';
import { MEASURE_KINDS, REJECTION_CODES, type RejectedPayload } from '../../src/telemetry/reading.ts';
import { decodeMessage, encodeMessage, encodeReading, encodeRejection } from '../../src/telemetry/stream_message.ts';
import { randomRuns } from '../support/random_runs.ts';

const NOW_MS = Date.parse('2025-08-13T16:38:55.453Z');
const parsePayload = (payload: string | Buffer): ParsedPayload =>
  parseDevicePayload('A', typeof payload === 'string' ? Buffer.from(payload) : payload, NOW_MS);
const codes = ({ rejections }: ParsedPayload): unknown => rejections.map(({ index, code }) => [index, code]);

test('a device sends a reading or an array of readings; each is accepted or rejected on its own', () => {
  expect(parsePayload('{"fill_percentage": 45.5}')).toEqual({
    readings: [{ deviceId: 'A', atMs: NOW_MS, level: 45.5 }],
    rejections: [],
  });
  const several = parsePayload('[{"fill_percentage": 1, "created_at": 1735689600}, {"fill_percentage": 101}, 7]');
  expect(several.readings).toEqual([{ deviceId: 'A', atMs: 1_735_689_600_000, level: 1 }]);
  expect(codes(several)).toEqual([
    [1, 'out_of_range'],
    [2, 'malformed'],
  ]);
  expect(several.rejections[0]?.raw.toString()).toBe('{"fill_percentage":101}');
  expect(parsePayload('[]')).toEqual({ readings: [], rejections: [] });
  expect(parsePayload('\uFEFF{"fill_percentage": 1}').readings.length).toBe(1); // a byte order mark
  // The connection alone decides the device: a device_id in the payload is ignored.
  expect(parsePayload('{"device_id": "B", "fill_percentage": 1}').readings[0]?.deviceId).toBe('A');
});

test('a payload may have at most 64 KiB and 1,000 readings', () => {
  const padded = (bytes: number): string => `{"fill_percentage":1}`.padEnd(bytes, ' ');
  expect(parsePayload(padded(65_536)).readings.length).toBe(1);
  expect(codes(parsePayload(padded(65_537)))).toEqual([[0, 'oversized']]);
  expect(parsePayload(padded(65_537)).rejections[0]?.raw.length).toBe(4_096);
  const many = (n: number): string => `[${'{"fill_percentage":1},'.repeat(n).slice(0, -1)}]`;
  expect(parsePayload(many(1_000)).readings.length).toBe(1_000);
  expect(codes(parsePayload(many(1_001)))).toEqual([[0, 'oversized']]);
});

test('a payload that is not JSON in UTF-8 is malformed and stored unchanged', () => {
  for (const payload of ['', '{', 'fill=4', '{"fill_percentage":NaN}', '{"fill_percentage":1}x', "{'a':1}"]) {
    expect([payload, codes(parsePayload(payload))]).toEqual([payload, [[0, 'malformed']]]);
  }
  const invalid = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]);
  expect(parsePayload(invalid).rejections).toMatchObject([{ code: 'malformed', raw: invalid, deviceId: 'A' }]);
});

test('a payload that is nested too deeply is malformed', () => {
  const deep = `${'['.repeat(32_000)}${']'.repeat(32_000)}`;
  expect(codes(parsePayload(deep))).toEqual([[0, 'malformed']]);
  expect(codes(parsePayload(`{"fill_percentage":${deep}}`))).toEqual([[0, 'malformed_level']]);
});

test('no payload causes an exception, and every accepted reading is within the limits', () => {
  const value = fc.oneof(fc.double(), fc.integer({ min: -1, max: 101 }), fc.jsonValue());
  const item = fc.record(
    {
      fill_percentage: value,
      fill_fraction: value,
      volume_liters: value,
      distance_mm: value,
      gauge_raw: value,
      created_at: fc.oneof(value, fc.date()),
    },
    { requiredKeys: [] },
  );
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.json().map((text) => Buffer.from(text)),
    fc.array(fc.oneof(item, fc.jsonValue())).map((items) => Buffer.from(JSON.stringify(items))),
  );
  fc.assert(
    fc.property(payload, (bytes) => {
      const { readings, rejections } = parseDevicePayload('A', bytes, NOW_MS);
      for (const { atMs, level, measure } of readings) {
        expect(Number.isInteger(atMs) && atMs >= Date.UTC(2000) && atMs <= NOW_MS + 600_000).toBe(true);
        const amount = typeof level === 'number' ? level : (level?.amount ?? 0);
        expect(Number.isFinite(amount) && amount >= 0).toBe(true);
        expect(level !== null || measure !== undefined).toBe(true);
        if (measure) expect(measure.value).toBe(measure.value | 0); // the column is an int4
        if (typeof level === 'number') expect(level <= 100 && level === Math.round(level * 100) / 100).toBe(true);
      }
      for (const { code, raw } of rejections) expect(REJECTION_CODES.includes(code) && raw.length <= 4_096).toBe(true);
    }),
    { numRuns: randomRuns(1_000) },
  );
});

test('decoding a stream message returns what was encoded', () => {
  const organizationNo = fc.integer({ min: 1, max: 2 ** 31 - 1 });
  const deviceId = fc.string({ unit: 'binary', minLength: 1, maxLength: 64 });
  const amount = fc.double({ min: 0, max: 1e6, noNaN: true }).map((n) => n + 0); // JSON has no -0
  const atMs = fc.integer({ min: Date.UTC(2000), max: Date.UTC(2100) });
  const level = fc.oneof(amount, fc.record({ amount, unit: fc.constantFrom('liters' as const, 'gallons' as const) }));
  const measure = fc.record({
    kind: fc.constantFrom(...MEASURE_KINDS),
    value: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  });
  const reading = fc.oneof(
    fc.record({ organizationNo, deviceId, atMs, level }),
    fc.record({ organizationNo, deviceId, atMs, level: fc.oneof(level, fc.constant(null)), measure }),
  );
  const number = fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((n) => n + 0);
  const health = fc.record(
    {
      organization_no: organizationNo,
      device_id: deviceId,
      at_ms: atMs,
      battery_v: number,
      is_battery_low: fc.boolean(),
      rssi_dbm: number,
      firmware: fc.string({ maxLength: 64 }),
      next_at_ms: atMs,
      fault: fc.string({ maxLength: 64 }),
    },
    { requiredKeys: ['organization_no', 'device_id', 'at_ms'] },
  );
  const rejection = fc.record({
    organizationNo: fc.oneof(organizationNo, fc.constant(null)),
    deviceId: fc.oneof(deviceId, fc.constant(null)),
    code: fc.constantFrom(...REJECTION_CODES),
    detail: fc.string(),
    raw: fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
    format: fc.string(),
  });
  const few = { maxLength: 4 };
  fc.assert(
    fc.property(
      fc.uuid(),
      fc.array(reading, few),
      fc.array(rejection, few),
      fc.array(health, few),
      (id, readings, rejections, reports) => {
        const text = encodeMessage(
          id,
          NOW_MS,
          readings.map(encodeReading),
          rejections.map(encodeRejection),
          reports.map((report) => JSON.stringify(report)),
        );
        expect(decodeMessage(Buffer.from(text))).toEqual({
          id,
          receivedAtMs: NOW_MS,
          readings,
          rejections,
          health: reports,
        });
      },
    ),
    { numRuns: randomRuns(200) },
  );
});

test('a message that no gateway wrote, or that the database cannot store, is not decoded', () => {
  const id = '0198a4f0-0000-7000-8000-000000000000';
  const reading: unknown[] = [1, 'A', NOW_MS, 5, 'percent'];
  const message = { id, received_at_ms: NOW_MS, readings: [reading], rejections: [] };
  const decoded = (changes: object): unknown => decodeMessage(Buffer.from(JSON.stringify({ ...message, ...changes })));
  expect(decoded({})).toMatchObject({ id, readings: [{ organizationNo: 1, deviceId: 'A', level: 5 }] });
  const wrong: object[] = [
    { id: 'x' },
    { id: '-'.repeat(36) },
    { received_at_ms: 8.64e15 },
    { readings: [reading.with(0, 2 ** 31)] },
    { readings: [reading.with(0, 1.5)] },
    { readings: [reading.with(2, -1)] },
    { readings: [reading.with(2, 1e15)] },
    { readings: [reading.with(3, '5')] },
    { readings: [reading.with(4, 'bar')] },
    { readings: [reading.slice(1)] },
    { readings: [reading.with(3, null)] }, // neither a level nor a measure
    { readings: [[...reading, 5]] },
    { readings: [[...reading, 5, 'bar']] },
    { readings: [[...reading, 2 ** 31, 'distance']] },
    { readings: [[...reading, 1.5, 'distance']] },
    { health: [{ organization_no: 1, device_id: 'A' }] },
    { health: [{ organization_no: 1, device_id: 'A', at_ms: NOW_MS, battery_v: 1e300 }] },
    { rejections: [{ code: 'malformed' }] },
  ];
  for (const changes of wrong) expect([changes, decoded(changes)]).toEqual([changes, undefined]);
  for (const text of ['', 'null', '[]', '{}', '\0']) expect(decodeMessage(Buffer.from(text))).toBeUndefined();
});

test('a payload format is parsed from a query and written as the same query', () => {
  const parse = (query: string) => parseFormat(new URLSearchParams(query));
  for (const query of ['', 'format=chirpstack', 'format=things-stack&level=F%C3%BCllstand&unit=fraction']) {
    const format = parse(query);
    expect('errors' in format || formatName(format)).toBe(query);
  }
  expect(parse('format=readings&event=up')).toEqual({ name: 'readings' });
});

test('all errors of a payload format are reported at once, each with its parameter', () => {
  const errorsOf = (query: string): unknown => {
    const format = parseFormat(new URLSearchParams(query));
    return 'errors' in format && format.errors.map(({ param, code }) => `${param} ${code}`);
  };
  expect(errorsOf('format=lora')).toEqual(['format invalid']);
  expect(errorsOf('formt=lora&formt=x')).toEqual(['formt unknown']);
  expect(errorsOf('level=a')).toEqual(['unit missing']);
  expect(errorsOf('unit=percent')).toEqual(['level missing']);
  expect(errorsOf('level=a&unit=bar')).toEqual(['unit invalid']);
  for (const level of ['', 'x'.repeat(65), '%1b'])
    expect(errorsOf(`level=${level}&unit=liters`)).toEqual(['level invalid']);
  expect(errorsOf('format=xml&unit=kg&foo=1')).toEqual([
    'foo unknown',
    'format invalid',
    'level missing',
    'unit invalid',
  ]);
});

test('a replay parses a rejected reading in the same way, with the time of today', () => {
  const body = { readings: [{ device_id: 'A', lvl: 0.5, created_at: '2025-08-13T17:00:00Z' }] };
  const format = { name: 'readings', levelField: { name: 'lvl', unit: 'fraction' } } as const;
  const [rejection] = parseBody(format, Buffer.from(JSON.stringify(body)), NOW_MS).rejections;
  expect(rejection).toMatchObject({ code: 'future', deviceId: 'A', format: 'level=lvl&unit=fraction' });
  if (rejection === undefined) return;
  const atMs = Date.parse('2025-08-13T17:00:00Z');
  const replay = (given: Pick<RejectedPayload, 'deviceId' | 'raw' | 'format'>, nowMs: number): unknown => {
    const times = { receivedAtMs: NOW_MS, nowMs };
    const { readings, rejections } = parseRejectedPayload({ code: 'future', ...given }, times);
    return readings[0] ?? rejections[0];
  };
  expect(replay(rejection, NOW_MS)).toMatchObject({ code: 'future' });
  expect(replay(rejection, atMs)).toEqual({ deviceId: 'A', atMs, level: 50 });
  // A reading without a time keeps the time at which it arrived, also in a later replay.
  const untimed = { deviceId: 'A', raw: Buffer.from('[{"fill_percentage": 5}]'), format: '' };
  expect(replay(untimed, NOW_MS + 1e9)).toEqual({ deviceId: 'A', atMs: NOW_MS, level: 5 });
  const nameless = { deviceId: null, raw: Buffer.from('{"device_id": "B", "fill_percentage": 5}'), format: '' };
  expect(replay(nameless, NOW_MS)).toMatchObject({ deviceId: 'B' });
});

test('a replay reads a message over MQTT by the profile of its topic again', () => {
  const gauges = new OrganizationGauges();
  const fields = { percent: { path: 'level' }, time: { path: 'at' } };
  const profile = { profile: 'mine', maker: 'Me', device: 'Mine', input: 'json' as const };
  gauges.setProfile('mine', { ...profile, frames: [{ device: '{id}', fields }] });
  gauges.assign('topic=oil', { profile: 'mine', settings: null });
  gauges.assign('device=HUB', { profile: 'mine', settings: null }); // lets its messages name other devices
  const byProfile: ReadByProfile = (message, times) => readByProfile(gauges, message, times);
  const at = '2025-08-13T17:00:00Z';
  const payload = Buffer.from(JSON.stringify({ id: 'B', level: 45, at }));
  const [rejection] = parseDevicePayload('HUB', payload, NOW_MS, { byProfile, topic: 'oil' }).rejections;
  expect(rejection).toMatchObject({ code: 'future', deviceId: 'B', format: 'format=message&device=HUB&topic=oil' });
  if (rejection === undefined) return;
  const atMs = Date.parse(at);
  const { readings } = parseRejectedPayload(rejection, { receivedAtMs: NOW_MS, nowMs: atMs }, byProfile);
  expect(readings).toEqual([{ deviceId: 'B', atMs, level: 45 }]);
  expect(parseFormat(new URLSearchParams(rejection.format))).toHaveProperty('errors');
});

test('a body that cannot be parsed is refused as a whole', () => {
  for (const body of ['', '[]', 'null', '{"readings": 1}', `{"readings": [${'0,'.repeat(1_000)}0]}`]) {
    expect(() => parseBody({ name: 'readings' }, Buffer.from(body), NOW_MS)).toThrow(UnparsableBodyError);
  }
});

test('at most 4,096 bytes of a rejected reading are stored, also if its characters have several bytes', () => {
  const reading = { device_id: 'A', created_at: '2025-08-13T17:00:00Z', fill_percentage: 'ñ'.repeat(5_000) };
  const { rejections } = parseBody({ name: 'readings' }, Buffer.from(JSON.stringify({ readings: [reading] })), NOW_MS);
  expect(rejections.map(({ raw }) => raw.length)).toEqual([4_096]);
  const decoded = { note: '€'.repeat(5_000) };
  const uplink = { device_id: 'A', port: 2, payload_hex: '00', decoded };
  const { rejections: uplinkRejections } = parseBody({ name: 'uplink' }, Buffer.from(JSON.stringify(uplink)), NOW_MS);
  expect(uplinkRejections.map(({ raw }) => raw.length)).toEqual([4_096]);
});

import { expect, test } from 'vitest';
import { builtInProfiles } from '../../src/gauges/built_in_profiles.ts';
import { parseProfile } from '../../src/gauges/profiles/parse_profile.ts';
import { readMessage } from '../../src/gauges/read_message.ts';
import { encodeReading } from '../../src/telemetry/stream_message.ts';

test('an older reading of a message that would be before 2000 is rejected', () => {
  const profile = builtInProfiles().get('tekelek-tek766');
  if (profile === undefined) throw new Error('no profile');
  const payload = Buffer.from('1000000001121b7701131baa01121ba90114f274', 'hex');
  const rejectedAs = () => ({ raw: payload, format: 'test' });
  const nowMs = Date.parse('2026-01-01T00:00:00Z');
  const { readings, rejections } = readMessage(
    { profile, settings: { interval_minutes: 60, period_minutes: 180 }, mayNameDevices: false },
    { deviceId: 'A', port: 16, payload, receivedAt: '2000-01-01T01:00:00Z', rejectedAs },
    { receivedAtMs: nowMs, nowMs },
  );
  expect(readings.map(({ atMs }) => new Date(atMs).toISOString().slice(0, 16)).toSorted()).toEqual([
    '2000-01-01T00:00',
    '2000-01-01T01:00',
  ]);
  expect(rejections).toMatchObject([{ code: 'before_2000', detail: expect.stringContaining('1999-12-31T23:00:00') }]);
});

const nowMs = Date.parse('2026-01-01T00:00:00Z');

function read(fields: object, message: Partial<Parameters<typeof readMessage>[1]>, frame: object = {}) {
  const input = message.decoded === undefined ? 'bytes' : 'json';
  const profile = parseProfile({ profile: 'test', maker: 'M', device: 'D', input, frames: [{ ...frame, ...fields }] });
  if ('errors' in profile) throw new Error(profile.errors.join(' '));
  const payload = message.payload ?? Buffer.alloc(0);
  return readMessage(
    { profile, settings: null, mayNameDevices: false },
    { deviceId: 'A', rejectedAs: () => ({ raw: payload, format: '' }), ...message, payload },
    { receivedAtMs: nowMs, nowMs },
  );
}

test('a value that is the name of a method is not mapped to a level, and a level that JSON cannot contain is refused', () => {
  const fields = { fields: { liters: { path: 'v', map: { '*': '$' } } } };
  for (const v of ['constructor', '__proto__', 'toString', 'hasOwnProperty'])
    expect(read(fields, { decoded: { v } })).toMatchObject({ readings: [], rejections: [{ code: 'no_reading' }] });
  expect(read(fields, { decoded: { v: 120 } }).readings).toMatchObject([{ level: { amount: 120, unit: 'liters' } }]);
  expect(() => encodeReading({ organizationNo: 1, deviceId: 'A', atMs: 0, level: Number.NaN })).toThrow('not a number');
});

test('a message of bytes with thousands of readings is refused as a whole', () => {
  const item = {
    time: { at: 0, type: 'u8' },
    ...Object.fromEntries([1, 2, 3, 4].map((n) => [`percent#${n}`, { at: 0, type: 'u8' }])),
  };
  const { readings, rejections } = read({}, { payload: Buffer.alloc(512) }, { tlv: { tag: 1, items: { '00': item } } });
  expect([readings.length, rejections.length]).toEqual([0, 1]);
  expect(rejections[0]?.detail).toContain('at most 128 reports');
});

test('a device may name itself, and another one only if the profile is assigned to it', () => {
  const fields = { device: '{id}', fields: { percent: { path: 'p' } } };
  const message = { decoded: { id: 'B', p: 40 }, isFromDevice: true };
  expect(read(fields, message)).toMatchObject({ readings: [], rejections: [{ code: 'malformed', deviceId: 'A' }] });
  expect(read(fields, { ...message, decoded: { id: 'A', p: 40 } })).toMatchObject({
    readings: [{ deviceId: 'A', level: 40 }],
    rejections: [],
  });
  expect(read(fields, { ...message, isFromDevice: false }).readings).toMatchObject([{ deviceId: 'B', level: 40 }]);
});

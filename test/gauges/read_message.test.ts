import { expect, test } from 'vitest';
import { builtInProfiles } from '../../src/gauges/built_in_profiles.ts';
import { readMessage } from '../../src/gauges/read_message.ts';

test('an older reading of a message that would be before 2000 is rejected', () => {
  const profile = builtInProfiles().get('tekelek-tek766');
  if (profile === undefined) throw new Error('no profile');
  const payload = Buffer.from('1000000001121b7701131baa01121ba90114f274', 'hex');
  const rejectedAs = () => ({ raw: payload, format: 'test' });
  const nowMs = Date.parse('2026-01-01T00:00:00Z');
  const { readings, rejections } = readMessage(
    { profile, settings: { interval_minutes: 60, period_minutes: 180 } },
    { deviceId: 'A', port: 16, payload, receivedAt: '2000-01-01T01:00:00Z', rejectedAs },
    { receivedAtMs: nowMs, nowMs },
  );
  expect(readings.map(({ atMs }) => new Date(atMs).toISOString().slice(0, 16)).toSorted()).toEqual([
    '2000-01-01T00:00',
    '2000-01-01T01:00',
  ]);
  expect(rejections).toMatchObject([{ code: 'before_2000', detail: expect.stringContaining('1999-12-31T23:00:00') }]);
});

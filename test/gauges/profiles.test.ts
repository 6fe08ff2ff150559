import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SHIPPED } from '../../scripts/release_tarball.ts';
import { builtInProfiles } from '../../src/gauges/built_in_profiles.ts';
import { decodeGaugeMessage, type GaugeMessage } from '../../src/gauges/profiles/decode_message.ts';
import { parseProfile } from '../../src/gauges/profiles/parse_profile.ts';
import type { GaugeReport } from '../../src/gauges/profiles/report.ts';
import { readUplink } from '../../src/telemetry/network_uplink.ts';
import { parseTimeMs } from '../../src/values/time.ts';

interface Expected {
  outcome: 'reports' | 'ignored';
  reports?: Record<string, object>[];
}
interface Payload {
  id: string;
  profile: string;
  evidence: string;
  port?: number;
  hex?: string;
  body?: unknown;
  text?: string;
  expected: Expected;
}

const { payloads } = JSON.parse(readFileSync(join(import.meta.dirname, 'payloads.json'), 'utf8')) as {
  payloads: Payload[];
};

const profiles = builtInProfiles();

const messageOf = ({ port, hex, body, text }: Payload): GaugeMessage => ({
  port,
  ...(hex !== undefined ? { bytes: Buffer.from(hex, 'hex') } : text !== undefined ? { text } : { json: body }),
});

const timeOf = (value: unknown): unknown => (typeof value === 'string' ? parseTimeMs(value) : value);

function checkReport(report: GaugeReport, expected: Record<string, object>, isMopeka: boolean): void {
  for (const [key, value] of Object.entries(expected)) {
    if (key === 'device') expect(report.deviceId).toBe(value);
    else if (key === 'time') expect(timeOf(report.time)).toBe(timeOf(value));
    else if (key === 'next_time') expect(timeOf(report.nextTime)).toBe(timeOf(value));
    else if (key === 'health') expect(report.health).toMatchObject(value);
    else if (key === 'others') expect(report.others).toMatchObject(value);
    else if (key === 'measure' && isMopeka && report.measure !== null)
      expect({ ...report.measure, value: Math.trunc(report.measure.value) }).toEqual(value);
    else expect(report[key as keyof GaugeReport]).toEqual(value);
  }
}

function check(payload: Payload, message: GaugeMessage): void {
  const profile = profiles.get(payload.profile);
  if (profile === undefined) throw new Error(`no profile ${payload.profile}`);
  const decoded = decodeGaugeMessage(profile, message);
  expect(decoded.outcome, 'detail' in decoded ? decoded.detail : '').toBe(payload.expected.outcome);
  const reports = decoded.outcome === 'reports' ? decoded.reports : [];
  const expected = payload.expected.reports ?? [];
  expect(reports.length).toBe(expected.length);
  expected.forEach((report, index) =>
    checkReport(reports[index] as GaugeReport, report, payload.profile.startsWith('mopeka')),
  );
}

describe('a documented message of a gauge is read as its maker says:', () => {
  test.each(payloads.map((payload) => [payload.id, payload] as const))('%s', (_, payload) => {
    check(payload, messageOf(payload));
  });
});

describe('an uplink of a network server is read from its bytes, not from the result of its decoder:', () => {
  const uplinks = payloads.filter(({ hex, port }) => hex !== undefined && port !== undefined);
  test.each(uplinks.map((payload) => [payload.id, payload] as const))('%s', (_, payload) => {
    const data = Buffer.from(payload.hex ?? '', 'hex').toString('base64');
    const decoded = { fill_percentage: 99 };
    const things = readUplink('things-stack', {
      end_device_ids: { dev_eui: '70B3D57ED0061A2B', application_ids: { application_id: 'tanks' } },
      uplink_message: {
        f_port: payload.port,
        frm_payload: data,
        decoded_payload: decoded,
        version_ids: { brand_id: 'dragino', model_id: 'ldds75' },
        rx_metadata: [
          { rssi: -110, snr: 1 },
          { rssi: -97, snr: 8.2 },
        ],
        received_at: '2026-11-16T06:00:00Z',
      },
    });
    const chirp = readUplink('chirpstack', {
      time: '2026-11-16T06:00:00Z',
      deviceInfo: { devEui: '70b3d57ed0061a2b', applicationName: 'tanks', deviceProfileName: 'level sensor' },
      fPort: payload.port,
      data,
      object: decoded,
      rxInfo: [{ rssi: -97, snr: 8.2 }],
    });
    expect(things).toMatchObject({
      deviceId: '70B3D57ED0061A2B',
      model: 'dragino/ldds75',
      application: 'tanks',
      rssiDbm: -97,
      snrDb: 8.2,
    });
    expect(chirp).toMatchObject({
      deviceId: '70B3D57ED0061A2B',
      model: 'level sensor',
      application: 'tanks',
      rssiDbm: -97,
      snrDb: 8.2,
    });
    for (const uplink of [things, chirp])
      check(payload, { port: uplink?.port ?? undefined, bytes: uplink?.bytes ?? Buffer.alloc(0) });
  });
});

test('each profile has the name of its file and its sources, and profiles are part of an installation', async () => {
  for (const [name, { sources = [] }] of profiles) {
    expect([name, sources.length > 0]).toEqual([name, true]);
    expect(JSON.parse(await readFile(`gauges/${name}.json`, 'utf8'))).toMatchObject({ profile: name });
  }
  expect(profiles.size).toBe(25);
  expect(SHIPPED).toContain('gauges');
  expect(await readFile('Dockerfile', 'utf8')).toContain('COPY gauges gauges');
});

test('the guide lists each profile in the column of the best evidence among its documented messages', async () => {
  const page = await readFile('docs/integrators/devices.md', 'utf8');
  const kinds = ['maker', 'recorded', 'others', 'computed'];
  const [, table = ''] = /^\| Sends \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(page) ?? [];
  const listed = table.split('\n').flatMap((row) =>
    row.split('|').flatMap((cell, column) => {
      const names = [...cell.matchAll(/`([a-z0-9-]+)`/g)];
      return names.map(([, name]) => [name, kinds[column - 2]]);
    }),
  );
  const bestOf = (name: string): string | undefined =>
    kinds.find((kind) => payloads.some(({ profile, evidence }) => profile === name && evidence === kind));
  expect(Object.fromEntries(listed)).toEqual(
    Object.fromEntries([...profiles.keys()].map((name) => [name, bestOf(name)])),
  );
});

test('a mistake in a profile is named with its place', () => {
  const profile = (frame: object): unknown => ({
    profile: 'x',
    maker: 'X',
    device: 'X',
    input: 'bytes',
    frames: [frame],
  });
  const errors = (given: unknown): unknown => {
    const parsed = parseProfile(given);
    return 'errors' in parsed ? parsed.errors : [];
  };
  expect(errors(profile({ fields: { distance: { at: 0, type: 'u8' } } }))).toEqual([
    'frames/0/fields/distance: no such quantity; there is distance_mm, distance_cm, distance_m, distance_in; begin the name of another value with _.',
  ]);
  expect(errors(profile({ fields: { percent: { path: 'a' } } }))).toEqual([
    'frames/0/fields/percent: needs at, and nothing else, to say where it is.',
  ]);
  expect(errors(profile({ fields: { percent: { at: 0, type: 'u8', scael: 0.1 } } }))).toEqual([
    'frames/0/fields/percent: must not have additional properties: scael.',
  ]);
  expect(errors(profile({ fields: { percent: { at: 0, type: 'u9' } } }))).toEqual([
    expect.stringMatching(/type: must be one of u8, i8, u16be, .*f32le\.$/),
  ]);
  expect(errors(profile({ when: { bytes: { '0': 'C0' } }, fields: {} }))).toEqual([
    expect.stringContaining('two hexadecimal digits in small letters, such as 0a1b'),
  ]);
  expect(errors(profile({ script: 'process.exit()' }))).not.toEqual([]);
});

test('a profile whose fields would be read but have no meaning is refused', () => {
  const errorOf = (name: string, field: object): string | undefined => {
    const fields = { [name]: { at: 0, type: 'u16be', ...field } };
    const parsed = parseProfile({ profile: 'p', maker: 'm', device: 'd', input: 'bytes', frames: [{ fields }] });
    return 'errors' in parsed ? parsed.errors.join(' ') : undefined;
  };
  const meaning = 'say with map what each value means';
  const whenTrue = 'say when it is true with is, below, or a map to true and false';
  for (const [name, field, error] of [
    ['distance_mm', { none: { '0xFFFF': 'no echo' } }, 'the value 0xFFFF must be a decimal number: 65535.'],
    ['alarm', { map: { low: 'tilted' } }, 'the value low must be a decimal number.'],
    ['fault', {}, meaning],
    ['fault', { is: [1] }, meaning],
    ['fault', { none: { '1': 'no echo' } }, meaning],
    ['battery_low', {}, whenTrue],
    ['battery_low', { max: 3_099 }, whenTrue],
    ['battery_low', { map: { '*': 'yes' } }, whenTrue],
  ] as const)
    expect([name, field, errorOf(name, field)]).toEqual([name, field, expect.stringContaining(error)]);
  for (const [name, field] of [
    ['distance_mm', { none: { '65535': 'no echo' } }],
    ['fault', { bits: [1, 1], map: { '1': 'echo lost' } }],
    ['battery_low', { below: 3_100 }],
    ['battery_low', { bits: [7, 1] }],
  ] as const)
    expect([name, errorOf(name, field)]).toEqual([name, undefined]);
});

test('a text with another unit than the profile names is not a level', () => {
  const parsed = parseProfile({
    profile: 'x',
    maker: 'X',
    device: 'X',
    input: 'json',
    frames: [{ fields: { distance_mm: { path: 'd' } } }],
  });
  if ('errors' in parsed) throw new Error(parsed.errors.join());
  const read = (d: unknown): unknown => {
    const decoded = decodeGaugeMessage(parsed, { json: { d } });
    return decoded.outcome === 'reports'
      ? (decoded.reports[0]?.measure?.value ?? decoded.reports[0]?.fault)
      : decoded.outcome;
  };
  expect(['2799 mm', '2799', 2799, '2.8 m', 'No Sensor', true, '', null].map(read)).toEqual([
    2799,
    2799,
    2799,
    'the level has the unit m, not that of distance_mm',
    'No Sensor',
    'the level is not a number',
    'no reading',
    'no reading',
  ]);
});

test('a text with named parts is read by the names, in any order', () => {
  const parsed = parseProfile({
    profile: 'x',
    maker: 'X',
    device: 'X',
    input: 'text',
    split: ';',
    frames: [{ device: '{ID=}', fields: { percent: { after: 'L=' }, battery_v: { after: 'B=' }, _name: { part: 0 } } }],
  });
  if ('errors' in parsed) throw new Error(parsed.errors.join());
  const read = (text: string): unknown => {
    const decoded = decodeGaugeMessage(parsed, { text });
    const [report] = decoded.outcome === 'reports' ? decoded.reports : [];
    return [report?.deviceId, report?.claimed?.amount ?? report?.fault ?? undefined, report?.health.battery_v];
  };
  expect(
    ['ID=T7;L=45.2;B=3.61', 'B=3.5; L= 45.2 ;ID=T7', 'ID=T7;L=45.2 %;B=3.61V', 'ID=T7;L=err', 'L=45.2', 'nothing'].map(
      read,
    ),
  ).toEqual([
    ['T7', 45.2, 3.61],
    ['T7', 45.2, 3.5],
    ['T7', 45.2, 3.61],
    ['T7', 'err', undefined],
    ['', 45.2, undefined],
    ['', undefined, undefined],
  ]);
  expect(parseProfile({ ...parsed, frames: [{ fields: { percent: { part: 0, after: 'L=' } } }] })).toEqual({
    errors: ['frames/0/fields/percent: needs part or after, and nothing else, to say where it is.'],
  });
});

test('an element of a list that cannot be read is named, and the others are read', () => {
  const parsed = parseProfile({
    profile: 'x',
    maker: 'X',
    device: 'X',
    input: 'json',
    frames: [
      { when: { json: { 'meta.kind': 'levels' } }, each: 'a.b', device: '{id}', fields: { percent: { path: 'p' } } },
    ],
  });
  if ('errors' in parsed) throw new Error(parsed.errors.join());
  const read = (json: unknown) => {
    const decoded = decodeGaugeMessage(parsed, { json });
    return decoded.outcome === 'reports' ? decoded.reports : [];
  };
  const [good, bad] = read({ meta: { kind: 'levels' }, a: { b: [{ id: 1, p: 50 }, { id: 2 }] } });
  expect(good).toMatchObject({ deviceId: '1', claimed: { amount: 50 }, problem: null });
  expect(bad).toMatchObject({ deviceId: '2', claimed: null, problem: expect.stringContaining('An element of a.b') });
  // The message of a report contains only its own element, and fits the same frame.
  expect(bad?.message).toEqual({ meta: { kind: 'levels' }, a: { b: [{ id: 2 }] } });
  expect(read(good?.message)).toEqual([good]);
});

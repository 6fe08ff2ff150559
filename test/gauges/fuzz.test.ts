import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  decodeGaugeMessage,
  type GaugeMessage,
  MAX_REPORTS,
  MAX_VALUES,
} from '../../src/gauges/profiles/decode_message.ts';
import { parseProfile } from '../../src/gauges/profiles/parse_profile.ts';
import type { GaugeProfile } from '../../src/gauges/profiles/profile.ts';
import { isThorough } from '../support/whole_tests.ts';

const ROOT = join(import.meta.dirname, '../..');
const texts = readdirSync(join(ROOT, 'gauges')).map((file) => readFileSync(join(ROOT, 'gauges', file), 'utf8'));
const profiles = texts
  .map((text) => parseProfile(JSON.parse(text)))
  .filter((one): one is GaugeProfile => !('errors' in one));
const { payloads } = JSON.parse(readFileSync(join(import.meta.dirname, 'payloads.json'), 'utf8')) as {
  payloads: { profile: string; port?: number; hex?: string; body?: unknown; text?: string }[];
};
const byName = new Map(profiles.map((profile) => [profile.profile, profile]));
/** `npm test` and the nightly job try 100,000 cases. */
const CASES = isThorough() && process.env['QUICK'] === undefined ? 100_000 : 4_000;

let seed = Number(process.env['RANDOM_SEED'] ?? 1);
const random = (): number => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
};
const below = (n: number): number => Math.floor(random() * n);
const oneOf = <T>(values: readonly T[]): T => values[below(values.length)] as T;

function randomValue(depth = 0): unknown {
  switch (below(depth > 3 ? 6 : 8)) {
    case 0:
      return below(100_000) / oneOf([1, 10, 1_000]);
    case 1:
      return oneOf([Number.MAX_VALUE, -0, -1, 1e308, 0.1, -1e-300]);
    case 2:
      return oneOf([
        '',
        '2799 mm',
        'No Sensor',
        '\0',
        'x'.repeat(10_000),
        '-1',
        '1e999',
        '2026-01-01T00:00:00Z',
        '__proto__',
      ]);
    case 3:
      return oneOf([true, false, null]);
    case 4:
      return 'Oil-SonicStd';
    case 5:
      return [];
    case 6:
      return Array.from({ length: below(5) }, () => randomValue(depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: below(6) }, () => [
          oneOf([
            'Logs',
            'Id',
            'Level',
            'levels',
            'device',
            'model',
            'depth_cm',
            'lastReading',
            'constructor',
            '*',
            'a.b',
          ]),
          randomValue(depth + 1),
        ]),
      );
  }
}

/** Replaces or removes random parts of a value. */
function mutate(value: unknown, depth = 0): unknown {
  if (random() < 0.15 || depth > 6) return randomValue(2);
  if (Array.isArray(value))
    return value.length === 0
      ? [randomValue(2)]
      : value.map((item) => (random() < 1 / value.length ? mutate(item, depth + 1) : item));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    const changed = below(entries.length);
    return Object.fromEntries(
      entries.flatMap(([key, item], index) => {
        if (index !== changed) return [[key, item]];
        return random() < 0.2 ? [] : [[key, mutate(item, depth + 1)]];
      }),
    );
  }
  return random() < 0.5 ? value : randomValue(2);
}

function randomMessage(payload = oneOf(payloads)): GaugeMessage {
  const port = random() < 0.7 ? payload.port : below(300);
  // Half of the messages have the kind of the documented message: bytes, text or JSON.
  const documentedKind = payload.text === undefined ? 0.7 : 0.95;
  const kind = random() < 0.5 ? (payload.hex === undefined ? documentedKind : 0.5) : random();
  if (kind < 0.3)
    return { port, bytes: Buffer.from(Array.from({ length: below(oneOf([4, 24, 60, 520])) }, () => below(256))) };
  if (kind < 0.6 && payload.hex !== undefined) {
    const bytes = Buffer.from(payload.hex, 'hex');
    for (let flips = below(4); flips > 0; flips--) bytes[below(bytes.length)] = below(256);
    return { port, bytes: bytes.subarray(0, random() < 0.5 ? bytes.length : below(bytes.length + 1)) };
  }
  if (kind < 0.75) return { port, json: mutate(payload.body ?? randomValue()) };
  if (kind < 0.9) return { port, json: randomValue() };
  return { port, text: random() < 0.5 ? mutateText(payload.text ?? 'a_b_c') : String(randomValue(4)) };
}

const mutateText = (text: string): string =>
  text.slice(0, below(text.length + 1)) +
  oneOf(['', '_', '__', '-44', 'x'.repeat(9_999)]) +
  text.slice(below(text.length + 1));

function checkOutcome(profile: GaugeProfile, message: GaugeMessage): string {
  const decoded = decodeGaugeMessage(profile, message);
  if (decoded.outcome !== 'reports') return decoded.outcome;
  expect(decoded.reports.length).toBeLessThanOrEqual(MAX_REPORTS + 99);
  for (const { measure, claimed, fault, others, health } of decoded.reports) {
    if (measure) expect(Number.isFinite(measure.value)).toBe(true);
    if (claimed) expect(Number.isFinite(claimed.amount)).toBe(true);
    if (fault) expect(fault.length).toBeLessThan(200);
    for (const value of [...Object.values(health), ...Object.values(others)])
      if (typeof value === 'string') expect(value.length).toBeLessThanOrEqual(64);
  }
  return decoded.reports.some(({ measure, claimed }) => measure ?? claimed) ? 'level' : 'no level';
}

test('no message makes a profile fail', () => {
  const outcomes: Record<string, number> = {};
  let slowestMs = 0;
  for (let n = 0; n < CASES; n++) {
    const payload = oneOf(payloads);
    const profile = random() < 0.8 ? (byName.get(payload.profile) ?? oneOf(profiles)) : oneOf(profiles);
    const message = randomMessage(payload);
    const startMs = performance.now();
    const outcome = checkOutcome(profile, message);
    slowestMs = Math.max(slowestMs, performance.now() - startMs);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  if (process.env['SHOW']) console.log(outcomes, `slowest ${slowestMs.toFixed(2)} ms`);
  // Every outcome must be frequent, so that none is tried only by accident.
  for (const outcome of ['level', 'no level', 'ignored', 'unknown'])
    expect([outcome, (outcomes[outcome] ?? 0) > CASES / 200]).toEqual([outcome, true]);
});

test('no file makes the check of profiles fail, and an accepted one decodes anything', () => {
  let accepted = 0;
  for (let n = 0; n < CASES; n++) {
    const parsed = parseProfile(mutate(JSON.parse(oneOf(texts))));
    if ('errors' in parsed) {
      expect(parsed.errors.length).toBeGreaterThan(0);
      continue;
    }
    accepted++;
    for (let m = 0; m < 3; m++) checkOutcome(parsed, randomMessage());
  }
  if (process.env['SHOW']) console.log(`${accepted} of ${CASES} mutated profiles accepted`);
  expect(accepted).toBeGreaterThan(CASES / 100);
});

test('a message has a limited number of reports, values and bytes for any profile', () => {
  const givenProfile = (profile: object): GaugeProfile => {
    const parsed = parseProfile({ profile: 'x', maker: 'X', device: 'X', ...profile });
    if ('errors' in parsed) throw new Error(parsed.errors.join(' '));
    return parsed;
  };
  const names = Array.from({ length: 64 }, (_, n) => `_value_${n}`);
  const fields = (field: object) => Object.fromEntries(names.map((name) => [name, field]));
  const list = givenProfile({ input: 'json', frames: [{ each: 'l', fields: fields({ path: 'a' }) }] });
  const read = (profile: GaugeProfile, message: GaugeMessage): unknown => {
    const decoded = decodeGaugeMessage(profile, message);
    return 'detail' in decoded ? decoded.detail : decoded.outcome;
  };
  const elements = (count: number) => ({ json: { l: Array.from({ length: count }, () => ({ a: 1 })) } });
  expect(read(list, elements(300))).toBe('reports');
  expect(read(list, elements(MAX_REPORTS))).toBe(`A message may have at most ${MAX_VALUES} values.`);
  expect(read(list, elements(MAX_REPORTS + 1))).toContain('more than 1000 reports');
  const tags = givenProfile({
    input: 'bytes',
    frames: [{ tlv: { tag: 1, items: { '01': fields({ at: 0, type: 'u8' }) } } }],
  });
  expect(read(tags, { bytes: Buffer.alloc(512, '01', 'hex') })).toBe('reports');
  expect(read(tags, { bytes: Buffer.alloc(513, '01', 'hex') })).toBe('A message may have at most 512 bytes.');
});

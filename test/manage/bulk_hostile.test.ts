import { expect } from 'vitest';
import { BULK_OPERATIONS } from '../../src/api/manage/bulk_targets.ts';
import { LOCATION_FIELDS } from '../../src/api/schemas/managed_objects.ts';
import { givenTank } from '../support/fleet.ts';
import { CUSTOMER, givenManagedOrganization, TANK, test } from '../support/manage.ts';

/** Texts that a field of the interface may not expect. */
const TEXTS = [
  [
    '',
    ' ',
    '\t\n',
    '\u00a0',
    '\0',
    'a\0b',
    '\ud800',
    'a\udc00b',
    '\ufffd',
    '\u202ea',
    '\ufeff',
    '=1+1',
    '%00',
    '-',
    '#',
    'A#1',
  ],
  ['x'.repeat(65), 'x'.repeat(501), 'x'.repeat(50_000), '😀'.repeat(125), '水'.repeat(500), 'e\u0301'.repeat(100)],
  ['manual', 'MANUAL', 'pending-abcdefghjkmn', 'MAN-7KQ2M9XT4B', '__proto__', 'constructor', 'null', 'NaN', '{"a":1}'],
  [
    '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90',
    '01989F2E-6A3B-7C41-9D52-0B6F1E2A7C90',
    '00000000-0000-0000-0000-000000000000',
  ],
  ['0001-01-01T00:00:00Z', '0999-12-31T23:59:59Z', '1000-01-01T00:00:00+14:00', '9999-12-31T23:59:59.999Z'],
  [
    '9999-12-31T23:59:59-14:00',
    '+275760-09-13T00:00:00Z',
    '-271821-04-20T00:00:00Z',
    '2026-02-30',
    '2026-01-01T24:00:00Z',
  ],
  [
    '2026-01-01T00:00:00.123456789+00:00',
    'infinity',
    'now',
    'epoch',
    '9999-12-31',
    '2000-01-01',
    '1e400',
    '0x10',
    '1,5',
    '5%',
  ],
].flat();

/** Values of JSON, as texts: JavaScript cannot write some of the numbers. */
const HOSTILE = [
  TEXTS.map((text) => JSON.stringify(text)),
  ['null', 'true', 'false', '[]', '{}', '[[]]', '[null]', '{"a":{"b":{}}}', '{"__proto__":{"a":1}}', '["\\u0000"]'],
  [
    '0',
    '-0',
    '-1',
    '1e400',
    '-1e400',
    '1e308',
    '-1e308',
    '1e39',
    '1e10',
    '1e9',
    '1e-400',
    '1e-300',
    '0.1',
    '32768',
    '2147483648',
  ],
  [
    '9007199254740993',
    '9223372036854775808',
    '123456789012345678901234567890',
    '100',
    '50',
    '99.999',
    '12.345678901234567',
  ],
  [`${'['.repeat(20_000)}${']'.repeat(20_000)}`, `{"a":${'['.repeat(500)}${']'.repeat(500)}}`],
].flat();

/** Lines that are not objects, or have unknown fields. */
const WHOLE_LINES = [
  [
    'null',
    '[]',
    '1',
    '"x"',
    '{',
    '{}',
    'NaN',
    '',
    ' ',
    '\t',
    '\ufeff{}',
    '{"a":1,"a":2}',
    '\u2028',
    '\u0000',
    '{"\\u0000":1}',
  ],
  ['{"__proto__":{"external_key":"P"}}', '{"constructor":1}', '{"\\ud800":1}', '{"":""}', '[{"external_key":"A"}]'],
].flat();

for (const { path, body } of BULK_OPERATIONS)
  test(`no value of any field fails a whole bulk of ${path}, and the good lines before and after it are stored`, async ({
    database,
    manage,
  }) => {
    const { key, organizationNo } = await givenManagedOrganization(database);
    const { json: owner } = await manage.call(key, 'PUT', '/customers/external_key/OWNER', { body: CUSTOMER });
    const { rows } = await database.owner.query('select no from customers where id = $1', [owner.id]);
    const { id: tankId } = await givenTank(database.operator, organizationNo, rows[0].no);
    let count = 0;
    const good = (): Record<string, unknown> => {
      const number = `K-${count++}`;
      if (path.includes('customers')) return { ...CUSTOMER, external_key: number };
      if (path.includes('notes')) return { number, at: '2026-01-05', volume: 100, tank: tankId };
      // Every second line names its tank by its external_key.
      return { ...TANK, owner_external_key: 'OWNER', [count % 2 === 0 ? 'custom_id' : 'external_key']: number };
    };
    const withValue = (field: string, value: string): string => {
      const [parent = '', child] = field.split('.');
      const { [parent]: _, ...others } = good();
      const text = child === undefined ? value : `{${JSON.stringify(child)}:${value}}`;
      return JSON.stringify(others).replace(/\}$/, `,${JSON.stringify(parent)}:${text}}`);
    };
    const fields = Object.keys(body.properties).concat(
      'location' in body.properties ? LOCATION_FIELDS.map((field) => `location.${field}`) : [],
      ['id', 'object', 'etag', 'updated_at', '__proto__'],
    );
    const bodies = fields.map((field): [string, string[]] => [field, HOSTILE.map((value) => withValue(field, value))]);
    for (const [field, hostile] of [...bodies, ['whole lines', WHOLE_LINES] as const]) {
      const lines = [JSON.stringify(good()), ...hostile, JSON.stringify(good())];
      const { status, text } = await manage.call(key, 'POST', path.replace('/manage/v1', ''), {
        body: lines.join('\n'),
      });
      expect([field, status]).toEqual([field, 207]);
      const results = text
        .trimEnd()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
      expect(results.length).toBe(lines.length);
      expect([results[0].status, results.at(-1).status]).toEqual(['created', 'created']);
      for (const { status: outcome, errors } of results) expect(errors.length > 0).toBe(outcome === 'refused');
    }
  });

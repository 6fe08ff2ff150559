import { expect } from 'vitest';
import { AUDIT_TEXTS } from '../../packages/console/src/translations/audit.ts';
import { test } from '../support/test.ts';

/** Nothing changes these after an object was created, or the audit log leaves them out. */
const NEVER_LISTED = new Set(
  [
    'id no organization_no created_at written_by acknowledged_by muted_by condition prefix secret_sha256 series',
    'fill loss_at loss_per_hour loss_reading_at returns_at',
    'updated_at settings_changed_at last_seen_at last_used_at changed_xid failing_since erased_at change_number',
  ].flatMap((names) => names.split(' ')),
);

test('every object and field that the audit log can name has a word in the console', async ({ database }) => {
  const { rows } = await database.owner.query<{ object: string; fields: string[] }>(
    `select convert_from(split_part(encode(t.tgargs, 'escape'), '\\000', 1)::bytea, 'utf8') as object,
            array(select attname::text from pg_attribute
                  where attrelid = t.tgrelid and attnum > 0 and not attisdropped) as fields
     from pg_trigger t join pg_proc p on p.oid = t.tgfoid where p.proname = 'audit_update'`,
  );
  expect(rows.length).toBeGreaterThan(15);
  const objects = rows.map(({ object }) => object);
  expect(objects.filter((object) => !(object in AUDIT_TEXTS.en.objectNames))).toEqual([]);
  const fields = new Set(rows.flatMap((row) => row.fields));
  expect([...fields].filter((field) => !NEVER_LISTED.has(field) && !(field in AUDIT_TEXTS.en.fieldNames))).toEqual([]);
});

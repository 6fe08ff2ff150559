import type { AuditEntry } from '@tankwatch/client';
import { expect } from 'vitest';
import { formatsOf } from '../../packages/console/src/format.ts';
import { auditSentence } from '../../packages/console/src/settings/audit_sentence.ts';
import { AUDIT_TEXTS } from '../../packages/console/src/translations/audit.ts';
import { test } from '../support/test.ts';

/** Fields that never change after the creation of an object, or that the audit log leaves out. */
const NEVER_LISTED = new Set(
  [
    'id no organization_no created_at written_by acknowledged_by muted_by condition kind prefix selector secret_sha256 series',
    'fill loss_at loss_per_hour loss_reading_at returns_at',
    'updated_at settings_changed_at last_seen_at last_used_at changed_xid failing_since erased_at change_number levels_changed_at',
    'has_secret code_at code_tries',
  ].flatMap((names) => names.split(' ')),
);

test('the console has a text for every object and field that the audit log can name', async ({ database }) => {
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

const ENTRY: AuditEntry = {
  number: 1,
  object: 'audit_entry',
  at: '2026-11-17T10:42:00.000Z',
  actor: 'contact 01989f31-7a11-7c55-9d20-6c1f4be0a3d2',
  name: 'Ana',
  action: 'update',
  changed: 'customer',
  changed_id: null,
  changed_name: null,
  tank_id: null,
  changed_objects: 1,
  fields: [],
  request_id: null,
};
const LANGUAGES = [
  ['en-US', AUDIT_TEXTS.en],
  ['es-MX', AUDIT_TEXTS.es],
] as const;

const sentences = (entry: Partial<AuditEntry>): string[] =>
  LANGUAGES.map(([locale, texts]) => {
    const { before, name, after } = auditSentence({ ...ENTRY, ...entry }, texts, formatsOf(locale));
    return before + name + after;
  });

/** Entries that no trigger of the catalog writes: commands and database functions write them. */
const WITHOUT_TRIGGER: readonly Partial<AuditEntry>[] = [
  ...['import', 'pack', 'unpack'].map((action) => ({ changed: 'telemetry', action })),
  ...['import', 'update', 'delete'].map((action) => ({ changed: 'weather', action })),
  ...['stream', 'evaluation', 'webhook'].map((changed) => ({ changed, action: 'replay' })),
  { changed: 'organization', action: 'issue', fields: ['device_secret', 'link_secret'] },
  { changed: 'tank', action: 'issue', fields: ['device_password'] },
  { changed: 'round', action: 'issue', fields: ['link'] },
];

test('every audited action is a sentence in both languages, with and without a name, and for several objects', async ({
  database,
}) => {
  const { rows } = await database.owner.query<{ object: string; can_be_deleted: boolean }>(
    `select convert_from(split_part(encode(t.tgargs, 'escape'), '\\000', 1)::bytea, 'utf8') as object,
            exists (select from pg_attribute where attrelid = t.tgrelid and attname = 'deleted_at') as can_be_deleted
     from pg_trigger t join pg_proc p on p.oid = t.tgfoid where p.proname = 'audit_update'`,
  );
  const audited = rows.flatMap(({ object, can_be_deleted }) =>
    ['create', 'update', ...(can_be_deleted ? ['delete'] : [])].map((action) => ({ changed: object, action })),
  );
  expect(audited.length).toBeGreaterThan(35);
  for (const entry of [...audited, ...WITHOUT_TRIGGER]) {
    const named = { ...entry, changed_name: entry.changed === 'round' ? '2026-11-17' : 'Casa 7' };
    for (const variant of [entry, named, { ...entry, changed_objects: 3 }])
      for (const sentence of sentences(variant)) {
        expect(sentence).toMatch(/^Ana [a-zó]+ .+\.$/);
        // The sentence has no column name and no missing text. In Spanish it has "del" and "al", not "de el" and "a el".
        expect(sentence).not.toMatch(/_|undefined|null|\b(de|a) el [a-z]/);
      }
  }
});

test('entries of the audit log are natural sentences in English and Spanish', () => {
  const examples: [Partial<AuditEntry>, string, string][] = [
    [
      { changed_name: 'María López', fields: ['phone'] },
      'Ana changed the phone of María López.',
      'Ana cambió el teléfono de María López.',
    ],
    [
      { changed_name: 'María López', fields: ['email', 'name', 'phone'] },
      'Ana changed the email address, the name and the phone of María López.',
      'Ana cambió la dirección de correo, el nombre y el teléfono de María López.',
    ],
    [
      { changed: 'acknowledgement', action: 'create', changed_name: 'Panadería T-1' },
      'Ana took on Panadería T-1.',
      'Ana empezó a atender Panadería T-1.',
    ],
    [
      { changed: 'webhook', changed_name: 'erp.example.com', fields: ['url'] },
      'Ana changed the address of the webhook erp.example.com.',
      'Ana cambió la dirección del webhook erp.example.com.',
    ],
    [
      { changed: 'round', changed_name: '2026-11-17', fields: ['last_stop_number', 'version'] },
      'Ana changed the stops of the round of Tuesday, November 17.',
      'Ana cambió las paradas de la ruta del martes, 17 de noviembre.',
    ],
    [
      { changed: 'driver', changed_name: 'Sam Ortiz', fields: ['phone'] },
      'Ana changed the phone of the driver Sam Ortiz.',
      'Ana cambió el teléfono del chofer Sam Ortiz.',
    ],
    [
      { changed: 'contact', changed_name: 'Pedro', fields: ['invited_at'] },
      'Ana invited Pedro.',
      'Ana invitó a Pedro.',
    ],
    [
      { changed: 'tank', changed_objects: 3, fields: ['min_fill_alert_percentage'] },
      'Ana changed the threshold of 3 tanks.',
      'Ana cambió el umbral de 3 tanques.',
    ],
    [
      { changed: 'round', changed_name: '2026-11-17', fields: ['stop_outcome', '7'] },
      'Ana recorded what happened at a stop of the round of Tuesday, November 17.',
      'Ana registró lo que pasó en una parada de la ruta del martes, 17 de noviembre.',
    ],
    [
      { actor: 'link of a driver', name: null, changed: 'tank', changed_name: 'El Roble', fields: ['dip'] },
      'A driver entered a manual reading of El Roble.',
      'Un chofer anotó una lectura manual de El Roble.',
    ],
  ];
  for (const [entry, english, spanish] of examples) expect(sentences(entry)).toEqual([english, spanish]);
});

import { type Static, Type } from 'typebox';
import type { ImportRow, ImportTarget } from '../../catalog/import_row.ts';
import type { Db } from '../../db/pool.ts';
import { type FoundNote, type ManagedNote, readManagedNotes } from '../../deliveries/managed_note.ts';
import { NOTE_FIELDS } from '../../deliveries/note_fields.ts';
import { MAX_PINS_PER_NOTE, pinNote, removePins } from '../../deliveries/note_pins.ts';
import { noteImport } from '../../deliveries/store_notes.ts';
import { conflict, invalidParameters, notFound, type ParameterError } from '../../http/problem.ts';
import { isUuid, uuid7 } from '../../values/uuid7.ts';
import { parseCommonEraTime } from '../parameters.ts';
import { NullableString, Time } from '../schemas.ts';
import { readFields, sentence } from './body.ts';
import { checkCondition, etagOf } from './conditions.ts';
import type { ManageOperation, ManageResponse } from './operation.ts';
import { dryRun, pathField } from './parameters.ts';

const closed = { additionalProperties: false };
const WHO = ['key', 'administrator', 'dispatcher'] as const;
/** Stands for a note without a series in a path. */
const NO_SERIES = '-';

const nullable = <T>(type: string, description: string) => Type.Unsafe<T | null>({ type: [type, 'null'], description });
const volume = Type.Number({ description: 'The volume, as written.' });
const compensated = nullable<boolean>(
  'boolean',
  "Whether the truck's meter converts to the volume at 15.6 °C (60 °F). Null: as the truck says.",
);
const productTemperature = nullable<number>('number', 'Temperature of the product in °C, if the note prints it.');
const filledTo = nullable<number>('number', 'Level after the delivery in percent, as the driver wrote it.');
const noteStatus = Type.Enum(['valid', 'cancelled'], { description: 'A cancelled note counts nowhere.' });

/** What a caller writes, beside series and number. */
const NoteContent = {
  at: Type.String({ description: 'When it was written: a time, or only the day, such as 2025-10-31.' }),
  volume,
  unit: Type.Optional(nullable<string>('string', 'liters or gallons. Null: the unit of the tank, or of the truck.')),
  tank: Type.Optional(
    nullable<string>('string', 'ID, custom ID or device of the tank. Null: the note names only the customer.'),
  ),
  customer: Type.Optional(nullable<string>('string', 'ID or external_key of the customer. Needed without a tank.')),
  truck: Type.Optional(nullable<string>('string', 'ID or name of the truck.')),
  driver: Type.Optional(nullable<string>('string', 'ID or name of the driver.')),
  compensated: Type.Optional(compensated),
  product_temperature: Type.Optional(productTemperature),
  filled_to: Type.Optional(filledTo),
  status: Type.Optional(noteStatus),
};

export const NoteLine = Type.Object(
  {
    series: Type.Optional(Type.String({ description: 'Series of the note. Empty: none.' })),
    number: Type.String({ description: 'Number of the note.' }),
    ...NoteContent,
  },
  { title: 'DeliveryNoteLine', ...closed },
);

const Pin = Type.Object(
  {
    tank_id: Type.String({ description: 'ID of the tank.' }),
    refill_at: Time('Time of the refill.'),
    kind: Type.Enum(['together', 'apart'], { description: 'Whether note and refill are one delivery.' }),
    pinned_by: Type.String({ description: 'The key or the contact that said so.' }),
    created_at: Time('When.'),
  },
  closed,
);

const DeliveryNote = Type.Object(
  {
    id: Type.String({ description: 'ID of the note.' }),
    object: Type.Literal('delivery_note'),
    series: Type.String({ description: 'Series of the note. Empty: none.' }),
    number: Type.String({ description: 'Number of the note.' }),
    at: Time('When it was written. The beginning of the day, if only the day is known.'),
    precision: Type.Enum(['minute', 'day'], { description: 'How exact `at` is.' }),
    volume,
    unit: Type.Enum(['liters', 'gallons'], { description: 'Unit of the volume.' }),
    customer_id: Type.String({ description: 'ID of the customer.' }),
    tank_id: NullableString('ID of the tank. Null: the note names only the customer.'),
    truck_id: NullableString('ID of the truck.'),
    driver_id: NullableString('ID of the driver.'),
    compensated,
    product_temperature: productTemperature,
    filled_to: filledTo,
    status: noteStatus,
    source: Type.Enum(['api', 'console', 'import', 'driver'], { description: 'How it was first written. Read-only.' }),
    written_by: Type.String({ description: 'The key, contact or login that first wrote it. Read-only.' }),
    pins: Type.Array(Pin, { description: 'What people said about it. Read-only.' }),
    created_at: Time('When it was created. Read-only.'),
    updated_at: Time('When it was last changed. Read-only.'),
    etag: Type.String({ description: 'Send it as `If-Match`.' }),
  },
  { title: 'DeliveryNote', ...closed },
);

const EXAMPLE: Static<typeof DeliveryNote> = {
  id: '01989f35-2f10-7d41-9a5c-4be07c61d3a8',
  object: 'delivery_note',
  series: 'A',
  number: '20379',
  at: '2025-10-30T17:20:00.000Z',
  precision: 'minute',
  volume: 195,
  unit: 'liters',
  customer_id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90',
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  truck_id: '01989f35-1d02-7b11-8c3e-77a1c5d0e9b4',
  driver_id: null,
  compensated: false,
  product_temperature: null,
  filled_to: 80,
  status: 'valid',
  source: 'api',
  written_by: 'key k1a2b3c4',
  pins: [],
  created_at: '2025-10-30T19:00:02.120Z',
  updated_at: '2025-10-30T19:00:02.120Z',
  etag: '"3mKp0dT5uW8yA1BZq1n0Yx"',
};

/** Pins are no part of it: what a person says about the matching does not refuse a change of the ERP. */
export const noteEtag = (note: ManagedNote): string =>
  etagOf([
    note.id,
    note.at,
    note.precision,
    note.volume,
    note.unit,
    note.customer_id,
    note.tank_id,
    note.truck_id,
    note.driver_id,
    note.compensated,
    note.product_temperature,
    note.filled_to,
    note.status,
  ]);

export const CONTENT_OF_PUT = Object.keys(NoteContent);

/** The values of a body with the names of imports. What is missing is null: a PUT replaces the whole note. */
export const wholeNote = (body: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  ...Object.fromEntries(CONTENT_OF_PUT.map((name) => [name, null])),
  status: 'valid',
  ...body,
});

async function findOne(
  db: Db,
  organizationNo: number,
  where: { id: string } | { series: string; number: string },
): Promise<FoundNote | undefined> {
  if ('id' in where && !isUuid(where.id)) return undefined;
  const [found] = await readManagedNotes(db, organizationNo, 'id' in where ? { ids: [where.id] } : { keys: [where] });
  return found;
}

function answer(found: FoundNote | undefined, status: 200 | 201): ManageResponse {
  if (found === undefined) throw notFound('delivery note');
  const body = { ...found.object, etag: noteEtag(found.object) };
  return { status, body, etag: body.etag, about: { object: 'delivery_note', no: found.no } };
}

function keyOfPath({ series = '', number = '' }: Readonly<Record<string, string>>): { series: string; number: string } {
  return {
    series: series === NO_SERIES ? '' : pathField('series', NOTE_FIELDS.series, series),
    number: pathField('number', NOTE_FIELDS.number, number),
  };
}

/** A person writes in the console, a program through the interface. */
async function sourceOf(db: Db): Promise<'console' | 'api'> {
  const { rows } = await db.query<{ is_person: boolean }>(`select current_actor() like 'contact %' as is_person`);
  return rows[0]?.is_person === true ? 'console' : 'api';
}

/** Throws 422 for what the checks of imports find. */
async function checkNote(
  db: Db,
  target: ImportTarget,
  organizationNo: number,
  given: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const parsed = readFields(target.fields, given);
  const errors: ParameterError[] = [...parsed.errors];
  const row: ImportRow = { line: 1, cells: [], values: { ...parsed.values }, errors: [] };
  if (errors.length === 0) await target.check(db, organizationNo, [row]);
  for (const { column, problem } of row.errors)
    errors.push({
      param: column ?? '',
      code: 'invalid',
      detail: sentence(problem),
    });
  if (errors.length > 0) throw invalidParameters(errors);
  return row.values;
}

const byKey = { series: `Series of the note. \`${NO_SERIES}\`: it has none.`, number: 'Number of the note.' };
const byId = { id: 'ID of the note.' };
const common = { tag: 'manage delivery notes', who: WHO, item: DeliveryNote, example: EXAMPLE } as const;
const writing = { ...common, kind: 'write', line: 'catalog', parameters: { dry_run: dryRun } } as const;

export const DELIVERY_NOTE_OPERATIONS: readonly ManageOperation[] = [
  {
    ...writing,
    method: 'PUT',
    path: '/manage/v1/delivery-notes/:series/:number',
    pathParameters: byKey,
    operationId: 'putDeliveryNote',
    summary: 'Create or replace a delivery note',
    description:
      'Series and number identify the note, so sending it again changes nothing. Fields that are left out are empty. The ledger ' +
      'follows within seconds: see `/fleet/v1/ledger`.',
    statuses: [200, 201],
    creates: 'delivery_notes',
    body: Type.Object(NoteContent, { title: 'NewDeliveryNote', ...closed }),
    condition: 'optional',
    async handle({ tx, organizationNo, path, body, condition, isDryRun }) {
      const key = keyOfPath(path);
      const target = noteImport({ source: await sourceOf(tx), replace: true });
      const values = await checkNote(tx, target, organizationNo, { ...wholeNote(body), ...key });
      const before = await findOne(tx, organizationNo, key);
      checkCondition(condition, before && noteEtag(before.object), { isRequired: false });
      const rowTexts = [JSON.stringify({ ...values, id: uuid7() })];
      await target.upsert(tx, organizationNo, { rowTexts, given: CONTENT_OF_PUT, isDryRun });
      return answer(await findOne(tx, organizationNo, key), before === undefined ? 201 : 200);
    },
  },
  {
    ...common,
    kind: 'read',
    method: 'GET',
    path: '/manage/v1/delivery-notes/:series/:number',
    pathParameters: byKey,
    operationId: 'retrieveDeliveryNoteByNumber',
    summary: 'Retrieve a delivery note by its number',
    description: 'Returns the note as it was written.',
    parameters: {},
    read: async ({ db, organizationNo, path }) => answer(await findOne(db, organizationNo, keyOfPath(path)), 200),
  },
  {
    ...common,
    kind: 'read',
    method: 'GET',
    path: '/manage/v1/delivery-notes/:id',
    pathParameters: byId,
    operationId: 'retrieveDeliveryNote',
    summary: 'Retrieve a delivery note',
    description: 'Returns the note as it was written.',
    parameters: {},
    read: async ({ db, organizationNo, path: { id = '' } }) => answer(await findOne(db, organizationNo, { id }), 200),
  },
  {
    ...writing,
    line: 'other',
    method: 'POST',
    path: '/manage/v1/delivery-notes/:id/pins',
    pathParameters: byId,
    operationId: 'pinDeliveryNote',
    summary: 'Unite a note with a refill, or separate them',
    description:
      'Says that the note and a refill of its customer are one delivery, or that they are not. It counts before the matching, also ' +
      `when the tank is evaluated again. A note has at most ${MAX_PINS_PER_NOTE} pins.`,
    statuses: [200],
    body: Type.Object(
      {
        kind: Pin.properties.kind,
        tank_id: Pin.properties.tank_id,
        refill_at: Type.String({ format: 'date-time', description: 'Time of the refill, as the ledger shows it.' }),
      },
      { title: 'NewPin', ...closed },
    ),
    condition: 'none',
    async handle({ tx, organizationNo, path: { id = '' }, body }) {
      const found = await findOne(tx, organizationNo, { id });
      if (found === undefined) throw notFound('delivery note');
      const refillAt = parseCommonEraTime(String(body['refill_at']));
      if (!('value' in refillAt)) throw invalidParameters([{ param: 'refill_at', ...refillAt }]);
      const tankId = String(body['tank_id']);
      const problem = isUuid(tankId)
        ? await pinNote(tx, organizationNo, {
            noteNo: found.no,
            customerNo: found.customerNo,
            tankId,
            refillAt: new Date(refillAt.value.ms).toISOString(),
            kind: body['kind'] === 'together' ? 'together' : 'apart',
          })
        : 'no refill';
      if (problem === 'too many') throw conflict(`A note has at most ${MAX_PINS_PER_NOTE} pins.`);
      if (problem === 'no refill')
        throw invalidParameters([
          {
            param: 'refill_at',
            code: 'invalid',
            detail: 'No tank of the customer of this note has a refill at this time.',
          },
        ]);
      return answer(await findOne(tx, organizationNo, { id }), 200);
    },
  },
  {
    ...writing,
    line: 'other',
    method: 'DELETE',
    path: '/manage/v1/delivery-notes/:id/pins',
    pathParameters: byId,
    operationId: 'unpinDeliveryNote',
    summary: 'Let the matching decide about a note again',
    description: 'Removes all pins of the note. Removing them again changes nothing.',
    item: null,
    example: null,
    statuses: [204],
    body: null,
    condition: 'none',
    async handle({ tx, organizationNo, path: { id = '' } }) {
      const found = await findOne(tx, organizationNo, { id });
      if (found === undefined) throw notFound('delivery note');
      await removePins(tx, found.no);
      return { status: 204, body: null };
    },
  },
];

import { Type } from 'typebox';
import type { Db } from '../../db/pool.ts';
import { NOTE_FIELDS } from '../../deliveries/delivery_note_fields.ts';
import type { ManagedNote } from '../../deliveries/managed_delivery_note.ts';
import { existingNote, MAX_PINS_PER_NOTE, pinNote, putNote, removePins } from '../../deliveries/note_changes.ts';
import { invalidParameters } from '../../http/problem.ts';
import { etagOf } from '../../values/etag.ts';
import { parseCommonEraTime } from '../parameters.ts';
import {
  compensated,
  DeliveryNote,
  filledTo,
  NOTE_EXAMPLE,
  noteStatus,
  Pin,
  product,
  productTemperature,
  reference,
  volume,
} from '../schemas/delivery_note.ts';
import { Named, NullableString } from '../schemas/values.ts';
import { parseValidValues } from './body_values.ts';
import { checkCondition } from './conditions.ts';
import { deletion, type ManageOperation, type ManageResponse, read, respondWith, write } from './manage_operation.ts';
import { pathField } from './manage_parameters.ts';

/** Stands for a note without a series in a path. */
const NO_SERIES = '-';

/** The fields that a caller writes besides series and number. */
const NoteContent = {
  at: Type.String({ description: 'When it was written: a time, or only the day, such as 2025-10-31.' }),
  volume,
  unit: Type.Optional(NullableString('liters or gallons. Null: the unit of the tank, or of the truck.')),
  tank: Type.Optional(
    NullableString('ID, custom ID, external_key or device of the tank. Null: the note names only the customer.'),
  ),
  customer: Type.Optional(NullableString('ID or external_key of the customer. Needed without a tank.')),
  truck: Type.Optional(NullableString('ID, external_key or name of the truck.')),
  driver: Type.Optional(NullableString('ID, external_key or name of the driver.')),
  product: Type.Optional(product),
  compensated: Type.Optional(compensated),
  product_temperature: Type.Optional(productTemperature),
  filled_to: Type.Optional(filledTo),
  reference: Type.Optional(reference),
  status: Type.Optional(noteStatus),
};

export const NoteLine = Named('DeliveryNoteLine', {
  series: Type.Optional(Type.String({ description: 'Series of the note. Empty: none.' })),
  number: Type.String({ description: 'Number of the note.' }),
  ...NoteContent,
});

/**
 * Pins are not part of the ETag, so that a pin set in the console does not make the ERP's next update fail with 412.
 * The time of the last change is part of it: a note that was corrected and corrected back has a new entry in `earlier`,
 * which a browser must read.
 */
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
    // Notes without a product and a reference keep the ETags of releases before 0.4.
    ...(note.product === null ? [] : ['product', note.product]),
    ...(note.reference === null ? [] : ['reference', note.reference]),
    ...note.earlier.slice(0, 1).map(({ changed_at: changedAt }) => changedAt),
  ]);

const CONTENT = Object.keys(NoteContent);
/** A PUT without these fields keeps them, because clients of 0.3 do not know them. */
const KEPT_FIELDS = new Set(['product', 'reference']);

/** The fields that a PUT replaces. */
export const replacedFields = (body: object): string[] =>
  CONTENT.filter((field) => field in body || !KEPT_FIELDS.has(field));

/** The values of a body with the column names of imports. Missing values are null, except those that are kept. */
export const wholeNote = (body: object): Record<string, unknown> => ({
  ...Object.fromEntries(replacedFields({}).map((name) => [name, null])),
  status: 'valid',
  ...body,
});

const respondWithNote = async (
  db: Db,
  organizationNo: number,
  where: Parameters<typeof existingNote>[2],
  status: 200 | 201 = 200,
): Promise<ManageResponse> => respondWith(await existingNote(db, organizationNo, where), noteEtag, status);

function keyOfPath({ series = '', number = '' }: Readonly<Record<string, string>>): { series: string; number: string } {
  return {
    series: series === NO_SERIES ? '' : pathField('series', NOTE_FIELDS.series, series),
    number: pathField('number', NOTE_FIELDS.number, number),
  };
}

const byKey = { series: `Series of the note. \`${NO_SERIES}\`: it has none.`, number: 'Number of the note.' };
const byId = { id: 'ID of the note.' };
const common = {
  tag: 'manage delivery notes',
  allowedCallers: ['key', 'administrator', 'dispatcher'],
  item: DeliveryNote,
  example: NOTE_EXAMPLE,
} as const;
const writing = { ...common, queue: 'catalog' } as const;

export const DELIVERY_NOTE_OPERATIONS: readonly ManageOperation[] = [
  write({
    ...writing,
    method: 'PUT',
    path: '/manage/v1/delivery-notes/:series/:number',
    pathParameters: byKey,
    operationId: 'putDeliveryNote',
    summary: 'Create or replace a delivery note',
    description:
      'Series and number identify the note, so sending it again changes nothing. Fields that are left out are empty, ' +
      'except `product` and `reference`, which stay. The ledger ' +
      'follows within seconds: see `/fleet/v1/ledger`.',
    statuses: [200, 201],
    creates: 'delivery_notes',
    body: Named('NewDeliveryNote', NoteContent),
    hasOtherNames: true,
    condition: 'optional',
    async handle({ path, values, condition, ...change }) {
      const key = keyOfPath(path);
      const note = { ...parseValidValues(NOTE_FIELDS, wholeNote(values)), ...key };
      const { isNew } = await putNote(change, note, replacedFields(values), (before) => {
        // A number can be used again if the driver has corrected it, which cancelled the note with this number.
        const isFree =
          condition.ifNoneMatch === '*' && before?.object.source === 'driver' && before.object.status === 'cancelled';
        checkCondition(condition, isFree ? undefined : before && noteEtag(before.object));
      });
      return respondWithNote(change.tx, change.organizationNo, key, isNew ? 201 : 200);
    },
  }),
  read({
    ...common,
    path: '/manage/v1/delivery-notes/:series/:number',
    pathParameters: byKey,
    operationId: 'retrieveDeliveryNoteByNumber',
    summary: 'Retrieve a delivery note by its number',
    description: 'Returns the note with this series and number as it was written.',
    read: ({ db, organizationNo, path }) => respondWithNote(db, organizationNo, keyOfPath(path)),
  }),
  read({
    ...common,
    path: '/manage/v1/delivery-notes/:id',
    pathParameters: byId,
    operationId: 'retrieveDeliveryNote',
    summary: 'Retrieve a delivery note',
    description: 'Returns the note with this ID as it was written, and what it said before its last changes.',
    read: ({ db, organizationNo, path: { id = '' } }) => respondWithNote(db, organizationNo, { id }),
  }),
  write({
    ...writing,
    queue: 'other',
    method: 'POST',
    path: '/manage/v1/delivery-notes/:id/pins',
    pathParameters: byId,
    operationId: 'pinDeliveryNote',
    summary: 'Unite a note with a refill, or separate them',
    description:
      'Says that the note and a refill of its customer are one delivery, or that they are not. It counts before the matching, also ' +
      `when the tank is evaluated again. A note has at most ${MAX_PINS_PER_NOTE} pins.`,
    body: Named('NewPin', {
      kind: Pin.properties.kind,
      tank_id: Pin.properties.tank_id,
      refill_at: Type.String({ format: 'date-time', description: 'Time of the refill, as the ledger shows it.' }),
    }),
    async handle({ path: { id = '' }, values: { tank_id: tankId, refill_at, kind }, ...change }) {
      const refillAt = parseCommonEraTime(refill_at);
      if (!('value' in refillAt)) throw invalidParameters([{ param: 'refill_at', ...refillAt }]);
      await pinNote(change, id, { tankId, refillAt: new Date(refillAt.value.ms).toISOString(), kind });
      return respondWithNote(change.tx, change.organizationNo, { id });
    },
  }),
  write({
    ...writing,
    queue: 'other',
    ...deletion,
    path: '/manage/v1/delivery-notes/:id/pins',
    pathParameters: byId,
    operationId: 'unpinDeliveryNote',
    summary: 'Let the matching decide about a note again',
    description: 'Removes all pins of the note. Removing them again changes nothing.',
    async handle({ path: { id = '' }, ...change }) {
      await removePins(change, id);
      return { status: 204, body: null };
    },
  }),
];

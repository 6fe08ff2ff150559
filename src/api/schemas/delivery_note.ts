import { type Static, Type } from 'typebox';
import { SHOWN_EARLIER } from '../../deliveries/managed_delivery_note.ts';
import { PRODUCT_NAMES } from '../../values/products.ts';
import { Closed, Named, NullableBoolean, NullableEnum, NullableNumber, NullableString, Time } from './values.ts';

export const volume = Type.Number({ description: 'The volume, as written.' });
export const compensated = NullableBoolean(
  "Whether the truck's meter converts to the volume at 15.6 °C (60 °F). Null if the setting of the truck counts.",
);
export const productTemperature = NullableNumber('Temperature of the product in °C, if the note prints it.');
export const product = NullableEnum(
  PRODUCT_NAMES,
  'What was delivered, if the note says it. Null if it is the product that the tank holds.',
);
export const reference = NullableString(
  'Your own reference, such as the number of an order or an invoice. Several notes can have the same.',
);
export const filledTo = NullableNumber('Level after the delivery in percent, as the driver wrote it.');
export const noteStatus = Type.Enum(['valid', 'cancelled'], { description: 'A cancelled note counts nowhere.' });

export const Pin = Closed({
  tank_id: Type.String({ description: 'ID of the tank.' }),
  refill_at: Time('Time of the refill.'),
  kind: Type.Enum(['together', 'apart'], { description: 'Whether note and refill are one delivery.' }),
  pinned_by: Type.String({ description: 'The key or the contact that set the pin.' }),
  created_at: Time('When the pin was set.'),
});

const EarlierNote = Closed({
  at: Time('When it was written, according to the note before the change.'),
  precision: Type.Enum(['minute', 'day'], { description: 'How exact `at` is.' }),
  volume,
  unit: Type.Enum(['liters', 'gallons'], { description: 'Unit of the volume.' }),
  status: noteStatus,
  changed_at: Time('When it was changed.'),
  changed_by: Type.String({ description: 'The key, contact or login that changed it.' }),
  changed_by_name: NullableString('The name of the person. Null if it was not a person, or the person was removed.'),
});

export const DeliveryNote = Named('DeliveryNote', {
  id: Type.String({ description: 'ID of the note.' }),
  object: Type.Literal('delivery_note'),
  series: Type.String({ description: 'Series of the note. Empty if it has none.' }),
  number: Type.String({ description: 'Number of the note.' }),
  at: Time('When it was written. The beginning of the day, if only the day is known.'),
  precision: Type.Enum(['minute', 'day'], { description: 'How exact `at` is.' }),
  volume,
  unit: Type.Enum(['liters', 'gallons'], { description: 'Unit of the volume.' }),
  customer_id: Type.String({ description: 'ID of the customer.' }),
  tank_id: NullableString('ID of the tank. Null if the note names only the customer, or if the tank was deleted.'),
  truck_id: NullableString('ID of the truck.'),
  driver_id: NullableString('ID of the driver.'),
  product,
  is_other_product: Type.Boolean({
    description: 'Whether the tank holds another product than the note says. Read-only.',
  }),
  compensated,
  product_temperature: productTemperature,
  filled_to: filledTo,
  reference,
  status: noteStatus,
  source: Type.Enum(['api', 'console', 'import', 'driver'], { description: 'How it was first written. Read-only.' }),
  written_by: Type.String({ description: 'The key, contact or login that first wrote it. Read-only.' }),
  pins: Type.Array(Pin, { description: 'Which refills people said it belongs to, or not. Read-only.' }),
  earlier: Type.Array(EarlierNote, {
    description: `What it said before its last ${SHOWN_EARLIER} changes of time, volume or status, newest first. Read-only.`,
  }),
  created_at: Time('When it was created. Read-only.'),
  updated_at: Time('When it was last changed. Read-only.'),
  etag: Type.String({ description: 'Send it as `If-Match`.' }),
});

export const NOTE_EXAMPLE: Static<typeof DeliveryNote> = {
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
  product: null,
  is_other_product: false,
  compensated: false,
  product_temperature: null,
  filled_to: 80,
  reference: 'SO-88121',
  status: 'valid',
  source: 'api',
  written_by: 'key k1a2b3c4',
  pins: [],
  earlier: [],
  created_at: '2025-10-30T19:00:02.120Z',
  updated_at: '2025-10-30T19:00:02.120Z',
  etag: '"3mKp0dT5uW8yA1BZq1n0Yx"',
};

/** The fields as they were written: without pins, earlier values, author, ETag and the comparison with the tank. */
const writtenOf = <Fields extends Record<'pins' | 'earlier' | 'is_other_product' | 'written_by' | 'etag', unknown>>({
  pins: _pins,
  earlier: _earlier,
  is_other_product: _other,
  written_by: _by,
  etag: _etag,
  ...written
}: Fields) => written;
export const WrittenNote = Named('WrittenDeliveryNote', writtenOf(DeliveryNote.properties));
export const WRITTEN_NOTE_EXAMPLE: Static<typeof WrittenNote> = writtenOf(NOTE_EXAMPLE);

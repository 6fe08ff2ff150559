import { type Static, Type } from 'typebox';
import { IMPORT_KINDS } from '../../catalog/import_record.ts';
import { KEPT_BECAUSE, MAX_KEPT_ROWS } from '../../catalog/undo_import.ts';
import { ROW_ERROR_CODES } from '../../values/row_error.ts';
import { Closed, Named, Nullable, NullableString, NullableTime, orNull, Time } from '../schemas/values.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const Import = Named('Import', {
  id: Type.String({ description: 'ID of the import.' }),
  object: Type.Literal('import'),
  what: Type.Enum([...IMPORT_KINDS], { description: 'Whether the rows of the file are customers or tanks.' }),
  file_name: Type.String({ description: 'Name of the file.' }),
  created_at: Time('When it began.'),
  actor: Type.String({ description: 'The contact, key, or user of a command who imported it.' }),
  name: NullableString('Name or address of the contact. Null for others.'),
  rows: count('Rows of the file.'),
  created: count('Rows that created something.'),
  updated: count('Rows that changed something.'),
  unchanged: count('Rows that were stored already.'),
  refused: count('Rows with errors, which were left out.'),
  undo_until: NullableTime('Until when it can be undone. Null: it cannot be undone.'),
  undone_at: NullableTime('When it was undone.'),
});
export const IMPORT_EXAMPLE: Static<typeof Import> = {
  id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  object: 'import',
  what: 'tanks',
  file_name: 'tanks-november.xlsx',
  created_at: '2025-11-17T14:15:09.514Z',
  actor: 'contact 01989f31-7a11-7c55-9d20-6c1f4be0a3d2',
  name: 'Ana Torres',
  rows: 1284,
  created: 74,
  updated: 96,
  unchanged: 1107,
  refused: 7,
  undo_until: '2025-11-24T14:15:09.514Z',
  undone_at: null,
};

const field = NullableString(
  'Our name of the field. Null: the column is not read, or the error is about the whole row.',
);

export const ImportReport = Named('ImportReport', {
  object: Type.Literal('import_report'),
  what: Import.properties.what,
  sheets: Type.Array(Type.String(), {
    description: 'The sheets of a workbook, beginning with the sheet that was read.',
  }),
  columns: Type.Array(
    Closed({
      heading: Type.String({ description: 'The heading in the file.' }),
      examples: Type.Array(Type.String(), { description: 'Its cells in the first two rows.' }),
      field,
    }),
    { description: 'The columns of the file, as they are read.' },
  ),
  mapped_columns: Type.Array(
    Closed({
      field: Type.String({ description: 'Our name of the field.' }),
      heading: Type.String({
        description: 'The heading of its column. A value from two columns has both headings, such as `Date + Time`.',
      }),
    }),
    { description: 'Where each field comes from, for `columns` of a mapping. Two fields can have the same heading.' },
  ),
  constants: Type.Array(
    Closed({
      field: Type.String({ description: 'Our name of the field.' }),
      value: Type.String({ description: 'The value of the field where the file has none.' }),
    }),
    { description: 'The values of fields where the file has none, for new customers and tanks.' },
  ),
  mapped_as_at: NullableTime(
    'When the last file with the same headings was imported, whose mapping is used. Null: the mapping is given, or suggested by the headings.',
  ),
  fields: Type.Array(
    Closed({
      field: Type.String({ description: 'Our name of the field.' }),
      is_required: Type.Boolean({ description: 'Whether every row needs it.' }),
      choices: Type.Array(Type.String(), { description: 'All values, if they are few. Otherwise empty.' }),
    }),
    { description: 'The fields that a file can have.' },
  ),
  missing: Type.Array(Type.String(), {
    description: 'Required fields that neither the file nor a constant gives. Then nothing is counted or stored.',
  }),
  counts: Nullable('What the rows do. The other counts add up to `rows`.', {
    rows: Import.properties.rows,
    created: Import.properties.created,
    updated: Import.properties.updated,
    unchanged: Import.properties.unchanged,
    refused: Import.properties.refused,
  }),
  levels: Nullable('Levels that somebody read on the dials of tanks without a sensor. Null: the file has none.', {
    stored: count('Levels that are newer than the latest level of their tank.'),
    first_at: NullableTime('When the first level of the file was read, as its time was understood.'),
  }),
  refused_rows: Type.Array(
    Closed({
      line: Type.Integer({ description: 'The line or row of the file.' }),
      cells: Type.Array(Type.String(), { description: 'The cells of the row.' }),
      errors: Type.Array(
        Closed({
          field,
          code: Type.Enum([...ROW_ERROR_CODES], { description: 'Error code, for programs.' }),
          detail: Type.String({ description: 'What is wrong, for people.' }),
          proposal: NullableString('A value that would be accepted, and is probably meant.'),
        }),
      ),
    }),
    { description: 'The first refused rows: 100, or `max_refused`.' },
  ),
  import: orNull(Import, 'Null: a dry run, or nothing was changed.'),
});
export const REPORT_EXAMPLE: Static<typeof ImportReport> = {
  object: 'import_report',
  what: 'tanks',
  sheets: ['Route list'],
  columns: [{ heading: 'Size (gal)', examples: ['500', '1,000'], field: 'capacity' }],
  mapped_columns: [{ field: 'capacity', heading: 'Size (gal)' }],
  constants: [{ field: 'capacity_unit', value: 'gallons' }],
  mapped_as_at: null,
  fields: [{ field: 'capacity', is_required: true, choices: [] }],
  missing: [],
  counts: { rows: 1284, created: 74, updated: 96, unchanged: 1107, refused: 7 },
  levels: null,
  refused_rows: [
    {
      line: 118,
      cells: ['5OO'],
      errors: [
        { field: 'capacity', code: 'invalid', detail: 'must be a number from 0.001 to 1,000,000,000', proposal: '500' },
      ],
    },
  ],
  import: IMPORT_EXAMPLE,
};

export const UndoneImport = Named('UndoneImport', {
  object: Type.Literal('undone_import'),
  deleted: count('New customers and tanks that were deleted.'),
  restored: count('Changed customers and tanks whose previous values were restored.'),
  kept: count('Customers and tanks that stay as they are.'),
  kept_rows: Type.Array(
    Closed({
      object: Type.Enum(['customer', 'tank']),
      id: Type.String({ description: 'Its ID.' }),
      name: Type.String({ description: 'Its name.' }),
      because: Type.Enum([...KEPT_BECAUSE], { description: 'Why it stays.' }),
    }),
    { description: `The first ${MAX_KEPT_ROWS} customers and tanks that stay as they are.` },
  ),
});
export const UNDO_EXAMPLE: Static<typeof UndoneImport> = {
  object: 'undone_import',
  deleted: 73,
  restored: 96,
  kept: 1,
  kept_rows: [
    { object: 'tank', id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66', name: 'Casa T-0001', because: 'has_readings' },
  ],
};

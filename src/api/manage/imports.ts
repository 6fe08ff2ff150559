import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { IMPORT_KINDS, LISTED_DAYS, listImports, UNDO_DAYS } from '../../catalog/import_record.ts';
import { importUpload, MAX_UPLOAD_BYTES, MAX_UPLOAD_ROWS, type Upload } from '../../catalog/import_upload.ts';
import { MAX_KEPT_ROWS, undoImport } from '../../catalog/undo_import.ts';
import { DECIMAL_MARKS } from '../../values/decimal.ts';
import { parseJson } from '../../values/json.ts';
import { ROW_ERROR_CODES } from '../../values/row_error.ts';
import type { Parameter } from '../parameters.ts';
import { Nullable, NullableString, NullableTime, Time } from '../schemas/values.ts';
import type { ManageOperation } from './operation.ts';
import { dryRun } from './parameters.ts';

const closed = { additionalProperties: false };
const LISTED = 50;
const MAX_MAPPING_CHARACTERS = 8_000;
const count = (description: string) => Type.Integer({ minimum: 0, description });

const Import = Type.Object(
  {
    id: Type.String({ description: 'ID of the import.' }),
    object: Type.Literal('import'),
    what: Type.Enum([...IMPORT_KINDS], { description: 'What the file has rows of.' }),
    file_name: Type.String({ description: 'Name of the file.' }),
    created_at: Time('When it began.'),
    actor: Type.String({ description: 'The contact, key, or user of a command who imported it.' }),
    name: NullableString('Name or address of the contact. Null for others.'),
    rows: count('Rows of the file.'),
    created: count('Rows that created something.'),
    updated: count('Rows that changed something.'),
    unchanged: count('Rows that were stored already.'),
    refused: count('Rows with errors, which were left out.'),
    undo_until: NullableTime('Until when it can be undone. Null: it cannot.'),
    undone_at: NullableTime('When it was undone.'),
  },
  { title: 'Import', ...closed },
);
const EXAMPLE: Static<typeof Import> = {
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

const field = NullableString('Our name of the field. Null: not read, or the whole row.');

const Report = Type.Object(
  {
    object: Type.Literal('import_report'),
    what: Import.properties.what,
    sheets: Type.Array(Type.String(), { description: 'The sheets of a workbook, the one that was read first.' }),
    columns: Type.Array(
      Type.Object(
        {
          heading: Type.String({ description: 'The heading in the file.' }),
          examples: Type.Array(Type.String(), { description: 'Its cells in the first two rows.' }),
          field,
        },
        closed,
      ),
      { description: 'The columns of the file, as they are read.' },
    ),
    constants: Type.Array(
      Type.Object(
        {
          field: Type.String({ description: 'Our name of the field.' }),
          value: Type.String({ description: 'Its value where the file has none.' }),
        },
        closed,
      ),
      { description: 'The values of fields where the file has none, for new customers and tanks.' },
    ),
    fields: Type.Array(
      Type.Object(
        {
          field: Type.String({ description: 'Our name of the field.' }),
          is_required: Type.Boolean({ description: 'Whether every row needs it.' }),
          choices: Type.Array(Type.String(), { description: 'All values, if they are few. Otherwise empty.' }),
        },
        closed,
      ),
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
    refused_rows: Type.Array(
      Type.Object(
        {
          line: Type.Integer({ description: 'The line or row of the file.' }),
          cells: Type.Array(Type.String(), { description: 'Its cells.' }),
          errors: Type.Array(
            Type.Object(
              {
                field,
                code: Type.Enum([...ROW_ERROR_CODES], { description: 'Error code, for programs.' }),
                detail: Type.String({ description: 'What is wrong, for people.' }),
                proposal: NullableString('A value that would be accepted, and is probably meant.'),
              },
              closed,
            ),
          ),
        },
        closed,
      ),
      { description: 'The first 100 refused rows.' },
    ),
    import: Type.Union([Import, Type.Null()], { description: 'Null: a dry run, or nothing was changed.' }),
  },
  { title: 'ImportReport', ...closed },
);
const REPORT_EXAMPLE: Static<typeof Report> = {
  object: 'import_report',
  what: 'tanks',
  sheets: ['Route list'],
  columns: [{ heading: 'Size (gal)', examples: ['500', '1,000'], field: 'capacity' }],
  constants: [{ field: 'capacity_unit', value: 'gallons' }],
  fields: [{ field: 'capacity', is_required: true, choices: [] }],
  missing: [],
  counts: { rows: 1284, created: 74, updated: 96, unchanged: 1107, refused: 7 },
  refused_rows: [
    {
      line: 118,
      cells: ['5OO'],
      errors: [{ field: 'capacity', code: 'invalid', detail: 'must be a number greater than 0', proposal: '500' }],
    },
  ],
  import: EXAMPLE,
};

const Undo = Type.Object(
  {
    object: Type.Literal('undone_import'),
    deleted: count('New customers and tanks that were deleted.'),
    restored: count('Changed customers and tanks that are as before.'),
    kept: count('Customers and tanks that stay as they are.'),
    kept_rows: Type.Array(
      Type.Object(
        {
          object: Type.Enum(['customer', 'tank']),
          id: Type.String({ description: 'Its ID.' }),
          name: Type.String({ description: 'Its name.' }),
          because: Type.Enum(['changed_since', 'has_readings', 'has_deliveries', 'owns_tanks', 'device_taken'], {
            description: 'Why it stays.',
          }),
        },
        closed,
      ),
      { description: `The first ${MAX_KEPT_ROWS} that stay.` },
    ),
  },
  { title: 'UndoneImport', ...closed },
);
const UNDO_EXAMPLE: Static<typeof Undo> = {
  object: 'undone_import',
  deleted: 73,
  restored: 96,
  kept: 1,
  kept_rows: [
    { object: 'tank', id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66', name: 'Casa T-0001', because: 'has_readings' },
  ],
};

const Mapping = Type.Object(
  {
    columns: Type.Record(Type.String(), Type.String()),
    constants: Type.Record(Type.String(), Type.String()),
    corrections: Type.Optional(
      Type.Array(Type.Object({ line: Type.Integer(), field: Type.String(), value: Type.String() }, closed)),
    ),
    sheet: Type.Optional(Type.String()),
    decimal: Type.Optional(Type.Enum([...DECIMAL_MARKS])),
  },
  closed,
);
const CompiledMapping = Compile(Mapping);

const mapping: Parameter<Static<typeof Mapping>> = {
  schema: Type.String({ maxLength: MAX_MAPPING_CHARACTERS }),
  description:
    'JSON: `{"columns": {"capacity": "Size (gal)"}, "constants": {"capacity_unit": "gallons"}, "corrections": [{"line": 118, "field": "capacity", ' +
    '"value": "500"}], "sheet": "Route list", "decimal": "point"}`. A constant is the value where the file has none, for new objects. ' +
    'Without `mapping`, it is suggested from the headings.',
  parse(text) {
    const value = text.length > MAX_MAPPING_CHARACTERS ? undefined : parseJson(text);
    if (CompiledMapping.Check(value)) return { value };
    return {
      code: 'invalid',
      detail: `Must be a JSON object with columns and constants, of ${MAX_MAPPING_CHARACTERS} characters or fewer.`,
    };
  },
};

const what: Parameter<Upload['what']> = {
  schema: Type.Enum([...IMPORT_KINDS]),
  description:
    'What the file has rows of. A file of tanks can also have the names of their customers. Default: what the headings suggest.',
  parse(text) {
    const value = IMPORT_KINDS.find((kind) => kind === text);
    return value === undefined ? { code: 'invalid', detail: `Must be one of ${IMPORT_KINDS.join(', ')}.` } : { value };
  },
};

const fileName: Parameter<string> = {
  schema: Type.String({ minLength: 1, maxLength: 200 }),
  description: 'Name of the file, for the list of imports.',
  parse: (text) =>
    /^[^\p{Cc}]{1,200}$/u.test(text) ? { value: text } : { code: 'invalid', detail: 'Must have 1 to 200 characters.' },
};

const parameters = { what, file_name: fileName, mapping, dry_run: dryRun };

/** The values of `parameters`. Each was checked by its own parser. */
const Given = Compile(
  Type.Object({
    what: Type.Optional(Type.Enum([...IMPORT_KINDS])),
    file_name: Type.Optional(Type.String()),
    mapping: Type.Optional(Mapping),
  }),
);

function uploadOf(given: object, bytes: Uint8Array): Upload {
  if (!Given.Check(given)) throw new TypeError('the parameters of an import have unknown values');
  const { mapping: { columns, constants, corrections = [], sheet, decimal } = { columns: {}, constants: {} } } = given;
  const byLine = Map.groupBy(corrections, ({ line }) => line);
  return {
    bytes,
    fileName: given.file_name ?? 'file',
    what: given.what,
    mapping: given.mapping && { columns, constants },
    corrections: new Map(
      [...byLine].map(([line, cells]) => [line, Object.fromEntries(cells.map((cell) => [cell.field, cell.value]))]),
    ),
    sheet,
    decimal,
  };
}

const common = { tag: 'manage imports', pathParameters: {}, allowedCallers: ['key', 'administrator'] } as const;

export const IMPORT_OPERATIONS: readonly ManageOperation[] = [
  {
    ...common,
    kind: 'long',
    method: 'POST',
    path: '/manage/v1/imports',
    operationId: 'importFile',
    summary: 'Import a file of customers or tanks',
    description:
      `Creates or changes customers by external_key, or tanks by owner and custom_id. The body is a CSV file or a workbook (.xlsx) of at most ${MAX_UPLOAD_BYTES / 2 ** 20} MiB and ` +
      `${MAX_UPLOAD_ROWS.toLocaleString('en')} rows. Rows with errors are left out. The rows are stored in several transactions: if the request fails, send it again, and ` +
      'rows that are stored are unchanged. With `dry_run=true`, it says what an import would do.',
    parameters,
    takesFile: true,
    item: Report,
    example: REPORT_EXAMPLE,
    async run({ db, organizationNo, parameters: given, isDryRun, file, change, checkQuota }) {
      const report = await importUpload(db, uploadOf(given, file), {
        organizationNo,
        isDryRun,
        change,
        async onStored(tx, kind, { created, createdCustomers = 0 }) {
          if (kind === 'tanks') await checkQuota(tx, { what: 'tanks', created });
          await checkQuota(tx, { what: 'customers', created: kind === 'tanks' ? createdCustomers : created });
        },
      });
      return { status: 200, body: { object: 'import_report', ...report } };
    },
  },
  {
    ...common,
    kind: 'read',
    method: 'GET',
    path: '/manage/v1/imports',
    operationId: 'listImports',
    summary: 'List imports',
    description: `Returns the newest ${LISTED} imports of the last ${LISTED_DAYS} days, newest first. Those that changed nothing are not listed.`,
    parameters: {},
    item: Type.Object({ object: Type.Literal('list'), data: Type.Array(Import) }, { title: 'Imports', ...closed }),
    example: { object: 'list', data: [EXAMPLE] },
    async read({ db, organizationNo }) {
      return { status: 200, body: { object: 'list', data: await listImports(db, organizationNo, { limit: LISTED }) } };
    },
  },
  {
    ...common,
    kind: 'long',
    method: 'POST',
    path: '/manage/v1/imports/:id/undo',
    pathParameters: { id: 'ID of the import.' },
    operationId: 'undoImport',
    summary: 'Undo an import',
    description:
      `Deletes what the import created and restores what it changed, within ${UNDO_DAYS} days. What was changed since stays, and so do new tanks with readings or ` +
      'deliveries and their customers: `kept_rows` names them. With `dry_run=true`, it says what would be undone.',
    parameters: { dry_run: dryRun },
    takesFile: false,
    item: Undo,
    example: UNDO_EXAMPLE,
    async run({ db, organizationNo, path: { id = '' }, isDryRun, change }) {
      const undone = await undoImport(db, id, { organizationNo, isDryRun, change });
      return { status: 200, body: { object: 'undone_import', ...undone } };
    },
  },
];

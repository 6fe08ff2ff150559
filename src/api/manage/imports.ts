import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { IMPORT_KINDS, LISTED_DAYS, listImports, UNDO_DAYS } from '../../catalog/import_record.ts';
import {
  importUpload,
  MAX_REFUSED_ROWS,
  MAX_UPLOAD_BYTES,
  MAX_UPLOAD_ROWS,
  type Upload,
} from '../../catalog/import_upload.ts';
import { undoImport } from '../../catalog/undo_import.ts';
import { DECIMAL_MARKS } from '../../values/decimal.ts';
import { parseJson } from '../../values/json.ts';
import { DATE_ORDERS } from '../../values/text_format.ts';
import { oneOf } from '../fleet/filters.ts';
import { integerParameter, type Parameter, type ParameterValues } from '../parameters.ts';
import { Closed, Named } from '../schemas/values.ts';
import { IMPORT_EXAMPLE, Import, ImportReport, REPORT_EXAMPLE, UNDO_EXAMPLE, UndoneImport } from './import_schema.ts';
import { long, type ManageOperation, read } from './manage_operation.ts';
import { dryRun } from './manage_parameters.ts';

const LISTED = 50;
const MAX_MAPPING_CHARACTERS = 8_000;

const Mapping = Closed({
  columns: Type.Record(Type.String(), Type.String()),
  constants: Type.Record(Type.String(), Type.String()),
  corrections: Type.Optional(Type.Array(Closed({ line: Type.Integer(), field: Type.String(), value: Type.String() }))),
  sheet: Type.Optional(Type.String()),
  decimal: Type.Optional(Type.Enum([...DECIMAL_MARKS])),
  date_order: Type.Optional(Type.Enum([...DATE_ORDERS])),
});
const CompiledMapping = Compile(Mapping);

const mapping: Parameter<Static<typeof Mapping>> = {
  schema: Type.String({ maxLength: MAX_MAPPING_CHARACTERS }),
  description:
    'JSON: `{"columns": {"capacity": "Size (gal)"}, "constants": {"capacity_unit": "gallons"}, "corrections": [{"line": 118, "field": "capacity", ' +
    '"value": "500"}], "sheet": "Route list", "decimal": "point", "date_order": "mdy"}`. A value in two columns is `Date + Time`, the second of two equal headings `Name (2)`. A constant is the value where the file has none, for new objects. ' +
    'Without `mapping`, the mapping of the last import with the same headings is used, or one is suggested from the headings.',
  parse(text) {
    const value = text.length > MAX_MAPPING_CHARACTERS ? undefined : parseJson(text);
    if (CompiledMapping.Check(value)) return { value };
    return {
      code: 'invalid',
      detail: `Must be a JSON object with columns and constants, of ${MAX_MAPPING_CHARACTERS} characters or fewer.`,
    };
  },
};

const what = oneOf(
  IMPORT_KINDS,
  'Whether the rows of the file are customers or tanks. A file of tanks can also have the names of their customers. Default: what the headings suggest.',
);

const fileName: Parameter<string> = {
  schema: Type.String({ minLength: 1, maxLength: 200 }),
  description: 'Name of the file, for the list of imports.',
  parse: (text) =>
    /^[^\p{Cc}]{1,200}$/u.test(text) ? { value: text } : { code: 'invalid', detail: 'Must have 1 to 200 characters.' },
};

const sheet: Parameter<string> = {
  schema: Type.String({ minLength: 1, maxLength: 100 }),
  description: 'The sheet of a workbook, also without a mapping. Default: the first one that is visible.',
  parse: (text) =>
    text.length <= 100 && text.trim() !== ''
      ? { value: text }
      : { code: 'invalid', detail: 'Must have 1 to 100 characters.' },
};

const maxRefused = integerParameter('Maximum number of refused rows in the report.', {
  minimum: 0,
  maximum: MAX_REFUSED_ROWS,
  default: 100,
});

const parameters = { what, file_name: fileName, mapping, sheet, max_refused: maxRefused, dry_run: dryRun };

function uploadOf(given: ParameterValues<typeof parameters>, bytes: Uint8Array): Upload {
  const {
    mapping: { columns, constants, corrections = [], sheet: mappedSheet, decimal, date_order: dateOrder } = {
      columns: {},
      constants: {},
    },
  } = given;
  const byLine = Map.groupBy(corrections, ({ line }) => line);
  return {
    bytes,
    fileName: given.file_name ?? 'file',
    what: given.what,
    mapping: given.mapping && { columns, constants },
    corrections: new Map(
      [...byLine].map(([line, cells]) => [line, Object.fromEntries(cells.map((cell) => [cell.field, cell.value]))]),
    ),
    sheet: given.sheet ?? mappedSheet,
    decimal,
    dateOrder,
    maxRefusedRows: given.max_refused,
  };
}

const common = { tag: 'manage imports', allowedCallers: ['key', 'administrator'] } as const;

export const IMPORT_OPERATIONS: readonly ManageOperation[] = [
  long({
    ...common,
    path: '/manage/v1/imports',
    operationId: 'importFile',
    summary: 'Import a file of customers or tanks',
    description:
      `Creates or changes customers by external_key, or tanks by owner and custom_id. The body is a CSV file or a workbook (.xlsx) of at most ${MAX_UPLOAD_BYTES / 2 ** 20} MiB and ` +
      `${MAX_UPLOAD_ROWS.toLocaleString('en')} rows. Rows with errors are left out. The rows are stored in several transactions: if the request fails, send it again, and ` +
      'rows that are stored are unchanged. With `dry_run=true`, it says what an import would do.',
    parameters,
    takesFile: true,
    item: ImportReport,
    example: REPORT_EXAMPLE,
    async run({ db, organizationNo, parameters: given, isDryRun, file, change, checkQuota }) {
      // A dry run rolls back each transaction, so what its earlier transactions would have created is added here.
      const rolledBack = { tanks: 0, customers: 0 };
      const rolledBackKeys = new Set<string>();
      const report = await importUpload(db, uploadOf(given, file), {
        organizationNo,
        isDryRun,
        change,
        async onStored(tx, kind, { created, newCustomers = [] }) {
          const [tanks, customers] = kind === 'tanks' ? [created, newCustomers.length] : [0, created];
          rolledBack.customers -= newCustomers.filter((key) => rolledBackKeys.has(key)).length;
          await checkQuota(tx, { what: 'tanks', created: tanks, rolledBack: rolledBack.tanks });
          await checkQuota(tx, { what: 'customers', created: customers, rolledBack: rolledBack.customers });
          if (!isDryRun) return;
          rolledBack.tanks += tanks;
          rolledBack.customers += customers;
          for (const key of newCustomers) rolledBackKeys.add(key);
        },
      });
      return { status: 200, body: { object: 'import_report', ...report } };
    },
  }),
  read({
    ...common,
    path: '/manage/v1/imports',
    operationId: 'listImports',
    summary: 'List imports',
    description: `Returns the newest ${LISTED} imports of the last ${LISTED_DAYS} days, newest first. Those that changed nothing are not listed.`,
    item: Named('Imports', { object: Type.Literal('list'), data: Type.Array(Import) }),
    example: { object: 'list', data: [IMPORT_EXAMPLE] },
    async read({ db, organizationNo }) {
      return { status: 200, body: { object: 'list', data: await listImports(db, organizationNo, { limit: LISTED }) } };
    },
  }),
  long({
    ...common,
    path: '/manage/v1/imports/:id/undo',
    pathParameters: { id: 'ID of the import.' },
    operationId: 'undoImport',
    summary: 'Undo an import',
    description:
      `Deletes what the import created and restores what it changed, within ${UNDO_DAYS} days. What was changed since stays, and so do new tanks with readings or ` +
      'deliveries and their customers: `kept_rows` names them. With `dry_run=true`, it says what would be undone.',
    takesFile: false,
    item: UndoneImport,
    example: UNDO_EXAMPLE,
    async run({ db, organizationNo, path: { id = '' }, isDryRun, change }) {
      const undone = await undoImport(db, id, { organizationNo, isDryRun, change });
      return { status: 200, body: { object: 'undone_import', ...undone } };
    },
  }),
];

import { Type } from 'typebox';
import { customerEtag } from '../../catalog/etags.ts';
import { CUSTOMER_IMPORT } from '../../catalog/import_targets.ts';
import { type CustomerObject, MANAGED_CUSTOMER_COLUMNS } from '../../catalog/v1_columns.ts';
import { readManagedNotes } from '../../deliveries/managed_delivery_note.ts';
import { noteImport } from '../../deliveries/store_delivery_notes.ts';
import { MAX_LISTED_ERRORS } from '../../http/problem.ts';
import { ManagedCustomer } from '../schemas/managed_objects.ts';
import { Closed, Named, NullableString } from '../schemas/values.ts';
import { MAX_LINE_BYTES, MAX_LINES } from './bulk.ts';
import { TANKS } from './bulk_tanks.ts';
import type { BulkTarget } from './bulk_target.ts';
import { NewCustomer, wholeCustomer } from './customers.ts';
import { NoteLine, noteEtag, replacedFields, wholeNote } from './delivery_notes.ts';
import type { ManageBulk } from './manage_operation.ts';
import { dryRun } from './manage_parameters.ts';
import { TankByKey } from './tanks.ts';

/** A line sets only `phone`, the phone to call first. Other phones of the customer stay. */
const { phones: _phones, ...customerLine } = NewCustomer.properties;

const CUSTOMERS: BulkTarget = {
  import: CUSTOMER_IMPORT,
  item: ManagedCustomer,
  valuesOf: wholeCustomer,
  paths: {},
  columnsOf: ({ is_verified }) => [
    'external_key',
    'email',
    'name',
    'phone',
    ...(is_verified === undefined ? [] : ['is_verified']),
  ],
  async find(db, organizationNo, rows) {
    const { rows: found } = await db.query<CustomerObject & { no: number }>(
      `select i.no, ${MANAGED_CUSTOMER_COLUMNS} from customers i
       where i.organization_no = $1 and i.external_key = any ($2) and i.deleted_at is null`,
      [organizationNo, rows.map(({ external_key }) => external_key)],
    );
    return new Map(
      found.map(({ no, ...customer }) => [
        String(customer.external_key),
        { no, id: customer.id, etag: customerEtag(customer), values: { ...customer } },
      ]),
    );
  },
  keyOf: ({ external_key }) => String(external_key),
  compare: () => [],
};

const NOTES: BulkTarget = {
  import: noteImport({ source: 'api', replace: true }),
  valuesOf: (line) => ({ series: '', ...wholeNote(line) }),
  paths: {},
  columnsOf: replacedFields,
  async find(db, organizationNo, rows) {
    const keys = rows.map(({ series, number }) => ({ series: String(series), number: String(number) }));
    const found = await readManagedNotes(db, organizationNo, { keys });
    return new Map(
      found.map(({ no, object }) => [
        JSON.stringify([object.series, object.number]),
        { no, id: object.id, etag: noteEtag(object), values: { ...object } },
      ]),
    );
  },
  keyOf: ({ series, number }) => JSON.stringify([series, number]),
  compare: () => [],
};

const Result = Named('BulkResult', {
  line: Type.Integer({ description: 'Number of the line, beginning with 1.' }),
  status: Type.Enum(['created', 'updated', 'unchanged', 'refused'], { description: 'What was done.' }),
  id: NullableString('ID of the object. Null: the line was refused.'),
  etag: NullableString('ETag of the object. Null: the line was refused.'),
  errors: Type.Array(
    Closed({
      param: Type.String({ description: 'The field. Empty if the error is about the whole line.' }),
      code: Type.String({ description: 'Error code, for programs.' }),
      detail: Type.String({ description: 'What is wrong, for people. It repeats no value.' }),
    }),
    { description: `Why the line was refused: at most ${MAX_LISTED_ERRORS} errors.` },
  ),
});

const common = {
  kind: 'bulk',
  method: 'POST',
  pathParameters: {},
  allowedCallers: ['key', 'administrator'],
  parameters: { dry_run: dryRun },
  item: Result,
  example: {
    line: 1,
    status: 'created',
    id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90',
    etag: '"5oWQ0hT3cUqk1v8m2yJ9Zg"',
    errors: [],
  },
} as const;

const RULES =
  `The body has one JSON object in each line (NDJSON), at most ${MAX_LINES.toLocaleString('en')} lines and 8 MiB, and at most ` +
  `${MAX_LINE_BYTES / 1_024} KiB in a line. Each line has the meaning of a PUT with this body. The answer has one line for each line, in the ` +
  'same order, and a last line `{"summary": {"created", "updated", "unchanged", "refused"}}`. Its status is 207 if a line was refused. Other lines are ' +
  'stored nevertheless, at most 2,000 in a transaction. If the request fails, send the same body again: lines that are stored are unchanged.';

export const BULK_OPERATIONS: readonly ManageBulk[] = [
  {
    ...common,
    path: '/manage/v1/customers/bulk',
    operationId: 'putCustomers',
    summary: 'Create or replace many customers',
    description: `Creates or replaces customers by external_key. ${RULES}`,
    tag: 'manage customers',
    body: Named('CustomerLine', {
      ...customerLine,
      external_key: Type.String({ description: 'Your own number of the customer.' }),
    }),
    creates: 'customers',
    target: CUSTOMERS,
  },
  {
    ...common,
    path: '/manage/v1/tanks/bulk',
    operationId: 'putTanks',
    summary: 'Create or replace many tanks',
    description:
      'Creates or replaces tanks by owner and custom_id, or by external_key. Each line has `custom_id` with `owner_id` or ' +
      '`owner_external_key`, or it has `external_key` and is stored as a PUT by external_key: another owner gets the tank. If ' +
      `external_key is that of one tank, and owner and custom_id are those of another one, the line is refused. ${RULES}`,
    tag: 'manage tanks',
    body: Named('TankLine', TankByKey.properties),
    creates: 'tanks',
    target: TANKS,
  },
  {
    ...common,
    path: '/manage/v1/delivery-notes/bulk',
    operationId: 'putDeliveryNotes',
    summary: 'Create or replace many delivery notes',
    description: `Creates or replaces delivery notes by series and number. ${RULES}`,
    tag: 'manage delivery notes',
    body: NoteLine,
    creates: 'delivery_notes',
    target: NOTES,
  },
];

import { Type } from 'typebox';
import { customerEtag, tankEtag } from '../../catalog/etags.ts';
import { CUSTOMER_IMPORT, TANK_IMPORT } from '../../catalog/import_targets.ts';
import { isPlaceholderDevice, newPlaceholderDevice } from '../../catalog/placeholder_device.ts';
import {
  type CustomerObject,
  MANAGED_CUSTOMER_COLUMNS,
  MANAGED_TANK_COLUMNS,
  type ManagedTankObject,
} from '../../catalog/v1_columns.ts';
import { readManagedNotes } from '../../deliveries/managed_delivery_note.ts';
import { noteImport } from '../../deliveries/store_delivery_notes.ts';
import { MAX_LISTED_ERRORS } from '../../http/problem.ts';
import { isUuid } from '../../values/uuid7.ts';
import { KEPT_SETTINGS, ManagedCustomer, ManagedTank } from '../schemas/managed_objects.ts';
import { MAX_LINE_BYTES, MAX_LINES } from './bulk.ts';
import type { BulkTarget } from './bulk_target.ts';
import { NewCustomer } from './customers.ts';
import { NoteLine, noteEtag, replacedFields, wholeNote } from './delivery_notes.ts';
import type { ManageBulk } from './operation.ts';
import { dryRun } from './parameters.ts';
import { LOCATION_PATHS, NO_LOCATION, TankOfOwner } from './tanks.ts';

const closed = { additionalProperties: false };

/** A line says which phone is called first. The others stay. */
const { phones: _phones, ...customerLine } = NewCustomer.properties;

const CUSTOMERS: BulkTarget = {
  import: CUSTOMER_IMPORT,
  item: ManagedCustomer,
  valuesOf: (line) => ({ phone: null, ...line }),
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

const TANKS: BulkTarget = {
  import: TANK_IMPORT,
  item: ManagedTank,
  valuesOf({ location, owner_id, owner_external_key, ...line }) {
    const owner = owner_id ?? owner_external_key ?? '';
    // With both, they must name the same customer.
    const other_owner = owner_id === undefined ? undefined : owner_external_key;
    // A tank that exists keeps its device. A new one without a device needs a placeholder.
    const has_device = line['assigned_device_id'] !== undefined;
    const device = has_device ? {} : { assigned_device_id: newPlaceholderDevice() };
    return { use_case: null, ...NO_LOCATION, ...line, ...Object(location), ...device, owner, other_owner, has_device };
  },
  errorsOf({ owner_id }) {
    const isId = typeof owner_id !== 'string' || isUuid(owner_id);
    return isId ? [] : [{ param: 'owner_id', code: 'invalid', detail: 'Must be the ID of a customer.' }];
  },
  paths: { ...LOCATION_PATHS, owner: 'owner_id', other_owner: 'owner_external_key' },
  columnsOf: (line) => [
    'custom_id',
    'name',
    'capacity',
    'capacity_unit',
    'min_fill_alert_percentage',
    'use_case',
    ...Object.keys(KEPT_SETTINGS).filter((field) => line[field] !== undefined),
    ...Object.keys(NO_LOCATION),
  ],
  async find(db, organizationNo, rows) {
    const { rows: found } = await db.query<ManagedTankObject & { no: number; owner_no: number }>(
      `select i.no, i.owner_no, ${MANAGED_TANK_COLUMNS}
       from unnest($2::int[], $3::text[]) as given (owner_no, custom_id)
       join tanks i on i.owner_no = given.owner_no and i.custom_id = given.custom_id
       where i.organization_no = $1 and i.deleted_at is null`,
      [organizationNo, rows.map(({ owner_no }) => owner_no), rows.map(({ custom_id }) => custom_id)],
    );
    return new Map(
      found.map(({ no, owner_no, ...tank }) => [
        `${owner_no} ${tank.custom_id}`,
        { no, id: tank.id, etag: tankEtag(tank), values: { ...tank } },
      ]),
    );
  },
  keyOf: ({ owner_no, custom_id }) => `${String(owner_no)} ${String(custom_id)}`,
  compare(values, before) {
    const device = values['assigned_device_id'];
    if (!values['has_device'] || device === before?.values['assigned_device_id']) return [];
    if (before === undefined)
      return isPlaceholderDevice(String(device))
        ? [{ param: 'assigned_device_id', code: 'invalid', detail: 'Must not be a placeholder.' }]
        : [];
    const detail = 'The tank has another device. To exchange it, use PUT /manage/v1/tanks/{id}/device.';
    return [{ param: 'assigned_device_id', code: 'conflict', detail }];
  },
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

const Result = Type.Object(
  {
    line: Type.Integer({ description: 'Number of the line, beginning with 1.' }),
    status: Type.Enum(['created', 'updated', 'unchanged', 'refused'], { description: 'What was done.' }),
    id: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'ID of the object. Null: refused.' }),
    etag: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'ETag of the object. Null: refused.' }),
    errors: Type.Array(
      Type.Object(
        {
          param: Type.String({ description: 'The field; empty: the line.' }),
          code: Type.String({ description: 'Error code, for programs.' }),
          detail: Type.String({ description: 'What is wrong, for people. It repeats no value.' }),
        },
        closed,
      ),
      { description: `Why the line was refused: at most ${MAX_LISTED_ERRORS} errors.` },
    ),
  },
  { title: 'BulkResult', ...closed },
);

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
    body: Type.Object(
      { ...customerLine, external_key: Type.String({ description: 'Your own number of the customer.' }) },
      { title: 'CustomerLine', ...closed },
    ),
    creates: 'customers',
    target: CUSTOMERS,
  },
  {
    ...common,
    path: '/manage/v1/tanks/bulk',
    operationId: 'putTanks',
    summary: 'Create or replace many tanks',
    description: `Creates or replaces tanks by owner and custom_id. Each line has \`owner_id\` or \`owner_external_key\`. ${RULES}`,
    tag: 'manage tanks',
    body: Type.Object(
      {
        ...TankOfOwner.properties,
        custom_id: Type.String({ description: 'Your own identifier of the tank.' }),
        owner_external_key: Type.Optional(Type.String({ description: 'Your own number of the owner.' })),
      },
      { title: 'TankLine', ...closed },
    ),
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

import { type Static, Type } from 'typebox';
import { readAuditPage } from '../../catalog/audit_log.ts';
import { Named, NullableString, pageEnd, pageEndFields, Time } from '../schemas/values.ts';
import { type ManageOperation, read } from './manage_operation.ts';
import { numberedPages, readNumberedPage } from './manage_parameters.ts';

const Entry = Named('AuditEntry', {
  number: Type.Integer({ description: 'Number of the entry. `next` is the number of the last entry of a page.' }),
  object: Type.Literal('audit_entry'),
  at: Time('When it was changed.'),
  actor: Type.String({
    description: 'Who changed it: a contact, a key, an owner, a link, an issuer, or the user of a command.',
  }),
  name: NullableString('Name or address of the contact. Null for others, and for a contact that was removed.'),
  action: Type.String({ description: 'Such as create, update, delete.' }),
  changed: Type.String({ description: 'What was changed, such as tank.' }),
  changed_id: NullableString('ID of the object. Null: there are several objects, or it has no ID here.'),
  changed_name: NullableString(
    'Name, address, host, number or day of the object, as it is now. Null: there are several objects, or it has no name or is deleted.',
  ),
  tank_id: NullableString('ID of the tank that a note, an acknowledgement, a mute or a delivery note belongs to.'),
  changed_objects: Type.Integer({ description: 'How many objects were changed together.' }),
  fields: Type.Array(Type.String(), { description: 'The changed fields, without their values.' }),
  request_id: NullableString(
    'The request to `/manage/v1` that changed it. Null if it was changed in another way, such as by a command.',
  ),
});
const EXAMPLE: Static<typeof Entry> = {
  number: 4711,
  object: 'audit_entry',
  at: '2025-11-02T08:14:09.514Z',
  actor: 'contact 01989f31-7a11-7c55-9d20-6c1f4be0a3d2',
  name: 'Ana Torres',
  action: 'update',
  changed: 'tank',
  changed_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  changed_name: 'Casa T-0001',
  tank_id: null,
  changed_objects: 1,
  fields: ['min_fill_alert_percentage'],
  request_id: 'req-8f14e45f',
};

export const AUDIT_OPERATIONS: readonly ManageOperation[] = [
  read({
    path: '/manage/v1/audit',
    operationId: 'listAudit',
    summary: 'See who changed what',
    description: 'Returns the audit log, newest first: who changed which fields of which object, without the values.',
    tag: 'manage audit',
    allowedCallers: ['key', 'administrator'],
    parameters: numberedPages,
    item: Named('AuditLog', { object: Type.Literal('list'), data: Type.Array(Entry), ...pageEndFields }),
    example: { object: 'list', data: [EXAMPLE], ...pageEnd('4711') },
    async read({ db, organizationNo, parameters }) {
      const body = await readNumberedPage(parameters, (page) => readAuditPage(db, organizationNo, page));
      return { status: 200, body };
    },
  }),
];

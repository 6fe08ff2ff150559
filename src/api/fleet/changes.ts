import { Type } from 'typebox';
import { gone, organizationOnly } from '../../http/problem.ts';
import { HistoryChangedError, readChangeFeed } from '../../status/change_feed.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import { integer, type Parameter, type ParameterValues } from '../parameters.ts';
import { customerEtag, ManagedCustomer, ManagedTank, tankEtag } from '../schemas/managed_objects.ts';
import { cursor, cursorOrProblem } from './filters.ts';

const closed = { additionalProperties: false };
const { reminders_off_since: _, ...customerFields } = ManagedCustomer.properties;
const ChangedCustomer = Type.Object(customerFields, { title: 'ChangedCustomer', ...closed });

const Change = Type.Object(
  {
    object: Type.Literal('change'),
    kind: Type.Enum(['customer', 'tank'], { description: 'What changed.' }),
    id: Type.String({ description: 'ID of the customer or tank.' }),
    deleted: Type.Boolean({ description: 'Whether it is deleted.' }),
    customer: Type.Union([ChangedCustomer, Type.Null()], {
      description: 'The customer as it is now. Null: deleted, or a tank.',
    }),
    tank: Type.Union([ManagedTank, Type.Null()], {
      description: 'The tank as it is now. Null: deleted, or a customer.',
    }),
  },
  { title: 'Change', ...closed },
);

const EXAMPLE = {
  object: 'change',
  kind: 'tank',
  id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  deleted: true,
  customer: null,
  tank: null,
};

const MAX_SIZE = 1_000;
const size: Parameter<number> = {
  schema: Type.Integer({ minimum: 1, maximum: MAX_SIZE, default: 200 }),
  description: 'Maximum number of changes.',
  parse: integer(1, MAX_SIZE),
};

const parameters = {
  size,
  after: cursor('`next` of the last response. Leave it out to begin with all customers and tanks.'),
};

export const listChangesOperation: Operation = {
  path: '/fleet/v1/changes',
  operationId: 'listChanges',
  summary: 'Follow the changes of customers and tanks',
  description:
    'Returns customers and tanks in the order of their last changes, so that a program keeps a complete copy without reading ' +
    'whole lists. The first page without `after` begins with everything that there is. Save `next` and send it as `after`: no ' +
    'change is skipped. Several changes of an object are returned once, as it is now; a deleted one with its ID only. A tank can ' +
    'come before its owner. After a restore from a backup, `after` is answered with 410: begin again without it, and delete what ' +
    'does not come again. A key that is narrowed to one customer gets 403.',
  returns: 'event_feed',
  item: Change,
  example: EXAMPLE,
  readsPrimary: true,
  canBeGone: true,
  parameters,
  async handle({ readers, caller, parameters: given }: OperationRequest<ParameterValues<typeof parameters>>) {
    // A tank that is transferred away would stay in the copy of its former owner.
    if (caller.customerNo !== null) throw organizationOnly('The change feed needs');
    const { after, size: wanted = 200 } = given;
    const page = await cursorOrProblem('after', () =>
      readChangeFeed(readers, caller.organizationNo, { after, size: wanted }),
    ).catch((error: unknown) => {
      throw error instanceof HistoryChangedError
        ? gone('The database was restored. Begin again without `after`, and delete what does not come again.')
        : error;
    });
    const data = page.changes.map((change) => ({
      object: 'change',
      kind: change.kind,
      id: change.id,
      deleted: change.object === null,
      customer:
        change.kind === 'customer' && change.object ? { ...change.object, etag: customerEtag(change.object) } : null,
      tank: change.kind === 'tank' && change.object ? { ...change.object, etag: tankEtag(change.object) } : null,
    }));
    return { body: { object: 'list', data, next: page.next, has_more: page.hasMore } };
  },
};

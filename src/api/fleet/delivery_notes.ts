import { readNotePage } from '../../deliveries/note_page.ts';
import { operation } from '../operation.ts';
import { timeParameter } from '../parameters.ts';
import { WRITTEN_NOTE_EXAMPLE, WrittenNote } from '../schemas/delivery_note.ts';
import { cursor, cursorOrProblem, oneOf, pageSize, textParameter } from './filters.ts';
import { filterParametersOfLedger } from './ledger.ts';
import { scopeOf } from './tanks.ts';

const { truck_id, driver_id, tank_id, owner_id } = filterParametersOfLedger;

const parameters = {
  since: timeParameter('Only notes written at or after this time.'),
  until: timeParameter('Only notes written before this time.'),
  status: oneOf(['valid', 'cancelled'], 'Only notes with this status.'),
  number: textParameter('Only notes with this number, of any series.', '20379'),
  reference: textParameter('Only notes with this reference of your own system.', 'SO-88121'),
  owner_id,
  tank_id,
  truck_id,
  driver_id,
  size: pageSize,
  after: cursor('`next` of the page before.'),
};

export const listDeliveryNotesOperation = operation({
  path: '/fleet/v1/delivery-notes',
  operationId: 'listDeliveryNotes',
  summary: 'List delivery notes',
  description:
    'Returns notes as they were written, the oldest first. `next` is null on the last page. To follow changes, use ' +
    '`/fleet/v1/changes?types=delivery_note`. A key that is narrowed to one customer sees the notes of this customer, without drivers.',
  returns: 'event_feed',
  item: WrittenNote,
  example: WRITTEN_NOTE_EXAMPLE,
  parameters,
  async handle({ readers, caller, parameters: given }) {
    const { size = 50, after } = given;
    const isNarrowed = caller.customerNo !== null;
    const filter = {
      sinceMs: given.since?.ms ?? null,
      untilMs: given.until?.ms ?? null,
      status: given.status ?? null,
      number: given.number ?? null,
      reference: given.reference ?? null,
      ownerId: given.owner_id ?? null,
      tankId: given.tank_id ?? null,
      truckId: given.truck_id ?? null,
      driverId: isNarrowed ? null : (given.driver_id ?? null),
    };
    const page = await cursorOrProblem('after', () => readNotePage(readers, scopeOf(caller), { filter, after, size }));
    const data = isNarrowed ? page.notes.map((note) => ({ ...note, driver_id: null })) : page.notes;
    return { body: { object: 'list', data, next: page.next, has_more: page.next !== null } };
  },
});

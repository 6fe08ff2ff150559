import { type Static, Type } from 'typebox';
import { DELIVERY_SOURCES } from '../../deliveries/changed_deliveries.ts';
import { NOT_POSSIBLE_REASONS, OUTCOME_SOURCES, ROUND_STATES, STOP_OUTCOMES } from '../../deliveries/round.ts';
import { gone, organizationOnly } from '../../http/problem.ts';
import { CUSTOMER_SOURCE, type FeedSource, readChangeFeed, TANK_SOURCE } from '../../status/change_feed.ts';
import { FeedExpiredError, FOLLOWED_DAYS, HistoryChangedError, REMOVAL_DAYS } from '../../status/feed_state.ts';
import { LEVEL_SOURCES } from '../../status/level_changes.ts';
import { operation } from '../operation.ts';
import { integerParameter, type Parameter } from '../parameters.ts';
import { WrittenNote } from '../schemas/delivery_note.ts';
import { ManagedCustomer, ManagedTank } from '../schemas/managed_objects.ts';
import { Named, NullableEnum, NullableNumber, NullableString, NullableTime, orNull, Time } from '../schemas/values.ts';
import { EVENT_SOURCE, Event } from './events.ts';
import { cursor, cursorOrProblem } from './filters.ts';
import { LedgerEntry } from './ledger.ts';
import { roundFields } from './rounds.ts';

const { reminders_off_since: _, ...customerFields } = ManagedCustomer.properties;
const ChangedCustomer = Named('ChangedCustomer', customerFields);

const tankFields = {
  tank_id: Type.String({ description: 'ID of the tank.' }),
  custom_id: NullableString("The customer's own identifier for the tank."),
};

export const Level = Named('Level', {
  ...tankFields,
  owner_id: Type.String({ description: 'ID of the customer who owns the tank.' }),
  external_key: NullableString("The operator's own number of the customer."),
  created_at: Time('When the device measured it.'),
  fill_percentage: Type.Number({ minimum: 0, maximum: 100, description: 'Fill level of the tank, in percent.' }),
});

const ChangedRound = Named('ChangedRound', {
  id: roundFields.id,
  date: roundFields.date,
  state: Type.Enum([...ROUND_STATES], {
    description: 'The state that people set. A round whose stops are all closed is also done: see its stops.',
  }),
  truck_id: Type.String({ description: 'ID of the truck.' }),
  driver_id: NullableString('ID of the driver. Null if the round has no driver yet.'),
  started_at: NullableTime('When it began.'),
  ended_at: NullableTime('When it was done or cancelled.'),
  created_at: Time('When it was created.'),
  updated_at: Time('When it was last changed.'),
});

const ChangedStop = Named('ChangedStop', {
  round_id: roundFields.id,
  number: Type.Integer({ description: 'Number of the stop in its round.' }),
  date: roundFields.date,
  truck_id: Type.String({ description: 'ID of the truck.' }),
  tank_id: NullableString('ID of the tank. Null if it was deleted.'),
  custom_id: tankFields.custom_id,
  volume_unit: roundFields.volume_unit,
  planned_volume: Type.Number({ description: 'Volume as it was planned, or as a person chose it.' }),
  outcome: Type.Enum([...STOP_OUTCOMES], { description: 'What happened there.' }),
  outcome_from: NullableEnum(OUTCOME_SOURCES, 'Who or what reported the outcome. Null if it is not reported.'),
  outcome_at: NullableTime('When it happened.'),
  reason: NullableEnum(NOT_POSSIBLE_REASONS, 'Why it was not possible.'),
  delivered_volume: NullableNumber('The delivered volume, as a person reported it or the gauge measured it.'),
});

const CHANGE_TYPES = ['customer', 'tank', 'level', 'event', 'round', 'stop', 'delivery_note', 'verdict'] as const;
type ChangeType = (typeof CHANGE_TYPES)[number];

/**
 * Customers come before tanks of the same change. Cursors contain the index of a source, so add sources at the end
 * only.
 */
const SOURCES: readonly FeedSource<ChangeType>[] = [
  CUSTOMER_SOURCE,
  TANK_SOURCE,
  ...LEVEL_SOURCES,
  EVENT_SOURCE,
  ...DELIVERY_SOURCES,
];

const Change = Named('Change', {
  object: Type.Literal('change'),
  kind: Type.Enum([...CHANGE_TYPES], { description: 'What changed.' }),
  id: Type.String({
    description:
      'ID of the object. A level has the ID of its tank. A stop has the ID of its round, a slash and its number.',
  }),
  deleted: Type.Boolean({ description: 'Whether the object is deleted.' }),
  customer: orNull(
    ChangedCustomer,
    'The customer as it is now. Null if it is deleted, or if `kind` is not `customer`.',
  ),
  tank: orNull(ManagedTank, 'The tank as it is now. Null if it is deleted, or if `kind` is not `tank`.'),
  level: Type.Optional(Level),
  event: Type.Optional(Event),
  round: Type.Optional(ChangedRound),
  stop: Type.Optional(ChangedStop),
  delivery_note: Type.Optional(WrittenNote),
  verdict: Type.Optional(LedgerEntry),
});

const EXAMPLE: Static<typeof Change> = {
  object: 'change',
  kind: 'tank',
  id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  deleted: true,
  customer: null,
  tank: null,
};

const MAX_SIZE = 1_000;
export const feedSize = (items: string) =>
  integerParameter(`Maximum number of ${items}.`, { minimum: 1, maximum: MAX_SIZE, default: 200 });

const types: Parameter<ChangeType[]> = {
  schema: Type.String({ examples: ['level,stop,verdict'] }),
  description: `What to return, separated by commas: ${CHANGE_TYPES.join(', ')}. Default: customer,tank. A cursor belongs to its types.`,
  parse(text) {
    const names = new Set(text.split(','));
    const chosen = CHANGE_TYPES.filter((type) => names.has(type));
    return chosen.length === names.size
      ? { value: chosen }
      : { code: 'invalid', detail: `Must be some of these, separated by commas: ${CHANGE_TYPES.join(', ')}.` };
  },
};

const parameters = {
  types,
  size: feedSize('changes'),
  after: cursor('`next` of the last response. Leave it out to begin with everything that there is.'),
};

/** Runs a read of a feed whose cursor came from the caller. */
export const readFeed = <T>(read: () => Promise<T>, remedy: string): Promise<T> =>
  cursorOrProblem('after', read).catch((error: unknown) => {
    if (error instanceof HistoryChangedError) throw gone(`The database was restored. ${remedy}`);
    if (error instanceof FeedExpiredError)
      throw gone(
        `New readings and levels are kept for ${FOLLOWED_DAYS} days, and what was removed for ${REMOVAL_DAYS}. ${remedy}`,
      );
    throw error;
  });

export const listChangesOperation = operation({
  path: '/fleet/v1/changes',
  operationId: 'listChanges',
  summary: 'Follow all changes',
  description:
    'Returns customers and tanks, or what `types` names, in the order of their last changes, so that a program keeps a complete copy ' +
    'without reading whole lists. The first page without `after` begins with everything that there is. Save `next` and send it as ' +
    '`after`: no change is skipped. Several changes of an object are returned once, as it is now; a deleted one with its ID only. A tank ' +
    'can come before its owner. `level` is the latest level of a tank; `stop` comes also when a gauge sees the delivery; a `verdict` ' +
    `that was deleted can come again. After a restore from a backup, with levels after more than ${FOLLOWED_DAYS} days without a ` +
    `request, and with stops, delivery notes or verdicts after more than ${REMOVAL_DAYS}, \`after\` is answered with 410: begin again without it, and delete what does not come ` +
    'again. A key that is narrowed to one customer gets 403.',
  returns: 'event_feed',
  item: Change,
  example: EXAMPLE,
  readsPrimary: true,
  canBeGone: true,
  parameters,
  async handle({ readers, caller, parameters: given, followReadings: follow }) {
    // A feed of one customer could not report that a tank was given to another owner.
    if (caller.customerNo !== null) throw organizationOnly('The change feed needs');
    const { after, size = 200, types: kinds } = given;
    const page = await readFeed(
      () => readChangeFeed(readers, caller.organizationNo, { sources: SOURCES, kinds, after, size, follow }),
      'Begin again without `after`, and delete what does not come again.',
    );
    const data = page.changes.map(({ kind, id, object }) => ({
      object: 'change',
      kind,
      id,
      deleted: object === null,
      customer: null,
      tank: null,
      ...(object && { [kind]: object }),
    }));
    return { body: { object: 'list', data, next: page.next, has_more: page.hasMore } };
  },
});

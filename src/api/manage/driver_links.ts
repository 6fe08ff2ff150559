import { type Static, Type } from 'typebox';
import { listDriverEntries } from '../../deliveries/driver_entries.ts';
import { createDriverLink, DRIVER_PAGE, endDriverLinks, findLinkedRound } from '../../deliveries/driver_links.ts';
import { NOT_POSSIBLE_REASONS } from '../../deliveries/round.ts';
import { notFound } from '../../http/problem.ts';
import { Named, orNull, Time } from '../schemas/values.ts';
import { deletion, type ManageOperation, read, write } from './manage_operation.ts';

const DriverLink = Named('DriverLink', {
  object: Type.Literal('driver_link'),
  round_id: Type.String({ description: 'ID of the round.' }),
  url: Type.String({
    description: 'The link for the driver. It is shown once. Without PUBLIC_URL it begins with the path.',
  }),
  read_until: Time('Until when the link shows the round: 03:00 after its day, by the clock of the organization.'),
  send_until: Time('Until when a phone can send what it has queued, 7 days longer.'),
});
const EXAMPLE: Static<typeof DriverLink> = {
  object: 'driver_link',
  round_id: '01989f36-5b1e-7d20-9a44-31c2f8a7e015',
  url: 'https://tanks.example.com/driver/#01989f36-5b1e-7d20-9a44-31c2f8a7e015.0.1763542800.q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA',
  read_until: '2025-11-19T09:00:00.000Z',
  send_until: '2025-11-26T09:00:00.000Z',
};

const DriverEntry = Named('DriverEntry', {
  id: Type.String({
    description: 'ID of the entry, made by the phone, or by the service if the office recorded it.',
  }),
  stop: Type.Integer({ description: 'Number of the stop in its round.' }),
  tank_id: orNull(Type.String(), 'ID of the tank. Null: deleted.'),
  kind: Type.Union([Type.Literal('delivered'), Type.Literal('not_possible'), Type.Literal('reopened')], {
    description: 'What the driver reported. `reopened` revokes the earlier entry.',
  }),
  volume: orNull(Type.Number(), 'Delivered volume by the meter of the truck, as the driver typed it.'),
  unit: orNull(Type.Union([Type.Literal('liters'), Type.Literal('gallons')]), 'Unit of the volume.'),
  reason: orNull(
    Type.Union(NOT_POSSIBLE_REASONS.map((reason) => Type.Literal(reason))),
    'Why the delivery was not possible.',
  ),
  comment: orNull(Type.String(), 'What the driver wrote.'),
  note: orNull(Type.String(), 'Series and number of the delivery note, if the driver typed it.'),
  filled_to: orNull(
    Type.Number(),
    'The level on the dial after filling, in percent: a dip of a tank without a sensor.',
  ),
  at: Time('When it happened, by the clock of the phone.'),
  received_at: Time('When it arrived.'),
  recorded_by: orNull(Type.String(), 'The contact or key that recorded it for the driver. Null: the phone sent it.'),
  recorded_by_name: orNull(Type.String(), 'The name of the person. Null: it was no person, or one who was removed.'),
  is_correction: Type.Boolean({ description: 'Whether the office replaced the earlier entry with it.' }),
});
const ENTRY_EXAMPLE: Static<typeof DriverEntry> = {
  id: '6e0a6f0e-2f57-4b8e-9f3b-0d6f1c3a9b77',
  stop: 4,
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  kind: 'delivered',
  volume: 2095,
  unit: 'liters',
  reason: null,
  comment: null,
  note: 'A-20379',
  filled_to: null,
  at: '2025-11-18T17:12:40.114Z',
  received_at: '2025-11-18T19:03:05.870Z',
  recorded_by: null,
  recorded_by_name: null,
  is_correction: false,
};

const common = {
  tag: 'manage rounds',
  allowedCallers: ['key', 'administrator', 'dispatcher'],
  pathParameters: { id: 'ID of the round.' },
  parameters: {},
} as const;
const PATH = '/manage/v1/rounds/:id/driver-link';

export const DRIVER_LINK_OPERATIONS: readonly ManageOperation[] = [
  write({
    ...common,
    queue: 'other',
    method: 'POST',
    path: PATH,
    operationId: 'createDriverLink',
    summary: 'Make the link for the driver of a round',
    description:
      'Returns a link that shows the round to whoever has it, without an account, and takes entries of the driver. It is ' +
      'stored only in the answer to the `Idempotency-Key`, encrypted, for 24 hours. Links that were made before stay valid: ' +
      'the phone that has one may be without network. A round that is over, by its ' +
      'state or by its date, is a conflict.',
    item: DriverLink,
    example: EXAMPLE,
    statuses: [201],
    body: null,
    async handle({ path: { id = '' }, links, ...change }) {
      const [secret] = links?.linkSecrets ?? [];
      if (links === null || secret === undefined) throw notFound('path');
      const { round, token, sendUntil } = await createDriverLink(change, id, secret);
      const body: Static<typeof DriverLink> = {
        object: 'driver_link',
        round_id: round.id,
        url: `${links.publicUrl}${DRIVER_PAGE}#${token}`,
        read_until: round.read_until,
        send_until: sendUntil,
      };
      return { status: 201, body, about: { object: 'round', no: round.no } };
    },
  }),
  write({
    ...common,
    queue: 'other',
    ...deletion,
    path: PATH,
    operationId: 'endDriverLinks',
    summary: 'End the links for the driver of a round',
    description:
      'All links of the round that were made before end at once: they show nothing and take nothing. Phones delete the data of the ' +
      'round when they next have network. Entries that a phone has queued are accepted when the driver opens a new link on it.',
    async handle({ path: { id = '' }, ...change }) {
      await endDriverLinks(change, id);
      return { status: 204, body: null };
    },
  }),
  read({
    ...common,
    path: '/manage/v1/rounds/:id/driver-entries',
    operationId: 'listDriverEntries',
    summary: 'List what the driver of a round said',
    description:
      'Returns all entries in the order in which they arrived, also those that the driver took back, and those for stops that were ' +
      "taken off the round, and those that the office recorded for the driver. The driver's newest entry counts, unless the office recorded one first. " +
      'An impossible time of the phone is replaced by the earliest possible time, or by ' +
      'the time at which the entry arrived.',
    item: Named('DriverEntries', { object: Type.Literal('list'), data: Type.Array(DriverEntry) }),
    example: { object: 'list', data: [ENTRY_EXAMPLE] },
    async read({ db, organizationNo, path: { id = '' } }) {
      const { no } = await findLinkedRound(db, organizationNo, id);
      return { status: 200, body: { object: 'list', data: await listDriverEntries(db, no) } };
    },
  }),
];

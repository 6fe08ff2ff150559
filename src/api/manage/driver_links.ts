import { type Static, Type } from 'typebox';
import { recordCommand } from '../../catalog/audit_log.ts';
import type { Db } from '../../db/pool.ts';
import { listDriverEntries } from '../../deliveries/driver_entries.ts';
import { DRIVER_PAGE, SEND_LONGER_MS, signDriverLink } from '../../deliveries/driver_links.ts';
import { NOT_POSSIBLE_REASONS } from '../../deliveries/round.ts';
import { conflict, notFound } from '../../http/problem.ts';
import { isUuid } from '../../values/uuid7.ts';
import { Time } from '../schemas.ts';
import type { ManageOperation } from './operation.ts';

const closed = { additionalProperties: false };
const WHO = ['key', 'administrator', 'dispatcher'] as const;

const DriverLink = Type.Object(
  {
    object: Type.Literal('driver_link'),
    round_id: Type.String({ description: 'ID of the round.' }),
    url: Type.String({
      description: 'The link for the driver. It is shown once. Without PUBLIC_URL it begins with the path.',
    }),
    read_until: Time('Until when the link shows the round: 03:00 after its day, by the clock of the organization.'),
    send_until: Time('Until when a phone can send what it has queued, 7 days longer.'),
  },
  { title: 'DriverLink', ...closed },
);
const EXAMPLE: Static<typeof DriverLink> = {
  object: 'driver_link',
  round_id: '01989f36-5b1e-7d20-9a44-31c2f8a7e015',
  url: 'https://tanks.example.com/driver/#01989f36-5b1e-7d20-9a44-31c2f8a7e015.0.1763542800.q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA',
  read_until: '2025-11-19T09:00:00.000Z',
  send_until: '2025-11-26T09:00:00.000Z',
};

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const DriverEntry = Type.Object(
  {
    id: Type.String({ description: 'ID of the entry, made by the phone.' }),
    stop: Type.Integer({ description: 'Number of the stop in its round.' }),
    tank_id: orNull(Type.String(), 'ID of the tank. Null: deleted.'),
    kind: Type.Union([Type.Literal('delivered'), Type.Literal('not_possible'), Type.Literal('reopened')], {
      description: 'What the driver said. `reopened` takes back what was said before.',
    }),
    volume: orNull(Type.Number(), 'Delivered volume by the meter of the truck, as the driver typed it.'),
    unit: orNull(Type.Union([Type.Literal('liters'), Type.Literal('gallons')]), 'Unit of the volume.'),
    reason: orNull(
      Type.Union(NOT_POSSIBLE_REASONS.map((reason) => Type.Literal(reason))),
      'Why the delivery was not possible.',
    ),
    comment: orNull(Type.String(), 'What the driver wrote.'),
    note: orNull(Type.String(), 'Series and number of the delivery note, if the driver typed it.'),
    filled_to: orNull(Type.Number(), 'The level on the dial after it, in percent: a dip of a tank without a sensor.'),
    at: Time('When it happened, by the clock of the phone.'),
    received_at: Time('When it arrived.'),
  },
  { title: 'DriverEntry', ...closed },
);
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
};

interface LinkedRound {
  no: number;
  state: string;
  generation: number;
  /** 03:00 after its day: by then a late driver is home. */
  read_until: string;
}

async function findRound(db: Db, organizationNo: number, id: string): Promise<LinkedRound> {
  const { rows } = isUuid(id)
    ? await db.query<LinkedRound>(
        `select no, state, link_generation as generation, day_ends_at + interval '3 hours' as read_until
         from rounds where organization_no = $1 and id = $2`,
        [organizationNo, id],
      )
    : { rows: [] };
  const [round] = rows;
  if (round === undefined) throw notFound('round');
  return round;
}

const common = { tag: 'manage rounds', who: WHO, pathParameters: { id: 'ID of the round.' }, parameters: {} } as const;
const PATH = '/manage/v1/rounds/:id/driver-link';

export const DRIVER_LINK_OPERATIONS: readonly ManageOperation[] = [
  {
    ...common,
    kind: 'write',
    line: 'other',
    method: 'POST',
    path: PATH,
    operationId: 'createDriverLink',
    summary: 'Make the link for the driver of a round',
    description:
      'Returns a link that shows the round to whoever has it, without an account, and takes entries of the driver. Nothing of it is ' +
      'stored. Links that were made before stay valid: the phone that has one may be without network. A round that is over, by its ' +
      'state or by its date, is a conflict.',
    item: DriverLink,
    example: EXAMPLE,
    statuses: [201],
    body: null,
    condition: 'none',
    async handle({ tx, organizationNo, path: { id = '' }, links }) {
      const [secret] = links?.linkSecrets ?? [];
      if (links === null || secret === undefined) throw notFound('path');
      const { no, state, generation, read_until } = await findRound(tx, organizationNo, id);
      const readUntilMs = Date.parse(read_until);
      if (state === 'done' || state === 'cancelled' || readUntilMs <= Date.now())
        throw conflict('The round is over: its link would show nothing.');
      await recordCommand(tx, { organizationNo, object: 'round', action: 'issue', fields: ['link'], objectNos: [no] });
      const token = signDriverLink(secret, { roundId: id.toLowerCase(), generation, readUntilMs });
      const body: Static<typeof DriverLink> = {
        object: 'driver_link',
        round_id: id.toLowerCase(),
        url: `${links.publicUrl}${DRIVER_PAGE}#${token}`,
        read_until,
        send_until: new Date(readUntilMs + SEND_LONGER_MS).toISOString(),
      };
      return { status: 201, body, about: { object: 'round', no } };
    },
  },
  {
    ...common,
    kind: 'write',
    line: 'other',
    method: 'DELETE',
    path: PATH,
    operationId: 'endDriverLinks',
    summary: 'End the links for the driver of a round',
    description:
      'All links of the round that were made before end at once: they show nothing and take nothing. Phones delete the data of the ' +
      'round when they next have network. Entries that a phone has queued are accepted when the driver opens a new link on it.',
    item: null,
    example: null,
    statuses: [204],
    body: null,
    condition: 'none',
    async handle({ tx, organizationNo, path: { id = '' } }) {
      const { no } = await findRound(tx, organizationNo, id);
      await tx.query('update rounds set link_generation = link_generation + 1 where no = $1', [no]);
      return { status: 204, body: null };
    },
  },
  {
    ...common,
    kind: 'read',
    method: 'GET',
    path: '/manage/v1/rounds/:id/driver-entries',
    operationId: 'listDriverEntries',
    summary: 'List what the driver of a round said',
    description:
      'Returns all entries in the order in which they arrived, also those that the driver took back, and those for stops that were ' +
      'taken off the round. The newest entry of a stop is the word of the driver. A time of the phone that cannot be is taken as ' +
      'the earliest possible one, or as the time at which the entry arrived.',
    item: Type.Object(
      { object: Type.Literal('list'), data: Type.Array(DriverEntry) },
      { title: 'DriverEntries', ...closed },
    ),
    example: { object: 'list', data: [ENTRY_EXAMPLE] },
    async read({ db, organizationNo, path: { id = '' } }) {
      const { no } = await findRound(db, organizationNo, id);
      return { status: 200, body: { object: 'list', data: await listDriverEntries(db, no) } };
    },
  },
];

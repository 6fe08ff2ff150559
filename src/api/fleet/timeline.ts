import { type Static, Type } from 'typebox';
import { VERDICTS } from '../../deliveries/verdict_texts.ts';
import { ALL_EVENT_TYPES } from '../../evaluation/pure/alerts/event_types.ts';
import { ACKNOWLEDGED_CONDITIONS } from '../../status/sections.ts';
import { countTimeline, readTimelinePage, type TimelineRow } from '../../status/tank_timeline.ts';
import { TIMELINE_KINDS } from '../../status/timeline_sources.ts';
import { operation } from '../operation.ts';
import {
  Closed,
  Named,
  Nullable,
  NullableEnum,
  NullableNumber,
  NullableString,
  NullableTime,
  pageEnd,
  pageEndFields,
  Time,
} from '../schemas/values.ts';
import { visibleTankNo } from '../visible_tank.ts';
import { eventFields } from './events.ts';
import { cursor, cursorOrProblem, oneOf, pageSize } from './filters.ts';
import { scopeOf } from './tanks.ts';

const UNITS = ['liters', 'gallons'] as const;

const level = {
  fill_percentage: Type.Number({ description: 'In percent.' }),
  milestone: Type.Enum(['latest', 'before_refill'], {
    description: 'Why it is listed: it is the latest reading, or the last reading before a refill.',
  }),
  lowest_since: NullableTime(
    'Time of the last refill, if no reading since then was lower. Null otherwise, and for `before_refill`.',
  ),
};

const event = {
  ...eventFields,
  ends_alert: Type.Boolean({ description: 'Whether this refill also ended the low-fill alert.' }),
};

const MAIL_KINDS = ['alert', 'reminder', 'retraction'] as const;
const mail = {
  kind: Type.Enum([...MAIL_KINDS], {
    description: 'The first mail about the event, a reminder, or the mail that says that the event did not happen.',
  }),
  event_id: Type.String({ description: 'ID of the event that it is about.' }),
  event_type: Type.Enum([...ALL_EVENT_TYPES], { description: 'Type of this event.' }),
  to: Type.Array(
    Closed({
      name: NullableString('Name or address of the contact, or name of the owner. Null if the person was removed.'),
      is_owner: Type.Boolean({ description: 'Whether the recipient is the owner of the tank, and not a contact.' }),
      failed_because: NullableEnum(
        ['rejected', 'given_up'],
        'Why it was not delivered: the mail server rejected the address, or did not accept the mail for hours. ' +
          'Null if the mail server accepted it.',
      ),
    }),
    { description: 'To whom.' },
  ),
};

const text = {
  event_id: mail.event_id,
  event_type: mail.event_type,
  is_false_alarm: Type.Boolean({ description: 'Whether the text says that the loss was a false alarm.' }),
  to: Type.Array(
    Closed({
      name: NullableString('Name or address of the contact. Null if the contact was removed.'),
      status: Type.Enum(['waiting', 'sent', 'delivered', 'failed'], {
        description: '`sent`: the provider accepted it. `delivered` and `failed`: as the provider reports.',
      }),
      error: NullableString('Why it failed.'),
    }),
    { description: 'To whom.' },
  ),
};

const ACTS = [
  'handling_began',
  'handling_ended',
  'mute_began',
  'mute_ended',
  'device_assigned',
  'threshold_changed',
  'stop_delivered',
  'stop_not_possible',
] as const;
const act = {
  type: Type.Enum([...ACTS], { description: 'What a person did, or what ended.' }),
  name: NullableString('Who did it. Null for a program, a command, a person who was removed, or nobody.'),
  condition: NullableEnum(ACKNOWLEDGED_CONDITIONS, 'For handling: the condition that is handled.'),
  until: NullableTime('For handling and for a mute: when it ends at the latest.'),
  because: NullableString('Why it ended, or why a stop was not possible.'),
  comment: NullableString('What the person wrote.'),
  device_id: NullableString('The device that was put on the tank.'),
  former_device_id: NullableString('The previous device of the tank.'),
  from_percentage: NullableNumber('The threshold before the change.'),
  to_percentage: NullableNumber('The threshold after the change.'),
  volume: NullableNumber('For a stop without a delivery note: the delivered volume, in the unit of the tank.'),
  unit: NullableEnum(UNITS, 'Unit of the volume.'),
  round_date: NullableString('For a stop: the day of its round.'),
  truck_id: NullableString('For a stop: ID of the truck of its round.'),
};

const delivery = {
  verdict: NullableEnum(VERDICTS, 'Whether note and gauge agree. Null if the note was cancelled.'),
  is_cancelled: Type.Boolean({ description: 'Whether the note was cancelled. Then it is in no sum.' }),
  notes: Type.Array(
    Closed({
      id: Type.String({ description: 'ID of the note.' }),
      series: Type.String({ description: 'Series of the note. Empty if it has none.' }),
      number: Type.String({ description: 'Number of the note.' }),
      volume: Type.Number({ description: 'As written.' }),
      unit: Type.Enum([...UNITS], { description: 'As written.' }),
      precision: Type.Enum(['minute', 'day'], { description: 'How exact the time is.' }),
    }),
    { description: 'The notes of this delivery.' },
  ),
  gauge_volume: NullableNumber('The volume by the gauge. Null if no refill was seen, or if it cannot be compared.'),
  unit: Type.Enum([...UNITS], { description: 'Unit of the volume of the gauge.' }),
  driver: NullableString('Name of the driver. Null if it is not known, or if the key is narrowed to a customer.'),
  truck: NullableString('Name of the truck.'),
  comment: NullableString(
    'The comment of the driver, or of the office for the driver. Null if the key is narrowed to a customer.',
  ),
};

const note = {
  id: Type.String({ description: 'ID of the note.' }),
  name: NullableString('Who wrote it. Null for a program, a command, or a person who was removed.'),
  text: Type.String({ description: 'What it says.' }),
  prints: Type.Boolean({ description: 'Whether it is printed with the round.' }),
};

const Entry = Closed({
  id: Type.String({ description: 'Unique in the timeline.' }),
  kind: Type.Enum([...TIMELINE_KINDS], { description: 'The field that is not null.' }),
  at: Time('When it happened.'),
  level: Nullable('A level worth listing: see `milestone`.', level),
  event: Nullable('An event that readings caused.', event),
  mail: Nullable('A mail about an event.', mail),
  text: Nullable('A text message about an event.', text),
  act: Nullable('What a person did, or when it ended.', act),
  delivery: Nullable('A delivery with its notes.', delivery),
  note: Nullable('A note on the tank.', note),
});

const count = (what: string) => Type.Integer({ description: `Number of ${what}.` });
const Timeline = Named('Timeline', {
  object: Type.Literal('timeline'),
  tank_id: Type.String({ description: 'ID of the tank.' }),
  entries: Type.Array(Entry, { description: 'Newest first.' }),
  counts: Nullable('The numbers of entries of the whole timeline. Null except on the first page.', {
    level: count('levels'),
    event: count('events'),
    mail: count('mails'),
    text: count('text messages'),
    act: count('acts'),
    delivery: count('deliveries'),
    note: count('notes'),
  }),
  ...pageEndFields,
});
type TimelineEntry = Static<typeof Entry>;

const NOTHING = { level: null, event: null, mail: null, text: null, act: null, delivery: null, note: null };
/** All fields of an act with null. An act has only some of them, depending on its type. */
const NO_ACT = Object.fromEntries(Object.keys(act).map((name) => [name, null]));

const entryOf = ({ key, kind, at, data }: TimelineRow): object => ({
  id: key,
  kind,
  at,
  ...NOTHING,
  [kind]: kind === 'act' ? { ...NO_ACT, ...data } : data,
});

const EXAMPLE_ENTRY: TimelineEntry = {
  id: 'mail 7312 alert contact',
  kind: 'mail',
  at: '2025-11-02T06:00:04.210Z',
  ...NOTHING,
  mail: {
    kind: 'alert',
    event_id: '0e4f1c62-8a35-8d1b-9c0e-2f7a6b5d4c31',
    event_type: 'tank.low_fill',
    to: [{ name: 'Ana Torres', is_owner: false, failed_because: null }],
  },
};
const EXAMPLE: Static<typeof Timeline> = {
  object: 'timeline',
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  entries: [EXAMPLE_ENTRY],
  counts: { level: 4, event: 21, mail: 47, text: 5, act: 12, delivery: 3, note: 2 },
  ...pageEnd(null),
};

const parameters = {
  kind: oneOf(TIMELINE_KINDS, 'Return only entries of this kind.'),
  size: pageSize,
  after: cursor('`next` of the page before.'),
};

export const retrieveTimelineOperation = operation({
  path: '/fleet/v1/tanks/:id/timeline',
  operationId: 'retrieveTimeline',
  summary: 'See everything that happened to a tank',
  description:
    'Returns the important levels, events, mails, texts, what people did, deliveries and notes of one tank in one list, ' +
    'newest first. A key narrowed to a customer gets levels, events and deliveries, and no names of people.',
  idOf: 'tank',
  returns: 'answer',
  item: Timeline,
  example: EXAMPLE,
  parameters,
  async handle({ readers, caller, id, parameters: given }) {
    const tankNo = await visibleTankNo(readers, caller, id);
    const { kind = null, size = 50, after } = given;
    const scope = scopeOf(caller);
    const [page, counts] = await Promise.all([
      cursorOrProblem('after', () => readTimelinePage(readers, scope, { tankNo, kind, after, size })),
      after === undefined ? countTimeline(readers, scope, tankNo) : null,
    ]);
    const entries = page.rows.map(entryOf);
    return { body: { object: 'timeline', tank_id: id, entries, counts, ...pageEnd(page.next) } };
  },
});

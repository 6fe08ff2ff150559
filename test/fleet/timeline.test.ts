import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { FALSE_ALARM_STEP } from '../../src/values/false_alarm_step.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { lowFillOf, record, type Tanked } from '../support/events.ts';
import { givenContact, givenCustomer, givenKey, givenTank } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { refillOf, settle } from '../support/ledger.ts';
import { readPages } from '../support/lists.ts';
import { givenManagedOrganization, type ManageApi, test } from '../support/manage.ts';
import { givenSession } from '../support/sessions.ts';
import type { TestDatabase } from '../support/test.ts';

interface Entry {
  id: string;
  kind: string;
  at: string;
  level: { milestone: string; fill_percentage: number; lowest_since: string | null } | null;
  event: { type: string; ends_alert: boolean } | null;
  mail: { kind: string; to: { name: string; is_owner: boolean; failed_because: string | null }[] } | null;
  text: { is_false_alarm: boolean; to: { name: string | null; status: string; error: string | null }[] } | null;
  act: Record<string, unknown> | null;
  delivery: { verdict: string | null; is_cancelled: boolean; notes: { number: string }[] } | null;
  note: { text: string; name: string | null } | null;
}

const NOW_MS = Date.now();
const isoAgo = (hours: number): string => new Date(NOW_MS - hours * HOUR_MS).toISOString();

/** A tank with at least one entry of each kind, and a person who acts. */
async function givenStory(database: TestDatabase, manage: ManageApi) {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const customer = await givenCustomer(database.operator, organizationNo, { name: 'Diner', external_key: 'C-1' });
  const tank = await givenTank(database.operator, organizationNo, customer.no, { custom_id: 'T-1', capacity: 1_000 });
  const fleet: Tanked = { organizationNo, customer, tank };
  const contact = await givenContact(database.operator, organizationNo, {
    email: 'maya@example.com',
    types: [],
    name: 'Maya Lind',
    roles: ['administrator'],
  });
  const { cookie } = await givenSession(database, { contactId: contact.id });

  // There are two alerts. A refill ends the first one, and the level falls again after it.
  await record(
    database,
    lowFillOf(fleet, { occurredAt: isoAgo(100) }),
    refillOf(
      { organizationNo, tankNo: tank.no },
      { fromMs: NOW_MS - 90 * HOUR_MS, toMs: NOW_MS - 89 * HOUR_MS, liters: 600 },
    ),
    lowFillOf(fleet, {
      type: 'tank.fill_recovered',
      occurredAt: isoAgo(89),
      data: { fill_percentage: 80, threshold_percentage: 20 },
    }),
    lowFillOf(fleet, { occurredAt: isoAgo(10) }),
  );
  await new BatchIngester(database.writer).ingestReadings(
    [89, 60, 30, 1].map((hours, index) => ({
      tankNo: tank.no,
      atMs: NOW_MS - hours * HOUR_MS,
      fillPercentage: 80 - 5 * index,
    })),
  );
  await database.owner.query(
    `with mailed as (select no from events where tank_no = $1 and type = 'tank.low_fill' order by occurred_at desc limit 1),
       sent as (
         insert into event_mails (event_no, recipient, recipient_no, kind, sent_at)
         select no, 'contact', (select no from contacts where id = $2), 'alert', $3::timestamptz from mailed
       )
     insert into failed_mails (event_no, recipient, recipient_no, kind, because, failed_at)
     select no, 'customer', $4, 'alert', 'rejected', $3::timestamptz from mailed`,
    [tank.no, contact.id, isoAgo(9), customer.no],
  );
  await database.owner.query(
    `with told as (
       insert into escalations (organization_no, tank_no, event_no, condition)
       select organization_no, tank_no, no, 'low' from events where tank_no = $1 and type = 'tank.low_fill'
       order by occurred_at desc limit 1 returning no, organization_no
     )
     insert into texts (organization_no, contact_no, purpose, escalation_no, step, status, error, created_at)
     select told.organization_no, coalesce(c.no, -1), 'alert', told.no, t.step, t.status, t.error, $3::timestamptz + make_interval(mins => greatest(t.step, 0))
     from told cross join (values (1, true, 'delivered', null), (2, true, 'failed', 'not in service'), (2, false, 'sent', null),
       (3, true, 'canceled', null), (${FALSE_ALARM_STEP}, true, 'delivered', null)) as t (step, is_maya, status, error)
     left join contacts c on c.id = $2 and t.is_maya`,
    [tank.no, contact.id, isoAgo(9)],
  );
  for (const [number, status] of [
    ['1', 'valid'],
    ['2', 'cancelled'],
  ]) {
    const body = {
      at: isoAgo(89.5),
      volume: 600,
      unit: 'liters',
      tank: 'T-1',
      customer: 'C-1',
      compensated: false,
      status,
    };
    expect((await manage.call(key, 'PUT', `/delivery-notes/N/${number}`, { body })).status).toBe(201);
  }
  await settle(database.worker);
  /** A change by the person. */
  const change = async (method: string, path: string, body: object, ifMatch?: string): Promise<void> => {
    const { status } = await callApi(manage.url, `/manage/v1${path}`, {
      method,
      body: JSON.stringify(body),
      headers: {
        cookie,
        origin: manage.url,
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      },
    });
    expect(status).toBeLessThan(300);
  };
  return { ...fleet, key, change };
}

async function walk(manage: ManageApi, key: string, tankId: string, query = '', size = 3): Promise<Entry[]> {
  const pages = await readPages<{ entries: Entry[]; next: string | null }>(async (after) => {
    const path = `/fleet/v1/tanks/${tankId}/timeline?size=${size}${query}${after}`;
    const { status, json } = await callApi(manage.url, path, { key });
    expect(status).toBe(200);
    return json;
  });
  return pages.flatMap(({ entries }) => entries);
}

test('the timeline has every entry once, newest first, with the counts of the whole history and a filter for each kind', async ({
  database,
  manage,
}) => {
  const { tank, key, change } = await givenStory(database, manage);
  await change('POST', `/tanks/${tank.id}/notes`, { text: 'Ladder at the dock', prints: true });
  await database.writer.query('update fleet_tanks set is_low = true where tank_no = $1', [tank.no]);
  const until = new Date(NOW_MS + 2 * HOUR_MS).toISOString();
  await change('POST', `/tanks/${tank.id}/acknowledgements`, {
    conditions: ['low'],
    until,
    comment: 'Truck 1 at noon',
  });

  const all = await walk(manage, key, tank.id);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(all.map(({ at }) => at)).toEqual(
    all
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  );
  expect(await walk(manage, key, tank.id, '', 200)).toEqual(all);
  const { json } = await callApi(manage.url, `/fleet/v1/tanks/${tank.id}/timeline`, { key });
  for (const [kind, n] of Object.entries(json.counts)) {
    const ofKind = all.filter((entry) => entry.kind === kind);
    expect([kind, ofKind.length]).toEqual([kind, n]);
    expect(await walk(manage, key, tank.id, `&kind=${kind}`)).toEqual(ofKind);
  }

  // The event, its mail and what a person did, in the order in which they happened.
  const entriesOf = (kind: string): Entry[] => all.filter((entry) => entry.kind === kind);
  expect(entriesOf('act').map(({ act }) => act)).toMatchObject([
    { type: 'handling_began', name: 'Maya Lind', condition: 'low', until, comment: 'Truck 1 at noon' },
    { type: 'device_assigned', name: null, former_device_id: null },
  ]);
  expect(entriesOf('note')).toMatchObject([{ note: { text: 'Ladder at the dock', name: 'Maya Lind' } }]);
  expect(entriesOf('mail').map(({ mail }) => mail?.to)).toEqual([
    [{ name: 'Diner', is_owner: true, failed_because: 'rejected' }],
    [{ name: 'Maya Lind', is_owner: false, failed_because: null }],
  ]);
  expect(entriesOf('text').map(({ text }) => [text?.is_false_alarm, text?.to])).toEqual([
    [
      false,
      [
        { name: 'Maya Lind', status: 'failed', error: 'not in service' },
        { name: null, status: 'sent', error: null },
      ],
    ],
    [false, [{ name: 'Maya Lind', status: 'delivered', error: null }]],
    [true, [{ name: 'Maya Lind', status: 'delivered', error: null }]],
  ]);
  // The refill says that the tank is no longer low: the recovery of the same moment is not listed again.
  expect(entriesOf('event').map(({ event }) => [event?.type, event?.ends_alert])).toEqual([
    ['tank.low_fill', false],
    ['tank.refilled', true],
    ['tank.low_fill', false],
  ]);
  expect(entriesOf('level').map(({ level }) => level)).toMatchObject([
    { milestone: 'latest', fill_percentage: 65, lowest_since: isoAgo(89) },
    { milestone: 'before_refill', fill_percentage: 20 },
  ]);

  expect(entriesOf('delivery').map(({ delivery }) => [delivery?.notes[0]?.number, delivery?.is_cancelled])).toEqual(
    expect.arrayContaining([
      ['1', false],
      ['2', true],
    ]),
  );

  const foreign = await callApi(manage.url, `/fleet/v1/tanks/${tank.id}/timeline?size=3`, { key });
  const misused = await callApi(
    manage.url,
    `/fleet/v1/tanks/${tank.id}/timeline?kind=mail&after=${foreign.json.next}`,
    { key },
  );
  expect(misused.status).toBe(422);
});

test('the timeline names who changed a threshold or a device; owners see no mails, acts, notes or names, others nothing', async ({
  database,
  manage,
}) => {
  const { tank, key, change, organizationNo, customer } = await givenStory(database, manage);
  const { json: stored } = await manage.call(key, 'GET', `/tanks/${tank.id}`);
  await change('PATCH', `/tanks/${tank.id}`, { min_fill_alert_percentage: 30 }, stored.etag);
  await change('PUT', `/tanks/${tank.id}/device`, { device_id: 'NB8DAB11' });
  const acts = (await walk(manage, key, tank.id, '&kind=act')).map(({ act }) => act);
  expect(acts).toMatchObject([
    { type: 'device_assigned', name: 'Maya Lind', device_id: 'NB8DAB11' },
    { type: 'threshold_changed', name: 'Maya Lind', from_percentage: 20, to_percentage: 30 },
    { type: 'device_assigned', name: null },
  ]);
  expect(acts[0]?.['former_device_id']).toBe(acts[2]?.['device_id']);

  const { text: ownerKey } = await givenKey(database.operator, { organizationNo, customerNo: customer.no });
  const ofOwner = await walk(manage, ownerKey, tank.id);
  expect(new Set(ofOwner.map(({ kind }) => kind))).toEqual(new Set(['level', 'event', 'delivery']));
  expect(JSON.stringify(ofOwner)).not.toContain('Maya');
  expect(await walk(manage, ownerKey, tank.id, '&kind=mail')).toEqual([]);
  const { json } = await callApi(manage.url, `/fleet/v1/tanks/${tank.id}/timeline`, { key: ownerKey });
  expect([json.counts.mail, json.counts.act, json.counts.note]).toEqual([0, 0, 0]);

  const other = await givenManagedOrganization(database);
  const neighbor = await givenCustomer(database.operator, organizationNo);
  const { text: neighborKey } = await givenKey(database.operator, { organizationNo, customerNo: neighbor.no });
  for (const stranger of [other.key, neighborKey]) {
    const refused = await callApi(manage.url, `/fleet/v1/tanks/${tank.id}/timeline`, { key: stranger });
    expect(refused.status).toBe(404);
  }
});

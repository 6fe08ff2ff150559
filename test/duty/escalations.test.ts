import type { Pool } from 'pg';
import { expect } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { onlyRow } from '../../src/db/only_row.ts';
import { transaction } from '../../src/db/pool.ts';
import { beginEscalations, beginMissingEscalations } from '../../src/duty/begin_escalations.ts';
import { escalate } from '../../src/duty/escalations.ts';
import { listEscalations } from '../../src/duty/list_escalations.ts';
import { sendText } from '../../src/duty/send_text.ts';
import { tellNow } from '../../src/duty/tell_now.ts';
import { retractEvents } from '../../src/evaluation/record_events.ts';
import { removeContact } from '../../src/mail/contacts.ts';
import { deriveApiSecretsKey } from '../../src/values/api_secrets_key.ts';
import { WebhookSender } from '../../src/webhooks/sender.ts';
import { holdNotifications, releaseNotifications } from '../../src/worker/holds.ts';
import { notifyRetractions } from '../../src/worker/notify_retractions.ts';
import { channelOf, givenChannel, givenDuty, givenProvider, givenReachedPeople, makeLosing } from '../support/duty.ts';
import { givenTanked, givenWorker, lossOf, lowFillOf, record, SECRETS_KEY, type Tanked } from '../support/events.ts';
import { expectLockWaits } from '../support/lock_waits.ts';
import { givenMailWorker } from '../support/mails.ts';
import { type TestDatabase, test } from '../support/test.ts';

const soon = { interval: 50, timeout: 30_000 };

async function givenDutyFleet(database: TestDatabase, names: readonly string[], more = {}) {
  const fleet = await givenTanked(database, {}, { name: 'Lake cabin' });
  const provider = await givenProvider();
  await givenChannel(database, fleet.organizationNo, channelOf('gateway', provider.url));
  const people = await givenReachedPeople(database, fleet.organizationNo, names);
  await givenDuty(database, fleet.organizationNo, people, more);
  return { fleet, provider, people, phones: people.map(({ phone }) => phone) };
}

const take = (owner: Pool, { organizationNo, tank }: Tanked, condition: 'losing' | 'low', until = '1 hour') =>
  owner.query(
    `with bit as (update fleet_tanks set handled = handled | condition_bit($3) where tank_no = $2)
     insert into acknowledgements (id, organization_no, tank_no, condition, until, loss_at)
     values (gen_random_uuid(), $1, $2, $3, now() + $4::interval, case when $3 = 'losing' then now() end)`,
    [organizationNo, tank.no, condition, until],
  );

/** Makes the next step of each open escalation due now, also if a worker still ends the one before it. */
const makeDue = (owner: Pool, { organizationNo }: Tanked) =>
  owner.query(
    `with due as (update escalations set next_at = now() where organization_no = $1 and ended_at is null)
     update escalation_jobs set due_at = now(), due_again_at = case when claimed_by is not null then now() end
     where organization_no = $1`,
    [organizationNo],
  );

const escalationOf = async ({ owner }: TestDatabase, { organizationNo }: Tanked) =>
  (await listEscalations(owner, organizationNo))[0];

test('a loss that nobody acknowledges is texted to the person on duty, to the next one, and then to all, once each', async ({
  database,
}) => {
  await givenWorker(database);
  const { fleet, provider, phones } = await givenDutyFleet(database, ['dana', 'marc', 'priya']);
  // This worker sends no mails, so no mail may be queued.
  await database.owner.query('update contact_reach set by_mail = true where organization_no = $1', [
    fleet.organizationNo,
  ]);
  await makeLosing(database, fleet);
  await record(database, lossOf(fleet), lossOf(fleet));
  await expect.poll(() => escalationOf(database, fleet), soon).toMatchObject({ ended_because: 'told' });
  const [dana, marc, priya] = phones;
  await expect.poll(() => provider.texts.length, soon).toBe(5);
  const recipients = provider.texts.map(({ to }) => to);
  expect(recipients.slice(0, 2)).toEqual([dana, marc]);
  expect(new Set(recipients.slice(2))).toEqual(new Set([dana, marc, priya]));
  expect((await database.owner.query('select from mail_jobs')).rowCount).toBe(0);
  expect(provider.texts[0]?.text).toContain('Lake cabin');
  expect(provider.texts[0]?.text).toContain('losing');
});

test('an acknowledgement stops the steps and waiting texts until it expires', async ({ database }) => {
  const { fleet, provider, phones } = await givenDutyFleet(database, ['dana', 'marc'], { next_minutes: 30 });
  const worker = await givenWorker(database);
  await makeLosing(database, fleet);
  await record(database, lossOf(fleet));
  await expect.poll(() => provider.texts.length, soon).toBe(1);
  await worker.close();
  await take(database.owner, fleet, 'losing');
  // The step is due, and another text waits to be sent.
  await database.owner.query('update escalation_jobs set due_at = now(), claimed_by = null');
  await database.owner.query(
    `with one as (insert into texts (organization_no, contact_no, purpose, escalation_no, step)
       select x.organization_no, c.no, 'alert', x.no, 9 from escalations x join contacts c on c.organization_no = x.organization_no
       where x.organization_no = $1 limit 1 returning no, organization_no)
     insert into text_jobs (organization_no, task, key, payload)
     select organization_no, 'send_text', 'text:' || no, jsonb_build_object('text_no', no) from one`,
    [fleet.organizationNo],
  );
  await givenWorker(database);
  await expect
    .poll(() => escalationOf(database, fleet), soon)
    .toMatchObject({ taken_at: expect.any(String), next: null });
  await expect
    .poll(async () => (await escalationOf(database, fleet))?.texts.map(({ status }) => status), soon)
    .toEqual(['sent', 'canceled']);
  expect(provider.texts.map(({ to }) => to)).toEqual([phones[0]]);

  await database.owner.query('update acknowledgements set until = now() where tank_no = $1', [fleet.tank.no]);
  await makeDue(database.owner, fleet);
  await expect.poll(() => provider.texts.map(({ to }) => to), soon).toEqual([phones[0], phones[0]]);
});

test('a person can trigger the next step or the step to all early, but not after an acknowledgement or the end', async ({
  database,
}) => {
  const late = { next_minutes: 60, all_minutes: 60 };
  const { fleet, provider, phones } = await givenDutyFleet(database, ['dana', 'marc', 'priya'], late);
  const recipients = () => provider.texts.map(({ to }) => to);
  await givenWorker(database);
  await makeLosing(database, fleet);
  await record(database, lossOf(fleet));
  await expect.poll(recipients, soon).toEqual(phones.slice(0, 1));
  const { id = '' } = (await escalationOf(database, fleet)) ?? {};
  const triggerNext = () =>
    transaction(database.operator, (tx) => tellNow(operatorChange(tx, fleet.organizationNo), id, { all: false }));
  const triggerAll = ({ organizationNo }: Tanked = fleet) =>
    transaction(database.operator, (tx) => tellNow(operatorChange(tx, organizationNo), id, { all: true }));
  await expect(triggerAll(await givenTanked(database))).rejects.toThrow('no such escalation');
  expect(await triggerNext()).toMatchObject({ next: 'next' });
  await expect.poll(recipients, soon).toEqual(phones.slice(0, 2));
  await expect.poll(() => escalationOf(database, fleet), soon).toMatchObject({ next: 'all' });
  // The list shows the acknowledgement at once. The escalation itself reads it only at its next step.
  await take(database.owner, fleet, 'losing');
  expect(await escalationOf(database, fleet)).toMatchObject({ next: null, taken_at: expect.any(String) });
  await expect(triggerAll()).rejects.toThrow('somebody handles it already');
  await database.owner.query('update acknowledgements set until = now() where tank_no = $1', [fleet.tank.no]);
  await triggerAll();
  await expect.poll(() => new Set(recipients().slice(2)), soon).toEqual(new Set(phones));
  await expect.poll(() => escalationOf(database, fleet), soon).toMatchObject({ ended_because: 'told' });
  await expect(triggerAll()).rejects.toThrow('has ended');
  expect(recipients()).toHaveLength(5);
});

test('after an acknowledgement that a worker has seen ends, the step to all tells all', async ({ database }) => {
  const late = { next_minutes: 60, all_minutes: 60 };
  const { fleet, provider, phones } = await givenDutyFleet(database, ['dana', 'marc', 'priya'], late);
  await givenWorker(database);
  await makeLosing(database, fleet);
  await record(database, lossOf(fleet));
  await expect.poll(() => provider.texts.length, soon).toBe(1);
  const { id = '' } = (await escalationOf(database, fleet)) ?? {};
  await take(database.owner, fleet, 'losing');
  await makeDue(database.owner, fleet);
  const takenSql = 'select taken_at from escalations where organization_no = $1 and taken_at is not null';
  await expect.poll(async () => (await database.owner.query(takenSql, [fleet.organizationNo])).rowCount, soon).toBe(1);
  await database.owner.query('update acknowledgements set until = now() where tank_no = $1', [fleet.tank.no]);
  const told = await transaction(database.operator, (tx) =>
    tellNow(operatorChange(tx, fleet.organizationNo), id, { all: true }),
  );
  expect(told).toMatchObject({ next: 'all' });
  await expect.poll(() => new Set(provider.texts.slice(1).map(({ to }) => to)), soon).toEqual(new Set(phones));
});

test('an escalation that is given back after many steps tells all again before it ends', async ({ database }) => {
  const settings = { next_minutes: 0, all_minutes: 0, repeat_minutes: 60 };
  const { fleet } = await givenDutyFleet(database, ['dana', 'marc', 'priya'], settings);
  await makeLosing(database, fleet);
  await record(database, lossOf(fleet));
  await transaction(database.worker, async (tx) => {
    const { rows } = await tx.query<{ no: number }>('select no from events where tank_no = $1', [fleet.tank.no]);
    await beginEscalations(tx, [rows[0]?.no ?? 0]);
  });
  // It was taken at the thirteenth step, and is given back.
  await database.owner.query(
    'update escalations set step = 13, stage = 0, taken_at = now() where organization_no = $1',
    [fleet.organizationNo],
  );
  await makeDue(database.owner, fleet);
  await givenWorker(database);
  await expect.poll(() => escalationOf(database, fleet), soon).toMatchObject({ ended_because: 'told' });
  // A text that still waits is not sent if the person gets one of a later step.
  const { rows: steps } = await database.owner.query(
    'select step, count(*)::int as texts from texts where organization_no = $1 group by step order by step',
    [fleet.organizationNo],
  );
  expect(steps).toEqual([
    { step: 14, texts: 1 },
    { step: 15, texts: 1 },
    { step: 16, texts: 3 },
  ]);
});

test('a step to all that waits while a person takes the loss notifies nobody', async ({ database }) => {
  const { owner, worker } = database;
  const { fleet } = await givenDutyFleet(database, ['dana', 'marc'], { first_minutes: 60 });
  await makeLosing(database, fleet);
  await record(database, lossOf(fleet));
  await beginMissingEscalations(worker);
  const { rows } = await owner.query<{ no: number; id: string }>(
    'select no, id from escalations where organization_no = $1',
    [fleet.organizationNo],
  );
  const { no, id } = onlyRow(rows);
  const waiting = await transaction(database.operator, async (tx) => {
    await tellNow(operatorChange(tx, fleet.organizationNo), id, { all: true });
    const done = escalate(worker, no, { mails: false });
    await expectLockWaits(owner, 1);
    await take(owner, fleet, 'losing');
    return { done };
  });
  expect(await waiting.done).toBe('skipped');
  expect(await escalationOf(database, fleet)).toMatchObject({ ended_at: null, texts: [] });
});

test('the next step is made at once if a text cannot be delivered, and the step to all if nobody is on duty', async ({
  database,
}) => {
  await givenWorker(database);
  const late = { next_minutes: 60, all_minutes: 60 };
  const { fleet, provider, phones } = await givenDutyFleet(database, ['dana', 'marc', 'priya'], late);
  provider.faults.push({ status: 400 }, { status: 400 });
  await makeLosing(database, fleet);
  await record(database, lossOf(fleet));
  await expect.poll(() => new Set(provider.texts.map(({ to }) => to)), soon).toEqual(new Set(phones));

  const other = await givenDutyFleet(database, ['dana', 'marc', 'priya'], late);
  for (const { id } of other.people.slice(0, 2))
    await transaction(database.operator, (tx) => removeContact(operatorChange(tx, other.fleet.organizationNo), id));
  await makeLosing(database, other.fleet);
  await record(database, lossOf(other.fleet));
  await expect.poll(() => other.provider.texts.map(({ to }) => to), soon).toEqual([other.phones[2]]);
});

test('an escalation of an empty tank waits for the end of quiet hours, one of a loss does not', async ({
  database,
}) => {
  const { fleet, provider, phones } = await givenDutyFleet(database, ['dana']);
  const { organizationNo, tank } = fleet;
  const { owner } = database;
  await owner.query(`update contact_reach set quiet_from = '00:00', quiet_to = '23:59:59' where organization_no = $1`, [
    organizationNo,
  ]);
  await owner.query('update fleet_tanks set is_low = true where tank_no = $1', [tank.no]);
  await owner.query('update fleet_levels set fill = 3 where tank_no = $1', [tank.no]);
  await givenWorker(database);
  await record(database, lowFillOf(fleet));
  expect(await beginMissingEscalations(database.worker)).toBe(1);
  expect(await beginMissingEscalations(database.worker)).toBe(0);
  const countPostponedJobs = async () =>
    (
      await owner.query('select from escalation_jobs where organization_no = $1 and tries = 0 and due_at > now()', [
        organizationNo,
      ])
    ).rowCount;
  await expect.poll(countPostponedJobs, soon).toBe(1);
  expect(provider.texts).toEqual([]);
  await makeLosing(database, fleet);
  await record(database, lossOf(fleet));
  await expect.poll(() => provider.texts.length, soon).toBeGreaterThan(0);
  const textsBefore = provider.texts.length;
  await owner.query('update contact_reach set quiet_from = null, quiet_to = null where organization_no = $1', [
    organizationNo,
  ]);
  await makeDue(owner, fleet);
  await expect
    .poll(
      () => provider.texts.slice(textsBefore).some(({ text, to }) => to === phones[0] && text.includes('low')),
      soon,
    )
    .toBe(true);
});

test('a person without a number gets one mail, and none while notifications are held', async ({ database }) => {
  const { mailbox } = await givenMailWorker(database);
  const { fleet, provider, people } = await givenDutyFleet(database, ['dana', 'marc']);
  await database.owner.query(
    `update contact_reach set by_mail = true, phone = null, verified_at = null
     where no = (select no from contacts where id = $1)`,
    [people[0]?.id],
  );
  await transaction(database.operator, (tx) => holdNotifications(tx, 'test', false));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await makeLosing(database, fleet);
  await record(database, lossOf(fleet));
  const begun = async () =>
    (await database.owner.query('select from escalations where organization_no = $1', [fleet.organizationNo])).rowCount;
  await expect.poll(begun, soon).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(provider.texts).toEqual([]);
  const email = `dana${fleet.organizationNo}@example.com`;
  expect(mailbox.of(email)).toEqual([]);
  await transaction(database.operator, (tx) => releaseNotifications(tx));
  await expect.poll(() => escalationOf(database, fleet), soon).toMatchObject({ ended_because: 'told' });
  await expect.poll(() => mailbox.of(email).length, soon).toBe(1);
  await expect.poll(() => provider.texts.length, soon).toBe(2);
  expect(mailbox.of(email)).toHaveLength(1);
});

test('a job that is repeated makes no second step, and after an outage only the text of the last step is sent', async ({
  database,
}) => {
  const { fleet, provider } = await givenDutyFleet(database, ['dana'], { next_minutes: 30, repeat_minutes: 30 });
  await makeLosing(database, fleet);
  await record(database, lossOf(fleet));
  // No worker of this release has begun the escalation, as if a worker of 0.3.0 had handled the event.
  await beginMissingEscalations(database.worker);
  const { rows } = await database.owner.query<{ no: number }>('select no from escalations where organization_no = $1', [
    fleet.organizationNo,
  ]);
  expect(rows).toHaveLength(1);
  const step = () => escalate(database.worker, rows[0]?.no ?? 0, { mails: false });
  // The worker died after the step and before the job was ended.
  expect([await step(), await step()]).toEqual(['sent', 'skipped']);
  await makeDue(database.owner, fleet);
  expect([await step(), await step()]).toEqual(['sent', 'skipped']);
  await database.owner.query(
    `update texts set created_at = now() - interval '5 minutes' where organization_no = $1 and step = 1`,
    [fleet.organizationNo],
  );
  await givenWorker(database);
  await expect
    .poll(async () => (await escalationOf(database, fleet))?.texts.map(({ status }) => status), soon)
    .toEqual(['canceled', 'sent']);
  expect(provider.texts).toHaveLength(1);
});

test('a loss after the end of an earlier one begins a new escalation, and an escalation that keeps failing ends', async ({
  database,
}) => {
  const { owner, worker } = database;
  const { fleet } = await givenDutyFleet(database, ['dana'], { first_minutes: 60 });
  const { organizationNo } = fleet;
  await makeLosing(database, fleet);
  const begin = async (occurredAt: string) => {
    await record(database, { ...lossOf(fleet), occurredAt });
    const { rows } = await owner.query<{ no: number }>(
      'select no from events where tank_no = $1 and occurred_at = $2',
      [fleet.tank.no, occurredAt],
    );
    await transaction(worker, (tx) => beginEscalations(tx, [rows[0]?.no ?? 0]));
    return (await listEscalations(owner, organizationNo)).map(({ ended_because: because }) => because);
  };
  expect(await begin('2026-03-01T09:00:00.000Z')).toEqual([null]);
  expect(await begin('2026-03-01T10:00:00.000Z')).toEqual([null]);
  expect(await begin('2026-03-05T09:00:00.000Z')).toEqual([null, 'over']);
  // PostgreSQL does not read this time, so each attempt fails; the next one is the last.
  await owner.query(
    `update duty_plans set exceptions = '[{"from": "2026-02-30T10:00", "to": "2026-03-02T10:00"}]' where organization_no = $1`,
    [organizationNo],
  );
  await makeDue(owner, fleet);
  await owner.query('update escalation_jobs set tries = 9 where organization_no = $1', [organizationNo]);
  await givenWorker(database);
  await expect.poll(() => escalationOf(database, fleet), soon).toMatchObject({ ended_because: 'failed' });
});

test('a plan escalates only losses and empty tanks that begin after it was set', async ({ database }) => {
  const { owner, worker } = database;
  const fleet = await givenTanked(database);
  const { organizationNo, tank } = fleet;
  const setLevel = (fill: number) =>
    owner.query('update fleet_levels set fill = $2 where tank_no = $1', [tank.no, fill]);
  await owner.query('update fleet_tanks set is_low = true, losing_seen_at = now() where tank_no = $1', [tank.no]);
  await record(database, lowFillOf(fleet), lossOf(fleet));
  await setLevel(3);
  const people = await givenReachedPeople(database, organizationNo, ['dana']);
  await givenDuty(database, organizationNo, people);
  expect(await beginMissingEscalations(worker)).toBe(0);
  expect(await listEscalations(owner, organizationNo)).toEqual([]);
  // The tank is low before the next plan is set, and becomes empty after it.
  await owner.query('delete from escalations where organization_no = $1', [organizationNo]);
  await owner.query('delete from duty_plans where organization_no = $1', [organizationNo]);
  await setLevel(12);
  await givenDuty(database, organizationNo, people);
  expect(await beginMissingEscalations(worker)).toBe(0);
  // A new limit does not escalate the tank. The tank is escalated when it falls below the limit.
  await givenDuty(database, organizationNo, people, { empty_percentage: 10 });
  await setLevel(9);
  expect(await beginMissingEscalations(worker)).toBe(1);
});

test('after a loss is retracted, only the persons who got a text about it get one more', async ({ database }) => {
  const { fleet, provider, phones } = await givenDutyFleet(database, ['ana', 'bob'], { next_minutes: 60 });
  await givenWorker(database);
  await makeLosing(database, fleet);
  const loss = lossOf(fleet);
  await record(database, loss);
  await expect.poll(() => provider.texts.length, soon).toBe(1);
  await expect.poll(async () => (await escalationOf(database, fleet))?.texts[0]?.status, soon).not.toBe('waiting');
  const retract = () =>
    transaction(database.writer, (tx) => retractEvents(tx, [{ ...loss, reason: 'gauge_fault' as const }]));
  expect(await retract()).toBe(1);
  await expect.poll(() => provider.texts.length, soon).toBe(2);
  expect(provider.texts.map(({ to }) => to)).toEqual([phones[0], phones[0]]);
  expect(provider.texts[1]?.text).toContain('false alarm. The loss at Lake cabin was not one.');
  const { rows } = await database.owner.query<{ no: number }>(
    'select event_no as no from escalations where tank_no = $1',
    [fleet.tank.no],
  );
  await notifyRetractions(
    database.worker,
    rows.map(({ no }) => no),
    { mails: false },
  );
  const { rowCount } = await database.owner.query(`select from texts where organization_no = $1`, [
    fleet.organizationNo,
  ]);
  expect(rowCount).toBe(2);
});

test('a loss that is retracted before the request to the provider is not texted', async ({ database }) => {
  const { owner, worker, writer } = database;
  const { fleet, provider } = await givenDutyFleet(database, ['ana']);
  const { organizationNo } = fleet;
  await makeLosing(database, fleet);
  const loss = lossOf(fleet);
  await record(database, loss);
  await beginMissingEscalations(worker);
  const { rows } = await owner.query<{ no: number; event_no: number }>(
    'select no, event_no from escalations where organization_no = $1',
    [organizationNo],
  );
  const { no, event_no: eventNo } = onlyRow(rows);
  expect(await escalate(worker, no, { mails: false })).toBe('sent');
  const { rows: texts } = await owner.query<{ no: number }>('select no from texts where escalation_no = $1', [no]);
  const sender = new WebhookSender({ allowHttp: true, allowPrivate: true });
  const apiSecretsKey = deriveApiSecretsKey(SECRETS_KEY);
  const settings = { sender, apiSecretsKey, secretsKeys: [apiSecretsKey], publicUrl: '', hasConsole: false };
  const waiting = await transaction(owner, async (tx) => {
    // Whoever counts the request waits for this row.
    await tx.query(
      `insert into text_usage (organization_no, day, requests) values ($1, (now() at time zone 'UTC')::date, 0)`,
      [organizationNo],
    );
    const done = sendText(worker, settings, onlyRow(texts).no);
    await expectLockWaits(owner, 1);
    await transaction(writer, (other) => retractEvents(other, [{ ...loss, reason: 'gauge_fault' as const }]));
    await owner.query(`update fleet_tanks set losing_seen_at = '-infinity' where tank_no = $1`, [fleet.tank.no]);
    await notifyRetractions(worker, [eventNo], { mails: false });
    return { done };
  });
  expect(await waiting.done).toBe('skipped');
  expect(provider.texts).toEqual([]);
  await sender.close();
});

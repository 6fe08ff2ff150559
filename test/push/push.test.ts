import { expect, onTestFinished } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { beginMissingEscalations } from '../../src/duty/begin_escalations.ts';
import { escalate } from '../../src/duty/escalations.ts';
import { retractEvents } from '../../src/evaluation/record_events.ts';
import { removeContact } from '../../src/mail/contacts.ts';
import { ensurePushKey } from '../../src/push/push_key.ts';
import { enqueueEventPushes } from '../../src/push/push_queue.ts';
import { sendPush } from '../../src/push/send_push.ts';
import { WebhookSender } from '../../src/webhooks/sender.ts';
import { holdNotifications, releaseNotifications } from '../../src/worker/holds.ts';
import { givenDuty, makeLosing } from '../support/duty.ts';
import { givenTanked, givenWorker, lossOf, lowFillOf, record, SECRETS_KEY, type Tanked } from '../support/events.ts';
import { givenBrowser, givenPerson, givenPushService } from '../support/push.ts';
import { type TestDatabase, test } from '../support/test.ts';

const soon = { interval: 50 };

async function givenLosing(database: TestDatabase) {
  const fleet = await givenTanked(database, { name: 'Inn of Fisher' }, { name: 'Lake cabin', city: 'Shelburne' });
  await makeLosing(database, fleet);
  return { fleet, service: await givenPushService() };
}

/** The states of the messages of an organization, in their order. */
const statesOf = async ({ owner }: TestDatabase, { organizationNo }: Tanked): Promise<string[]> => {
  const { rows } = await owner.query<{ status: string }>(
    'select status from pushes where organization_no = $1 order by no',
    [organizationNo],
  );
  return rows.map(({ status }) => status);
};

/** Makes the next attempts due now. */
const makeDue = ({ owner }: TestDatabase) =>
  owner.query('update push_jobs set due_at = now() where claimed_by is null');

test('a loss is sent once to every browser of each person, in the language of the person', async ({ database }) => {
  await givenWorker(database, { PUBLIC_URL: 'https://tanks.example.com' });
  const { fleet, service } = await givenLosing(database);
  const dana = await givenPerson(database, fleet.organizationNo, 'dana', { language: 'en' });
  const luis = await givenPerson(database, fleet.organizationNo, 'luis', { language: 'es' });
  await givenPerson(database, fleet.organizationNo, 'marc');
  const browsers = [
    await givenBrowser(database, service, dana),
    await givenBrowser(database, service, dana),
    await givenBrowser(database, service, luis),
  ];
  const stranger = await givenPerson(database, (await givenTanked(database)).organizationNo, 'stranger');
  await givenBrowser(database, service, stranger);
  const [id] = await record(database, lossOf(fleet));
  await expect.poll(() => statesOf(database, fleet), soon).toEqual(['sent', 'sent', 'sent']);
  expect(new Set(service.pushes.map(({ browser }) => browser.endpoint))).toEqual(
    new Set(browsers.map(({ endpoint }) => endpoint)),
  );
  const messageTo = (index: number) =>
    service.pushes.find(({ browser }) => browser.endpoint === browsers[index]?.endpoint)?.message;
  expect(messageTo(0)).toMatchObject({
    tag: id,
    url: `/console/tanks/${fleet.tank.id}`,
    language: 'en',
    isUrgent: true,
  });
  expect(messageTo(0)?.['title']).toMatch(/^Lake cabin: .*losing/i);
  expect(messageTo(0)?.['body']).toMatch(/^Inn of Fisher.*Shelburne.*\n.{20}/);
  expect(messageTo(2)).toMatchObject({ language: 'es', url: `/console/tanks/${fleet.tank.id}` });
  expect(messageTo(2)?.['title']).not.toBe(messageTo(0)?.['title']);
  expect(service.pushes[0]?.headers).toMatchObject({ urgency: 'high', ttl: '14400', 'content-encoding': 'aes128gcm' });
  expect(service.requests).toBe(3);
});

test('a step of an escalation is sent to the browser again until the loss is acknowledged, and other events are not sent', async ({
  database,
}) => {
  const worker = await givenWorker(database);
  const { fleet, service } = await givenLosing(database);
  const dana = await givenPerson(database, fleet.organizationNo, 'dana');
  await givenBrowser(database, service, dana);
  await givenDuty(database, fleet.organizationNo, [dana], { next_minutes: 30, repeat_minutes: 30 });
  await record(database, lossOf(fleet));
  await expect.poll(() => statesOf(database, fleet), soon).toEqual(['sent', 'sent']);
  const [first, second] = service.pushes;
  expect(second?.message).toMatchObject({ tag: first?.message['tag'], isUrgent: true });
  expect(second?.message['id']).not.toBe(first?.message['id']);
  await worker.close();
  // The next step has been made, but its message is not sent yet.
  await database.owner.query(
    `with made as (insert into pushes (organization_no, contact_no, subscription_no, event_no, step)
       select organization_no, contact_no, subscription_no, event_no, 2 from pushes where organization_no = $1 and step = 1
       returning no, organization_no)
     insert into push_jobs (organization_no, task, key, payload)
     select organization_no, 'send_push', 'push:' || no, jsonb_build_object('push_no', no) from made`,
    [fleet.organizationNo],
  );
  await database.owner.query(
    `with bit as (update fleet_tanks set handled = handled | condition_bit('losing') where tank_no = $2)
     insert into acknowledgements (id, organization_no, tank_no, condition, until, loss_at)
     values (gen_random_uuid(), $1, $2, 'losing', now() + interval '1 hour', now())`,
    [fleet.organizationNo, fleet.tank.no],
  );
  await givenWorker(database);
  await record(database, lowFillOf(fleet));
  await expect.poll(() => statesOf(database, fleet), soon).toEqual(['sent', 'sent', 'canceled']);
  expect(service.requests).toBe(2);
});

test('a step of an escalation mails only persons who chose losses, not others with a browser', async ({ database }) => {
  await ensurePushKey(database.worker, [SECRETS_KEY]);
  const { fleet, service } = await givenLosing(database);
  const { organizationNo } = fleet;
  const people = [
    await givenPerson(database, organizationNo, 'dana', { types: ['tank.rapid_loss'] }),
    await givenPerson(database, organizationNo, 'luis', { types: ['tank.low_fill'] }),
  ];
  for (const person of people) await givenBrowser(database, service, person);
  // Nobody is on duty, so the step is sent to all.
  await givenDuty(database, organizationNo, []);
  await record(database, lossOf(fleet));
  await beginMissingEscalations(database.worker);
  const { rows } = await database.owner.query<{ no: number }>('select no from escalations where organization_no = $1', [
    organizationNo,
  ]);
  expect(await escalate(database.worker, rows[0]?.no ?? 0, { mails: true })).toBe('sent');
  expect(await statesOf(database, fleet)).toEqual(['waiting', 'waiting']);
  const mailed = await database.owner.query<{ name: string }>(
    `select c.name from mail_jobs m join contacts c on c.no = (m.payload ->> 'recipient_no')::int
     where m.organization_no = $1 and m.task = 'mail_event'`,
    [organizationNo],
  );
  expect(mailed.rows).toEqual([{ name: 'dana' }]);
});

test('a browser that got a loss gets its retraction, and the loss if it is valid again', async ({ database }) => {
  await givenWorker(database);
  const { fleet, service } = await givenLosing(database);
  const dana = await givenPerson(database, fleet.organizationNo, 'dana', { language: 'es' });
  await givenBrowser(database, service, dana);
  const loss = lossOf(fleet);
  await record(database, loss);
  await expect.poll(() => statesOf(database, fleet), soon).toEqual(['sent']);
  // A browser that is added later has not got the loss, and gets no retraction.
  const late = await givenBrowser(database, service, dana);
  await transaction(database.writer, (tx) => retractEvents(tx, [{ ...loss, reason: 'gauge_fault' as const }]));
  await expect.poll(() => service.pushes.length, soon).toBe(2);
  expect(service.pushes[1]?.message).toMatchObject({ title: 'Lake cabin: falsa alarma', isUrgent: false });
  expect(service.pushes[1]?.message['tag']).toBe(service.pushes[0]?.message['tag']);
  expect(service.pushes.some(({ browser }) => browser.endpoint === late.endpoint)).toBe(false);
  await expect.poll(() => statesOf(database, fleet), soon).toEqual(['sent', 'sent']);
  await record(database, loss);
  await expect.poll(() => service.pushes.length, soon).toBe(4);
  expect(service.pushes[3]?.message['title']).toBe(service.pushes[0]?.message['title']);
});

test('a browser is deleted if it has ended its subscription or its service answers 404, and a refusal is final', async ({
  database,
}) => {
  await givenWorker(database);
  const { fleet, service } = await givenLosing(database);
  const dana = await givenPerson(database, fleet.organizationNo, 'dana');
  service.forget(await givenBrowser(database, service, dana));
  await record(database, lossOf(fleet));
  await expect.poll(() => statesOf(database, fleet), soon).toEqual(['failed']);
  const countBrowsers = async () =>
    (await database.owner.query('select from push_subscriptions where organization_no = $1', [fleet.organizationNo]))
      .rowCount;
  expect(await countBrowsers()).toBe(0);
  await givenBrowser(database, service, dana);
  service.faults.push({ status: 404 });
  await record(database, lossOf(fleet));
  await expect.poll(countBrowsers, soon).toBe(0);
  await givenBrowser(database, service, dana);
  service.faults.push({ status: 403 });
  await record(database, lossOf(fleet));
  await expect.poll(() => statesOf(database, fleet), soon).toEqual(['failed', 'failed', 'failed']);
  expect(await countBrowsers()).toBe(1);
  expect(service.requests).toBe(3);
});

test('a message arrives after 429, 503, a lost connection and a slow service', async ({ database }) => {
  await givenWorker(database);
  const { fleet, service } = await givenLosing(database);
  await givenBrowser(database, service, await givenPerson(database, fleet.organizationNo, 'dana'));
  service.faults.push({ status: 429 }, { status: 503 }, { lost: true }, { slowMs: 1_500 });
  await record(database, lossOf(fleet));
  for (const requests of [1, 2, 3, 4]) {
    await expect.poll(() => service.requests, soon).toBeGreaterThanOrEqual(requests);
    await expect
      .poll(
        async () => (await makeDue(database)).rowCount === 1 || (await statesOf(database, fleet))[0] === 'sent',
        soon,
      )
      .toBe(true);
  }
  await expect.poll(() => statesOf(database, fleet), soon).toEqual(['sent']);
  // It was unknown whether the lost message had arrived. Both have the same id, so a browser shows them once.
  expect(service.pushes).toHaveLength(2);
  expect(service.pushes[0]?.message['id']).toBe(service.pushes[1]?.message['id']);
});

test('a retraction is also sent if the answer to the message of the loss was lost', async ({ database }) => {
  await ensurePushKey(database.worker, [SECRETS_KEY]);
  const { fleet, service } = await givenLosing(database);
  await givenBrowser(database, service, await givenPerson(database, fleet.organizationNo, 'dana'));
  const [id] = await record(database, lossOf(fleet));
  const events = await database.owner.query<{ no: number }>('select no from events where id = $1', [id]);
  const eventNos = events.rows.map(({ no }) => no);
  await enqueueEventPushes(database.worker, eventNos);
  const sender = new WebhookSender({ allowHttp: true, allowPrivate: true, timeoutMs: 5_000 });
  onTestFinished(() => sender.close());
  const { rows } = await database.owner.query<{ no: number }>('select no from pushes where event_no = any ($1)', [
    eventNos,
  ]);
  const send = () =>
    sendPush(
      database.worker,
      { sender, secretsKeys: [SECRETS_KEY], contact: 'mailto:a@example.com' },
      rows[0]?.no ?? 0,
    );
  service.faults.push({ lost: true });
  await expect(send()).rejects.toThrow('a push service');
  expect(service.pushes).toHaveLength(1);
  // The event is retracted without a message, as if the retraction had run before this message was marked.
  await database.owner.query(
    `update events set retracted_at = now(), retracted_because = 'gauge_fault' where no = any ($1)`,
    [eventNos],
  );
  expect(await send()).toBe('skipped');
  expect(await statesOf(database, fleet)).toEqual(['canceled', 'waiting']);
});

test('no request is sent to a private address, and none while notifications are held', async ({ database }) => {
  const strict = await givenWorker(database, { WEBHOOK_ALLOW_PRIVATE: 'false' });
  const { fleet, service } = await givenLosing(database);
  await givenBrowser(database, service, await givenPerson(database, fleet.organizationNo, 'dana'));
  await record(database, lossOf(fleet));
  const readError = async () =>
    (
      await database.owner.query<{ error: string }>('select error from pushes where organization_no = $1', [
        fleet.organizationNo,
      ])
    ).rows[0]?.error;
  await expect.poll(readError, soon).toBe('the host has a private address');
  await strict.close();
  await transaction(database.operator, (tx) => holdNotifications(tx, 'test', false));
  await givenWorker(database);
  await makeDue(database);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(service.requests).toBe(0);
  await transaction(database.operator, (tx) => releaseNotifications(tx));
  await expect.poll(() => statesOf(database, fleet), soon).toEqual(['sent']);
});

test('the browsers of a person who is removed or may no longer sign in are deleted, and old ones of an issuer get nothing', async ({
  database,
}) => {
  const { fleet, service } = await givenLosing(database);
  await ensurePushKey(database.worker, [SECRETS_KEY]);
  const [dana, marc] = [
    await givenPerson(database, fleet.organizationNo, 'dana'),
    await givenPerson(database, fleet.organizationNo, 'marc'),
  ];
  await givenBrowser(database, service, dana);
  await givenBrowser(database, service, marc);
  // An issuer may have disabled a person who has not opened the console for a week.
  const luis = await givenPerson(database, fleet.organizationNo, 'luis');
  for (const days of [6, 8]) {
    const { endpoint } = await givenBrowser(database, service, luis);
    await database.owner.query(
      `update push_subscriptions set issuer_no = 1, proven_at = now() - make_interval(days => $2) where endpoint = $1`,
      [endpoint, days],
    );
  }
  const worker = await givenWorker(database);
  await record(database, lossOf(fleet));
  await expect.poll(() => statesOf(database, fleet), soon).toEqual(['sent', 'sent', 'sent', 'canceled']);
  await worker.close();
  await database.owner.query('delete from push_subscriptions where issuer_no = 1');
  await transaction(database.operator, (tx) => removeContact(operatorChange(tx, fleet.organizationNo), dana.id));
  await database.owner.query(`update contacts set roles = '{}' where id = $1`, [marc.id]);
  const { rowCount } = await database.owner.query('select from push_subscriptions where organization_no = $1', [
    fleet.organizationNo,
  ]);
  expect(rowCount).toBe(0);
});

test('the push key of the installation is created once, and a worker with another SECRETS_KEY runs without it', async ({
  database,
}) => {
  await ensurePushKey(database.worker, [SECRETS_KEY]);
  const readKeys = async () => (await database.owner.query<object>('select * from push_keys')).rows;
  const made = await readKeys();
  await Promise.all([1, 2, 3].map(() => ensurePushKey(database.worker, [SECRETS_KEY])));
  expect(await readKeys()).toEqual(made);
  expect(JSON.stringify(made)).not.toContain('PRIVATE KEY');
  const other = 'another key of at least thirty-two characters';
  await expect(ensurePushKey(database.worker, [other])).rejects.toThrow(
    'the key of notifications in browsers cannot be decrypted',
  );
  await givenWorker(database, { SECRETS_KEY: other });
});

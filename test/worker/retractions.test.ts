import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished } from 'vitest';
import { startMailServer } from '../../engines/mail_server.ts';
import { answering, idsOf } from '../../engines/webhook_receiver.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import type { EventKey, NewEvent } from '../../src/evaluation/pure/alerts/event_types.ts';
import { recordEvents, retractEvents } from '../../src/evaluation/record_events.ts';
import { removeContact } from '../../src/mail/contacts.ts';
import { attemptWebhookDelivery, claimWebhookDeliveries } from '../../src/webhooks/deliveries.ts';
import { disableEndpoint, enableEndpoint, replayEvents } from '../../src/webhooks/endpoints.ts';
import { WebhookSender } from '../../src/webhooks/sender.ts';
import { notifyEvents } from '../../src/worker/notify_events.ts';
import {
  givenEndpoint,
  givenTanked,
  givenWorker,
  lossOf,
  lowFillOf,
  record,
  SECRETS_KEY,
  type Tanked,
} from '../support/events.ts';
import { givenContact } from '../support/fleet.ts';
import {
  givenMailedCustomer,
  givenMailWorker,
  mailSettings,
  setLanguage,
  soon,
  untilNoJobIsDue,
} from '../support/mails.ts';
import { type TestDatabase, test } from '../support/test.ts';

const retract = (database: TestDatabase, ...events: EventKey[]): Promise<number> =>
  transaction(database.writer, (tx) =>
    retractEvents(
      tx,
      events.map((event) => ({ ...event, reason: 'gauge_fault' as const })),
    ),
  );

const refillOf = (fleet: Tanked): NewEvent =>
  lowFillOf(fleet, {
    type: 'tank.refilled',
    data: { before_percentage: 7, after_percentage: 60, delivered_volume: 100, volume_unit: 'gallons' },
  });

const bodyOf = (received: { body: string } | undefined): { type: string; data: Record<string, unknown> } =>
  JSON.parse(received?.body ?? '{}');

test('an endpoint that received an event receives its retraction once, signed, with its own id and the reason', async ({
  database,
}) => {
  const fleet = await givenTanked(database);
  const subscribed = await givenEndpoint(database, fleet.organizationNo, undefined, { types: ['tank.low_fill'] });
  const other = await givenEndpoint(database, fleet.organizationNo, undefined, { types: ['tank.refilled'] });
  await givenWorker(database);
  const event = lowFillOf(fleet);
  const [eventId = ''] = await record(database, event);
  await expect.poll(() => subscribed.receiver.received.length, soon).toBe(1);

  await retract(database, event);
  await expect.poll(() => subscribed.receiver.received.length, soon).toBe(2);
  const received = subscribed.receiver.received[1];
  const headers = received?.headers as Record<string, string>;
  const message = new Webhook(subscribed.secret).verify(received?.body ?? '', headers);
  expect(message).toMatchObject({
    type: 'event.retracted',
    data: {
      id: headers['webhook-id'],
      event_id: eventId,
      event_type: 'tank.low_fill',
      event_occurred_at: event.occurredAt,
      reason: 'gauge_fault',
      tank: { id: fleet.tank.id },
      customer: { id: fleet.customer.id },
    },
  });
  expect(headers['webhook-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(headers['webhook-id']).not.toBe(eventId);

  // The same job again, and a second retraction of the same event, send nothing.
  await database.owner.query('select enqueue_retractions(array(select no from events where id = $1))', [eventId]);
  expect(await retract(database, event)).toBe(0);
  await untilNoJobIsDue(database);
  expect([subscribed.receiver.received.length, other.receiver.received.length]).toEqual([2, 0]);

  // The event is valid again, as after a late reading. It is sent again with a new message id: the receiver knows the first id.
  await record(database, event);
  await expect.poll(() => subscribed.receiver.received.length, soon).toBe(3);
  expect(bodyOf(subscribed.receiver.received[2])).toMatchObject({ type: 'tank.low_fill', data: { id: eventId } });
  expect(new Set(idsOf(subscribed.receiver.received)).size).toBe(3);
});

test('a retraction follows an attempt that is in progress, is retried like an event, and replays', async ({
  database,
}) => {
  const fleet = await givenTanked(database);
  const answers: (() => void)[] = [];
  const endpoint = await givenEndpoint(database, fleet.organizationNo, (response) => {
    answers.push(() => response.writeHead(204).end());
  });
  await givenWorker(database);
  const [event, unsent] = [lowFillOf(fleet), lowFillOf(fleet)];
  await record(database, event);
  await expect.poll(() => answers.length, soon).toBe(1);
  // The receiver has the event and has not answered yet.
  await retract(database, event);
  await untilNoJobIsDue(database);
  endpoint.receiver.answer = answering(500);
  answers[0]?.();
  const makeDue = () =>
    database.owner.query(
      `update webhook_deliveries set next_attempt_at = now() where status = 'pending' and endpoint_no = $1
         and jsonb_array_length(attempts) = $2`,
      [endpoint.no, endpoint.receiver.received.length],
    );
  await expect.poll(async () => (await makeDue()).rowCount, soon).toBe(1);
  await expect.poll(() => endpoint.receiver.received.length, soon).toBe(2);
  endpoint.receiver.answer = answering(204);
  await expect.poll(async () => (await makeDue()).rowCount, soon).toBe(1);
  await expect.poll(() => endpoint.receiver.received.length, soon).toBe(3);
  const [first, second, third] = endpoint.receiver.received;
  expect([first, second, third].map((received) => bodyOf(received).type)).toEqual([
    'tank.low_fill',
    'event.retracted',
    'event.retracted',
  ]);
  expect(third?.headers['webhook-id']).toBe(second?.headers['webhook-id']);

  // The retraction of an event that was never sent is not sent. A replay sends the retraction of an event that was sent.
  await transaction(database.operator, (tx) => disableEndpoint(tx, endpoint.no, 'operator'));
  await record(database, unsent);
  await retract(database, unsent);
  await untilNoJobIsDue(database);
  await transaction(database.operator, (tx) => enableEndpoint(tx, endpoint.no));
  expect(await transaction(database.operator, (tx) => replayEvents(tx, endpoint.no, { since: event.occurredAt }))).toBe(
    1,
  );
  await expect.poll(() => endpoint.receiver.received.length, soon).toBe(4);
  expect(idsOf(endpoint.receiver.received).at(-1)).toBe(second?.headers['webhook-id']);
});

test('an event that is valid again while its retraction is being sent is sent again after it', async ({ database }) => {
  const fleet = await givenTanked(database);
  const endpoint = await givenEndpoint(database, fleet.organizationNo);
  const { received } = endpoint.receiver;
  await givenWorker(database);
  const event = lowFillOf(fleet);
  await record(database, event);
  const hasAttempts = async (count: number): Promise<boolean> => {
    const { rowCount } = await database.owner.query(
      'select from webhook_deliveries where endpoint_no = $1 and jsonb_array_length(attempts) = $2',
      [endpoint.no, count],
    );
    return rowCount === 1;
  };
  const makeDue = async (): Promise<void> => {
    await expect.poll(() => hasAttempts(received.length), soon).toBe(true);
    const { rowCount } = await database.owner.query(
      `update webhook_deliveries set next_attempt_at = now() where status = 'pending' and endpoint_no = $1`,
      [endpoint.no],
    );
    expect(rowCount).toBe(1);
  };
  await expect.poll(() => received.length, soon).toBe(1);
  for (const failed of [0, 1]) {
    await expect.poll(() => hasAttempts(received.length), soon).toBe(true);
    const before = received.length;
    endpoint.receiver.answer = answering(500);
    const answers: (() => void)[] = [];
    const hang: typeof endpoint.receiver.answer = (response) => {
      answers.push(() => response.writeHead(204).end());
    };
    if (failed === 0) endpoint.receiver.answer = hang;
    await retract(database, event);
    await expect.poll(() => received.length, soon).toBe(before + 1);
    if (failed === 1) {
      endpoint.receiver.answer = hang;
      await makeDue();
    }
    await expect.poll(() => answers.length, soon).toBe(1);
    await record(database, event);
    await untilNoJobIsDue(database);
    // Nothing is sent beside the retraction: it could arrive before it.
    const { rows } = await database.owner.query(
      'select next_attempt_at > now() as waits from webhook_deliveries where endpoint_no = $1',
      [endpoint.no],
    );
    expect([rows, received.length]).toEqual([[{ waits: true }], before + 1 + failed]);
    endpoint.receiver.answer = answering(204);
    answers[0]?.();
    await makeDue();
    await expect.poll(() => received.length, soon).toBe(before + 2 + failed);
    expect(received.slice(-2).map((message) => bodyOf(message).type)).toEqual(['event.retracted', 'tank.low_fill']);
    expect(idsOf(received.slice(0, -1))).not.toContain(idsOf(received).at(-1));
  }
});

test('an event that was retracted before it was sent, and is valid again before its delivery is canceled, is sent', async ({
  database,
}) => {
  const fleet = await givenTanked(database);
  const endpoint = await givenEndpoint(database, fleet.organizationNo);
  const event = lowFillOf(fleet, { notify: false });
  const [id] = await record(database, event);
  const { rows: events } = await database.owner.query<{ no: number }>('select no from events where id = $1', [id]);
  const notify = () =>
    notifyEvents(
      database.worker,
      events.map(({ no }) => no),
      { mails: false },
    );
  await notify();
  await retract(database, event);
  const capacity = { byEndpoint: new Map<number, number>(), perOtherEndpoint: 1, total: 1 };
  const [delivery] = await claimWebhookDeliveries(database.worker, capacity);
  if (delivery === undefined) throw new Error('no delivery is due');
  await record(database, event);
  await notify();
  const sender = new WebhookSender({ allowHttp: true, allowPrivate: true });
  onTestFinished(() => sender.close());
  await attemptWebhookDelivery(database.worker, sender, delivery, { mails: false, secretsKeys: [SECRETS_KEY] });
  const { rows } = await database.owner.query('select status from webhook_deliveries where endpoint_no = $1', [
    endpoint.no,
  ]);
  expect(rows).toEqual([{ status: 'pending' }]);
});

test('a recipient gets the mail about an event again if it is valid again while the mail about its retraction is sent', async ({
  database,
}) => {
  const answers: (() => void)[] = [];
  const subjects: string[] = [];
  const server = await startMailServer({
    onMail: ({ subject }) => subjects.push(subject),
    onRecipient: (answer) => answers.push(() => answer()),
  });
  onTestFinished(() => server.stop());
  const fleet = await givenMailedCustomer(database);
  await givenWorker(database, mailSettings(server.url));
  const event = lossOf(fleet);
  const accept = async (count: number): Promise<void> => {
    await expect.poll(() => answers.length, soon).toBe(count);
    answers.at(-1)?.();
  };
  await record(database, event);
  await accept(1);
  await untilNoJobIsDue(database);
  await retract(database, event);
  await expect.poll(() => answers.length, soon).toBe(2);
  await record(database, event);
  const jobs = 'select from graphile_worker.jobs where run_at <= now()';
  await expect.poll(async () => (await database.owner.query(jobs)).rowCount, soon).toBe(0);
  await accept(2);
  await accept(3);
  await untilNoJobIsDue(database);
  expect([subjects.length, subjects[2]]).toEqual([3, subjects[0]]);
});

test('a recipient of a mail about an event gets one mail about its retraction, and nobody else does', async ({
  database,
}) => {
  const { mailbox } = await givenMailWorker(database);
  for (const language of ['en', 'es']) {
    const fleet = await givenMailedCustomer(database);
    await setLanguage(database, fleet, language);
    const [contact, gone, uninterested] = ['all', 'gone', 'none'].map((name) => `${name}.${language}@gas.example`);
    const add = (email: string | undefined, types: readonly NewEvent['type'][]) =>
      givenContact(database.operator, fleet.organizationNo, { email: email ?? '', types, digest_at: null });
    await add(contact, ['tank.low_fill', 'tank.rapid_loss', 'tank.refilled']);
    await add(gone, ['tank.low_fill']);
    await add(uninterested, ['tank.device_silent']);
    const events = [lowFillOf(fleet), lossOf(fleet), refillOf(fleet)];
    await record(database, ...events);
    // The owner gets low and loss, the contact all three, and the contact who leaves only low.
    const countOf = (email: string | undefined): number => mailbox.of(email ?? '').length;
    await expect.poll(() => [fleet.email, contact, gone].map(countOf), soon).toEqual([2, 3, 1]);
    await untilNoJobIsDue(database); // a mail is recorded as sent after the server has it
    await transaction(database.operator, (tx) => removeContact(operatorChange(tx, fleet.organizationNo), gone ?? ''));

    await retract(database, ...events);
    await expect.poll(() => [fleet.email, contact].map(countOf), soon).toEqual([3, 4]);
    const [toOwner, toContact] = [mailbox.of(fleet.email)[2], mailbox.of(contact ?? '')[3]];
    if (language === 'en') {
      expect(toContact?.subject).toBe('Correction: Casa & patio (María <López>)');
      expect(toContact?.text).toMatch(
        /The gauge of Casa & patio was wrong for a while: we retract “low, at 19\.5%” \(.+\), “losing gas” \(.+\), and “refilled to 60%” \(.+\)\.\r?\n/,
      );
      expect(toOwner?.text).toMatch(
        /“possible gas leak” .+; if you smell gas all the same, go outside and call 112\.\r?\n/,
      );
      expect(toOwner?.text).not.toContain('refilled');
    } else {
      expect(toContact?.subject).toBe('Corrección: Casa & patio (María <López>)');
      expect(toContact?.text).toMatch(
        /El indicador de Casa & patio falló durante un tiempo: anulamos “nivel bajo, 19\.5%” \(.+\), “pierde gas” \(.+\) y “recargado al 60%” \(.+\)\.\r?\n/,
      );
      expect(toOwner?.text).toContain('si aun así huele a gas, salga y llame al 112.');
    }
    // A second job of the same retractions sends no mail.
    await database.owner.query('select enqueue_retractions(array(select no from events where tank_no = $1))', [
      fleet.tank.no,
    ]);
    await untilNoJobIsDue(database);
    expect([fleet.email, contact, gone, uninterested].map(countOf)).toEqual([3, 4, 1, 0]);

    // The event is valid again: the owner gets a mail again.
    await record(database, events[1] ?? lossOf(fleet));
    await expect.poll(() => countOf(fleet.email), soon).toBe(4);
    expect(mailbox.of(fleet.email)[3]?.text).toMatch(language === 'en' ? /Go outside now/ : /Salga/);
  }
});

test('nobody receives retractions after an upgrade or of old events, and no mail tells of a moved event', async ({
  database,
}) => {
  const fleet = await givenMailedCustomer(database);
  const endpoint = await givenEndpoint(database, fleet.organizationNo);
  const { mailbox } = await givenMailWorker(database);
  const [upgraded, old] = [lossOf(fleet), lossOf(fleet)];
  await record(database, upgraded, old);
  await expect.poll(() => [mailbox.of(fleet.email).length, endpoint.receiver.received.length], soon).toEqual([2, 2]);
  // A mail that is not recorded as sent yet would be corrected whatever the reason of the retraction.
  await untilNoJobIsDue(database);
  await database.owner.query(`update events set recorded_at = now() - interval '15 days' where occurred_at = $1`, [
    old.occurredAt,
  ]);
  await transaction(database.writer, (tx) => retractEvents(tx, [{ ...upgraded, notifiesRecipients: false }, old]));
  await untilNoJobIsDue(database);
  expect([mailbox.of(fleet.email).length, endpoint.receiver.received.length]).toEqual([2, 2]);

  const [alert, moved] = [lowFillOf(fleet), lowFillOf(fleet)];
  await record(database, alert);
  await expect.poll(() => [mailbox.of(fleet.email).length, endpoint.receiver.received.length], soon).toEqual([3, 3]);
  await transaction(database.writer, async (tx) => {
    await retractEvents(tx, [alert]);
    await recordEvents(tx, [moved]);
  });
  // Endpoints receive both. A person gets no mail: the tank is still low, as the first mail said.
  await expect.poll(() => endpoint.receiver.received.length, soon).toBe(5);
  await untilNoJobIsDue(database);
  const types = endpoint.receiver.received.slice(3).map((received) => bodyOf(received).type);
  expect(types.toSorted()).toEqual(['event.retracted', 'tank.low_fill']);
  expect(mailbox.of(fleet.email).length).toBe(3);
});

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { EVENT_TYPES, type EventData, type NewEvent } from '../../src/alerts/event_types.ts';
import { serveApi } from '../../src/api/serve.ts';
import { deleteCustomer } from '../../src/catalog/customers.ts';
import { readApiConfig } from '../../src/config.ts';
import { transaction } from '../../src/db/pool.ts';
import { recordEvents, retractEvents } from '../../src/evaluation/record_events.ts';
import { addContact, removeContact } from '../../src/mail/contacts.ts';
import { enqueueReminders } from '../../src/mail/reminders.ts';
import {
  givenEndpoint,
  givenTanked,
  givenWorker,
  lowFillOf,
  record,
  spawnWorker,
  type Tanked,
} from '../support/events.ts';
import { callApi } from '../support/http.ts';
import { type Mailbox, startMailbox } from '../support/mailbox.ts';
import { answering } from '../support/receiver.ts';
import { type TestDatabase, test } from '../support/test.ts';

const LINK_SECRET = 'a secret of at least thirty-two characters';
const soon = { timeout: 10_000, interval: 20 };

/** A worker that sends mails, and the api behind their links. */
async function givenPost(database: TestDatabase): Promise<{ mailbox: Mailbox; apiUrl: string }> {
  const mailbox = await startMailbox();
  const config = readApiConfig({
    API_DATABASE_URL: database.urls.api,
    API_HOST: '127.0.0.1',
    API_PORT: '0',
    API_DRAIN_MS: '0',
    LINK_SECRET,
  });
  const api = await serveApi(config, pino({ level: 'silent' }));
  onTestFinished(() => api.close());
  await givenWorker(database, {
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'Gas del Valle <alerts@gas.example>',
    PUBLIC_URL: api.url,
    LINK_SECRET,
  });
  return { mailbox, apiUrl: api.url };
}

let serial = 0;
const given = (database: TestDatabase, customer = {}): Promise<Tanked & { email: string }> => {
  const email = `customer${serial++}@example.com`;
  return givenTanked(
    database,
    { email, name: 'María <López>', is_verified: true, ...customer },
    { name: 'Casa & patio' },
  ).then((fleet) => ({ ...fleet, email }));
};

const recovered = (fleet: Tanked): NewEvent =>
  lowFillOf(fleet, { type: 'tank.fill_recovered', data: { fill_percentage: 80, threshold_percentage: 20 } });

const language = (database: TestDatabase, { organizationNo }: Tanked, code: string) =>
  database.owner.query('update organizations set language = $2 where no = $1', [organizationNo, code]);

const jobsLeft = async (database: TestDatabase): Promise<number> =>
  (await database.owner.query('select from graphile_worker._private_jobs where run_at <= now()')).rows.length;

const untilIdle = async (database: TestDatabase): Promise<void> => {
  await expect.poll(() => jobsLeft(database), soon).toBe(0);
};

test('a low fill is written to the verified customer, once, in text and HTML, in the language of the organization', async ({
  database,
}) => {
  const { mailbox } = await givenPost(database);
  const [english, spanish] = [await given(database), await given(database)];
  const unverified = await given(database, { is_verified: false });
  await language(database, spanish, 'es');
  await record(database, lowFillOf(english), lowFillOf(spanish), lowFillOf(unverified));
  await expect.poll(() => mailbox.mails.length, soon).toBe(2);

  const [mail] = mailbox.of(english.email);
  expect(mail?.subject).toBe('Casa & patio: low, at 19.5 %');
  expect(mail?.text).toContain('Hello María <López>,');
  expect(mail?.text).toContain('Your tank Casa & patio is at 19.5 %. You asked to be told at 20 % or below.');
  expect(mail?.html).toContain('Hello María &lt;López&gt;,');
  expect(mail?.html).toContain('Casa &amp; patio');
  expect(mail?.headers['auto-submitted']).toBe('auto-generated');
  expect(mail?.headers['list-unsubscribe']).toBeUndefined();
  expect(mail?.headers['message-id']).toMatch(/^<[0-9a-f-]{36}\.customer\.\d+@gas\.example>$/);

  const [correo] = mailbox.of(spanish.email);
  expect(correo?.subject).toBe('Casa & patio: nivel bajo, 19,5 %');
  expect(correo?.text).toContain('Su tanque Casa & patio está al 19,5 %. Pidió que le avisáramos al 20 % o menos.');
  await untilIdle(database);
  expect(mailbox.of(unverified.email)).toEqual([]);
});

test('one mail for each alert: not for what was retracted or is over, nor again when late readings move it', async ({
  database,
}) => {
  const fleet = await given(database);
  const [wrong, over, recovery] = [lowFillOf(fleet), lowFillOf(fleet), recovered(fleet)];
  await transaction(database.writer, async (tx) => {
    await recordEvents(tx, [wrong, over, recovery]);
    await retractEvents(tx, [wrong]);
  });
  const { mailbox } = await givenPost(database);
  await untilIdle(database);
  expect(mailbox.of(fleet.email)).toEqual([]);

  const alert = lowFillOf(fleet);
  await record(database, alert);
  await expect.poll(() => mailbox.of(fleet.email).length, soon).toBe(1);
  // A late reading shows that it began elsewhere: another event, the same alert.
  const moved = lowFillOf(fleet);
  await transaction(database.writer, async (tx) => {
    await retractEvents(tx, [alert]);
    await recordEvents(tx, [moved]);
  });
  await untilIdle(database);
  expect(mailbox.of(fleet.email).length).toBe(1);
  // After a recovery the next low fill is another alert.
  await record(database, recovered(fleet), lowFillOf(fleet));
  await expect.poll(() => mailbox.of(fleet.email).length, soon).toBe(2);
});

const EXAMPLES: EventData = {
  'tank.low_fill': { fill_percentage: 19.5, threshold_percentage: 20 },
  'tank.fill_recovered': { fill_percentage: 85, threshold_percentage: 20 },
  'tank.refilled': { before_percentage: 15, after_percentage: 85, delivered_volume: 1234.56, volume_unit: 'liters' },
  'tank.rapid_loss': { from_percentage: 60, to_percentage: 40, hours: 5, lost_volume: 100, volume_unit: 'gallons' },
  'tank.device_silent': { last_reading_at: '2026-03-01T06:00:00.000Z', silent_for_hours: 30 },
  'tank.device_reporting': { silent_since: '2026-03-01T06:00:00.000Z' },
  'tank.gauge_unreliable': { reason: 'stuck_at_limit', since: '2026-03-01T06:00:00.000Z', fill_percentage: 100 },
  'tank.gauge_reliable': { unreliable_since: '2026-03-01T06:00:00.000Z', fill_percentage: 45 },
};

test('contacts are written to about the types they chose, in both languages, and no more once removed', async ({
  database,
}) => {
  const { mailbox } = await givenPost(database);
  for (const code of ['en', 'es']) {
    const fleet = await given(database, { is_verified: false });
    await language(database, fleet, code);
    const [all, some, gone] = ['all', 'some', 'gone'].map((name) => `${name}-${code}@gas.example`);
    await transaction(database.operator, async (tx) => {
      await addContact(tx, fleet.organizationNo, { email: all ?? '', types: EVENT_TYPES });
      await addContact(tx, fleet.organizationNo, { email: some ?? '', types: ['tank.refilled'] });
      await addContact(tx, fleet.organizationNo, { email: gone ?? '', types: EVENT_TYPES });
      await removeContact(tx, fleet.organizationNo, gone ?? '');
    });
    const events = EVENT_TYPES.map((type) => lowFillOf(fleet, { type, data: EXAMPLES[type] } as Partial<NewEvent>));
    // The low fill last: it would be over otherwise.
    await record(database, ...events.slice(1), { ...lowFillOf(fleet) });
    await expect.poll(() => mailbox.of(all ?? '').length, soon).toBe(6);
    await untilIdle(database);
    expect([mailbox.of(some ?? '').length, mailbox.of(gone ?? '').length, mailbox.of(fleet.email).length]).toEqual([
      1, 0, 0,
    ]);
    const texts = mailbox
      .of(all ?? '')
      .map((mail) => `${mail.subject}\n${mail.text}`)
      .join('\n');
    expect(texts).not.toMatch(/undefined|NaN|\[object/);
    expect(texts).toContain(code === 'en' ? 'about 1,234.6 liters were delivered' : 'se entregaron unos 1234,6 litros');
    expect(texts).toContain(code === 'en' ? 'Please have it checked for a leak' : 'Haga revisar si hay una fuga');
  }
});

test('a reminder follows no sooner than configured, and one click ends them', async ({ database }) => {
  const { mailbox, apiUrl } = await givenPost(database);
  const fleet = await given(database);
  await record(database, lowFillOf(fleet));
  await expect.poll(() => mailbox.of(fleet.email).length, soon).toBe(1);
  await untilIdle(database);
  const age = (days: number) =>
    database.owner.query(
      `update event_mails set sent_at = sent_at - make_interval(days => $2) where recipient = 'customer' and recipient_no = $1`,
      [fleet.customer.no, days],
    );
  const remind = async () => {
    await enqueueReminders(database.worker, 7);
    await untilIdle(database);
    return mailbox.of(fleet.email).length;
  };
  expect(await remind()).toBe(1);
  await age(8);
  await database.owner.query(
    `insert into tank_states (tank_no, latest_fill_percentage, latest_at) values ($1, 11.5, '2026-03-09T06:00Z')`,
    [fleet.tank.no],
  );
  expect(await remind()).toBe(2);
  expect(await remind()).toBe(2);

  const reminder = mailbox.of(fleet.email)[1];
  expect(reminder?.subject).toBe('Reminder: Casa & patio is still low');
  expect(reminder?.text).toContain('The last reading was 11.5 %, at 2026-03-09 06:00 UTC.');
  expect(reminder?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
  const link = /^<(.*)>$/.exec(reminder?.headers['list-unsubscribe'] ?? '')?.[1] ?? '';
  expect(link.startsWith(`${apiUrl}/links/unsubscribe.`)).toBe(true);
  expect(reminder?.text).toContain(link);

  // A scanner opens the link; that changes nothing. The next reminder comes.
  const path = link.slice(apiUrl.length);
  const page = await callApi(apiUrl, path);
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('<form method="post">')]);
  await age(8);
  expect(await remind()).toBe(3);
  // A mail program's one click, as RFC 8058 has it, in either form of form.
  const boundary = '----x';
  for (const [type, body] of [
    ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      `multipart/form-data; boundary=${boundary}`,
      `--${boundary}\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--${boundary}--\r\n`,
    ],
  ] as const) {
    const clicked = await callApi(apiUrl, path, { method: 'POST', headers: { 'content-type': type }, body });
    expect([clicked.status, clicked.text]).toEqual([200, expect.stringContaining('no more reminders')]);
  }
  await age(8);
  expect(await remind()).toBe(3);
});

test('an invitation verifies the address it was sent to, by a button and not by being opened', async ({ database }) => {
  const { mailbox, apiUrl } = await givenPost(database);
  const fleet = await given(database, { is_verified: false });
  await language(database, fleet, 'es');
  await database.operator.query('select enqueue_invitation($1)', [fleet.customer.no]);
  await expect.poll(() => mailbox.of(fleet.email).length, soon).toBe(1);
  const [mail] = mailbox.of(fleet.email);
  const link = /http:\S+/.exec(mail?.text ?? '')?.[0] ?? '';
  const path = link.slice(apiUrl.length);
  const state = async () =>
    (await database.owner.query('select is_verified, verified_at from customers where no = $1', [fleet.customer.no]))
      .rows[0];

  const opened = await callApi(apiUrl, path);
  expect([opened.status, opened.text]).toEqual([200, expect.stringContaining('Sí, esta es mi dirección')]);
  expect(opened.headers['content-security-policy']).toContain("default-src 'none'");
  expect(opened.headers['referrer-policy']).toBe('no-referrer');
  expect(await state()).toEqual({ is_verified: false, verified_at: null });

  for (const bad of [
    path.slice(0, -1),
    `${path}x`,
    path.replace('verify', 'unsubscribe'),
    '/links/x',
    '/links/verify.x.1.y',
  ]) {
    for (const method of ['GET', 'POST']) {
      const answer = await callApi(apiUrl, bad, { method });
      expect([bad, answer.status, answer.text]).toEqual([bad, 404, expect.stringContaining('has run out')]);
    }
  }
  expect(await state()).toEqual({ is_verified: false, verified_at: null });

  // Changed meanwhile: the link proves the old address only.
  await database.operator.query(`update customers set email = 'other@example.com' where no = $1`, [fleet.customer.no]);
  expect((await callApi(apiUrl, path, { method: 'POST' })).status).toBe(404);
  await database.operator.query('update customers set email = $2 where no = $1', [fleet.customer.no, fleet.email]);

  const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  expect((await callApi(apiUrl, path, form)).text).toContain('Gracias.');
  const verified = await state();
  expect(verified).toEqual({ is_verified: true, verified_at: expect.any(String) });
  expect((await callApi(apiUrl, path, form)).status).toBe(200);
  expect(await state()).toEqual(verified);
  const { rows: audit } = await database.operator.query(
    `select actor, fields from audit_log where object = 'customer' and $1 = any (object_nos) order by no desc limit 1`,
    [fleet.customer.no],
  );
  expect(audit).toEqual([{ actor: 'link in a mail', fields: ['is_verified', 'verified_at'] }]);

  // Who is verified is not asked again, and who is gone not at all.
  await database.operator.query('select enqueue_invitation($1)', [fleet.customer.no]);
  await untilIdle(database);
  expect(mailbox.of(fleet.email).length).toBe(1);
  await transaction(database.operator, (tx) =>
    deleteCustomer(tx, fleet.organizationNo, fleet.customer.no, { withTanks: true }),
  );
  expect((await callApi(apiUrl, path)).status).toBe(404);
  expect((await callApi(apiUrl, path, { method: 'PUT' })).headers['allow']).toBe('GET, HEAD, POST');
});

test('without a secret for links there are none', async ({ api }) => {
  expect((await api.call('/links/verify.x')).json.code).toBe('not_found');
});

test('contacts are told when a webhook is disabled; a mail server that is away is tried again, one that refuses is not', async ({
  database,
}) => {
  const { mailbox } = await givenPost(database);
  const fleet = await given(database);
  await givenEndpoint(database, fleet.organizationNo, answering(410));
  await transaction(database.operator, (tx) =>
    addContact(tx, fleet.organizationNo, { email: 'dispatch@gas.example', types: ['tank.refilled'] }),
  );
  mailbox.refusal = { status: 451, message: `<${fleet.email}> try again later` };
  await record(database, lowFillOf(fleet));
  const failed = async () =>
    (
      await database.owner.query(
        `select last_error from graphile_worker._private_jobs where last_error is not null order by id`,
      )
    ).rows.map((row) => row.last_error);
  await expect.poll(failed, soon).toEqual([expect.stringContaining('451'), expect.stringContaining('451')]);
  expect((await failed()).join()).not.toContain('@');

  mailbox.refusal = undefined;
  await database.owner.query('update graphile_worker._private_jobs set run_at = now()');
  await expect.poll(() => mailbox.of('dispatch@gas.example')[0]?.subject, soon).toBe('A webhook was disabled');
  await expect.poll(() => mailbox.of(fleet.email).length, soon).toBe(1);
  expect(mailbox.of('dispatch@gas.example')[0]?.text).toMatch(/The webhook to 127\.0\.0\.1:\d+ gets no more events/);

  const other = await given(database);
  mailbox.refusal = { status: 550, message: `<${other.email}> unknown` };
  await record(database, lowFillOf(other));
  await sleep(500);
  await untilIdle(database);
  expect(await failed()).toEqual([]);
  expect(mailbox.of(other.email)).toEqual([]);
});

test('a worker killed -9 while it mails: another one has the mail sent within seconds, and webhooks did not wait for it', {
  timeout: 60_000,
}, async ({ database }) => {
  const mailbox = await startMailbox();
  mailbox.isHanging = true;
  const settings = {
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'alerts@gas.example',
    PUBLIC_URL: 'https://tanks.example',
    LINK_SECRET,
  };
  const fleets = await Promise.all(Array.from({ length: 6 }, () => given(database)));
  const [first = await given(database)] = fleets;
  const endpoint = await givenEndpoint(database, first.organizationNo);
  const victim = spawnWorker(database, settings);
  await record(database, ...fleets.map((fleet) => lowFillOf(fleet)));
  await expect.poll(() => mailbox.hung, { timeout: 20_000 }).toBe(4);
  const [id] = await record(
    database,
    lowFillOf(first, { type: 'tank.device_reporting', data: EXAMPLES['tank.device_reporting'] }),
  );
  await expect
    .poll(() => endpoint.receiver.received.map(({ headers }) => headers['webhook-id']), {
      timeout: 1_000,
      interval: 10,
    })
    .toContain(id);
  victim.kill('SIGKILL');
  await once(victim, 'exit');

  mailbox.isHanging = false;
  await givenWorker(database, settings);
  await expect.poll(() => mailbox.mails.length, { timeout: 15_000 }).toBe(6);
  for (const fleet of fleets) expect(mailbox.of(fleet.email).length).toBe(1);
});

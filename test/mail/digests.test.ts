import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { readRoundsOfYesterday } from '../../src/deliveries/rounds_of_day.ts';
import type { EventType, NewEvent } from '../../src/evaluation/pure/alerts/event_types.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { enqueueDigests, mailDigest } from '../../src/mail/digests.ts';
import { Mailer } from '../../src/mail/mailer.ts';
import { readWorkerConfig } from '../../src/settings/worker_settings.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/values/time.ts';
import { zonedDate } from '../../src/values/zoned_time.ts';
import { givenRound } from '../support/driven_rounds.ts';
import { makeLosing } from '../support/duty.ts';
import { settle } from '../support/evaluation.ts';
import { givenWorker, lowFillOf, record, spawnWorker, type Tanked, workerEnvironment } from '../support/events.ts';
import { givenContact, givenCustomer, givenOrganization, givenTanks } from '../support/fleet.ts';
import { startMailbox } from '../support/mailbox.ts';
import { givenMailWorker, mailSettings, soon, untilNoJobIsDue } from '../support/mails.ts';
import { type TestDatabase, test } from '../support/test.ts';

let serial = 0;

/** Readings of a level that falls until an hour ago, or until some days before. */
const falling = (tankNo: number, to: number, pointsPerDay: number, untilDaysAgo = 0) =>
  Array.from({ length: 80 }, (_, n) => ({
    tankNo,
    atMs: Date.now() - HOUR_MS - untilDaysAgo * DAY_MS - (79 - n) * 6 * HOUR_MS,
    fillPercentage: Math.round((to + ((79 - n) * pointsPerDay) / 4) * 100) / 100,
  }));

interface DigestFleet {
  organizationNo: number;
  email: string;
  tanks: Record<'low' | 'due' | 'silent' | 'full', Tanked>;
}

/**
 * An organization in Mexico with a contact whose digest of today is due, and a tank for each section. A worker enqueues due
 * digests at the beginning of each minute, so the contents of a digest must exist before it is due.
 */
async function givenDigestFleet(
  database: TestDatabase,
  { isQuiet = false, types = [] as EventType[] } = {},
): Promise<DigestFleet> {
  const organizationNo = await givenOrganization(database.operator);
  await database.owner.query(
    `update organizations set name = 'Gas del Valle', language = 'es-MX', time_zone = 'America/Mexico_City',
       reply_to = 'pedidos@gas.example', phone = '+52 461 555 0100' where no = $1`,
    [organizationNo],
  );
  const email = `digest${serial++}@gas.example`;
  const customer = await givenCustomer(database.operator, organizationNo, {
    name: 'María López',
    phone: '+52 461 555 0142',
    external_key: `C-${serial}`,
  });
  const names = ['Panadería', 'Hotel', 'Cochera', 'Casa'];
  const place = { street: 'Hidalgo', street_number: '4', city: 'Celaya', latitude: 20.5236, longitude: -100.8157 };
  const created = await givenTanks(
    database.operator,
    organizationNo,
    customer.no,
    names.map((name) => ({ name, ...place })),
  );
  const [low, due, silent, full] = created.map((tank): Tanked => ({ organizationNo, customer, tank }));
  if (!low || !due || !silent || !full) throw new Error('no tanks');
  const series = isQuiet
    ? [falling(full.tank.no, 70, 0.3)]
    : [
        falling(low.tank.no, 12, 1.5),
        falling(due.tank.no, 23, 2),
        falling(silent.tank.no, 50, 0.5, 6),
        falling(full.tank.no, 70, 0.3),
      ];
  const ingester = new BatchIngester(database.writer);
  for (const readings of series) await ingester.ingestReadings(readings);
  await settle(database);
  await givenContact(database.operator, organizationNo, { email, types, digest_at: '00:00' });
  await database.owner.query(`update contacts set digest_since = now() - interval '3 days' where email = $1`, [email]);
  return { organizationNo, email, tanks: { low, due, silent, full } };
}

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

const refillOf = (fleet: Tanked): NewEvent =>
  lowFillOf(fleet, {
    type: 'tank.refilled',
    occurredAt: minutesAgo(90),
    data: { before_percentage: 14, after_percentage: 79.5, delivered_volume: 1_834, volume_unit: 'liters' },
  });

const lossOf = (fleet: Tanked): NewEvent =>
  lowFillOf(fleet, {
    type: 'tank.rapid_loss',
    occurredAt: minutesAgo(80),
    data: { from_percentage: 75, to_percentage: 72, hours: 2, lost_volume: 15, volume_unit: 'liters' },
    readings: [
      { created_at: minutesAgo(80 + 2 * 60), fill_percentage: 75 },
      { created_at: minutesAgo(80), fill_percentage: 72 },
    ],
  });

/** Records events of ten minutes ago, because a digest leaves the events of the last minute to the next one. */
async function recordEarlier(database: TestDatabase, ...events: NewEvent[]): Promise<void> {
  const ids = await record(database, ...events);
  await database.owner.query(`update events set recorded_at = now() - interval '10 minutes' where id = any ($1)`, [
    ids,
  ]);
}

/** Makes the digest of today that of yesterday, so that the next one is due. */
const moveDigestToYesterday = (database: TestDatabase, email: string) =>
  database.owner.query(
    `update digests set day = day - 1 where contact_no = (select no from contacts where email = $1)`,
    [email],
  );

const outcomesOf = async (database: TestDatabase, email: string): Promise<string[]> => {
  const { rows } = await database.owner.query<{ outcome: string }>(
    `select outcome from digests d join contacts c on c.no = d.contact_no where email = $1 order by day`,
    [email],
  );
  return rows.map(({ outcome }) => outcome);
};

test('a contact gets one digest a day with every section, also if two workers enqueue it several times', async ({
  database,
}) => {
  const { email, tanks } = await givenDigestFleet(database);
  await recordEarlier(database, refillOf(tanks.full), lossOf(tanks.full));
  await makeLosing(database, tanks.full);
  const { mailbox } = await givenMailWorker(database);
  await givenWorker(database, mailSettings(mailbox.url));
  await Promise.all(Array.from({ length: 6 }, () => enqueueDigests(database.worker, Date.now())));
  await expect.poll(() => mailbox.of(email).length, soon).toBe(1);
  await enqueueDigests(database.worker, Date.now());
  await untilNoJobIsDue(database);
  expect(mailbox.of(email)).toHaveLength(1);

  const [mail] = mailbox.of(email);
  expect(mail?.subject).toMatch(
    /^Gas del Valle, .*: 1 pierde gas, 1 con nivel bajo, 1 con nivel bajo pronto, 1 sin lecturas, 1 recargado$/,
  );
  expect(mail?.headers['reply-to']).toBe('Gas del Valle <pedidos@gas.example>');
  const text = (mail?.text ?? '').replaceAll('\r\n', '\n');
  expect(text).toMatch(
    /Pierden gas \(1\)\n-+\n\* Casa \[nuevo\]: 75 → 70%\n {2}se vacía (el .+ )?hacia las? .+ a este ritmo\n {2}unos 25 litros en /,
  );
  expect(text).toMatch(
    /Nivel bajo ahora \(1\)\n-+\n\* Panadería( \[nuevo\])?: 1[12](\.\d)?%\n {2}se vacía en unos \d+ días \(de \d+ a \d+\)/,
  );
  expect(text).toMatch(
    /Nivel bajo en los próximos 3 días \(1\)\n-+\n\* Hotel: 2\d(\.\d)?%\n {2}nivel bajo en .* · se vacía en unos /,
  );
  expect(text).toMatch(
    /Dispositivos sin lecturas \(1\)\n-+\n\* Cochera( \[nuevo\])?: estaba en 50%\n {2}última lectura /,
  );
  expect(text).toMatch(/Recargados \(1\)\n-+\n\* Casa: 14 → 79.5%\n {2}unos 1,834 litros · /);
  expect(text).toMatch(
    / {2}María López \(C-\d+\) · \+52 461 555 0142\n {2}Hidalgo 4, Celaya\n {2}https:\/\/www\.openstreetmap/,
  );
  expect(mail?.html).toContain('href="tel:+524615550142"');
  expect(mail?.html).toContain('mlat=20.5236&amp;mlon=-100.8157');
  expect(mail?.html).not.toMatch(/undefined|NaN|<img|src=/);

  // The next digest lists problems that continue, also the loss, but not the delivery again.
  await moveDigestToYesterday(database, email);
  await enqueueDigests(database.worker, Date.now());
  await expect.poll(() => mailbox.of(email).length, soon).toBe(2);
  expect(mailbox.of(email)[1]?.subject).toMatch(
    /: 1 pierde gas, 1 con nivel bajo, 1 con nivel bajo pronto, 1 sin lecturas$/,
  );
  expect(mailbox.of(email)[1]?.text).toContain('* Casa: 75');
  // The row is committed after the mail server has accepted the mail.
  await expect.poll(() => outcomesOf(database, email), soon).toEqual(['sent', 'sent']);
  const { rows } = await database.owner.query(
    `select from graphile_worker._private_known_crontabs where identifier = 'enqueue_digests'`,
  );
  expect(rows).toHaveLength(1); // the worker enqueues due digests every minute
});

test('the same digest sent by four workers at the same time is one mail', async ({ database }) => {
  const mailbox = await startMailbox();
  const { mail } = readWorkerConfig(workerEnvironment(database, mailSettings(mailbox.url)));
  if (mail === null) throw new Error('no mail settings');
  const { email } = await givenDigestFleet(database);
  const { rows } = await database.owner.query<{ no: number }>('select no from contacts where email = $1', [email]);
  // With another day, the digest of today would stay due and disturb the next test.
  const today = zonedDate(Date.now(), 'America/Mexico_City');
  const mailers = Array.from({ length: 4 }, () => new Mailer(mail));
  const outcomes = await Promise.all(
    mailers.map((mailer) => mailDigest(database.worker, mailer, rows[0]?.no ?? 0, today)),
  );
  for (const mailer of mailers) mailer.close();
  expect(outcomes.toSorted()).toEqual(['sent', 'skipped', 'skipped', 'skipped']);
  expect(mailbox.of(email)).toHaveLength(1);
});

test('if a worker is killed -9 while it sends a digest, another worker sends it once', async ({ database }) => {
  const mailbox = await startMailbox();
  mailbox.isHanging = true;
  const { email } = await givenDigestFleet(database);
  const victim = spawnWorker(database, mailSettings(mailbox.url));
  await enqueueDigests(database.worker, Date.now());
  await expect.poll(() => mailbox.hung).toBe(1);
  expect(await outcomesOf(database, email)).toEqual([]); // committed only after the server accepts the mail
  victim.kill('SIGKILL');
  await once(victim, 'exit');

  mailbox.isHanging = false;
  await givenWorker(database, mailSettings(mailbox.url));
  await expect.poll(() => mailbox.of(email).length).toBe(1);
  await expect.poll(() => outcomesOf(database, email), soon).toEqual(['sent']);
  await enqueueDigests(database.worker, Date.now());
  await untilNoJobIsDue(database);
  expect(mailbox.of(email)).toHaveLength(1);
});

test('on a day without news, or only with devices that were silent before, no digest is sent', async ({ database }) => {
  const { email, tanks } = await givenDigestFleet(database, { isQuiet: true });
  const { mailbox } = await givenMailWorker(database);
  await enqueueDigests(database.worker, Date.now());
  await expect.poll(() => outcomesOf(database, email), soon).toEqual(['empty']);

  await new BatchIngester(database.writer).ingestReadings(falling(tanks.silent.tank.no, 50, 0.5, 6));
  await settle(database);
  await moveDigestToYesterday(database, email);
  await enqueueDigests(database.worker, Date.now());
  await expect.poll(() => outcomesOf(database, email), soon).toEqual(['empty', 'empty']);
  expect(mailbox.of(email)).toEqual([]);

  // After a delivery a digest is sent, which also lists the silent device.
  await database.owner.query(`update digests set covered_until = now() - interval '1 day'`);
  await recordEarlier(database, refillOf(tanks.full));
  await moveDigestToYesterday(database, email);
  await enqueueDigests(database.worker, Date.now());
  await expect.poll(() => mailbox.of(email).length, soon).toBe(1);
  expect(mailbox.of(email)[0]?.subject).toMatch(/: 1 sin lecturas, 1 recargado$/);
});

test('a contact with a digest gets mails at once about the chosen types, and no mails about other types', async ({
  database,
}) => {
  const { mailbox } = await givenMailWorker(database);
  const { email, tanks } = await givenDigestFleet(database, { isQuiet: true, types: ['tank.rapid_loss'] });
  await record(database, lowFillOf(tanks.low), lossOf(tanks.full));
  await expect.poll(() => mailbox.of(email).length, soon).toBe(1);
  await untilNoJobIsDue(database);
  expect(mailbox.of(email).map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/^Casa \(María López\): pierde gas, se vacía .*hacia las? .* a este ritmo$/),
  ]);
});

test('a digest is sent again later if the mail server fails, and not if it rejects the contact', async ({
  database,
}) => {
  const { mailbox } = await givenMailWorker(database);
  mailbox.refusal = { status: 451, message: 'later' };
  onTestFinished(() => void (mailbox.refusal = undefined));
  const { email } = await givenDigestFleet(database);
  await enqueueDigests(database.worker, Date.now());
  const countFailedJobs = async () => {
    const { rowCount } = await database.owner.query(
      `select from mail_jobs j join contacts c on j.key like format('digest:%s:%%', c.no)
       where c.email = $1 and j.tries = 1 and j.claimed_by is null`,
      [email],
    );
    return rowCount;
  };
  await expect.poll(countFailedJobs, soon).toBe(1);
  await enqueueDigests(database.worker, Date.now()); // does not reset the delay of the failed job
  expect(await countFailedJobs()).toBe(1);
  mailbox.refusal = undefined;
  await database.owner.query('update mail_jobs set due_at = now()');
  await expect.poll(() => outcomesOf(database, email), soon).toEqual(['sent']);
  expect(mailbox.of(email)).toHaveLength(1);

  mailbox.refusal = { status: 550, message: 'unknown user' };
  await moveDigestToYesterday(database, email);
  await enqueueDigests(database.worker, Date.now());
  await expect.poll(() => outcomesOf(database, email), soon).toEqual(['sent', 'rejected']);
});

test('4,000 digests that are not due cost the worker less than 0.1 seconds of CPU time', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const nowMs = Date.parse('2026-11-17T12:00:00Z');
  await database.owner.query(
    `insert into contacts (id, organization_no, email, types, digest_at, digest_since)
     select gen_random_uuid(), $1, 'later' || n || '@gas.example', '{}', '12:01', '2026-11-01' from generate_series(1, 4000) as n`,
    [organizationNo],
  );
  await enqueueDigests(database.worker, nowMs);
  const before = process.threadCpuUsage();
  await enqueueDigests(database.worker, nowMs);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(100);
  const jobs = async (): Promise<number> => {
    const { rows } = await database.owner.query<{ n: number }>(
      `select count(*) as n from mail_jobs where key like 'digest:%:2026-11-17'`,
    );
    return rows[0]?.n ?? 0;
  };
  expect(await jobs()).toBe(0);
  await enqueueDigests(database.worker, nowMs + MINUTE_MS);
  expect(await jobs()).toBe(4_000);
});

test('a digest has the rounds of yesterday in the hour after midnight too, if yesterday had 23 hours', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  await givenRound(database.owner, organizationNo, { stops: 2 });
  await database.owner.query(`update organizations set time_zone = 'America/New_York' where no = $1`, [organizationNo]);
  await database.owner.query(`update rounds set date = '2026-03-08' where organization_no = $1`, [organizationNo]);
  const halfPastMidnightMs = Date.parse('2026-03-09T00:30:00-04:00');
  expect(await readRoundsOfYesterday(database.owner, organizationNo, halfPastMidnightMs)).toMatchObject({ stops: 2 });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { claimJobs, finishJob, LEASE_SECONDS, retryJob } from '../../src/db/job_tables.ts';
import { enqueueMails, type MailTask, moveMailJobs } from '../../src/mail/mail_jobs.ts';
import { SECOND_MS } from '../../src/values/time.ts';
import { givenEndpoint, givenTanked, givenWorker, lowFillOf, record } from '../support/events.ts';
import { givenMailedCustomer, givenMailWorker, soon, untilNoJobIsDue } from '../support/mails.ts';
import { within } from '../support/stopwatch.ts';
import { type TestDatabase, test } from '../support/test.ts';

const ME = '00000000-0000-4000-8000-000000000001';
const OTHER = '00000000-0000-4000-8000-000000000002';

/** Adds mails about an event that does not exist. No worker sends them: each test claims them itself. */
async function enqueue(database: TestDatabase, organizationNo: number, ...names: string[]): Promise<void> {
  await enqueueMails(
    database.worker,
    'mail_reminder',
    `select $1::int as organization_no, key, jsonb_build_object('event_no', 0) as payload, now() as due_at
     from unnest($2::text[]) as key`,
    [organizationNo, names.map((name) => `${organizationNo}:${name}`)],
  );
}

const claim = (database: TestDatabase, claimedBy: string, limit: number, afterNo = 0) =>
  claimJobs<MailTask>(database.worker, 'mail_jobs', { claimedBy, afterNo, limit });

const readAll = async (database: TestDatabase) =>
  (
    await database.owner.query(
      `select key, tries, claimed_by is not null as claimed, due_at <= now() as due, given_up_at is not null as given_up
       from mail_jobs order by key`,
    )
  ).rows;

test('organizations take turns, however many mails each has', async ({ database }) => {
  await enqueue(database, 1, 'a', 'b', 'c', 'd');
  await enqueue(database, 2, 'a');
  await enqueue(database, 7, 'a', 'b');
  const first = await claim(database, ME, 2);
  expect(first.map((job) => job.organization_no)).toEqual([1, 2]);
  const second = await claim(database, OTHER, 5, 2);
  expect(second.map((job) => job.organization_no)).toEqual([7]);
  const third = await claim(database, ME, 5);
  expect(third.map((job) => job.organization_no)).toEqual([1, 7]);
  expect(new Set([...first, ...second, ...third].map(({ no }) => no)).size).toBe(5);
  await database.owner.query('delete from mail_jobs');
});

test('a mail that is enqueued during its attempt is attempted once more afterwards, never at the same time', async ({
  database,
}) => {
  await enqueue(database, 1, 'a');
  const [job] = await claim(database, ME, 1);
  await enqueue(database, 1, 'a');
  expect(await claim(database, OTHER, 1)).toEqual([]);
  if (job) await finishJob(database.worker, 'mail_jobs', ME, job);
  const [again] = await claim(database, OTHER, 1);
  expect(again?.no).toBe(job?.no);
  // The first process no longer has the lease, so that it cannot finish the job.
  if (again) await finishJob(database.worker, 'mail_jobs', ME, again);
  expect(await readAll(database)).toMatchObject([{ claimed: true }]);
  if (again) await finishJob(database.worker, 'mail_jobs', OTHER, again);
  expect(await readAll(database)).toEqual([]);
});

test('a mail of a killed worker is due when its lease has expired, and a mail that fails ten times is given up', async ({
  database,
}) => {
  await enqueue(database, 1, 'a');
  await claim(database, ME, 1);
  expect(await claim(database, OTHER, 1)).toEqual([]);
  await database.owner.query(`update mail_jobs set due_at = due_at - interval '${LEASE_SECONDS} seconds'`);
  for (let tries = 2; tries <= 10; tries++) {
    const [job] = await claim(database, OTHER, 1);
    if (job) await retryJob(database.worker, 'mail_jobs', OTHER, job, 'refused');
    expect(await readAll(database)).toEqual([
      { key: '1:a', tries, claimed: false, due: false, given_up: tries === 10 },
    ]);
    await database.owner.query(`update mail_jobs set due_at = now() - interval '1 second'`);
  }
  expect(await claim(database, OTHER, 1)).toEqual([]);
  await database.owner.query('delete from mail_jobs');
});

test('waiting mail jobs of 0.3.0 are sent once each, and jobs that a worker of 0.3.0 has locked stay its own', async ({
  database,
}) => {
  const fleets = await Promise.all([1, 2, 3].map(() => givenMailedCustomer(database)));
  const addJob = (eventNo: number, customerNo: number): Promise<unknown> =>
    database.owner.query(
      `select graphile_worker.add_job('mail_event',
         json_build_object('event_no', $1::bigint, 'recipient', 'customer', 'recipient_no', $2::int),
         max_attempts => 10, job_key => format('mail:%s:customer:%s', $1::bigint, $2::int))`,
      [eventNo, customerNo],
    );
  await record(database, ...fleets.map((fleet) => lowFillOf(fleet)));
  // This stands for a worker of 0.3.0 that has run the job of the events.
  await database.owner.query('delete from graphile_worker._private_jobs');
  const { rows: events } = await database.owner.query<{ no: number; owner_no: number; organization_no: number }>(
    'select e.no, t.owner_no, e.organization_no from events e join tanks t on t.no = e.tank_no order by e.no',
  );
  for (const { no, owner_no } of events) await addJob(no, owner_no);
  await database.owner.query(
    `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'a worker of 0.3.0', attempts = 1
     where payload ->> 'event_no' = $1`,
    [String(events[0]?.no)],
  );
  // The worker of 0.3.0 lives: it holds its advisory lock.
  const old = await database.owner.connect();
  onTestFinished(() => old.release(true));
  await old.query(`select pg_advisory_lock_shared(hashtext('tankwatch worker'), hashtext('a worker of 0.3.0'))`);
  // Two workers of this release move the jobs at the same time.
  const moved = await Promise.all([moveMailJobs(database.worker), moveMailJobs(database.worker)]);
  expect(moved.reduce((sum, n) => sum + n)).toBe(2);
  const { rows } = await database.owner.query('select organization_no from mail_jobs order by no');
  expect(rows.map((row) => row.organization_no)).toEqual(events.slice(1).map((event) => event.organization_no));

  // The old worker adds one of the moved jobs again before it ends.
  await addJob(events[1]?.no ?? 0, events[1]?.owner_no ?? 0);
  const { mailbox } = await givenMailWorker(database);
  await expect.poll(() => mailbox.mails.length, soon).toBe(2);
  await expect
    .poll(async () => (await database.owner.query('select from graphile_worker.jobs where locked_at is null')).rowCount)
    .toBe(0);
  await expect.poll(() => readAll(database), soon).toEqual([]);
  expect(fleets.map(({ email }) => mailbox.of(email).length).toSorted((a, b) => a - b)).toEqual([0, 1, 1]);
  await database.owner.query('delete from graphile_worker._private_jobs');
  await untilNoJobIsDue(database);
});

test('an alert does not wait for maintenance jobs that hang in all four slots, and causes no NOTIFY', async ({
  database,
}) => {
  const fleet = await givenTanked(database);
  const endpoint = await givenEndpoint(database, fleet.organizationNo);
  await givenWorker(database);
  const listener = await database.owner.connect();
  const notifications: string[] = [];
  listener.on('notification', ({ channel }) => notifications.push(channel));
  const maintenance = await database.owner.connect();
  try {
    await maintenance.query('begin');
    await maintenance.query('lock table sessions, idempotency_keys in access exclusive mode');
    await database.owner.query(
      `select graphile_worker.add_job(task) from unnest(array['delete_ended_sessions', 'delete_old_idempotency_keys']) as task,
         generate_series(1, 5)`,
    );
    const countRunning = async (): Promise<number | null> =>
      (await database.owner.query('select from graphile_worker.jobs where locked_at is not null')).rowCount;
    await expect.poll(countRunning, soon).toBe(4);
    await listener.query('listen "jobs:insert"');
    // The worker adds scheduled jobs at the beginning of each minute, with NOTIFY.
    const secondsLeft = 60 - ((Date.now() / SECOND_MS) % 60);
    if (secondsLeft < 15) await sleep((secondsLeft + 5) * SECOND_MS);
    notifications.length = 0;
    const ids = await record(database, lowFillOf(fleet));
    await within(1_000, () =>
      expect.poll(() => endpoint.receiver.received.map(({ headers }) => headers['webhook-id']), soon).toEqual(ids),
    );
    await listener.query('select');
    expect(notifications).toEqual([]);
  } finally {
    await maintenance.query('rollback');
    maintenance.release();
    listener.release(true);
  }
});

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { answering, hanging, idsOf } from '../../engines/webhook_receiver.ts';
import { transaction } from '../../src/db/pool.ts';
import { checkNotifications } from '../../src/doctor/notifications.ts';
import { checkWebhooks } from '../../src/doctor/webhooks.ts';
import { checkWorker } from '../../src/doctor/worker.ts';
import type { EventType, NewEvent } from '../../src/evaluation/pure/alerts/event_types.ts';
import { releaseNotifications } from '../../src/worker/holds.ts';
import { countSenders } from '../../src/worker/sending_locks.ts';
import type { Finished } from '../support/cli.ts';
import { runCommand } from '../support/cli_in_process.ts';
import {
  givenEndpoint,
  givenTanked,
  givenWorker,
  lossOf,
  lowFillOf,
  record,
  spawnWorker,
  type Tanked,
} from '../support/events.ts';
import { givenContact } from '../support/fleet.ts';
import { startMailbox } from '../support/mailbox.ts';
import { givenMailedCustomer, mailSettings, soon, untilNoJobIsDue } from '../support/mails.ts';
import { type TestDatabase, test } from '../support/test.ts';

/** A notification that is wrongly sent arrives within this time, because workers poll for due ones every 300 ms. */
const WOULD_BE_SENT_MS = 1_500;

const run = (database: TestDatabase, ...args: string[]): Promise<Finished> =>
  runCommand(['notifications', ...args], { OPERATOR_DATABASE_URL: database.urls.operator });

async function hold(database: TestDatabase, ...more: string[]): Promise<Finished> {
  onTestFinished(async () => {
    await transaction(database.operator, releaseNotifications);
  });
  const held = await run(database, 'hold', '--reason', 'levels are wrong', ...more);
  expect([held.code, held.stderr]).toEqual([0, '']);
  return held;
}

/** Waits until a worker has created the deliveries and the mail jobs of all recorded events. */
async function untilNotified(database: TestDatabase): Promise<void> {
  const waiting = async (): Promise<number> =>
    (await database.owner.query(`select from graphile_worker.jobs where task_identifier like 'notify\\_%'`)).rows
      .length;
  await expect.poll(waiting, { interval: 20, timeout: 20_000 }).toBe(0);
}

const improvementOf = (
  fleet: Tanked,
  type: 'tank.refilled' | 'tank.fill_recovered' | 'tank.gauge_reliable',
): NewEvent =>
  lowFillOf(fleet, {
    type,
    data: {
      'tank.refilled': { before_percentage: 14, after_percentage: 79, delivered_volume: 900, volume_unit: 'liters' },
      'tank.fill_recovered': { fill_percentage: 79, threshold_percentage: 20 },
      'tank.gauge_reliable': { unreliable_since: '2026-03-01T06:00:00.000Z', fill_percentage: 50 },
    }[type],
  } as Partial<NewEvent>);

const unreliableOf = (fleet: Tanked): NewEvent =>
  lowFillOf(fleet, {
    type: 'tank.gauge_unreliable',
    data: { reason: 'stuck_at_limit', since: '2026-03-01T06:00:00.000Z', fill_percentage: 50 },
  });

test('after a worker is killed while it sends, a hold sends nothing, and the release sends all webhooks in order', async ({
  database,
}) => {
  const mailbox = await startMailbox();
  const settings = mailSettings(mailbox.url);
  const low = await givenMailedCustomer(database);
  const recovered = await givenMailedCustomer(database);
  const endpoint = await givenEndpoint(database, low.organizationNo, hanging);
  const other = await givenEndpoint(database, recovered.organizationNo);
  const victim = spawnWorker(database, settings);
  const [begun = ''] = await record(database, improvementOf(low, 'tank.refilled'));
  await expect.poll(() => idsOf(endpoint.receiver.received), { interval: 20, timeout: 60_000 }).toEqual([begun]);

  const withoutWait = await run(database, 'hold', '--reason', 'levels are wrong', '--wait-seconds', '0');
  expect([withoutWait.code, withoutWait.stdout]).toEqual([
    1,
    'notifications are held, but a worker is still sending what it has begun; look with: tankwatch notifications status\n',
  ]);
  victim.kill('SIGKILL');
  await once(victim, 'exit');
  const held = await hold(database);
  expect(held.stdout).toMatch(/^notifications were held already, since \S+: nothing is sent until/);
  expect(await countSenders(database.operator, 'notifications')).toBe(0);
  endpoint.receiver.answer = answering(204);
  await givenWorker(database, settings);
  const ids = [begun];
  for (let n = 0; n < 5; n++) ids.push(...(await record(database, improvementOf(low, 'tank.refilled'))));
  ids.push(...(await record(database, lowFillOf(low))));
  await record(database, lowFillOf(recovered));
  await record(database, improvementOf(recovered, 'tank.fill_recovered'));
  await untilNotified(database);
  await sleep(WOULD_BE_SENT_MS);
  expect([endpoint, other].flatMap(({ receiver }) => idsOf(receiver.received))).toEqual([begun]);
  expect(mailbox.mails).toEqual([]);
  const { rows } = await database.owner.query<{ n: number }>(
    `select count(*)::int as n from webhook_deliveries where status = 'pending' and (tries > 0 or attempts <> '[]')`,
  );
  expect(rows).toEqual([{ n: 0 }]);

  const released = await run(database, 'release');
  expect(released.stdout).toMatch(
    /^released, after a hold since \S+; workers now send what still matters of 9 webhooks and 2 mails\n$/,
  );
  await expect
    .poll(() => idsOf(endpoint.receiver.received), { interval: 50, timeout: 60_000 })
    .toEqual([begun, ...ids]);
  await expect.poll(() => other.receiver.received.length, { interval: 50, timeout: 10_000 }).toBe(2);
  await expect.poll(() => mailbox.of(low.email).length, { interval: 50, timeout: 30_000 }).toBe(1);
  await untilNoJobIsDue(database);
  // This tank was low and recovered during the hold, so no mail is sent.
  expect(mailbox.of(recovered.email)).toEqual([]);
  expect(mailbox.mails).toHaveLength(1);
});

test('a release counts texts and notifications in browsers apart from mails', async ({ database }) => {
  await hold(database);
  const insert = (table: string, task: string, key: string): Promise<unknown> =>
    database.owner.query(`insert into ${table} (organization_no, task, payload, key) values (0, $1, '{}', $2)`, [
      task,
      key,
    ]);
  await insert('mail_jobs', 'mail_digest', 'mail:1');
  await insert('text_jobs', 'send_text', 'text:1');
  await insert('push_jobs', 'send_push', 'push:1');
  await insert('push_jobs', 'send_push', 'push:2');
  onTestFinished(async () => {
    await database.owner.query('truncate mail_jobs, text_jobs, push_jobs');
  });
  expect((await run(database, 'release', '--dry-run')).stdout).toContain(
    'of 0 webhooks and 1 mail, 1 text, 2 push notifications',
  );
});

test('the command hold returns when the webhook that was being sent is answered', async ({ database }) => {
  const fleet = await givenTanked(database);
  const answers: (() => void)[] = [];
  await givenEndpoint(database, fleet.organizationNo, (response) => {
    answers.push(() => response.writeHead(204).end());
  });
  await givenWorker(database);
  await record(database, lowFillOf(fleet));
  await expect.poll(() => answers.length, soon).toBe(1);
  let hasReturned = false;
  const held = hold(database).then((finished) => {
    hasReturned = true;
    return finished;
  });
  const isHoldOpen = async (): Promise<boolean> =>
    (await database.owner.query('select from notification_holds where released_at is null')).rows.length === 1;
  await expect.poll(isHoldOpen, soon).toBe(true);
  await sleep(1_000); // a worker notices the hold earlier
  expect(hasReturned).toBe(false);
  answers[0]?.();
  expect((await held).stdout).toBe(
    'notifications are held: nothing is sent until you run: tankwatch notifications release\n',
  );
});

test('two workers send held webhooks one at a time and in order to an endpoint, and later ones in parallel again', async ({
  database,
}) => {
  const fleet = await givenTanked(database);
  let [inProgress, maxInProgress] = [0, 0];
  const endpoint = await givenEndpoint(database, fleet.organizationNo, (response) => {
    inProgress += 1;
    maxInProgress = Math.max(maxInProgress, inProgress);
    setTimeout(() => {
      inProgress -= 1;
      answering(204)(response, { headers: {}, body: '', atMs: 0 });
    }, 20);
  });
  await hold(database);
  await Promise.all([givenWorker(database), givenWorker(database)]);
  const ids = await record(database, ...Array.from({ length: 10 }, () => lowFillOf(fleet)));
  await untilNotified(database);
  await run(database, 'release');
  await expect.poll(() => endpoint.receiver.received.length, { interval: 50, timeout: 30_000 }).toBe(10);
  expect(idsOf(endpoint.receiver.received)).toEqual(ids);
  expect(maxInProgress).toBe(1);

  await record(database, ...Array.from({ length: 10 }, () => lowFillOf(fleet)));
  await expect.poll(() => endpoint.receiver.received.length, { interval: 50, timeout: 30_000 }).toBe(20);
  expect(maxInProgress).toBeGreaterThan(1);
});

test('after a release no mail is sent about events that have ended, about their ends, and about refills of yesterday', async ({
  database,
}) => {
  const mailbox = await startMailbox();
  const fleet = await givenTanked(database);
  const types: EventType[] = [
    'tank.low_fill',
    'tank.fill_recovered',
    'tank.refilled',
    'tank.rapid_loss',
    'tank.gauge_unreliable',
    'tank.gauge_reliable',
  ];
  const email = 'dispatch@hold.example';
  await givenContact(database.operator, fleet.organizationNo, { email, types });
  const tanks = await Promise.all(
    Array.from({ length: 5 }, async () => ({ ...fleet, tank: (await givenTanked(database)).tank })),
  );
  // Move the tanks to the organization of the contact.
  await database.owner.query('update tanks set organization_no = $1, owner_no = $2 where no = any ($3)', [
    fleet.organizationNo,
    fleet.customer.no,
    tanks.map(({ tank }) => tank.no),
  ]);
  const [low, recovered, gauge, lost, filled] = tanks;
  if (!low || !recovered || !gauge || !lost || !filled) throw new Error('no tanks');
  await hold(database);
  await givenWorker(database, mailSettings(mailbox.url));
  await record(database, lowFillOf(low), lowFillOf(recovered), unreliableOf(gauge), lossOf(lost));
  await record(database, improvementOf(recovered, 'tank.fill_recovered'), improvementOf(gauge, 'tank.gauge_reliable'));
  const [old = ''] = await record(database, improvementOf(filled, 'tank.refilled'));
  await database.owner.query(`update events set recorded_at = now() - interval '25 hours' where id = $1`, [old]);
  await untilNotified(database);
  await run(database, 'release');
  await untilNoJobIsDue(database);
  const mailed = await database.owner.query<{ type: string; tank_no: number }>(
    `select e.type, e.tank_no from event_mails m join events e on e.no = m.event_no
     where m.recipient = 'contact' and e.organization_no = $1 order by e.type`,
    [fleet.organizationNo],
  );
  expect(mailed.rows).toEqual([
    { type: 'tank.low_fill', tank_no: low.tank.no },
    { type: 'tank.rapid_loss', tank_no: lost.tank.no },
  ]);
  expect(mailbox.of(email)).toHaveLength(2);

  // The contact got a mail about the low tank, and so gets one about its recovery.
  await record(database, improvementOf(low, 'tank.fill_recovered'));
  await expect.poll(() => mailbox.of(email).length, soon).toBe(3);
});

test('people can sign in while notifications are held, unless everything is held', async ({ database }) => {
  const mailbox = await startMailbox();
  const fleet = await givenTanked(database);
  const email = 'dispatcher@hold.example';
  await givenContact(database.operator, fleet.organizationNo, { email, types: [], roles: ['viewer'] });
  const signIn = () => database.api.query(`select request_sign_in($1, sha256('browser'), '/console/')`, [email]);
  await hold(database);
  await givenWorker(database, mailSettings(mailbox.url));
  await signIn();
  await expect.poll(() => mailbox.of(email).length, soon).toBe(1);

  await hold(database, '--all');
  await signIn();
  await sleep(WOULD_BE_SENT_MS);
  expect(mailbox.of(email)).toHaveLength(1);
  await run(database, 'release');
  await expect.poll(() => mailbox.of(email).length, soon).toBe(2);
});

test('doctor reports a hold instead of overdue notifications, and the hold does not count as failing time of an endpoint', async ({
  database,
}) => {
  const fleet = await givenTanked(database);
  const endpoint = await givenEndpoint(database, fleet.organizationNo);
  expect(await checkNotifications(database.operator)).toEqual([]);
  await hold(database);
  const worker = await givenWorker(database);
  await record(database, lowFillOf(fleet));
  await untilNotified(database);
  await worker.close();
  await database.owner.query(
    `update webhook_deliveries set next_attempt_at = now() - interval '2 days' where endpoint_no = $1`,
    [endpoint.no],
  );
  await database.owner.query(
    `update notification_holds set held_at = now() - interval '3 days' where released_at is null`,
  );
  expect(await checkNotifications(database.operator)).toMatchObject([
    {
      problem: expect.stringMatching(/^notifications are held since \S+ by .* \(levels are wrong\): \d+ wait$/),
      isWarning: true,
    },
  ]);
  expect(await checkWebhooks(database.operator)).toEqual([]);
  expect(await checkWorker(database.operator)).toMatchObject([
    { problem: expect.stringContaining('no worker is running') },
  ]);

  await database.owner.query(`update webhook_endpoints set failing_since = now() - interval '4 days' where no = $1`, [
    endpoint.no,
  ]);
  await transaction(database.operator, releaseNotifications);
  const { rows } = await database.owner.query<{ hours: number }>(
    `select round(extract(epoch from now() - failing_since) / 3600)::int as hours from webhook_endpoints where no = $1`,
    [endpoint.no],
  );
  expect(rows).toEqual([{ hours: 24 }]);
  const status = await run(database, 'status', '--json');
  expect(JSON.parse(status.stdout)).toMatchObject({ hold: null, sending_workers: 0 });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { startMailServer } from '../../engines/mail_server.ts';
import { TcpProxy } from '../../faults/tcp_proxy.ts';
import { givenWorker, lowFillOf, record } from '../support/events.ts';
import { givenMailedCustomer, mailSettings, soon, untilNoJobIsDue } from '../support/mails.ts';
import { type TestDatabase, test } from '../support/test.ts';

/** The worker that sends the mail reaches the database this much later than the other one. */
const LATER_MS = 6_000;

/** Lists the sessions of workers that hold the advisory lock of a living worker. */
async function listHeartbeats(database: TestDatabase): Promise<number[]> {
  const { rows } = await database.owner.query<{ pid: number }>(
    `select distinct a.pid from pg_stat_activity a join pg_locks l on l.pid = a.pid and l.locktype = 'advisory' and l.granted
     where a.datname = current_database() and a.application_name = 'tankwatch worker heartbeat'`,
  );
  return rows.map(({ pid }) => pid);
}

test('after a failover, a mail that a worker is still sending is not sent by another that reaches the database first', async ({
  database,
}) => {
  const recipients: (() => void)[] = [];
  let mails = 0;
  const server = await startMailServer({
    onMail: () => mails++,
    onRecipient: (answer) => recipients.push(() => answer()),
  });
  onTestFinished(() => server.stop());
  const proxy = await TcpProxy.listen(() => Number(new URL(database.urls.worker).port));
  onTestFinished(() => proxy.close());
  const proxied = new URL(database.urls.worker);
  proxied.port = String(proxy.port);
  const fleet = await givenMailedCustomer(database);
  await givenWorker(database, { ...mailSettings(server.url), WORKER_DATABASE_URL: proxied.href });
  await record(database, lowFillOf(fleet));
  await expect.poll(() => recipients.length, soon).toBe(1);
  await givenWorker(database, mailSettings(server.url));
  // Each worker has two queues: notifications and mails. The server may still have a session that a slow worker gave up.
  await expect.poll(async () => (await listHeartbeats(database)).length, soon).toBeGreaterThanOrEqual(4);
  const before = await listHeartbeats(database);

  await proxy.refuse();
  await database.owner.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [before]);
  await sleep(LATER_MS);
  await proxy.pass();
  await expect.poll(async () => (await listHeartbeats(database)).length).toBeGreaterThanOrEqual(4);
  expect(recipients.length).toBe(1);
  for (const accept of recipients) accept();
  await untilNoJobIsDue(database);
  expect(mails).toBe(1);
});

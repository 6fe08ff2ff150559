import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { atLeast, atMost, type BenchOptions, figure, type Report } from '../bench/report.ts';
import { recordLowFills } from '../engines/events.ts';
import { type Installation, startInstallation } from '../engines/installation.ts';
import { startMailServer } from '../engines/mail_server.ts';
import { MAIN, type RoleProcess } from '../engines/process.ts';
import { readNumber } from '../engines/read_number.ts';
import { repeat } from '../engines/repeat.ts';
import { until } from '../engines/until.ts';
import { idsOf, type Receiver, startReceiver } from '../engines/webhook_receiver.ts';
import { operatorChange } from '../src/catalog/change_context.ts';
import { transaction } from '../src/db/pool.ts';
import { addContact } from '../src/mail/contacts.ts';
import { createEndpoint } from '../src/webhooks/endpoints.ts';

const WORKERS = 2;
const ENDPOINTS = 3;

/** The time of a hold, from the end of `notifications hold` until the beginning of `notifications release`. */
interface HeldTime {
  fromMs: number;
  toMs: number;
}

/**
 * Two workers send webhooks to three endpoints and mails to a contact, while events are recorded. Notifications are held and
 * released in several rounds, and workers are killed at any time, also while they stop or start senders. Nothing may be sent during
 * a hold, and nothing may be lost.
 */
export async function runHold({ isQuick, log }: BenchOptions): Promise<Report> {
  await using cleanUp = new AsyncDisposableStack();
  const mailedAtMs: number[] = [];
  const mailIds = new Set<string>();
  const mailServer = await startMailServer({
    onMail({ headers }) {
      mailedAtMs.push(Date.now());
      mailIds.add(headers['message-id'] ?? '');
    },
  });
  cleanUp.defer(() => mailServer.stop());
  const rounds = isQuick ? 2 : 10;
  const tanks = rounds * 200;
  await using installation = await startInstallation({
    devices: tanks,
    settings: {
      SMTP_URL: mailServer.url,
      MAIL_FROM: 'alerts@example.com',
      PUBLIC_URL: 'https://tanks.example.com',
      MAIL_REMINDER_DAYS: '0',
    },
  });
  const receivers = await subscribe(installation);
  for (const receiver of receivers) cleanUp.defer(() => receiver.close());
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => installation.start('worker')));

  const recorded: string[] = [];
  // Each event is of another tank, because only the first event of a low tank is mailed.
  const recording = repeat(60, async () => {
    const tankNo = installation.tanks[recorded.length % tanks]?.no ?? 0;
    await recordLowFills(installation.owner, { organizationNo: installation.organizationNo, tankNo }, 1, (ids) =>
      recorded.push(...ids),
    );
  });
  cleanUp.defer(() => recording.stop());
  const held: HeldTime[] = [];
  let kills = 0;
  for (let round = 0; round < rounds; round++) {
    await sleep(1_000 + Math.random() * 1_000);
    const killing = repeat(500 + Math.random() * 1_500, async () => {
      await killAndStart(workers[kills % WORKERS]);
      kills++;
    });
    await runNotifications(installation, 'hold', '--reason', `round ${round}`);
    const fromMs = Date.now();
    await sleep(5_000);
    held.push({ fromMs, toMs: Date.now() });
    await runNotifications(installation, 'release');
    await killing.stop();
    log(`round ${round + 1} of ${rounds}: ${recorded.length} events, ${kills} workers killed`);
  }
  await recording.stop();
  await untilSent(installation);
  const isHeld = (atMs: number): boolean => held.some(({ fromMs, toMs }) => atMs > fromMs && atMs < toMs);
  const webhooks = receivers.flatMap(({ received }) => received.map(({ atMs }) => atMs));
  const missing = receivers.reduce((sum, { received }) => sum + countMissing(recorded, idsOf(received)), 0);
  return {
    name: 'hold',
    checks: [
      figure('events', recorded.length),
      figure('seconds held', held.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0) / 1_000),
      atLeast('kill -9 of workers', kills, rounds),
      atMost('webhooks sent while held', webhooks.filter(isHeld).length, 0),
      atMost('mails sent while held', mailedAtMs.filter(isHeld).length, 0),
      atMost('webhooks lost', missing, 0),
      atMost('mails lost', Math.max(0, Math.min(recorded.length, tanks) - mailIds.size), 0),
      // A worker that is killed after an answer and before it is recorded sends again, with the same id.
      figure('webhooks sent twice', webhooks.length - receivers.length * recorded.length + missing),
      figure('mails sent twice', mailedAtMs.length - mailIds.size),
    ],
  };
}

async function subscribe({ owner, organizationNo, secretsKey }: Installation): Promise<Receiver[]> {
  const receivers = await Promise.all(Array.from({ length: ENDPOINTS }, () => startReceiver()));
  await transaction(owner, async (tx) => {
    for (const { url } of receivers) await createEndpoint(tx, organizationNo, { url, types: [] }, secretsKey);
    await addContact(operatorChange(tx, organizationNo), { email: 'dispatch@example.com', types: ['tank.low_fill'] });
  });
  return receivers;
}

async function killAndStart(worker: RoleProcess | undefined): Promise<void> {
  await worker?.kill();
  await worker?.start();
}

async function runNotifications({ urls }: Installation, ...args: string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [MAIN, 'notifications', ...args], {
    env: { PATH: process.env['PATH'], TANKWATCH_CONFIG: '/dev/null', OPERATOR_DATABASE_URL: urls.operator },
  });
}

const UNSENT = `
  select (select count(*) from webhook_deliveries where status = 'pending')
    + (select count(*) from mail_jobs)
    + (select count(*) from graphile_worker.jobs where task_identifier like 'mail\\_%' or task_identifier like 'notify\\_%') as n`;

/** Waits until everything is sent. The leases of jobs and mails of killed workers end after 20 and 25 s. */
const untilSent = ({ owner }: Installation): Promise<boolean> =>
  until('everything is sent', async () => (await readNumber(owner, UNSENT)) === 0, 300_000);

function countMissing(recorded: readonly string[], received: readonly string[]): number {
  const found = new Set(received);
  return recorded.filter((id) => !found.has(id)).length;
}

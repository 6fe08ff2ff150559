import { setTimeout as sleep } from 'node:timers/promises';
import type { PrivateDatabase } from '../engines/database.ts';
import { recordLowFills } from '../engines/events.ts';
import { newSecret } from '../engines/installation.ts';
import { RoleProcess } from '../engines/process.ts';
import { createTenant } from '../engines/tenant.ts';
import { answering, hanging, type Receiver, startReceiver } from '../engines/webhook_receiver.ts';
import { transaction } from '../src/db/pool.ts';
import { createEndpoint } from '../src/webhooks/endpoints.ts';
import { WebhookSender } from '../src/webhooks/sender.ts';
import { bytesPerRow, startBenchDatabase } from './database.ts';
import { benchJobCommits } from './job_commits.ts';
import { atMost, type BenchOptions, figure, type Report, upperMedian } from './report.ts';
import { benchWaitingQueues } from './waiting_queues.ts';

/**
 * Measures webhook delivery by one worker: throughput, delay while other endpoints hang, recovery after kill -9, the cost of
 * polling for work while mails wait, and the cost of adding jobs for writers.
 */
export async function benchDelivery(options: BenchOptions): Promise<Report> {
  const { isQuick, log } = options;
  await using database = await startBenchDatabase();
  const healthy = await startReceiver();
  const hung = await startReceiver(hanging);
  const secretsKey = newSecret();
  const worker = startableWorker(database, secretsKey);
  try {
    const { organizationNo, tanks } = await createTenant(database.owner, { devices: 1 });
    const tank = { organizationNo, tankNo: tanks[0]?.no ?? 0 };
    const subscribe = (url: string): Promise<unknown> =>
      transaction(database.owner, (tx) => createEndpoint(tx, organizationNo, { url, types: [] }, secretsKey));
    const record = (count: number): Promise<string[]> => recordLowFills(database.owner, tank, count);
    await worker.start();
    await subscribe(healthy.url);
    await untilReceived(healthy, await record(10));

    const events = isQuick ? 500 : 5_000;
    log(`${events} events to one healthy receiver`);
    const startMs = performance.now();
    const batch = await record(events);
    const recordMs = performance.now() - startMs;
    await untilReceived(healthy, batch);
    const perSecond = events / ((performance.now() - startMs) / 1_000);

    const bare = await barePostsPerSecond(healthy.url, events);

    const endpoints = isQuick ? 20 : 60;
    log(`5 events at a time to it while ${endpoints} endpoints hang, each with a backlog`);
    for (let n = 0; n < endpoints; n++) await subscribe(`${hung.url}${n}`);
    const delaysMs: number[] = [];
    for (let round = 0; round < (isQuick ? 20 : 100); round++) {
      const recordedAtMs = Date.now();
      const arrivals = await untilReceived(healthy, await record(5));
      delaysMs.push(...arrivals.map((atMs) => atMs - recordedAtMs));
      await sleep(100);
    }

    log('kill -9 of the worker during delivery, and start of another one');
    healthy.answer = hanging;
    healthy.received = [];
    const last = await record(200);
    while (healthy.received.length === 0) await sleep(5);
    await worker.kill();
    const killedMs = performance.now();
    healthy.answer = answering(204);
    healthy.received = [];
    await worker.start();
    await untilReceived(healthy, last);
    const recoveryMs = performance.now() - killedMs;
    const waiting = await benchWaitingQueues(database, worker, options);

    return {
      name: 'delivery',
      checks: [
        figure(`milliseconds to record ${events} events and their jobs in one transaction`, recordMs),
        figure('events per second delivered to one receiver', perSecond),
        figure('ratio to plain HTTP requests without a database', perSecond / bare),
        figure(`median delay of a healthy receiver while ${endpoints} hang, ms`, upperMedian(delaysMs)),
        atMost(`largest delay of a healthy receiver while ${endpoints} hang, ms`, Math.max(...delaysMs), 1_000),
        figure('disk per delivery, bytes', await bytesPerRow(database.owner, 'webhook_deliveries')),
        figure('milliseconds from a kill -9 until a new worker has delivered everything', recoveryMs),
        ...waiting,
        ...(await benchJobCommits(database, options)),
      ],
    };
  } finally {
    await worker.kill();
    await Promise.all([healthy.close(), hung.close()]);
  }
}

const startableWorker = ({ urls }: PrivateDatabase, secretsKey: string): RoleProcess =>
  new RoleProcess('worker', {
    WORKER_DATABASE_URL: urls.worker,
    SECRETS_KEY: secretsKey,
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    // Nobody gets a mail, but the worker looks for mails.
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'alerts@gas.example',
    PUBLIC_URL: 'https://tanks.example',
    LINK_SECRET: newSecret(),
  });

/** Eight requests at a time, as in the dispatcher. */
async function barePostsPerSecond(url: string, posts: number): Promise<number> {
  const sender = new WebhookSender({ allowHttp: true, allowPrivate: true });
  const body = JSON.stringify({ type: 'bench', data: 'x'.repeat(1_000) });
  const startMs = performance.now();
  let begun = 0;
  const postRest = async (): Promise<void> => {
    while (begun < posts) {
      begun++;
      await sender.post(url, { 'webhook-id': 'bare' }, body);
    }
  };
  await Promise.all(Array.from({ length: 8 }, postRest));
  await sender.close();
  return posts / ((performance.now() - startMs) / 1_000);
}

/** Waits until these events are received. Returns the time at which each of them was received first. */
async function untilReceived(receiver: Receiver, ids: readonly string[]): Promise<number[]> {
  for (const deadline = Date.now() + 180_000; ; await sleep(5)) {
    const firstMs = new Map<string, number>();
    for (const { headers, atMs } of receiver.received.toReversed()) firstMs.set(String(headers['webhook-id']), atMs);
    if (ids.every((id) => firstMs.has(id))) return ids.map((id) => firstMs.get(id) ?? 0);
    if (Date.now() > deadline) throw new Error('not everything was delivered within three minutes');
  }
}

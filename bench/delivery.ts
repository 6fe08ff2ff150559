import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createCustomers } from '../src/catalog/customers.ts';
import { createOrganization } from '../src/catalog/organizations.ts';
import { createTanks } from '../src/catalog/tanks.ts';
import { transaction } from '../src/db/pool.ts';
import type { NewEvent } from '../src/evaluation/pure/alerts/event_types.ts';
import { recordEvents } from '../src/evaluation/record_events.ts';
import { createEndpoint } from '../src/webhooks/endpoints.ts';
import { WebhookSender } from '../src/webhooks/sender.ts';
import { type Installation, startInstallation } from './installation.ts';
import { atMost, type BenchOptions, figure, median, type Report } from './report.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Measures webhook delivery by one worker: throughput, delay while other endpoints hang, recovery after kill -9. */
export async function benchDelivery({ isQuick, log }: BenchOptions): Promise<Report> {
  const installation = await startInstallation();
  const healthy = await listen(true);
  const hanging = await listen(false);
  let worker = startWorker(installation);
  try {
    const fleet = await provision(installation, 'a0bench');
    await subscribe(installation, fleet, healthy.url);
    const warm = await recordNow(installation, fleet, 10);
    await untilReceived(healthy, warm);

    const events = isQuick ? 500 : 5_000;
    log(`${events} events to one healthy receiver`);
    const startedAt = performance.now();
    const batch = await recordNow(installation, fleet, events);
    const recordMs = performance.now() - startedAt;
    await untilReceived(healthy, batch);
    const perSecond = events / ((performance.now() - startedAt) / 1_000);

    const bare = await barePostsPerSecond(healthy.url, events);

    const hung = isQuick ? 20 : 60;
    log(`the same while ${hung} endpoints hang, each with a backlog`);
    for (let n = 0; n < hung; n++) await subscribe(installation, fleet, `${hanging.url}${n}`);
    const delaysMs: number[] = [];
    for (let round = 0; round < (isQuick ? 20 : 100); round++) {
      const recordedAtMs = Date.now();
      const some = await recordNow(installation, fleet, 5);
      await untilReceived(healthy, some);
      delaysMs.push(...some.map((id) => (healthy.receivedAtMs.get(id) ?? 0) - recordedAtMs));
      await sleep(100);
    }

    log('kill -9 of the worker during delivery, and start of another one');
    healthy.isAnswering = false;
    healthy.receivedAtMs.clear();
    const last = await recordNow(installation, fleet, 200);
    while (healthy.receivedAtMs.size === 0) await sleep(5);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    const killedAt = performance.now();
    healthy.isAnswering = true;
    healthy.receivedAtMs.clear();
    worker = startWorker(installation);
    await untilReceived(healthy, last);
    const recoveryMs = performance.now() - killedAt;

    return {
      name: 'delivery',
      checks: [
        figure(`milliseconds to record ${events} events and their jobs in one transaction`, recordMs),
        figure('events per second delivered to one receiver', perSecond),
        figure('ratio to plain HTTP requests without a database', perSecond / bare),
        figure(`median delay of a healthy receiver while ${hung} hang, ms`, median(delaysMs)),
        atMost(`largest delay of a healthy receiver while ${hung} hang, ms`, Math.max(...delaysMs), 1_000),
        figure('milliseconds from a kill -9 until a new worker has delivered everything', recoveryMs),
      ],
    };
  } finally {
    await stop(worker);
    for (const { server } of [healthy, hanging]) server.closeAllConnections();
    for (const { server } of [healthy, hanging]) server.close();
    await installation.stop();
  }
}

interface Listener {
  server: Server;
  isAnswering: boolean;
  url: string;
  /** When each event was first received, by id. */
  receivedAtMs: Map<string, number>;
}

async function listen(isAnswering: boolean): Promise<Listener> {
  const receivedAtMs = new Map<string, number>();
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id']);
    if (!receivedAtMs.has(id)) receivedAtMs.set(id, Date.now());
    request.resume();
    if (listener.isAnswering) response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const listener: Listener = { server, isAnswering, url, receivedAtMs };
  return listener;
}

/** Eight requests at a time, as in the dispatcher. */
async function barePostsPerSecond(url: string, posts: number): Promise<number> {
  const sender = new WebhookSender({ allowHttp: true, allowPrivate: true });
  const body = JSON.stringify({ type: 'bench', data: 'x'.repeat(1_000) });
  const startedAt = performance.now();
  let left = posts;
  const one = async (): Promise<void> => {
    while (left-- > 0) await sender.post(url, { 'webhook-id': 'bare' }, body);
  };
  await Promise.all(Array.from({ length: 8 }, one));
  await sender.close();
  return posts / ((performance.now() - startedAt) / 1_000);
}

const SECRETS_KEY = 'a key of at least thirty-two characters';

function startWorker({ workerUrl }: Installation): ChildProcess {
  const settings = { SECRETS_KEY, WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOW_PRIVATE: 'true', LOG_LEVEL: 'silent' };
  const env = { PATH: process.env['PATH'], WORKER_DATABASE_URL: workerUrl, ...settings };
  return spawn(process.execPath, [MAIN, 'worker'], { env, stdio: ['ignore', 'inherit', 'inherit'] });
}

async function stop(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  worker.kill('SIGKILL');
  await once(worker, 'exit');
}

interface Fleet {
  organizationNo: number;
  tankNo: number;
  /** The time of the next event. It increases, so that no two events are equal. */
  nextMs: number;
}

function provision({ owner }: Installation, code: string): Promise<Fleet> {
  return transaction(owner, async (tx) => {
    const organizationNo = await createOrganization(tx, { code, name: 'Bench' });
    const [customer] = await createCustomers(tx, organizationNo, [{ email: 'bench@example.com', name: 'Bench' }]);
    const tank = {
      owner_no: customer?.no ?? 0,
      name: 'Tank',
      assigned_device_id: 'D1',
      capacity: 500,
      capacity_unit: 'liters',
      min_fill_alert_percentage: 20,
    } as const;
    const [created] = await createTanks(tx, organizationNo, [tank]);
    return { organizationNo, tankNo: created?.no ?? 0, nextMs: Date.UTC(2026, 0, 1) };
  });
}

const subscribe = ({ owner }: Installation, { organizationNo }: Fleet, url: string): Promise<unknown> =>
  transaction(owner, (tx) => createEndpoint(tx, organizationNo, { url, types: [] }, SECRETS_KEY));

/** Records low-fill events and returns their ids. */
async function recordNow({ owner }: Installation, fleet: Fleet, count: number): Promise<string[]> {
  const times = Array.from({ length: count }, () => new Date(fleet.nextMs++).toISOString());
  const events = times.map(
    (occurredAt): NewEvent => ({
      organizationNo: fleet.organizationNo,
      tankNo: fleet.tankNo,
      type: 'tank.low_fill',
      occurredAt,
      data: { fill_percentage: 19.5, threshold_percentage: 20 },
      readings: [{ created_at: occurredAt, fill_percentage: 19.5 }],
      notify: true,
    }),
  );
  await transaction(owner, (tx) => recordEvents(tx, events));
  const { rows } = await owner.query<{ id: string }>('select id from events where occurred_at = any ($1)', [times]);
  return rows.map((row) => row.id);
}

async function untilReceived({ receivedAtMs }: Listener, ids: readonly string[]): Promise<void> {
  for (const deadline = Date.now() + 180_000; !ids.every((id) => receivedAtMs.has(id)); ) {
    if (Date.now() > deadline) throw new Error('not everything was delivered within three minutes');
    await sleep(5);
  }
}

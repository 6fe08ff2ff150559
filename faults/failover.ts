import { setTimeout as sleep } from 'node:timers/promises';
import { firstLevelOf } from '../bench/load_client/load_record.ts';
import { atLeast, atMost, type BenchOptions, type Check, figure, type Report } from '../bench/report.ts';
import { type PatroniCluster, startPatroni } from '../engines/patroni.ts';
import { type Pipeline, startPipeline } from '../engines/pipeline.ts';
import { idsOf, type Received, startReceiver } from '../engines/webhook_receiver.ts';
import { transaction } from '../src/db/pool.ts';
import { HOUR_MS } from '../src/values/time.ts';
import { createEndpoint } from '../src/webhooks/endpoints.ts';
import { startReads } from './failover/reads.ts';
import { DEVICES, startLoad } from './load.ts';
import { untilDrained, verify } from './verify.ts';

/** The primary of three PostgreSQL servers is killed 5 times (once with --quick) with and 5 times without synchronous commits. */
export async function runFailover({ isQuick, log, only }: FailoverRunOptions): Promise<Report> {
  const kills = isQuick ? 1 : 5;
  const synchronous = only === 'asynchronous' ? [] : await failOver({ isSynchronous: true, kills, log });
  const asynchronous = only === 'synchronous' ? [] : await failOver({ isSynchronous: false, kills, log });
  return { name: 'failover', checks: [...synchronous, ...asynchronous] };
}

export interface FailoverRunOptions extends BenchOptions {
  /** `synchronous` or `asynchronous` runs one of the two. */
  only?: string;
}

/** Up to four points below the first level of each tank, so that events happen during the whole run. */
const thresholdOf = (device: number): number => Math.floor(firstLevelOf(device)) - (device % 4);
const HANG_MS = 10_000;

interface FailoverOptions {
  isSynchronous: boolean;
  kills: number;
  log: (line: string) => void;
}

async function failOver({ isSynchronous, kills, log }: FailoverOptions): Promise<Check[]> {
  const mode = isSynchronous ? 'synchronous' : 'asynchronous';
  log(`${mode}: starting three PostgreSQL servers under Patroni`);
  await using cleanUp = new AsyncDisposableStack();
  const cluster = cleanUp.adopt(await startPatroni({ isSynchronous }), (started) => started.stop());
  const receiver = cleanUp.adopt(await startReceiver(), (started) => started.close());
  const settings = { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' };
  const pipeline = cleanUp.adopt(
    await startPipeline({ devices: DEVICES, thresholdOf, postgres: cluster, settings }),
    (started) => started.stop(),
  );
  await addEndpoint(pipeline, receiver.url);
  const writers = [pipeline.role('writer'), pipeline.role('writer')];
  const worker = pipeline.role('worker', { DATABASE_URL: pipeline.urls.worker });
  let output = '';
  for (const writer of writers) writer.onOutput = (text) => (output += text);
  await Promise.all([...writers, worker].map((role) => role.start()));
  const reads = await startReads(pipeline, cluster);
  const load = startLoad(pipeline, { replayShare: 0.05, startAtMs: Date.now() - 3 * HOUR_MS });
  await sleep(3_000);
  const outagesMs: number[] = [];
  for (let n = 0; n < kills; n++) {
    const outageMs = await replacePrimary(cluster, { isSynchronous, isWholeNode: n % 2 === 1 });
    log(`${mode}: primary killed (${n + 1} of ${kills}), the next one after ${(outageMs / 1_000).toFixed(1)} s`);
    outagesMs.push(outageMs);
    await cluster.untilComplete();
    await sleep(3_000);
  }
  log(`${mode}: a standby hangs for ${HANG_MS / 1_000} s`);
  reads.longestMs = 0;
  await hangStandby(cluster);
  const longestMs = reads.longestMs;
  const { mqtt, http } = await load.stop();
  await untilDrained(pipeline);
  await sleep(3_000); // the last webhooks
  await reads.stop();
  const replayed = [...output.matchAll(/"messages":(\d+),"after"/g)].reduce((sum, [, n]) => sum + Number(n), 0);
  // Before the readings are compared: that evaluates all tanks again, and may record events that nobody has read.
  const missedEvents = await findMissed(pipeline, reads.eventIds);
  for (const event of missedEvents) log(`${mode}: the reader of the feed missed ${event}`);
  const unknown = await findUnknown(pipeline, receiver.received);
  for (const { atMs, body } of unknown) log(`${mode}: ${new Date(atMs).toISOString()} webhook without event: ${body}`);
  const ids = idsOf(receiver.received);
  const checks = [
    ...(await verify(pipeline, [mqtt.record, http.record])),
    atLeast('events sent to the webhook receiver', new Set(ids).size, 1),
    atMost('ids of webhooks that no stored event has', unknown.length, 0),
    figure('webhooks received more than once', ids.length - new Set(ids).size),
    atLeast('events that a reader of the feed saw', reads.eventIds.size, 10),
    atMost('stored events that a reader of the feed missed', missedEvents.length, 0),
    atLeast('times the primary was killed', kills, kills),
    atLeast('reads', reads.requests, 100),
    atMost('reads that failed twice in a row', reads.failedTwice, 0),
    figure('reads that failed once', reads.failedOnce),
    atMost('longest read while a standby hangs, in seconds', longestMs / 1_000, 5),
    figure('messages processed again', replayed),
    figure('longest time without a primary, in seconds', Math.max(...outagesMs) / 1_000),
  ];
  for (const failure of reads.failures) log(`${mode}: a read failed after ${failure}`);
  return checks.map((check) => ({ ...check, what: `${mode}: ${check.what}` }));
}

async function addEndpoint({ owner, secretsKey }: Pipeline, url: string): Promise<void> {
  await transaction(owner, async (tx) => {
    const { rows } = await tx.query<{ no: number }>('select no from organizations');
    await createEndpoint(tx, rows[0]?.no ?? 0, { url, types: [] }, secretsKey);
  });
}

/** Kills the primary and waits for the next one. Returns the time in between. */
async function replacePrimary(
  cluster: PatroniCluster,
  { isSynchronous, isWholeNode }: { isSynchronous: boolean; isWholeNode: boolean },
): Promise<number> {
  const killed = await cluster.primary();
  const standbys = cluster.nodes.filter((node) => node !== killed);
  // Without synchronous commits the standbys fall behind by two seconds, which are lost with the primary.
  const receivers = isSynchronous ? [] : await Promise.all(standbys.map((node) => node.walReceiver()));
  signal(receivers, 'SIGSTOP');
  if (!isSynchronous) await sleep(2_000);
  const startMs = performance.now();
  await (isWholeNode ? killed.killNode() : killed.killPostgres());
  // Ended before they continue: otherwise they would still read what the kernel keeps for them. Not with SIGKILL, after
  // which PostgreSQL restarts the whole standby, and no server could be read.
  signal(receivers, 'SIGTERM');
  signal(receivers, 'SIGCONT');
  for (;;) {
    if (
      await Promise.any(standbys.map(async (node) => (await node.has('/primary')) || Promise.reject())).catch(
        () => false,
      )
    )
      break;
    await sleep(100);
  }
  const outageMs = performance.now() - startMs;
  if (isWholeNode) await killed.start();
  return outageMs;
}

/** With synchronous commits, this may be the standby that commits wait for. Then they wait until Patroni chooses another. */
async function hangStandby(cluster: PatroniCluster): Promise<void> {
  const primary = await cluster.primary();
  const resume = await cluster.nodes.find((node) => node !== primary)?.hang();
  await sleep(HANG_MS);
  resume?.();
  await cluster.untilComplete();
}

const signal = (pids: readonly (number | undefined)[], name: NodeJS.Signals): void => {
  for (const pid of pids) if (pid !== undefined) process.kill(pid, name);
};

async function findMissed({ owner }: Pipeline, seen: ReadonlySet<string>): Promise<string[]> {
  const { rows } = await owner.query<{ id: string; text: string }>(
    'select id, row_to_json(e)::text as text from events e',
  );
  return rows.filter(({ id }) => !seen.has(id)).map(({ text }) => text);
}

/** An event that is recorded again after its first recording was lost has the id that receivers know. */
async function findUnknown({ owner }: Pipeline, received: readonly Received[]): Promise<Received[]> {
  const { rows } = await owner.query<{ id: string }>('select id from events');
  const stored = new Set(rows.map(({ id }) => id));
  const byId = new Map(received.map((webhook) => [String(webhook.headers['webhook-id']), webhook]));
  return [...byId].filter(([id]) => !stored.has(id)).map(([, webhook]) => webhook);
}

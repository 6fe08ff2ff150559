import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { atLeast, atMost, type BenchOptions, type Check, figure, type Report, upperMedian } from '../bench/report.ts';
import { startInstallation } from '../engines/installation.ts';
import { readNumber } from '../engines/read_number.ts';
import { repeat } from '../engines/repeat.ts';
import { createTenant } from '../engines/tenant.ts';
import {
  PROVIDER_SECRET,
  type ProviderFault,
  type RunningProvider,
  startTextProvider,
} from '../engines/text_provider.ts';
import { until } from '../engines/until.ts';
import { operatorChange } from '../src/catalog/change_context.ts';
import { transaction } from '../src/db/pool.ts';
import { setDutyPlan } from '../src/duty/duty_plan.ts';
import { setTextChannel } from '../src/duty/text_channel.ts';
import { recordEvents } from '../src/evaluation/record_events.ts';
import { addContact } from '../src/mail/contacts.ts';
import { acknowledgeTank } from '../src/status/acknowledge_tank.ts';
import { deriveApiSecretsKey } from '../src/values/api_secrets_key.ts';
import { holdNotifications, releaseNotifications } from '../src/worker/holds.ts';
import { untilSendersEnd } from '../src/worker/sending_locks.ts';

interface DutyRun {
  losses: number;
  organizations: number;
  /** The time in which new losses begin. It is longer if workers start slowly. */
  seconds: number;
  /** How many workers are killed in that time. Up to as many again are killed until all steps are made. */
  kills: number;
  /** The time from the step for the person on duty to that for the next person, and from there to that for all. */
  stepSeconds: number;
  log: (line: string) => void;
}

const WORKERS = 2;
/** The time until the first step. */
const FIRST_SECONDS = 1;
/**
 * The time in which a loss must reach a person: the first step, the lease of a killed worker (25 s), three attempts at a provider
 * that refuses (3 and 7 s apart, 15 s each at most), and as much again for the next person if the first text fails.
 */
const MAX_SECONDS = FIRST_SECONDS + 2 * (25 + 10 + 15);
/** A text up to this long after a person took the loss is not a fault: its request was already in progress. */
const RACE_MS = 1_000;
/** Every tenth loss is taken before its first step, every fifth after it. */
const TAKEN_BEFORE = 10;
const TAKEN_BETWEEN = 5;
const HOLD_SECONDS = 2;

/**
 * Losses begin in many organizations, while workers are killed with SIGKILL, and the provider of texts is slow, refuses, closes
 * connections after it accepted a text, and reports twice. People take some of the losses. Notifications are held for two seconds.
 */
export async function runDuty({ isQuick, log }: BenchOptions): Promise<Report> {
  const run = isQuick
    ? { losses: 40, organizations: 8, seconds: 6, kills: 3, stepSeconds: 4 }
    : { losses: 1_000, organizations: 50, seconds: 120, kills: 30, stepSeconds: 15 };
  return { name: 'duty', checks: await notifyLosses({ ...run, log }) };
}

interface BegunLoss {
  organizationNo: number;
  tankNo: number;
  tankId: string;
  atMs: number;
  /** If a person took the loss, the commit was between `takenFromMs` and `takenMs`. */
  takenFromMs: number | null;
  takenMs: number | null;
}

export async function notifyLosses({
  losses,
  organizations,
  seconds,
  kills,
  stepSeconds,
  log,
}: DutyRun): Promise<Check[]> {
  await using cleanUp = new AsyncDisposableStack();
  const provider = await startTextProvider();
  cleanUp.defer(() => provider.close());
  provider.chooseFault = chooseFault;
  provider.reportTimes = 2;
  await using installation = await startInstallation({ devices: 0 });
  const { owner, secretsKey, apiUrl } = installation;
  const begun = await prepareLosses(owner, { losses, organizations, secretsKey, provider, stepSeconds });
  log(`${begun.length} tanks in ${organizations} organizations`);
  const settings = { PUBLIC_URL: apiUrl };
  await installation.start('api', settings);
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => installation.start('worker', settings)));

  let killed = 0;
  const killNext = async (): Promise<void> => {
    const worker = workers[killed % WORKERS];
    killed++;
    await worker?.kill();
    await worker?.start();
  };
  let killing = Promise.resolve();
  const taking: Promise<void>[] = [];
  let holding: Promise<HeldTime> | undefined;
  let nextAtMs = Date.now();
  for (const [index, loss] of begun.entries()) {
    if (index === Math.floor(losses / 2)) holding = hold(owner);
    // Kills are spread over the losses: if workers start slowly, losses begin slowly too.
    if (killed < Math.floor(((index + 1) * kills) / losses)) {
      await killing;
      killing = killNext();
    }
    nextAtMs = Math.max(Date.now(), nextAtMs + (seconds * 1_000) / losses);
    await sleep(Math.max(0, nextAtMs - Date.now()));
    await beginLoss(owner, loss);
    const afterMs = takenAfterMs(index);
    if (afterMs !== null) taking.push(sleep(afterMs).then(() => takeLoss(owner, loss)));
  }
  await Promise.all([killing, ...taking]);
  log(`${killed} workers killed; waiting until all steps are made`);
  // There are at most as many kills again, because each one can delay the end by the lease of a worker.
  const moreKills = repeat((seconds * 1_000) / Math.max(kills, 1), async () => {
    if (killed < 2 * kills) await killNext();
  });
  try {
    await untilEnded(owner, losses);
  } finally {
    await moreKills.stop();
  }
  const held = (await holding) ?? { heldMs: 0, fromMs: 0, toMs: 0 };
  return evaluate(owner, { begun, provider, kills: [killed, kills], held, log });
}

/** The time from the beginning of a loss until a person takes it. Null if nobody does. */
function takenAfterMs(index: number): number | null {
  if (index % TAKEN_BEFORE === 0) return 0;
  return index % TAKEN_BETWEEN === 0 ? (FIRST_SECONDS + 2) * 1_000 : null;
}

/** Nearly one in five requests has a fault. */
function chooseFault(): ProviderFault | undefined {
  const dice = Math.random();
  if (dice < 0.05) return { slowMs: 3_000 };
  if (dice < 0.1) return { status: 503 };
  if (dice < 0.12) return { status: 429 };
  if (dice < 0.14) return { lost: true };
  if (dice < 0.16) return { status: 400 };
  return dice < 0.18 ? { undelivered: true } : undefined;
}

/** Creates organizations with a provider, three people and a plan each, and tanks that will lose gas. */
async function prepareLosses(
  owner: Pool,
  {
    losses,
    organizations,
    secretsKey,
    provider,
    stepSeconds,
  }: Pick<DutyRun, 'losses' | 'organizations' | 'stepSeconds'> & { secretsKey: string; provider: RunningProvider },
): Promise<BegunLoss[]> {
  const begun: BegunLoss[] = [];
  for (let number = 0; number < organizations; number++) {
    const devices = Math.ceil((losses - begun.length) / (organizations - number));
    const { organizationNo, tanks } = await createTenant(owner, { code: `a0duty${number}`, devices });
    await transaction(owner, async (tx) => {
      const change = operatorChange(tx, organizationNo);
      const channel = {
        provider: 'gateway',
        from: 'Duty',
        url: `${provider.url}/send`,
        secret: PROVIDER_SECRET,
      } as const;
      await setTextChannel(change, { ...channel, daily_limit: 100_000 }, deriveApiSecretsKey(secretsKey));
      const ids: string[] = [];
      for (let person = 0; person < 3; person++) {
        const { id } = await addContact(change, { email: `p${person}@duty${number}.example` });
        await tx.query(
          `insert into contact_reach (no, organization_no, phone, verified_at, by_mail)
           select no, organization_no, $2, now(), false from contacts where id = $1`,
          [id, `+1802${String(number * 10 + person).padStart(7, '0')}`],
        );
        ids.push(id);
      }
      const [first = '', next = ''] = ids;
      await setDutyPlan(change, {
        shifts: [
          { weekdays: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '00:00', contact_id: first, next_contact_id: next },
        ],
        exceptions: [],
        first_minutes: FIRST_SECONDS / 60,
        next_minutes: stepSeconds / 60,
        all_minutes: stepSeconds / 60,
        repeat_minutes: null,
      });
    });
    for (const { no, id } of tanks)
      begun.push({ organizationNo, tankNo: no, tankId: id, atMs: 0, takenFromMs: null, takenMs: null });
  }
  return begun;
}

/** Records a loss as the writer does. */
async function beginLoss(owner: Pool, loss: BegunLoss): Promise<void> {
  const occurredAt = new Date().toISOString();
  await transaction(owner, async (tx) => {
    await tx.query('update fleet_tanks set losing_seen_at = now() where tank_no = $1', [loss.tankNo]);
    await recordEvents(tx, [
      {
        organizationNo: loss.organizationNo,
        tankNo: loss.tankNo,
        type: 'tank.rapid_loss',
        occurredAt,
        data: { from_percentage: 64, to_percentage: 34, hours: 9, lost_volume: 150, volume_unit: 'liters' },
        readings: [{ created_at: occurredAt, fill_percentage: 34 }],
        notify: true,
      },
    ]);
  });
  loss.atMs = Date.now();
}

/** A person takes the loss, as in the console. */
async function takeLoss(owner: Pool, loss: BegunLoss): Promise<void> {
  loss.takenFromMs = Date.now();
  await transaction(owner, (tx) =>
    acknowledgeTank(operatorChange(tx, loss.organizationNo), loss.tankId, {
      conditions: ['losing'],
      until: new Date(Date.now() + 3_600_000).toISOString(),
      comment: null,
      replaces: [],
    }),
  );
  loss.takenMs = Date.now();
}

interface HeldTime {
  /** The beginning of the hold. After it, no new request is sent. */
  heldMs: number;
  /** The end of the last request that had begun before the hold. */
  fromMs: number;
  /** The end of the hold. */
  toMs: number;
}

/** Holds notifications for some seconds while losses go on, as the command does. */
async function hold(owner: Pool): Promise<HeldTime> {
  const heldMs = Date.now();
  await transaction(owner, (tx) => holdNotifications(tx, 'faults', false));
  await transaction(owner, (tx) => untilSendersEnd(tx, 'notifications'));
  const fromMs = Date.now();
  await sleep(HOLD_SECONDS * 1_000);
  const toMs = Date.now();
  await transaction(owner, releaseNotifications);
  return { heldMs, fromMs, toMs };
}

const UNENDED = `
  select $1 - (select count(*) from escalations where ended_at is not null or taken_at is not null)
    + (select count(*) from text_jobs where given_up_at is null) as n`;

const untilEnded = (owner: Pool, losses: number): Promise<boolean> =>
  until(
    'all steps are made and all texts are sent',
    async () => (await readNumber(owner, UNENDED, [losses])) === 0,
    600_000,
  );

interface StoredText {
  id: string;
  tank_no: number;
  contact_no: number;
  step: number;
  status: string;
  unknown: number;
  error: string | null;
  began_at: string;
  created_at: string;
  sent_at: string | null;
}

async function evaluate(
  owner: Pool,
  {
    begun,
    provider,
    kills: [killed, expectedKills],
    held,
    log,
  }: {
    begun: readonly BegunLoss[];
    provider: RunningProvider;
    kills: readonly [number, number];
    held: HeldTime;
    log: DutyRun['log'];
  },
): Promise<Check[]> {
  const { rows: stored } = await owner.query<StoredText>(
    `select t.id, x.tank_no, t.contact_no, t.step, t.status, t.unknown, t.error, x.began_at, t.created_at, t.sent_at
     from texts t join escalations x on x.no = t.escalation_no order by t.no`,
  );
  const textsOf = Map.groupBy(stored, ({ tank_no: tankNo }) => tankNo);
  const acceptedOf = Map.groupBy(provider.texts, ({ reference }) => reference);
  const untaken = begun.filter(({ takenMs }) => takenMs === null);
  const seconds = untaken.map(({ tankNo, atMs }) => {
    const arrived = (textsOf.get(tankNo) ?? [])
      .filter(({ status }) => status === 'delivered' || status === 'sent')
      .flatMap(({ id }) => (acceptedOf.get(id) ?? []).map((text) => text.atMs));
    const first = Math.min(...arrived);
    // The time in which notifications are held does not count.
    const waitedMs = atMs < held.toMs && first > held.heldMs ? held.toMs - Math.max(atMs, held.heldMs) : 0;
    return (first - atMs - waitedMs) / 1_000;
  });
  const slowest = untaken[seconds.indexOf(Math.max(...seconds))];
  if (slowest !== undefined) logSteps(slowest, textsOf.get(slowest.tankNo) ?? [], log);
  // A text that the provider accepted twice is a fault, unless the answer to its first request did not arrive.
  const doubled = stored.filter(({ id }) => (acceptedOf.get(id) ?? []).length > 1);
  const steps = new Set(stored.map(({ tank_no, contact_no, step }) => `${tank_no} ${contact_no} ${step}`));
  const lateTexts = begun.flatMap(({ tankNo, takenFromMs, takenMs }) =>
    (textsOf.get(tankNo) ?? [])
      .flatMap(({ id }) => acceptedOf.get(id) ?? [])
      .flatMap(({ atMs }) =>
        takenMs === null || takenFromMs === null || atMs < takenFromMs ? [] : [{ afterMs: atMs - takenMs }],
      ),
  );
  const isRace = ({ afterMs }: { afterMs: number }): boolean => afterMs <= RACE_MS;
  return [
    figure('losses', begun.length),
    figure('losses that a person took', begun.filter(({ takenMs }) => takenMs !== null).length),
    figure('texts that the provider accepted', provider.texts.length),
    figure('requests to the provider', provider.requests),
    atLeast('kill -9 of workers', killed, expectedKills),
    atMost('losses that reached nobody', seconds.filter((value) => !Number.isFinite(value)).length, 0),
    atMost('longest time until a loss reached a person, s', Math.max(...seconds), MAX_SECONDS),
    figure('median time until a loss reached a person, s', upperMedian(seconds)),
    atMost('texts to a person beyond one in a step', stored.length - steps.size, 0),
    atMost(
      'texts accepted twice although the first answer arrived',
      doubled.filter(({ unknown }) => unknown === 0).length,
      0,
    ),
    figure(
      'texts accepted twice because the first answer was lost',
      doubled.filter(({ unknown }) => unknown > 0).length,
    ),
    atMost(
      `texts more than ${RACE_MS / 1_000} s after a person took the loss`,
      lateTexts.filter((text) => !isRace(text)).length,
      0,
    ),
    figure(`texts within ${RACE_MS / 1_000} s after a person took the loss`, lateTexts.filter(isRace).length),
    atMost(
      'texts while notifications were held',
      provider.texts.filter(({ atMs }) => atMs > held.fromMs && atMs < held.toMs).length,
      0,
    ),
    atLeast('reports that were answered', provider.reportAnswers.filter((status) => status === 204).length, 1),
    atMost('reports that counted as not signed', provider.reportAnswers.filter((status) => status === 404).length, 0),
    figure(
      'reports refused because the api was busy, 429 and 503',
      provider.reportAnswers.filter((status) => status === 429 || status === 503).length,
    ),
  ];
}

/** Logs how long each step of a loss took. */
function logSteps({ atMs }: BegunLoss, texts: readonly StoredText[], log: DutyRun['log']): void {
  const after = (at: string | null): string => (at === null ? 'never' : `${(Date.parse(at) - atMs) / 1_000} s`);
  log(`the slowest loss: its escalation began after ${after(texts[0]?.began_at ?? null)}`);
  for (const { step, status, unknown, error, created_at, sent_at } of texts)
    log(
      `step ${step} after ${after(created_at)}, sent after ${after(sent_at)}, ${status}, ${unknown} unknown, ${error ?? ''}`,
    );
}

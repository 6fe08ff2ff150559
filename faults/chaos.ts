import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost, type BenchOptions, figure, type Report } from '../bench/report.ts';
import { diskFaults, loginFaults, poisonFaults } from './chaos/engine_faults.ts';
import type { Fault } from './chaos/fault.ts';
import { type ChaosInstallation, type Part, startChaosInstallation } from './chaos/installation.ts';
import { LagWatch } from './chaos/lag.ts';
import { CHAOS_DEVICES, sendQuietHistory, startChaosLoads } from './chaos/load.ts';
import { fewNetworkFaults, networkFaults } from './chaos/network_faults.ts';
import { clockFaults, clockJump, stopFaults, stoppedBackends, stoppedRole } from './chaos/process_faults.ts';
import { ReadinessWatch } from './chaos/readiness.ts';
import { untilEvaluated, verify } from './verify.ts';

/** /readyz must be right within this time after a change. */
const TRUE_WITHIN_MS = 10_000;
/** How long a reading may wait while one writer, nats-server and PostgreSQL work. */
const TAKEOVER_MS = 20_000;
const DRAINED_WITHIN_SECONDS = 30;

/** At least 60 faults (8 with --quick) under load: processes that hang, networks that fail, refused logins, full disks. */
export function runChaosFaults({ isQuick, log }: BenchOptions): Promise<Report> {
  return runChosenFaults(isQuick ? fewFaults : allFaults, log, isQuick ? 8 : 60);
}

export async function runChosenFaults(
  choose: (installation: ChaosInstallation) => Fault[],
  log: (line: string) => void,
  atLeastFaults = 1,
): Promise<Report> {
  await using installation = await startChaosInstallation(CHAOS_DEVICES);
  return await runChaos(installation, choose(installation), log, atLeastFaults);
}

const allFaults = (installation: ChaosInstallation): Fault[] => [
  ...stopFaults(installation),
  ...loginFaults(installation),
  ...networkFaults(installation),
  ...poisonFaults(installation),
  ...clockFaults(installation), // late: timers begin some minutes after a writer's start
  ...diskFaults(installation),
];

/** The faults of the test suite: under a minute on a machine that does nothing else. */
export const briefFaults = (installation: ChaosInstallation): Fault[] => {
  const short = (fault: Fault): Fault => ({ ...fault, holdMs: Math.min(fault.holdMs, 4_000) });
  return [
    ...fewNetworkFaults(installation),
    ...loginFaults(installation).slice(0, 1),
    ...poisonFaults(installation).slice(0, 1),
    stoppedBackends(installation, installation.writers[0]),
  ].map(short);
};

const fewFaults = (installation: ChaosInstallation): Fault[] => {
  const [first, second] = installation.writers;
  return [
    stoppedRole(second),
    stoppedBackends(installation, first),
    ...fewNetworkFaults(installation),
    ...loginFaults(installation).slice(0, 2),
    ...poisonFaults(installation).slice(0, 1),
    { ...clockJump(second, 1), holdMs: 2_000 },
  ];
};

async function runChaos(
  installation: ChaosInstallation,
  faults: readonly Fault[],
  log: (line: string) => void,
  atLeastFaults: number,
): Promise<Report> {
  const { gateways, writers } = installation;
  const parts = [...gateways, ...writers];
  const lag = await LagWatch.start(installation);
  const readiness = new ReadinessWatch(parts);
  const violations: string[] = [];
  const startMs = performance.now();
  try {
    const history = await sendQuietHistory(installation);
    const loads = startChaosLoads(installation);
    await Promise.all(loads.map(({ started }) => started));
    await sleep(2_000);
    for (const [index, fault] of faults.entries()) {
      const found = await inflict(fault, parts, readiness, lag);
      log(`${index + 1} of ${faults.length}: ${fault.name}${found.map((text) => `\n     ${text}`).join('')}`);
      violations.push(...found.map((text) => `${fault.name}: ${text}`));
    }
    const faultsEndMs = performance.now();
    const sent = await Promise.all(loads.map((load) => load.stop()));
    const isDrained = await lag.untilDrained(4 * DRAINED_WITHIN_SECONDS * 1_000);
    const drainedSeconds = isDrained ? (performance.now() - faultsEndMs) / 1_000 : Number.POSITIVE_INFINITY;
    await untilEvaluated(installation).catch(() => {}); // the comparison reports which tanks are wrong
    log(`drained ${drainedSeconds.toFixed(1)} s after the last fault; comparing ...`);
    // Readiness is read before the comparison, which keeps this process too busy for probes. After the load, they may be late.
    await readiness.until(parts, true, 60_000);
    const notReady = parts.filter((part) => !readiness.isReady(part)).length;
    const records = [history, ...sent.flatMap(({ mqtt, http }) => [mqtt.record, http.record])];
    const total = (count: (result: (typeof sent)[number]) => number): number =>
      sent.reduce((sum, result) => sum + count(result), 0);
    return {
      name: 'chaos',
      checks: [
        ...(await verify(installation, records)),
        atMost('false answers of /readyz and late takeovers', violations.length, 0),
        atMost('roles not ready at the end', notReady, 0),
        atMost(
          'seconds from the last fault until everything acknowledged was committed',
          drainedSeconds,
          DRAINED_WITHIN_SECONDS,
        ),
        atLeast('faults', faults.length, atLeastFaults),
        figure(
          'MQTT publishes sent again',
          total(({ mqtt }) => mqtt.resent + mqtt.replayed),
        ),
        figure(
          'HTTP requests refused with 503',
          total(({ http }) => http.refused),
        ),
        figure(
          'HTTP requests whose outcome is unknown',
          total(({ http }) => http.lost),
        ),
      ],
      violations,
      full_disks:
        installation.postgresDisk && installation.natsDisk ? 'tried' : 'not tried: mounting is not permitted here',
      seconds: Math.round((faultsEndMs - startMs) / 1_000),
    };
  } finally {
    await readiness.stop();
    await lag.stop();
  }
}

/** Runs one fault until everything works again. Returns descriptions of what was wrong. */
async function inflict(
  fault: Fault,
  parts: readonly Part[],
  readiness: ReadinessWatch,
  lag: LagWatch,
): Promise<string[]> {
  const found: string[] = [];
  const { unable, undecided } = fault;
  const able = parts.filter((part) => !unable.includes(part) && !undecided.includes(part));
  lag.forget();
  const beginMs = performance.now();
  await fault.begin();
  if (unable.length > 0 && (await readiness.until(unable, false, TRUE_WITHIN_MS)) === undefined) {
    const wrong = unable.filter((part) => readiness.isReady(part));
    found.push(`${namesOf(wrong)} still ready ${TRUE_WITHIN_MS / 1_000} s after the fault began`);
  }
  await sleep(Math.max(0, fault.holdMs - (performance.now() - beginMs)));
  for (const part of able) {
    const isWrong = !readiness.isReady(part) && readiness.unchangedMs(part) > TRUE_WITHIN_MS;
    if (isWrong) found.push(`${part.name} could work and was not ready for ${seconds(readiness.unchangedMs(part))} s`);
  }
  if (fault.isPartial && lag.maxMs > TAKEOVER_MS) {
    found.push(`readings waited ${seconds(lag.maxMs)} s beside a writer that works`);
  }
  try {
    await fault.end();
  } catch (error) {
    found.push(error instanceof Error ? error.message : String(error));
  }
  if ((await readiness.until(parts, true, TRUE_WITHIN_MS)) === undefined) {
    const wrong = parts.filter((part) => !readiness.isReady(part));
    found.push(`${namesOf(wrong)} not ready ${TRUE_WITHIN_MS / 1_000} s after the fault ended`);
  }
  if (!(await lag.untilLow(DRAINED_WITHIN_SECONDS * 1_000)))
    found.push(`readings waited ${seconds(lag.nowMs)} s after the fault`);
  return found;
}

const namesOf = (parts: readonly Part[]): string => parts.map(({ name }) => name).join(', ');
const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

import { getPriority, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, type BenchOptions, type Check, figure, type Report, round, STOLEN_SHARE } from '../bench/report.ts';
import { RoleProcess } from '../engines/process.ts';
import { type ProcessUse, watchProcess } from '../engines/process_use.ts';
import { startStolenShare } from '../engines/stolen_time.ts';
import { freePort } from '../src/setup/servers/free_port.ts';
import type { Attack } from './abuse/attack.ts';
import { halfOpen } from './abuse/half_open.ts';
import { hangingNameServers } from './abuse/hanging_name_servers.ts';
import { heldRequests } from './abuse/held_requests.ts';
import { HonestTenant, type PathMeasurement } from './abuse/honest_tenant.ts';
import {
  type AttackedInstallation,
  MAX_MEMORY_MB,
  type Roles,
  startAttackedInstallation,
} from './abuse/installation.ts';
import { largeUplink } from './abuse/large_uplink.ts';
import { manageFlood } from './abuse/manage_flood.ts';
import { putBehindProxy } from './abuse/proxies.ts';
import { randomKeys } from './abuse/random_keys.ts';
import { readingFlood } from './abuse/reading_flood.ts';
import { revokedDevice } from './abuse/revoked_device.ts';
import { lockedOrganization, parallelSparks, parallelUsage, unindexedSearch } from './abuse/shared_database.ts';
import { unknownParameters } from './abuse/unknown_parameters.ts';

/** The honest tenant's p99 during an attack, as a multiple of its p99 before. */
const MAX_SLOWDOWN = 3;
/** A p99 up to this is never a failure: on a shared machine with two cores, the scheduler alone causes it. */
const LATENCY_FLOOR_MS = 150;
/** The growth of the memory of a process during an attack. Node's heap grows by about half of this under any load. */
const MAX_MEMORY_GROWTH_MB = 128;

const ATTACKER_NICE = 10;

/** Runs each attack on an installation of real processes, with an honest tenant beside the attacker. */
export async function runAbuse({ isQuick, log, only }: BenchOptions & { only?: string }): Promise<Report> {
  await using installation = await startAttackedInstallation();
  const webhookPort = await freePort();
  const nameServers = await hangingNameServers(webhookPort);
  const attacks = [
    revokedDevice,
    largeUplink,
    unknownParameters,
    nameServers,
    randomKeys,
    halfOpen,
    readingFlood,
    ...heldRequests,
    parallelSparks,
    parallelUsage,
    unindexedSearch,
    lockedOrganization,
    manageFlood,
  ].filter(({ name }) => only === undefined || only.split(',').includes(name));
  if (attacks.length === 0) throw new Error(`there is no attack "${only}"`);
  const checks: Check[] = [];
  const attackReports: Record<string, unknown> = {};
  try {
    for (const attack of attacks) {
      log(`${attack.name} ...`);
      const outcome = await runAttack(installation, attack, { isQuick, log, webhookPort });
      checks.push(...outcome.checks.map((check) => ({ ...check, what: `${attack.name}: ${check.what}` })));
      attackReports[attack.name] = outcome.detail;
    }
    const crashes = installation.crashes();
    for (const output of crashes) console.error(output);
    checks.push(atMost('processes that ended by themselves', crashes.length, 0));
  } finally {
    nameServers.stop();
  }
  return { name: 'abuse', checks, attacks: attackReports };
}

/**
 * Runs the attacker with a low priority, because it shares the CPUs with the attacked roles instead of having its own machine.
 * Without root the priority cannot be raised again, and the processes of later attacks keep it.
 */
async function runAtLowPriority<T>(run: () => Promise<T>): Promise<T> {
  const before = getPriority();
  setPriority(before + ATTACKER_NICE);
  try {
    return await run();
  } finally {
    try {
      setPriority(before);
    } catch {
      // not root
    }
  }
}

interface RunOptions extends BenchOptions {
  webhookPort: number;
}

async function runAttack(
  installation: AttackedInstallation,
  attack: Attack,
  options: RunOptions,
): Promise<{ checks: Check[]; detail: unknown }> {
  const { before, during, claims, used, seconds, stolenShare } = await measureAttack(installation, attack, options);
  return {
    checks: [
      ...honestChecks(before, during),
      ...claims,
      ...resourceChecks(used, seconds),
      figure(STOLEN_SHARE, stolenShare),
    ],
    detail: { before, during, used },
  };
}

export interface MeasuredAttack {
  before: PathMeasurement[];
  during: PathMeasurement[];
  /** The checks of the attack itself. */
  claims: Check[];
  used: RoleUse[];
  seconds: number;
  /** The share of the CPU time that the host took away during the attack. */
  stolenShare: number;
}

/** Runs an attack on fresh processes, and measures the honest tenant before and during the attack. */
export async function measureAttack(
  installation: AttackedInstallation,
  attack: Attack,
  { isQuick, log, webhookPort }: RunOptions,
): Promise<MeasuredAttack> {
  const started = await installation.startRoles(attack.roles, attack.settings ?? {});
  const roles = attack.via === undefined ? started : await putBehindProxy(started, attack.via);
  const context = { installation, roles, isQuick, log };
  let honest: HonestTenant | undefined;
  try {
    await attack.prepare?.(context);
    honest = await HonestTenant.start(honestOptions(installation, roles, attack, webhookPort));
    await honest.measure(sleep(1_000)); // caches, plans and compiled code are warm after this
    const { measured: before } = await honest.measure(sleep(isQuick ? 2_000 : 10_000));
    const watched = await Promise.all(
      [...roles.processes].map(async ([role, { pid }]) => ({ role, use: await watchProcess(pid) })),
    );
    const startMs = performance.now();
    const stolenShare = startStolenShare();
    const { measured: during, result: claims } = await honest.measure(runAtLowPriority(() => attack.run(context)));
    const seconds = (performance.now() - startMs) / 1_000;
    const stolen = stolenShare();
    const used = await Promise.all(
      watched.map(async ({ role, use }) => ({
        role,
        ...(await use.stop()),
        groupPeakMb: roles.memoryLimits.get(role)?.peakMb(),
      })),
    );
    const finished = (await attack.finish?.(context)) ?? [];
    return { before, during, claims: [...claims, ...finished], used, seconds, stolenShare: stolen };
  } finally {
    await honest?.stop();
    await roles.stop();
  }
}

function honestOptions(
  { honest, ownerUrl }: AttackedInstallation,
  roles: Roles,
  { honestPaths }: Attack,
  webhookPort: number,
) {
  // Tests start no idle process.
  const idleUrl = RoleProcess.eventLoopDelays?.idleUrl;
  return {
    paths: honestPaths.filter((path) => path !== 'idle' || idleUrl !== undefined),
    mqttUrl: `mqtt://127.0.0.1:${roles.mqttPort}`,
    gatewayUrl: roles.gatewayUrl,
    apiUrl: roles.apiUrl,
    idleUrl: idleUrl ?? '',
    ownerDatabaseUrl: ownerUrl,
    webhookPort,
    devices: honest.devices,
    ingestKey: honest.ingestKey,
    readKey: honest.readKey,
    manageKey: honest.manageKey,
    organizationNo: honest.organizationNo,
    tankNo: honest.tanks[0]?.no ?? 0,
  };
}

function honestChecks(before: readonly PathMeasurement[], during: readonly PathMeasurement[]): Check[] {
  return during.flatMap((measured) => {
    const baseline = before.find(({ path }) => path === measured.path);
    const limitMs = round(Math.max((baseline?.p99Ms ?? 0) * MAX_SLOWDOWN, LATENCY_FLOOR_MS));
    const failures = measured.failures + (baseline?.failures ?? 0);
    const reason = measured.firstFailure || baseline?.firstFailure;
    return [
      figure(`honest ${measured.path}, p99 before in ms`, baseline?.p99Ms ?? Number.NaN),
      figure(`honest ${measured.path}, p99 during as a multiple`, measured.p99Ms / (baseline?.p99Ms ?? Number.NaN)),
      atMost(`honest ${measured.path}, p99 during in ms`, measured.p99Ms, limitMs),
      atMost(`honest ${measured.path}, failures of ${measured.requests}${reason ? ` (${reason})` : ''}`, failures, 0),
    ];
  });
}

interface RoleUse extends ProcessUse {
  role: string;
  /** Undefined if this machine cannot limit the memory of a process. */
  groupPeakMb: number | undefined;
}

function resourceChecks(uses: readonly RoleUse[], seconds: number): Check[] {
  return uses.flatMap(({ role, beforeMb, peakMb, groupPeakMb, cpuSeconds }) => [
    atMost(`${role}, peak memory in MB`, peakMb, MAX_MEMORY_MB),
    ...(groupPeakMb === undefined ? [] : [figure(`${role}, peak in its cgroup of 512 MB`, groupPeakMb)]),
    atMost(`${role}, growth of memory in MB`, peakMb - beforeMb, MAX_MEMORY_GROWTH_MB),
    figure(`${role}, share of one CPU`, cpuSeconds / seconds),
  ]);
}

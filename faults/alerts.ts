import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost, type BenchOptions, type Check, figure, type Report } from '../bench/report.ts';
import type { PrivatePrometheus } from '../engines/prometheus.ts';
import { PANELS } from '../scripts/dashboard_panels.ts';
import { ROLES, readRulesThatFireAtOnce, startObservedInstallation, UNTESTED_ALERTS } from './alerts/installation.ts';
import { SCENARIOS } from './alerts/scenarios.ts';

const HEALTHY_MS = 15_000;
const FIRES_WITHIN_MS = 180_000;

/**
 * Makes each alert of deploy/prometheus/alerts.yml fire by its fault, in a real Prometheus that scrapes real roles. Before the
 * faults, no alert may fire.
 */
export async function runAlerts({ isQuick, log }: BenchOptions): Promise<Report> {
  await using installation = await startObservedInstallation();
  const { prometheus } = installation;
  const seen = new Map<string, string>();
  const checks: Check[] = [];
  await untilScraped(prometheus);
  const falseAlerts = await collectFiring(prometheus, isQuick ? HEALTHY_MS : 4 * HEALTHY_MS);
  log(`alerts without a fault: ${[...falseAlerts].join(', ') || 'none'}`);
  checks.push(atMost('alerts that fire without a fault', falseAlerts.size, 0));
  checks.push(...(await checkDashboards(prometheus, log)));

  for (const { fault, alerts, inject } of SCENARIOS) {
    log(`${fault} ...`);
    const startMs = performance.now();
    const heal = await inject(installation);
    const missing = new Set(alerts);
    while (missing.size > 0 && performance.now() - startMs < FIRES_WITHIN_MS) {
      for (const { name, summary } of await prometheus.firing()) {
        if (missing.delete(name)) log(`  ${name} after ${seconds(startMs)} s: ${summary}`);
        if (!seen.has(name)) seen.set(name, fault);
      }
      await sleep(500);
    }
    if (missing.size > 0) log(`  did not fire: ${[...missing].join(', ')}`);
    checks.push(figure(`seconds until the alerts fired: ${fault}`, seconds(startMs)));
    await heal();
  }
  const rules = [...(await readRulesThatFireAtOnce()).matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
  const unseen = rules.filter((name) => !seen.has(name) && !UNTESTED_ALERTS.includes(name));
  if (unseen.length > 0) log(`never fired: ${unseen.join(', ')}`);
  checks.push(
    atLeast('alerts seen to fire', seen.size, rules.length - UNTESTED_ALERTS.length),
    atMost('alerts never seen', unseen.length, 0),
  );
  return { name: 'alerts', checks, fired: Object.fromEntries(seen), unseen };
}

const seconds = (sinceMs: number): number => Math.round((performance.now() - sinceMs) / 1_000);

async function untilScraped(prometheus: PrivatePrometheus): Promise<void> {
  for (const deadlineMs = Date.now() + 60_000; Date.now() < deadlineMs; await sleep(500)) {
    const [up = 0] = await prometheus.query('sum(up)');
    const [ready = 0] = await prometheus.query('sum(tankwatch_ready)');
    // Before the first scrapes, the alerts for missing roles fire.
    if (up === ROLES.length && ready === ROLES.length && (await prometheus.firing()).length === 0) return;
  }
  throw new Error('Prometheus did not see all roles ready within 60 s');
}

async function collectFiring(prometheus: PrivatePrometheus, durationMs: number): Promise<Set<string>> {
  const names = new Set<string>();
  for (const endMs = Date.now() + durationMs; Date.now() < endMs; await sleep(1_000))
    for (const { name } of await prometheus.firing()) names.add(name);
  return names;
}

/** Runs each query, and throws if Prometheus refuses it. Some queries have no result, because their metrics have no value yet. */
async function checkDashboards(prometheus: PrivatePrometheus, log: BenchOptions['log']): Promise<Check[]> {
  const queries = Object.values(PANELS).flatMap((panels) => panels.flatMap((panel) => Object.values(panel.queries)));
  const withoutResult: string[] = [];
  for (const query of queries) if ((await prometheus.query(query)).length === 0) withoutResult.push(query);
  log(`queries of dashboards without a result:\n  ${withoutResult.join('\n  ')}`);
  const withResult = queries.length - withoutResult.length;
  return [
    figure('queries of dashboards', queries.length),
    atLeast('queries of dashboards with a result', withResult, Math.floor(queries.length * 0.9)),
  ];
}

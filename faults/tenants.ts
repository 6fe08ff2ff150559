import { join } from 'node:path';
import { atMost, type BenchOptions, type Check, figure, type Report, round, STOLEN_SHARE } from '../bench/report.ts';
import { transaction } from '../src/db/pool.ts';
import { freePort } from '../src/setup/servers/free_port.ts';
import { createEndpoint } from '../src/webhooks/endpoints.ts';
import { startAttackedInstallation } from './abuse/installation.ts';
import { type MeasuredAttack, measureAttack } from './abuse.ts';
import { attacksOf } from './tenants/attacks.ts';
import { createAttacker, createOrganizations } from './tenants/organizations.ts';

interface RunOptions extends BenchOptions {
  only?: string;
  release?: string;
}

/** The others' p99 during the attack, as a multiple of their p99 before. */
const MAX_SLOWDOWN = 3;
const MAX_P99_MS = 150;
/** The limit of the delay beyond that of an idle process. */
const MAX_EVENT_LOOP_DELAY_MS = 50;
/** The time from an event until the endpoint of another organization has received it. */
const MAX_ALERT_MS = 2_000;

/**
 * One of many organizations attacks the others with requests that its own people may send. For a comparison, `release` is the
 * folder of an earlier release, whose roles are attacked on the schema of this source tree. It is a flag, not a variable: once
 * the variable of `faults -- upgrade` stayed set, and the failures of 0.3.0 were taken for those of this source tree.
 */
export async function runTenants({ isQuick, log, only, release }: RunOptions): Promise<Report> {
  const attacked = release ?? 'this source tree';
  log(`the attacked api and worker are those of ${attacked}`);
  await using installation = await startAttackedInstallation(
    release === undefined ? {} : { main: join(release, 'src', 'main.ts') },
  );
  const { owner, honest, secretsKey } = installation;
  const organizations = isQuick ? 200 : 20_000;
  log(`${organizations} organizations ...`);
  await createOrganizations(owner, organizations);
  const attacker = await createAttacker(installation, isQuick ? 4_000 : 30_000);
  const webhookPort = await freePort();
  await transaction(owner, (tx) => {
    const url = `http://127.0.0.1:${webhookPort}/`;
    return createEndpoint(tx, honest.organizationNo, { url, types: [] }, secretsKey);
  });
  await owner.query('vacuum analyze');
  const attacks = attacksOf(attacker).filter(({ name }) => only === undefined || only.split(',').includes(name));
  if (attacks.length === 0) throw new Error(`there is no attack "${only}"`);
  const checks: Check[] = [];
  const details: Record<string, unknown> = {};
  for (const attack of attacks) {
    log(`${attack.name} ...`);
    const measured = await measureAttack(installation, attack, { isQuick, log, webhookPort });
    for (const { path, requests, failures, p50Ms, p99Ms, maxMs } of measured.during)
      log(
        `  ${path}: ${failures} of ${requests} failed, ${[p50Ms, p99Ms, maxMs].map(Math.round).join(', ')} ms (p50, p99, max)`,
      );
    checks.push(...checksOf(measured).map((check) => ({ ...check, what: `${attack.name}: ${check.what}` })));
    details[attack.name] = measured;
  }
  const crashes = installation.crashes();
  for (const output of crashes) console.error(output);
  checks.push(atMost('processes that ended by themselves', crashes.length, 0));
  return { name: 'tenants', checks, organizations, attacked, attacks: details };
}

function checksOf({ before, during, claims, stolenShare }: MeasuredAttack): Check[] {
  const idleMs = during.find(({ path }) => path === 'idle')?.maxMs ?? 0;
  const others = during.flatMap(({ path, requests, failures, firstFailure, p50Ms, p99Ms, maxMs }) => {
    const baseline = before.find((measured) => measured.path === path);
    if (path === 'idle') return figure('delay of an idle process in ms, by the same probes', maxMs);
    const failed = atMost(
      `others' ${path}, failures of ${requests}${firstFailure && ` (${firstFailure})`}`,
      failures,
      0,
    );
    // A probe causes no work, so its latency is the delay of the event loop.
    if (path === 'probe')
      return [
        failed,
        atMost('event-loop delay of the api in ms, by its probes', maxMs, round(idleMs + MAX_EVENT_LOOP_DELAY_MS)),
      ];
    if (path === 'webhook') return [failed, atMost("others' slowest alert in ms", maxMs, MAX_ALERT_MS)];
    return [
      failed,
      figure(`others' ${path}, p50 before and during in ms: ${baseline?.p50Ms.toFixed(1)},`, p50Ms),
      atMost(`others' ${path}, p99 during as a multiple`, p99Ms / (baseline?.p99Ms ?? Number.NaN), MAX_SLOWDOWN),
      atMost(`others' ${path}, p99 during in ms`, p99Ms, MAX_P99_MS),
    ];
  });
  return [...others, ...claims, figure(STOLEN_SHARE, stolenShare)];
}

import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runLoad } from '../bench/load_client/load.ts';
import { startReads } from '../bench/load_client/read_load.ts';
import { atLeast, atMost, type BenchOptions, type Check, figure, type Report } from '../bench/report.ts';
import { DAY_MS } from '../src/values/time.ts';
import { MQTT_DEVICES } from './load.ts';
import { ROLES, type SoakInstallation, startSoakInstallation } from './soak/installation.ts';
import { searchLogs } from './soak/log_search.ts';
import { memorySlope } from './soak/memory_slope.ts';
import { PERSONAL } from './soak/people.ts';
import { pathsOf, type Rates, startTraffic, type Traffic } from './soak/traffic.ts';
import { untilDrained } from './verify.ts';

const LOAD_SHARE = 0.7;
/**
 * At 300 requests a second, 10 MB an hour are 10 bytes for each request, less than the smallest object. So a process that
 * keeps one object for each request, reading, mail or connection grows faster than this.
 */
const MAX_MB_PER_HOUR = 10;

/** Runs every role for 20 minutes (25 s with --quick) at 70 % of its load. No memory may grow, and no secret may be in a log. */
export async function runSoak({ isQuick, log }: BenchOptions): Promise<Report> {
  const [measureMs, soakMs, heapIntervalMs] = isQuick ? [5_000, 25_000, 1_000] : [30_000, 20 * 60_000, 10_000];
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tankwatch-soak-'));
  await using installation = await startSoakInstallation(folder.path, heapIntervalMs);
  const full = await measureFullLoad(installation, measureMs);
  const rates = {
    publishesPerSecond: full.publishesPerSecond * LOAD_SHARE,
    readsPerSecond: full.readsPerSecond * LOAD_SHARE,
  };
  log(`full load: ${Math.round(full.publishesPerSecond)} readings/s and ${Math.round(full.readsPerSecond)} reads/s`);
  const traffic = startTraffic(installation, rates);
  await sleep(soakMs);
  log('stopping');
  await traffic.stop();
  await untilDrained(installation);
  const crashes = installation.crashes().length;
  await installation.stopRoles();
  for (const failure of traffic.failures) log(`failed: ${failure}`);
  return {
    name: 'soak',
    checks: [
      figure('minutes', soakMs / 60_000),
      figure('full load, readings/s', full.publishesPerSecond),
      figure('full load, reads/s', full.readsPerSecond),
      ...trafficChecks(installation, traffic),
      atMost('processes that ended by themselves', crashes, 0),
      ...(await memoryChecks(installation, isQuick)),
      ...(await logChecks(installation, traffic, log)),
    ],
  };
}

/** Measures readings and reads at the same time, each as fast as they are answered. Readings count when they are stored. */
async function measureFullLoad(installation: SoakInstallation, durationMs: number): Promise<Rates> {
  const { people, apiUrl: url } = installation;
  const reads = startReads({ url, keys: people.readKeys.slice(0, 1), paths: pathsOf(installation), clients: 8 });
  const { acknowledged, seconds } = await runLoad({
    url: installation.mqttUrl,
    devices: installation.devices.slice(0, MQTT_DEVICES),
    startAtMs: Date.now() - 2 * DAY_MS,
    stepMs: 1_000,
    inFlight: 1,
    durationMs,
  });
  const sentMs = performance.now();
  const { requests } = reads;
  await reads.stop();
  await untilDrained(installation);
  return {
    publishesPerSecond: acknowledged / (seconds + (performance.now() - sentMs) / 1_000),
    readsPerSecond: requests / seconds,
  };
}

function trafficChecks({ mails, receiver }: SoakInstallation, { counts }: Traffic): Check[] {
  return [
    atLeast('readings over MQTT', counts.publishes, 1),
    atLeast('readings over HTTP', counts.httpReadings, 1),
    atLeast('reads', counts.reads, 1),
    atLeast('live streams', counts.liveStreams, 1),
    atLeast('sign-ins begun', counts.signIns, 1),
    atLeast('mails', mails.length, 1),
    atLeast('webhooks', receiver.received.length, 1),
    atLeast('wrong keys, passwords and payloads', counts.mistakes, 1),
    figure('reads that were refused with 503 and repeated', counts.refused),
    atMost('requests that failed', counts.failed, 0),
  ];
}

async function memoryChecks({ heapFile }: SoakInstallation, isQuick: boolean): Promise<Check[]> {
  const checks: Check[] = [];
  for (const role of ROLES) {
    const slope = await memorySlope(heapFile(role));
    const what = `${role}: growth of memory after garbage collection in MB/hour`;
    // Half a minute says nothing about an hour.
    checks.push(isQuick ? figure(what, slope.usedMbPerHour) : atMost(what, slope.usedMbPerHour, MAX_MB_PER_HOUR));
    checks.push(figure(`${role}: standard error of this growth in MB/hour`, slope.errorMbPerHour));
    checks.push(figure(`${role}: memory after garbage collection in MB`, slope.usedMb));
    checks.push(figure(`${role}: resident memory in MB`, slope.rssMb));
    checks.push(figure(`${role}: growth of resident memory in MB/hour`, slope.rssMbPerHour));
  }
  return checks;
}

async function logChecks(
  { ingestKey, devices, people, settingSecrets, logFiles }: SoakInstallation,
  { secrets }: Traffic,
  log: (line: string) => void,
): Promise<Check[]> {
  const keys = [...people.readKeys, ingestKey].map((key) => key.split('.')[1] ?? '');
  const passwords = devices.map(({ password }) => password);
  const webhookSecret = people.webhookSecret.replace(/^whsec_/, '');
  const { lines, bytes, found } = await searchLogs(await logFiles(), {
    personal: [...PERSONAL, ...settingSecrets, webhookSecret],
    secrets: new Set([...secrets.tokens, ...keys, ...passwords]),
    codes: secrets.codes,
  });
  for (const { file, value, line } of found.slice(0, 20)) log(`${file}: ${value} in ${line.slice(0, 500)}`);
  return [
    atLeast('lines of logs', lines, 1_000),
    figure('MB of logs', bytes / 1_048_576),
    figure('sign-in codes, links and cookies searched for', secrets.codes.size + secrets.tokens.size),
    atMost('secrets and personal values in logs', found.length, 0),
  ];
}

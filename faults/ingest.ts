import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost, type BenchOptions, figure, type Report } from '../bench/report.ts';
import { type Installation, startInstallation } from '../engines/installation.ts';
import { DEVICES, startLoad } from './load.ts';
import { untilDrained, verify } from './verify.ts';

/** A smaller load for quick runs, because other tests run at the same time. */
const LIGHT_LOAD = { publishesPerSecond: 60, senders: 2, pauseMs: 500 };

/** A process that is ended with kill -9 and started again. */
interface Target {
  name: string;
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** Kills one process after the other with kill -9, 100 times (20 with --quick), under load over MQTT and HTTP with replays. */
export async function runIngestFaults({ isQuick, log }: BenchOptions, kills = isQuick ? 20 : 100): Promise<Report> {
  await using installation = await startInstallation({ devices: DEVICES });
  const { targets } = await startTargets(installation);
  return await runFaults('ingest', installation, { isQuick, log }, async () => {
    for (let n = 0; n < kills; n++) {
      const target = targets[n % targets.length];
      if (target) await killAndRestart(target, log, `${n + 1} of ${kills}`);
    }
    return kills;
  });
}

/** Kills each of three nats-servers with a replicated stream, the gateway and the writers in turns, then all nats-servers at once. */
export async function runClusterFaults({ isQuick, log }: BenchOptions): Promise<Report> {
  await using installation = await startInstallation({ devices: DEVICES, natsNodes: 3 });
  const { roles, nodes } = await startTargets(installation);
  return await runFaults('cluster', installation, { isQuick, log }, async () => {
    const rounds = isQuick ? 2 : 15;
    let kills = 0;
    for (let round = 0; round < rounds; round++) {
      for (const target of [...nodes, ...roles]) {
        await killAndRestart(target, log, `round ${round + 1} of ${rounds}`);
        kills++;
        // A restarted node must catch up before the next one is killed. Otherwise two of three nodes are behind.
        await sleep(1_500);
      }
    }
    log('all nodes at once');
    await Promise.all(nodes.map((node) => node.kill()));
    await sleep(1_000);
    await Promise.all(nodes.map((node) => node.restart()));
    return kills + nodes.length;
  });
}

/** Starts a gateway and two writers, so that one writer can take over from the other. */
async function startTargets(
  installation: Installation,
): Promise<{ targets: Target[]; roles: Target[]; nodes: Target[] }> {
  const { nats, postgres } = installation;
  const gateway = await installation.start('gateway');
  const writers = [await installation.start('writer'), await installation.start('writer')];
  const role = (name: string, process: typeof gateway): Target => ({
    name,
    kill: () => process.kill(),
    restart: () => process.start(),
  });
  const roles = [role('gateway', gateway), ...writers.map((writer, index) => role(`writer ${index + 1}`, writer))];
  const nodes = nats.nodes.map((node, index) => ({
    name: `nats-server ${index + 1}`,
    kill: () => node.kill(),
    restart: () => node.restart(),
  }));
  const database = { name: 'PostgreSQL', kill: () => postgres.kill(), restart: () => postgres.restart() };
  return { targets: [...roles, ...nodes, database], roles, nodes };
}

async function killAndRestart(target: Target, log: (line: string) => void, which: string): Promise<void> {
  log(`kill -9 ${target.name} (${which})`);
  await target.kill();
  await sleep(100 + Math.random() * 500);
  await target.restart();
  await sleep(200 + Math.random() * 800);
}

async function runFaults(
  name: string,
  installation: Installation,
  { isQuick, log }: BenchOptions,
  injectFaults: () => Promise<number>,
): Promise<Report> {
  const load = startLoad(installation, { replayShare: 0.05, ...(isQuick ? LIGHT_LOAD : {}) });
  await load.started; // otherwise the first faults would hit nothing
  const startMs = performance.now();
  const kills = await injectFaults();
  const faultsEndMs = performance.now();
  const { mqtt, http } = await load.stop();
  await untilDrained(installation);
  const drainedSeconds = (performance.now() - faultsEndMs) / 1_000;
  log(`drained ${drainedSeconds.toFixed(1)} s after the last fault; comparing ...`);
  return {
    name,
    checks: [
      ...(await verify(installation, [mqtt.record, http.record])),
      atMost('seconds from the last fault until everything acknowledged was committed', drainedSeconds, 10),
      atLeast('kill -9', kills, 1),
      figure('MQTT publishes sent again', mqtt.resent + mqtt.replayed),
      figure('HTTP requests refused with 503', http.refused),
      figure('HTTP requests with an unknown outcome', http.lost),
    ],
    seconds: Math.round((faultsEndMs - startMs) / 1_000),
  };
}

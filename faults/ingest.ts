import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost, type BenchOptions, type Report, told } from '../bench/report.ts';
import { type Pipeline, startPipeline } from '../engines/pipeline.ts';
import { DEVICES, startLoad } from './load.ts';
import { untilDrained, verify } from './verify.ts';

/** Something that can be killed -9 and started again. */
interface Victim {
  name: string;
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** At least 100 kill -9 (20 in short) over everything that takes part, under load from MQTT and HTTP with replays. */
export async function faultsOfIngest({ isQuick, tell }: BenchOptions): Promise<Report> {
  const pipeline = await startPipeline({ devices: DEVICES });
  try {
    const { victims } = await startVictims(pipeline);
    return await runFaults('ingest', pipeline, tell, async () => {
      const kills = isQuick ? 20 : 100;
      for (let n = 0; n < kills; n++) {
        const victim = victims[n % victims.length];
        if (victim) await killAndRestart(victim, tell, `${n + 1} of ${kills}`);
      }
      return kills;
    });
  } finally {
    await pipeline.stop();
  }
}

/** Three nats-servers, the stream on all of them: one killed at a time, then all at once; writers and gateway too. */
export async function faultsInCluster({ isQuick, tell }: BenchOptions): Promise<Report> {
  const pipeline = await startPipeline({ devices: DEVICES, natsNodes: 3 });
  try {
    const { roles, nodes } = await startVictims(pipeline);
    return await runFaults('cluster', pipeline, tell, async () => {
      const rounds = isQuick ? 2 : 15;
      let kills = 0;
      for (let round = 0; round < rounds; round++) {
        for (const victim of [...nodes, ...roles]) {
          await killAndRestart(victim, tell, `round ${round + 1} of ${rounds}`);
          kills++;
          // A node that is back must catch up before the next goes, or two of three are behind.
          await sleep(1_500);
        }
      }
      tell('all nodes at once');
      await Promise.all(nodes.map((node) => node.kill()));
      await sleep(1_000);
      await Promise.all(nodes.map((node) => node.restart()));
      return kills + nodes.length;
    });
  } finally {
    await pipeline.stop();
  }
}

/** Two writers beside the gateway, so that one always stands in for the other. */
async function startVictims(pipeline: Pipeline): Promise<{ victims: Victim[]; roles: Victim[]; nodes: Victim[] }> {
  const { gateway, nats, postgres } = pipeline;
  const writers = [pipeline.role('writer'), pipeline.role('writer')];
  await Promise.all(writers.map((writer) => writer.start()));
  const role = (name: string, process: typeof gateway): Victim => ({
    name,
    kill: () => process.kill(),
    restart: () => process.start(),
  });
  const roles = [role('gateway', gateway), ...writers.map((writer, at) => role(`writer ${at + 1}`, writer))];
  const nodes = nats.nodes.map((node, at) => ({
    name: `nats-server ${at + 1}`,
    kill: () => node.kill(),
    restart: () => node.restart(),
  }));
  const database = { name: 'PostgreSQL', kill: () => postgres.kill(), restart: () => postgres.restart() };
  return { victims: [...roles, ...nodes, database], roles, nodes };
}

async function killAndRestart(victim: Victim, tell: (line: string) => void, which: string): Promise<void> {
  tell(`kill -9 ${victim.name} (${which})`);
  await victim.kill();
  await sleep(100 + Math.random() * 500);
  await victim.restart();
  await sleep(200 + Math.random() * 800);
}

async function runFaults(
  name: string,
  pipeline: Pipeline,
  tell: (line: string) => void,
  inflict: () => Promise<number>,
): Promise<Report> {
  const load = startLoad(pipeline, { replayShare: 0.05 });
  const startMs = performance.now();
  const kills = await inflict();
  const faultsEndMs = performance.now();
  const { mqtt, http } = await load.stop();
  await untilDrained(pipeline);
  const drainedSeconds = (performance.now() - faultsEndMs) / 1_000;
  tell(`drained ${drainedSeconds.toFixed(1)} s after the last fault; comparing ...`);
  return {
    name,
    checks: [
      ...(await verify(pipeline, [mqtt.record, http.record])),
      atMost('seconds from the last fault until everything acknowledged was committed', drainedSeconds, 10),
      atLeast('kill -9', kills, 1),
      told('MQTT publishes sent again', mqtt.resent + mqtt.replayed),
      told('HTTP requests refused with 503', http.refused),
      told('HTTP requests whose fate was unknown', http.lost),
    ],
    seconds: Math.round((faultsEndMs - startMs) / 1_000),
  };
}

import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { runLoad } from '../bench/load_client/load.ts';
import { atMost, type BenchOptions, figure, type Report } from '../bench/report.ts';
import { writeCertificate } from '../engines/certificate.ts';
import { findPorts, type Installation, startInstallation } from '../engines/installation.ts';
import { probeReady, type RoleProcess } from '../engines/process.ts';
import { cpuSeconds, memoryBytes } from '../engines/process_use.ts';
import { repeat } from '../engines/repeat.ts';
import { untilDrained, verify } from './verify.ts';

const GATEWAYS = 3;
const DRAIN_MS = 2_000;
/** Each device publishes once in this time. */
const PUBLISH_EVERY_MS = 30_000;

/** A gateway behind the balancer. */
interface Gateway {
  process: RoleProcess;
  url: string;
  httpPort: number;
  isReady: boolean;
}

/**
 * Connects devices with TLS to three gateways, and restarts one of them. Its devices must all be connected again within a minute,
 * spread over time, and no acknowledged reading may be lost.
 */
export async function runReconnects(
  { isQuick, log }: BenchOptions,
  devices = deviceCount(process.argv) ?? (isQuick ? 600 : 16_000),
): Promise<Report> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tankwatch-reconnect-'));
  await using installation = await startInstallation({ devices, settings: await settings(folder.path, devices) });
  await installation.start('writer');
  const gateways = await startGateways(installation);
  return await restartOne(installation, gateways, devices, log);
}

async function restartOne(
  installation: Installation,
  gateways: readonly Gateway[],
  devices: number,
  log: (line: string) => void,
): Promise<Report> {
  const stopping = new AbortController();
  const watching = gateways.map((gateway) =>
    repeat(200, async () => {
      gateway.isReady = await probeReady(gateway.httpPort);
    }),
  );
  const connections = { open: 0, lost: 0, openedAtMs: new Array<number>() };
  let attempts = 0;
  const before = await measureGateways(gateways);
  const beganMs = performance.now();
  const load = runLoad({
    // Each connection goes to the next gateway that is ready, as with a load balancer.
    url: () => {
      attempts++;
      const ready = gateways.filter(({ isReady }) => isReady);
      return (ready[attempts % ready.length] ?? gateways[0])?.url ?? '';
    },
    devices: installation.devices,
    durationMs: 3_600_000,
    publishesPerSecond: (devices * 1_000) / PUBLISH_EVERY_MS,
    connectTimeoutMs: 600_000,
    signal: stopping.signal,
    connection: {
      // All devices share one context, because creating it for each connection costs more than the handshake.
      tls: { rejectUnauthorized: false, secureContext: createSecureContext() },
      maxBackoffMs: 5_000,
      timeoutMs: 30_000,
      onConnected: () => {
        connections.open++;
        connections.openedAtMs.push(performance.now());
      },
      onLost: () => {
        connections.open--;
        connections.lost++;
      },
    },
  });
  await until(() => connections.open >= devices, 600_000);
  const connectSeconds = (performance.now() - beganMs) / 1_000;
  const connected = await measureGateways(gateways); // the load begins when all devices are connected
  log(`${devices} devices are connected`);
  await sleep(3_000);

  const [restarted] = gateways;
  if (restarted === undefined) throw new Error('there is no gateway');
  const opened = connections.openedAtMs.length;
  connections.lost = 0;
  const startMs = performance.now();
  await restarted.process.stop();
  const stoppedMs = performance.now();
  log(`the gateway stopped after ${((stoppedMs - startMs) / 1_000).toFixed(1)} s`);
  await restarted.process.start();
  await until(() => connections.open >= devices, 120_000);
  const moved = connections.lost;
  const missing = devices - connections.open;
  const returnedMs = connections.openedAtMs.slice(opened).map((atMs) => atMs - startMs - DRAIN_MS);
  const backSeconds = Math.max(...returnedMs) / 1_000;
  log(`its ${moved} devices were back ${backSeconds.toFixed(1)} s after the first one was disconnected`);
  await sleep(3_000);
  stopping.abort();
  const { record, resent } = await load;
  await Promise.all(watching.map((watch) => watch.stop()));
  await untilDrained(installation);
  return {
    name: 'reconnect',
    checks: [
      ...(await verify(installation, [record])),
      atMost('devices that did not return', missing, 0),
      atMost('seconds until all devices were back', backSeconds, 60),
      atMost('share of the devices that returned in the busiest second', busiestSecond(returnedMs) / moved, 0.5),
      figure('devices', devices),
      figure('seconds until all devices were connected', connectSeconds),
      figure('devices of the restarted gateway', moved),
      figure('seconds until the gateway had stopped', (stoppedMs - startMs) / 1_000),
      figure('memory of a gateway per connection, bytes', (connected.bytes - before.bytes) / devices),
      figure(
        'CPU time of a gateway per TLS connection, us',
        (1e6 * (connected.cpuSeconds - before.cpuSeconds)) / devices,
      ),
      figure('publishes sent again', resent),
    ],
  };
}

function deviceCount(args: readonly string[]): number | undefined {
  const index = args.indexOf('--devices');
  return index < 0 ? undefined : Number(args[index + 1]);
}

/** All devices connect from the address of this machine, so the limits for an address are set for all of them. */
async function settings(folder: string, devices: number): Promise<Record<string, string>> {
  const { cert, key } = await writeCertificate(folder);
  return {
    GATEWAY_TLS_CERT: cert,
    GATEWAY_TLS_KEY: key,
    GATEWAY_MAX_CONNECTIONS_PER_ADDRESS: String(devices + 1_000),
    GATEWAY_FAILED_LOGINS_PER_SECOND: String(devices),
    GATEWAY_DRAIN_MS: String(DRAIN_MS),
  };
}

async function startGateways(installation: Installation): Promise<Gateway[]> {
  const gateways: Gateway[] = [];
  for (let n = 0; n < GATEWAYS; n++) {
    const { mqtt, http, settings: ports } = await findPorts();
    const process = await installation.start('gateway', ports);
    gateways.push({ process, url: `mqtts://127.0.0.1:${mqtt}`, httpPort: http, isReady: true });
  }
  return gateways;
}

async function until(isTrue: () => boolean, timeoutMs: number): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!isTrue() && performance.now() < deadlineMs) await sleep(50);
}

function busiestSecond(timesMs: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const ms of timesMs) counts.set(Math.floor(ms / 1_000), (counts.get(Math.floor(ms / 1_000)) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

/** Measures memory and CPU time of all gateways together. */
async function measureGateways(gateways: readonly Gateway[]): Promise<{ bytes: number; cpuSeconds: number }> {
  const use = { bytes: 0, cpuSeconds: 0 };
  for (const { process } of gateways) {
    use.bytes += await memoryBytes(process.pid);
    use.cpuSeconds += await cpuSeconds(process.pid);
  }
  return use;
}

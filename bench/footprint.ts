import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { connect as connectTcp, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeCertificate } from '../engines/certificate.ts';
import { type Installation, startInstallation } from '../engines/installation.ts';
import { listenOnLoopback } from '../engines/loopback.ts';
import type { RoleProcess } from '../engines/process.ts';
import { cpuSeconds, MB, memoryBytes, serverMemoryBytes } from '../engines/process_use.ts';
import { untilDrained } from '../faults/verify.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import { runLoad } from './load_client/load.ts';
import { type BenchOptions, type Check, figure, type Report } from './report.ts';
import { reportCycles } from './report_cycles.ts';

const READINGS_PER_PUBLISH = 4;

/** Measures a small installation: memory of each process, disk of each table, bytes and CPU of a device's report. */
export async function benchFootprint({ isQuick, log }: BenchOptions): Promise<Report> {
  const [tanks, seconds, cycles] = isQuick ? [200, 10, 50] : [2_000, 90, 500];
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tankwatch-footprint-'));
  const { cert, key } = await writeCertificate(folder.path);
  await using installation = await startInstallation({
    devices: tanks,
    settings: { GATEWAY_TLS_CERT: cert, GATEWAY_TLS_KEY: key },
  });
  const ca = await readFile(cert, 'utf8');
  log(`${tanks} devices report over TLS for ${seconds} s`);
  const [api, gateway] = [await installation.start('api'), await installation.start('gateway')];
  const roles: Record<string, RoleProcess> = { api, gateway };
  for (const name of ['writer', 'worker'] as const) roles[name] = await installation.start(name);
  const load = report(installation, ca, seconds);
  await sleep(seconds * 900);
  const separate = await measureMemory(roles);
  const engines = {
    PostgreSQL: await serverMemoryBytes(installation.postgres, 'all'),
    'nats-server': await memoryBytes(installation.nats.nodes[0]?.pid()),
  };
  const { acknowledged } = await load;
  await untilDrained(installation);
  log(`${acknowledged} messages stored; ${cycles} times connect, publish, disconnect`);
  const cycle = await measureCycle(installation, ca, cycles, gateway);
  const disk = await measureDisk(installation, tanks, acknowledged * READINGS_PER_PUBLISH);
  for (const role of Object.values(roles)) await role.stop();

  log(`${tanks} devices report to all roles in one process`);
  const single = await installation.start('all');
  const again = report(installation, ca, seconds / 3, seconds);
  await sleep(seconds * 300);
  const together = await measureMemory({ all: single });
  await again;
  return {
    name: 'footprint',
    checks: [
      ...Object.entries({ ...separate, ...together, ...engines }).map(([name, bytes]) =>
        figure(`memory of ${name}, MB`, bytes / MB),
      ),
      figure(
        'memory of all roles in one process, PostgreSQL and nats-server, MB',
        Object.values({ ...together, ...engines }).reduce((sum, bytes) => sum + bytes, 0) / MB,
      ),
      ...disk,
      ...cycle,
    ],
    tanks,
    load_average: Number((await readFile('/proc/loadavg', 'utf8')).split(' ')[1]),
  };
}

/** All devices report, four readings at a time. The readings are six hours apart and begin 100 days ago. */
function report(installation: Installation, ca: string, seconds: number, skippedSeconds = 0) {
  const { devices, ports } = installation;
  const publishesPerSecond = devices.length / 4;
  const skippedMs = (skippedSeconds * publishesPerSecond * READINGS_PER_PUBLISH * 6 * HOUR_MS) / devices.length;
  return runLoad({
    url: `mqtts://127.0.0.1:${ports.mqtt}`,
    devices,
    publishesPerSecond,
    readingsPerPublish: READINGS_PER_PUBLISH,
    startAtMs: Date.now() - 100 * DAY_MS + skippedMs,
    stepMs: 6 * HOUR_MS,
    durationMs: seconds * 1_000,
    connection: { tls: { ca }, timeoutMs: 30_000 },
  });
}

async function measureMemory(roles: Readonly<Record<string, RoleProcess>>): Promise<Record<string, number>> {
  const measured: Record<string, number> = {};
  for (const [name, { pid }] of Object.entries(roles)) measured[name] = await memoryBytes(pid);
  return measured;
}

/** Telemetry grows with readings, most other tables with tanks. Tables that are nearly empty count with the tanks. */
async function measureDisk({ owner }: Installation, tanks: number, readings: number): Promise<Check[]> {
  await owner.query('vacuum analyze');
  const { rows } = await owner.query<{ name: string; bytes: number; live: number }>(
    `select coalesce(parent.relname, t.relname) as name, sum(pg_total_relation_size(t.oid))::float8 as bytes,
       sum(greatest(t.reltuples, 0))::float8 as live
     from pg_class t
     left join pg_inherits i on i.inhrelid = t.oid
     left join pg_class parent on parent.oid = i.inhparent
     join pg_namespace n on n.oid = t.relnamespace
     where t.relkind = 'r' and n.nspname = 'public'
     group by 1 order by 2 desc`,
  );
  const bytesOf = (...names: string[]): number =>
    rows.filter(({ name }) => names.includes(name)).reduce((sum, { bytes }) => sum + bytes, 0);
  const ofReadings = ['telemetry', 'telemetry_month_counters', 'telemetry_buckets', 'rejected_readings'];
  const ofEvents = ['events', 'webhook_deliveries', 'event_mails', 'audit_log'];
  const ofTanks = rows.filter(({ name }) => ![...ofReadings, ...ofEvents].includes(name));
  const events = rows.find(({ name }) => name === 'events')?.live ?? 0;
  return [
    figure('disk per reading, hot, bytes', bytesOf(...ofReadings) / readings),
    figure('disk per tank without readings and events, bytes', sumOf(ofTanks) / tanks),
    figure('disk per event, bytes', bytesOf('events') / events),
    ...ofTanks.slice(0, 6).map(({ name, bytes }) => figure(`disk per tank in ${name}, bytes`, bytes / tanks)),
  ];
}

const sumOf = (rows: readonly { bytes: number }[]): number => rows.reduce((sum, { bytes }) => sum + bytes, 0);

/** Reports as devices on batteries do, and counts the bytes on the wire and the CPU time of the gateway. */
async function measureCycle(
  installation: Installation,
  ca: string,
  cycles: number,
  gateway: RoleProcess,
): Promise<Check[]> {
  const target = installation.ports.mqtt;
  let bytes = 0;
  const counter = createServer((near) => {
    const far = connectTcp(target, '127.0.0.1');
    near.pipe(far).pipe(near);
    const count = (data: Buffer): void => {
      bytes += data.length;
    };
    near.on('data', count).on('error', () => far.destroy());
    far.on('data', count).on('error', () => near.destroy());
  });
  const port = await listenOnLoopback(counter);
  const cpuBefore = await cpuSeconds(gateway.pid);
  await reportCycles(installation.devices, { port, ca, cycles });
  const used = (await cpuSeconds(gateway.pid)) - cpuBefore;
  counter.close();
  return [
    figure('bytes of a report with its TLS connection, both directions', bytes / cycles),
    figure('CPU of the gateway of a report with its TLS connection, us', (used / cycles) * 1e6),
  ];
}

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { atLeast, atMost, type BenchOptions, type Check, figure, mostWithin, type Report } from '../bench/report.ts';
import { type Installation, startInstallation } from '../engines/installation.ts';
import { readNumber } from '../engines/read_number.ts';
import { onlyRow } from '../src/db/only_row.ts';
import { fireAllTimers } from '../src/evaluation/fire_timers.ts';
import { freePort } from '../src/setup/servers/free_port.ts';
import { stopProcess } from '../src/setup/servers/server_process.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/values/time.ts';
import { type BrokerFaults, readBroker } from './connector_broker.ts';
import { addConnector, endLease, makeDue, stateOf, until, untilState } from './connector_source.ts';

const CLOUD = fileURLToPath(new URL('cloud_process.ts', import.meta.url));

export interface ConnectorFaults extends BrokerFaults {
  devices: number;
  hours: number;
  kills: number;
  pageSize: number;
  requestsPerMinute: number;
}

/** Kills the connector and the cloud in turns while it reads old readings, and then the connector and a broker. */
export const runConnectors = async ({ isQuick, log }: BenchOptions): Promise<Report> => ({
  name: 'connectors',
  checks: await killConnectors(
    isQuick
      ? {
          devices: 40,
          hours: 500,
          kills: 4,
          pageSize: 1_000,
          requestsPerMinute: 600,
          messages: 60,
          brokerKills: 2,
          log,
        }
      : {
          devices: 1_000,
          hours: 1_000,
          kills: 50,
          pageSize: 10_000,
          requestsPerMinute: 60,
          messages: 2_000,
          brokerKills: 20,
          log,
        },
  ),
});

export async function killConnectors(faults: ConnectorFaults): Promise<Check[]> {
  await using installation = await startInstallation({
    devices: faults.devices,
    tank: (n) => ({ assigned_device_id: String(20_000_000 + n) }),
    settings: {
      CONNECTOR_ALLOW_HTTP: 'true',
      CONNECTOR_ALLOW_PRIVATE: 'true',
      CONNECTOR_READINGS_PER_SECOND: '20000',
    },
  });
  await installation.start('writer');
  return [...(await readCloud(installation, faults)), ...(await readBroker(installation, faults))];
}

async function readCloud(installation: Installation, faults: ConnectorFaults): Promise<Check[]> {
  const { devices, hours, kills, pageSize, requestsPerMinute, log } = faults;
  const { owner } = installation;
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tankwatch-cloud-'));
  const requestLog = join(folder.path, 'requests');
  await writeFile(requestLog, '');
  const port = await freePort();
  const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - (hours - 1) * HOUR_MS;
  const startCloud = (): Promise<ChildProcess> =>
    startCloudProcess([port, requestLog, devices, startMs, hours, pageSize]);
  let cloud = await startCloud();
  const connector = installation.role('connector');
  try {
    const { id } = await addConnector(installation, {
      kind: 'json',
      name: 'cloud',
      settings: {
        url: `http://127.0.0.1:${port}/tanklevels?startDateUtc={from}&endDateUtc={to}&page={page}`,
        profile: 'otodata-neevo',
        header: { name: 'Authorization', value: 'Bearer {secret}' },
        pages: { first: 0, size: pageSize },
        requests_per_minute: requestsPerMinute,
      },
      secret: 'otodata-key',
      days: Math.ceil(hours / 24) + 1,
    });
    await connector.start();
    const total = devices * hours;
    const stored = (): Promise<number> => readNumber(owner, 'select count(*) as n from telemetry');
    let during = 0;
    for (let kill = 1; kill <= kills; kill++) {
      const wanted = (kill / (kills + 1)) * total;
      while ((await stored()) < wanted && (await isReading(installation, id))) await makeDue(installation, id);
      if (await isReading(installation, id)) during++;
      log(`kill ${kill} of ${kills}: ${kill % 2 === 1 ? 'the connector' : 'the cloud'}`);
      if (kill % 2 === 1) {
        await connector.kill();
        // The first lease of a killed process ends by itself.
        if (kill > 1) await endLease(installation, id);
        await connector.start();
      } else {
        await stopProcess(cloud, 'SIGKILL');
        await sleep(500);
        cloud = await startCloud();
      }
    }
    log('waiting until all readings are stored');
    while (await isReading(installation, id)) await makeDue(installation, id);
    await until(async () => (await stored()) >= total);
    log('checking');
    const times = (await readFile(requestLog, 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map(Number);
    return [
      atLeast('kills while the past was read', during, Math.ceil(kills / 2)),
      ...(await verify(installation, total)),
      atMost('requests in any minute beyond the limit', mostWithin(times, MINUTE_MS) - requestsPerMinute, 0),
      figure('requests', times.length),
      ...(await stayDown(installation, id, () => stopProcess(cloud, 'SIGKILL'))),
    ];
  } finally {
    await connector.kill();
    await stopProcess(cloud, 'SIGKILL');
  }
}

async function startCloudProcess(args: readonly (string | number)[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [CLOUD, ...args.map(String)], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('close', () => reject(new Error('the cloud ended')));
  });
  return child;
}

const isReading = async (installation: Installation, id: string): Promise<boolean> => {
  const { backfill_from: from, last_success_at: at } = await stateOf(installation, id);
  return from !== null || at === null;
};

async function verify({ owner }: Installation, total: number): Promise<Check[]> {
  const { rows } = await owner.query<{ stored: number; rejected: number; silent: number }>(
    `select (select count(*) from telemetry)::int as stored,
            (select count(*) from rejected_readings)::int as rejected,
            (select count(*) from events where type = 'tank.device_silent' and retracted_at is null)::int as silent`,
  );
  const { stored, rejected, silent } = onlyRow(rows);
  return [
    atMost('readings lost', total - stored, 0),
    atMost('readings that the cloud does not have', stored - total, 0),
    atMost('readings rejected', rejected, 0),
    atMost('events of silent devices', silent, 0),
    figure('readings', stored),
  ];
}

/** Keeps the cloud down for days. The contact must get one mail, and no device may be silent. */
async function stayDown(installation: Installation, id: string, stopCloud: () => Promise<void>): Promise<Check[]> {
  const { owner } = installation;
  await owner.query(
    `insert into contacts (id, organization_no, email, types)
     select gen_random_uuid(), organization_no, 'dispatch@example.com', '{}' from connectors where id = $1`,
    [id],
  );
  await stopCloud();
  const makeDueWith = (more: string) =>
    owner.query(
      `update connector_states set next_attempt_at = now()${more} where connector_no = (select no from connectors where id = $1)`,
      [id],
    );
  await makeDueWith('');
  await untilState(installation, id, 'failing');
  for (let attempt = 0; attempt < 3; attempt++) {
    await makeDueWith(`, failing_since = now() - interval '16 minutes'`);
    await untilState(installation, id, 'down');
    await sleep(1_500);
  }
  await fireAllTimers(owner, Date.now() + 5 * DAY_MS);
  const { rows } = await owner.query<{ silent: number; mails: number; held: number }>(
    `select (select count(*) from events where type = 'tank.device_silent' and retracted_at is null)::int as silent,
            (select count(*) from mail_jobs where task = 'mail_connector')::int as mails,
            (select count(*) from tank_outages where to_at is null)::int as held`,
  );
  const { silent, mails, held } = onlyRow(rows);
  return [
    atMost('events of silent devices in five days without the cloud', silent, 0),
    atMost('difference to one mail about the cloud', Math.abs(mails - 1), 0),
    figure('tanks that wait for the cloud', held),
  ];
}

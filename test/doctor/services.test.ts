import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createConnection, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DiscardPolicy, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { pino } from 'pino';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { describe, expect, onTestFinished } from 'vitest';
import { startMailServer } from '../../engines/mail_server.ts';
import { startNginxProxy } from '../../engines/nginx.ts';
import { findProgram } from '../../engines/programs.ts';
import { type RunningApi, serveApi } from '../../src/api/serve.ts';
import { describeCheck, diagnose, reportOf } from '../../src/cli/doctor.ts';
import { proxyFinding, signInFindings } from '../../src/doctor/api.ts';
import { endFindings } from '../../src/doctor/certificates.ts';
import { spaceFindings } from '../../src/doctor/disks.ts';
import { lagFindings, sizeFindings } from '../../src/doctor/stream.ts';
import { readApiConfig } from '../../src/settings/api_settings.ts';
import { readWorkerConfig } from '../../src/settings/worker_settings.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { findNatsServer, NATS_PASSWORD, type PrivateNats, startNats } from '../../src/setup/servers/nats.ts';
import { stopProcess } from '../../src/setup/servers/server_process.ts';
import { type RunningWorker, serveWorker } from '../../src/worker/serve.ts';
import { givenEndpoint, givenTanked, lowFillOf, record, workerEnvironment } from '../support/events.ts';
import {
  test as base,
  type Environment,
  givenSender,
  ingestEnvironment,
  openStream,
  postReadings,
  startGateway,
  startWriter,
  untilCommitted,
} from '../support/ingest.ts';
import { shippedServer, type TestDatabase, untilTestEnds } from '../support/test.ts';

/** A running installation: nats-server, gateway, writer, worker, api behind a proxy, mail server and a certificate. */
interface Running {
  nats: PrivateNats;
  gatewayUrl: string;
  /** The address of the api itself, without the proxy in front of it. */
  apiUrl: string;
  /** The settings of the roles. */
  roles: Environment;
  /** The settings of the operator who runs doctor. */
  operator: Environment;
  folder: string;
  stopWriter(): Promise<void>;
  startWriter(): Promise<void>;
  stopWorker(): Promise<void>;
  startWorker(): Promise<void>;
}

const test = base.extend<{ $file: { serverUrl: string; running: Running } }>({
  serverUrl: shippedServer,
  running: [
    async ({ database }, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'tankwatch-doctor-'));
      const [nats, mailServer] = await Promise.all([
        startNats({ isMonitored: true }),
        startMailServer({ onMail: () => {} }),
      ]);
      await makeCertificate(folder, 'valid', 90);
      await database.operator.query(
        'select ensure_telemetry_month(now()), ensure_telemetry_month(next_utc_month(now()))',
      );
      const roles = ingestEnvironment(database, { NATS_URL: nats.url });
      const gateway = await startGateway(roles);
      let writer = await startWriter(roles);
      let worker = await startWorker(database);
      const api = await startApi(database);
      const apiPort = Number(new URL(api.url).port);
      const proxy = await startNginxProxy({ api: apiPort, gateway: apiPort });
      const operator = {
        OPERATOR_DATABASE_URL: database.urls.operator,
        NATS_URL: nats.url,
        NATS_STREAM: roles['NATS_STREAM'] ?? '',
        NATS_MONITOR_URL: nats.monitorUrl,
        GATEWAY_URL: gateway.httpUrl,
        PUBLIC_URL: `http://127.0.0.1:${proxy.httpPort}`,
        SMTP_URL: mailServer.url,
        GATEWAY_TLS_CERT: join(folder, 'valid.pem'),
        GATEWAY_TLS_KEY: join(folder, 'valid.key'),
        REMOVALS_FILE: join(folder, 'removals.ndjson'),
      };
      await use({
        nats,
        gatewayUrl: gateway.httpUrl,
        apiUrl: api.url,
        roles,
        operator,
        folder,
        stopWriter: () => writer.close(),
        async startWriter() {
          writer = await startWriter(roles);
        },
        stopWorker: () => worker.close(),
        async startWorker() {
          worker = await startWorker(database);
        },
      });
      await proxy.stop();
      await Promise.all([gateway.close(), writer.close(), worker.close(), api.close()]);
      await Promise.all([nats.stop(), mailServer.stop(), rm(folder, { recursive: true })]);
    },
    { scope: 'file' },
  ],
});

const startApi = (database: TestDatabase): Promise<RunningApi> =>
  serveApi(
    readApiConfig({
      API_DATABASE_URL: database.urls.api,
      API_HOST: '127.0.0.1',
      API_PORT: '0',
      API_DRAIN_MS: '0',
      TRUSTED_PROXIES: '127.0.0.1',
    }),
    pino({ level: 'silent' }),
  );

const startWorker = (database: TestDatabase): Promise<RunningWorker> =>
  serveWorker(readWorkerConfig(workerEnvironment(database)), pino({ level: 'silent' }));

/** Writes <name>.pem and <name>.key. A certificate with 0 days ends at once. */
async function makeCertificate(folder: string, name: string, days: number): Promise<void> {
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes';
  const command = `req -x509 ${key} -keyout ${name}.key -out ${name}.pem -days ${days} -subj /CN=localhost`;
  await promisify(execFile)(findProgram('openssl'), command.split(' '), { cwd: folder });
}

/** Starts a nats-server with this certificate, and returns its port. */
async function startNatsWithTls(folder: string, certificate: string): Promise<number> {
  const port = await freePort();
  const file = join(folder, 'nats.conf');
  const tls = `tls { cert_file: "${folder}/${certificate}.pem", key_file: "${folder}/${certificate}.key" }`;
  await writeFile(file, `listen: "127.0.0.1:${port}"\n${tls}`);
  const server = spawn(await findNatsServer(), ['-c', file], { stdio: 'ignore' });
  onTestFinished(() => stopProcess(server, 'SIGKILL'));
  await expect.poll(() => canConnect(port)).toBe(true);
  return port;
}

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

interface Diagnosis {
  /** "severity check: problem". */
  problems: string[];
  remedies: string[];
  notChecked: string[];
  checked: string[];
}

async function runDoctor({ operator }: Running, changes: Environment = {}): Promise<Diagnosis> {
  const [checked, notChecked]: string[][] = [[], []];
  const findings = await diagnose(
    { ...operator, ...changes },
    {
      fix: false,
      onChecked(check, outcome) {
        checked?.push(check);
        if (outcome !== undefined && 'notChecked' in outcome) notChecked?.push(`${check}: ${outcome.notChecked}`);
      },
      onProgress: () => {},
    },
  );
  return {
    problems: findings.map(({ severity, check, problem }) => `${severity} ${check}: ${problem}`),
    remedies: findings.map(({ remedy }) => remedy),
    notChecked: notChecked ?? [],
    checked: checked ?? [],
  };
}

const problemsOf = async (running: Running, changes: Environment = {}): Promise<string[]> =>
  (await runDoctor(running, changes)).problems;

/** An address at which no program listens. */
const NOBODY = '127.0.0.1:2';

test('a running installation has no findings, and every check is made', async ({ running }) => {
  const { problems, notChecked, checked } = await runDoctor(running);
  expect([problems, notChecked]).toEqual([[], []]);
  expect(checked).toEqual(
    expect.arrayContaining(['stream', 'writers', 'gateway', 'worker', 'mail server', 'webhooks', 'certificates']),
  );
});

test('a check whose setting is missing names the setting and finds nothing', async ({ database, running }) => {
  const settings = { OPERATOR_DATABASE_URL: database.urls.operator };
  const { problems, notChecked } = await runDoctor({ ...running, operator: settings });
  expect(problems).toEqual([]);
  expect(notChecked).toEqual([
    'stream: set OPERATOR_NATS_URL or NATS_URL',
    'nats-server disk sync: set NATS_MONITOR_URL, such as http://127.0.0.1:8222',
    'writers: set OPERATOR_NATS_URL or NATS_URL',
    'gateway: set GATEWAY_URL, such as http://localhost:8081',
    'api: set PUBLIC_URL, such as https://tanks.example.com',
    'mail server: set SMTP_URL',
    'certificates: set GATEWAY_TLS_CERT, or GATEWAY_URL or PUBLIC_URL with https',
    'disk space: set PGDATA, NATS_DATA or REMOVALS_FILE, for a folder on this machine',
  ]);
});

/** Starts a proxy of nats-server that reports another version, and returns its address. */
async function startAsVersion({ url }: PrivateNats, version: string): Promise<string> {
  const target = new URL(url);
  const port = Number(target.port);
  const server = createTcpServer((near) => {
    const far = createConnection({ port, host: '127.0.0.1' });
    for (const socket of [near, far]) socket.on('error', () => {});
    near.on('data', (data) => far.write(data)).on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    // latin1 keeps every byte.
    far.on('data', (data) =>
      near.write(data.toString('latin1').replace(/^(INFO .*"version":")[\d.]+"/, `$1${version}"`), 'latin1'),
    );
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on TCP has such an address
  target.port = String((server.address() as AddressInfo).port);
  return target.href;
}

describe('doctor reports', () => {
  test('a version of nats-server that loses messages when its process crashes', async ({ running }) => {
    const problemsWith = async (version: string) =>
      problemsOf(running, { NATS_URL: await startAsVersion(running.nats, version) });
    expect(await problemsWith('2.10.22')).toEqual([
      'broken stream: nats-server 2.10.22 can lose acknowledged messages when its process crashes',
    ]);
    for (const version of ['2.10.23', '2.11.0']) expect(await problemsWith(version)).toEqual([]);
  });

  test('a wrong password for nats-server', async ({ running }) => {
    const url = running.nats.url.replace(NATS_PASSWORD, 'wrong');
    const { problems, notChecked } = await runDoctor(running, { NATS_URL: url });
    expect(problems).toEqual([
      expect.stringMatching(/^broken stream: nats-server cannot be used: .* refused the login of the user tankwatch$/),
    ]);
    expect(notChecked).toEqual(['writers: nats-server must be available']);
  });

  test('a stream that does not exist', async ({ running }) => {
    const { problems, notChecked } = await runDoctor(running, { NATS_STREAM: 'nothing' });
    expect(problems).toEqual(['broken stream: the stream nothing does not exist']);
    expect(notChecked).toEqual(['writers: the stream nothing must exist']);
  });

  test('a stream whose settings were changed so that it drops messages', async ({ running }) => {
    const { host, username, password } = new URL(running.nats.url);
    const connection = await connect({ servers: host, user: username, pass: password });
    const { streams } = await jetstreamManager(connection);
    const name = running.operator['NATS_STREAM'] ?? '';
    const { config } = await streams.info(name);
    await streams.update(name, { ...config, discard: DiscardPolicy.Old, max_age: 3_600_000_000_000 });
    expect(await problemsOf(running)).toEqual([
      `broken stream: the stream ${name} can lose acknowledged readings: it drops the oldest messages when it is full, it drops messages by age`,
    ]);
    await streams.update(name, config);
    await connection.close();
    expect(await problemsOf(running)).toEqual([]);
  });

  test('a full stream from which no writer has ever fetched', async ({ database, running }) => {
    const environment = ingestEnvironment(database, { NATS_URL: running.nats.url, STREAM_MAX_MIB: '1' });
    const stream = await untilTestEnds(openStream(environment));
    const fill = async (messages: number): Promise<void> => {
      for (let n = 0; n < messages; n++) await stream.publish(`${messages}-${n}`, 'x'.repeat(100_000));
    };
    const settings = { NATS_STREAM: environment['NATS_STREAM'] ?? '' };
    const startNeeded = 'writers: no writer has started; ';
    await fill(9);
    expect(await problemsOf(running, settings)).toEqual([
      'warning stream: the stream is 85 % full; when it is full, gateways refuse readings',
      `broken ${startNeeded}9 messages waiting to be stored`,
    ]);
    await expect(fill(3)).rejects.toThrow('the stream is full');
    await stream.publish('last', 'x'.repeat(30_000));
    const [full] = await problemsOf(running, settings);
    expect(full).toMatch(/^broken stream: the stream is 9\d % full: gateways refuse readings$/);
  });

  test('a nats-server that acknowledges before a message is on disk, and a monitoring port that cannot be read', async ({
    running,
  }) => {
    const unsafe = await untilTestEnds(startNats({ isMonitored: true, syncInterval: '2m' }));
    const { host } = new URL(unsafe.monitorUrl);
    const { problems, remedies } = await runDoctor(running, {
      NATS_MONITOR_URL: `${running.operator['NATS_MONITOR_URL']},${unsafe.monitorUrl},http://${NOBODY}`,
    });
    expect(problems).toEqual([
      `broken nats-server disk sync: nats-server at ${host} acknowledges readings before they are on disk: a power failure loses them`,
      `warning nats-server disk sync: the monitoring port of nats-server at ${NOBODY} cannot be read: connect ECONNREFUSED ${NOBODY}`,
    ]);
    expect(remedies[0]).toBe('set sync_interval: always in its jetstream block, and restart it');
  });

  test('a writer that is stopped, before and after readings arrive', async ({ database, running }) => {
    const { key } = await givenSender(database, ['DOCTOR-1']);
    await running.stopWriter();
    expect(await problemsOf(running)).toEqual(['warning writers: no writer fetches readings from the stream']);
    const response = await postReadings(running.gatewayUrl, key, [{ device_id: 'DOCTOR-1', fill_percentage: 50 }]);
    expect(response.status).toBe(202);
    expect(await problemsOf(running)).toEqual([
      'broken writers: no writer fetches readings from the stream; 1 message waiting to be stored',
    ]);
    await running.startWriter();
    const stream = await openStream(running.roles);
    await untilCommitted(stream);
    await stream.close();
    expect(await problemsOf(running)).toEqual([]);
  });

  test('readings that wait, and streams that fill up', () => {
    expect([lagFindings(5, 59_000), sizeFindings(84, 100)]).toEqual([[], []]);
    expect(lagFindings(5, 90_000)).toMatchObject([
      { problem: 'readings are stored late: 5 messages waiting, the oldest for 1 min', isWarning: true },
    ]);
    expect(lagFindings(1, 3_600_000)[0]?.isWarning).toBeUndefined();
    expect(sizeFindings(90, 100)[0]?.isWarning).toBe(true);
    expect(sizeFindings(98, 100)[0]?.isWarning).toBeUndefined();
  });
});

test('doctor reports a gateway that cannot be reached', async ({ running }) => {
  expect(await problemsOf(running, { GATEWAY_URL: `http://${NOBODY}` })).toEqual([
    `broken gateway: the gateway cannot be reached at http://${NOBODY}: connect ECONNREFUSED ${NOBODY}`,
  ]);
});

describe('doctor reports of the worker, mails and webhooks', () => {
  test('a worker that is stopped', async ({ running }) => {
    await running.stopWorker();
    const { problems, remedies } = await runDoctor(running);
    expect(problems).toEqual([expect.stringMatching(/^warning worker: no worker is running: /)]);
    expect(remedies).toEqual(['start tankwatch worker']);
    await running.startWorker();
    await expect.poll(() => problemsOf(running)).toEqual([]);
  });

  test('a mail that failed at every attempt', async ({ database, running }) => {
    await database.owner.query(
      `insert into mail_jobs (organization_no, task, key, payload, given_up_at) values (0, 'mail_event', '', '{}', now())`,
    );
    expect(await problemsOf(running)).toEqual([
      'warning worker: 1 job failed at every attempt and will not be tried again, for example mail_event',
    ]);
    await database.owner.query('delete from mail_jobs');
    expect(await problemsOf(running)).toEqual([]);
  });

  const startSmtp = async (options: SMTPServerOptions): Promise<string> => {
    const server = new SMTPServer(options);
    server.on('error', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    return `127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  };

  test('a mail server that cannot be reached', async ({ running }) => {
    expect(await problemsOf(running, { SMTP_URL: `smtp://${NOBODY}` })).toEqual([
      `broken mail server: the mail server cannot be reached: connect ECONNREFUSED ${NOBODY}`,
    ]);
  });

  test('a mail server that refuses the login', async ({ running }) => {
    const host = await startSmtp({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, callback) => callback(new Error('no such user')),
    });
    const { problems, remedies } = await runDoctor(running, { SMTP_URL: `smtp://user:wrong@${host}` });
    expect(problems).toEqual([expect.stringMatching(/^broken mail server: the mail server refuses the login: .*535/)]);
    expect(remedies).toEqual(['check user and password in SMTP_URL']);
  });

  test('a mail server without TLS', async ({ running }) => {
    const host = await startSmtp({ disabledCommands: ['STARTTLS', 'AUTH'] });
    expect(await problemsOf(running, { SMTP_URL: `smtp://${host}`, SMTP_REQUIRE_TLS: 'true' })).toEqual([
      expect.stringMatching(/^broken mail server: the mail server cannot be used with TLS: /),
    ]);
  });

  test('a failing webhook, a disabled webhook, and overdue deliveries', async ({ database, running }) => {
    await running.stopWorker();
    const fleet = await givenTanked(database);
    const [failing, disabled, waiting] = [
      await givenEndpoint(database, fleet.organizationNo),
      await givenEndpoint(database, fleet.organizationNo),
      await givenEndpoint(database, fleet.organizationNo),
    ];
    await record(database, lowFillOf(fleet, { notify: false }));
    await database.owner.query(
      `update webhook_endpoints set failing_since = '2026-03-01T03:10:00Z' where id in ($1, $2)`,
      [failing.id, disabled.id],
    );
    await database.owner.query(
      `update webhook_endpoints set disabled_at = '2026-03-06T03:10:00Z', disabled_because = 'failing' where id = $1`,
      [disabled.id],
    );
    await database.owner.query(
      `insert into webhook_deliveries (endpoint_no, event_no, next_attempt_at)
       select w.no, e.no, '2026-03-01T03:10:00Z' from webhook_endpoints w, events e where w.id = $1 and e.tank_no = $2`,
      [waiting.id, fleet.tank.no],
    );
    const problems = (await problemsOf(running)).filter((problem) => !problem.includes('no worker'));
    expect(problems).toEqual([
      expect.stringMatching(
        `warning webhooks: the webhook ${failing.id} of .* has been failing since 2026-03-01T03:10`,
      ),
      expect.stringMatching(`warning webhooks: the webhook ${disabled.id} of .* was disabled at 2026-03-06T03:10`),
      'broken webhooks: 1 webhook message overdue, the oldest since 2026-03-01T03:10:00.000Z',
    ]);
    await database.owner.query('delete from webhook_deliveries; delete from webhook_endpoints');
    await running.startWorker();
    await expect.poll(() => problemsOf(running)).toEqual([]);
  });
});

test('an api without a proxy is a warning, unless only this machine can reach it', async ({ running }) => {
  const onThisMachine = [
    `note api: only this machine can reach the api at ${running.apiUrl}; put a proxy in front of it before others can`,
  ];
  expect(await problemsOf(running, { PUBLIC_URL: running.apiUrl })).toEqual(onThisMachine);
  // Without PUBLIC_URL, doctor finds the api by API_PORT.
  const port = new URL(running.apiUrl).port;
  expect(await problemsOf(running, { PUBLIC_URL: '', API_HOST: '0.0.0.0', API_PORT: port })).toEqual(onThisMachine);
  expect(proxyFinding('http://192.168.1.7:8080')).toMatchObject({
    isWarning: true,
    problem:
      'callers reach the api at http://192.168.1.7:8080 without a proxy that it trusts, so a flood of one caller slows all others down',
  });
});

test('an address at which nobody can sign in to the console is a warning', () => {
  for (const url of ['https://tanks.example.com', 'http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:8080'])
    expect(signInFindings(url)).toEqual([]);
  expect(signInFindings('http://192.168.1.7:8080')).toMatchObject([
    { isWarning: true, problem: expect.stringMatching(/^nobody can sign in .* only over https$/) },
  ]);
});

test('a note is not a problem', () => {
  const found = { check: 'api', severity: 'note' as const, problem: 'small', remedy: 'nothing to do', fixed: false };
  expect(reportOf([found])).toEqual({
    healthy: true,
    status: 'ok',
    findings: [],
    notes: [{ check: 'api', note: 'small' }],
    not_checked: [],
  });
  expect(describeCheck('api', [found])).toBe('ok    api: nothing to do: small');
});

describe('doctor reports of certificates and disks', () => {
  test('a server that closes the connection before TLS begins', async ({ running }) => {
    const server = createTcpServer((socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const problems = await problemsOf(running, { NATS_URL: `tls://127.0.0.1:${port}` });
    expect(problems).toContainEqual(
      expect.stringMatching(/certificates: the certificate of 127.0.0.1:\d+ cannot be read: the server closed/),
    );
  });

  test('a certificate that ends soon in a file, at a URL and of nats-server', async ({ running }) => {
    const { folder } = running;
    await makeCertificate(folder, 'soon', 5);
    const [cert, key] = await Promise.all(['soon.pem', 'soon.key'].map((name) => readFile(join(folder, name))));
    const server = createHttpsServer({ cert: cert ?? '', key: key ?? '' });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const natsPort = await startNatsWithTls(folder, 'soon');
    const problems = await problemsOf(running, {
      GATEWAY_TLS_CERT: join(folder, 'soon.pem'),
      GATEWAY_TLS_KEY: join(folder, 'soon.key'),
      PUBLIC_URL: `https://localhost:${port}`,
      NATS_URL: `tls://127.0.0.1:${natsPort}`,
    });
    expect(problems).toEqual([
      expect.stringMatching(
        /^broken stream: nats-server cannot be used: the certificate .* is not accepted \(.*SELF_SIGNED/,
      ),
      expect.stringMatching(/^warning api: the api cannot be reached at .*self-signed/),
      expect.stringMatching(`^warning certificates: the certificate of ${folder}/soon.pem ends at 20`),
      expect.stringMatching(`^warning certificates: the certificate of localhost:${port} ends at 20`),
      expect.stringMatching(`^warning certificates: the certificate of 127.0.0.1:${natsPort} ends at 20`),
    ]);
  });

  test('a certificate with the key of another one, and a file that does not exist', async ({ running }) => {
    const { folder } = running;
    await makeCertificate(folder, 'other', 90);
    expect(await problemsOf(running, { GATEWAY_TLS_KEY: join(folder, 'other.key') })).toEqual([
      `broken certificates: ${folder}/other.key is not the key of the certificate in ${folder}/valid.pem`,
    ]);
    expect(await problemsOf(running, { GATEWAY_TLS_CERT: join(folder, 'gone.pem') })).toEqual([
      expect.stringMatching(/^broken certificates: the certificate of the gateway cannot be read: ENOENT/),
    ]);
  });

  test('a certificate that has ended as broken, and not one that ends in a month', () => {
    const nowMs = Date.parse('2026-03-01T00:00:00Z');
    expect(endFindings('x', nowMs + 30 * 86_400_000, nowMs)).toEqual([]);
    expect(endFindings('x', nowMs - 1, nowMs)).toMatchObject([
      { problem: 'the certificate of x ended at 2026-02-28T23:59:59.999Z' },
    ]);
    expect(endFindings('x', nowMs - 1, nowMs)[0]?.isWarning).toBeUndefined();
  });

  test('a disk that is nearly full, and a folder that does not exist', async ({ running }) => {
    const gib = 1_073_741_824;
    const findings = (setting: string, freeGib: number) =>
      spaceFindings(setting, '/data', { totalBytes: 100 * gib, freeBytes: freeGib * gib });
    expect(findings('PGDATA', 10)).toEqual([]);
    expect(findings('PGDATA', 5)).toMatchObject([
      {
        problem: 'the disk of /data has 5.0 GiB free, 5.0 % of its size',
        remedy: 'make space or enlarge the disk: PostgreSQL refuses readings when it is full',
        isWarning: true,
      },
    ]);
    expect(findings('NATS_DATA', 1)[0]?.isWarning).toBeUndefined();
    expect(findings('NATS_DATA', 1)[0]?.remedy).toContain('nats-server refuses readings');
    expect(findings('REMOVALS_FILE', 1)[0]?.remedy).toContain('the worker cannot record removals');
    expect(await problemsOf(running, { NATS_DATA: '/not/there' })).toEqual([
      expect.stringMatching(/^warning disk space: the disk space of \/not\/there cannot be read: ENOENT/),
    ]);
  });
});

test('without a database the services are still checked', async ({ running }) => {
  const { problems } = await runDoctor(running, {
    OPERATOR_DATABASE_URL: `postgres://nobody@${NOBODY}/x`,
    GATEWAY_URL: `http://${NOBODY}`,
  });
  expect(problems).toEqual([
    expect.stringMatching(/^broken gateway: the gateway cannot be reached/),
    `broken database: the database cannot be reached: nothing listens at ${NOBODY}, where PostgreSQL should be (ECONNREFUSED)`,
  ]);
});

test('doctor reports a stopped nats-server, and that the gateway does not accept readings', async ({ running }) => {
  const [node] = running.nats.nodes;
  await node?.kill();
  const readProblems = async (): Promise<string[]> => (await runDoctor(running)).problems;
  await expect
    .poll(readProblems, { interval: 200 })
    .toEqual([
      expect.stringMatching(/^broken stream: nats-server cannot be used: /),
      expect.stringMatching(/^warning nats-server disk sync: /),
      expect.stringMatching(/^broken gateway: the gateway does not accept readings: /),
    ]);
  const { notChecked } = await runDoctor(running);
  expect(notChecked).toEqual(['writers: nats-server must be available']);
  await node?.restart();
  await expect.poll(readProblems, { interval: 200 }).toEqual([]);
});

test('the status is that of the worst finding', () => {
  const finding = { check: 'disk space', problem: 'full', remedy: 'make space', fixed: false };
  const broken = { ...finding, severity: 'broken' } as const;
  const warning = { ...finding, severity: 'warning' } as const;
  expect(reportOf([warning, { ...broken, fixed: true }]).status).toBe('warning');
  expect(reportOf([warning, broken]).status).toBe('broken');
});

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { startDatabase } from '../../engines/database.ts';
import { RoleProcess } from '../../engines/process.ts';
import { answering, startReceiver } from '../../engines/webhook_receiver.ts';
import { writtenForms } from '../../engines/written_forms.ts';
import { openPool } from '../../src/db/pool.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { eraseDeletedTanks } from '../../src/worker/retention.ts';
import { trimStream } from '../../src/writer/trim.ts';
import { tankwatch } from '../support/cli.ts';
import { SECRETS_KEY } from '../support/events.ts';
import { callApi } from '../support/http.ts';
import { DEVICE_SECRET, openStream, readStream, untilCommitted } from '../support/ingest.ts';
import { startMailbox } from '../support/mailbox.ts';
import { LINK_SECRET } from '../support/mails.ts';
import { findValues, tablesOfDump } from '../support/personal_values.ts';

const run = promisify(execFile);

const CUSTOMER = {
  external_key: 'KUNDE-77123',
  name: 'Íñigo Zubizarreta',
  email: 'inigo.zubizarreta@example.com',
  phone: '+34 943 555 0177',
};
const TANK = {
  name: 'Caserío Zubizarreta',
  custom_id: 'DEPOSITO-88231',
  city: 'Azpeitia',
  country: 'Euskadi',
  district: 'Urrestilla',
  latitude: '43.182736',
  longitude: '-2.266159',
  postal_code: '20731',
  region: 'Gipuzkoa',
  street: 'Harzubia kalea',
  street_number: '17-behea',
};
const KEY_NAME = 'App de Íñigo Z.';
/** Text in a payload that the gateway rejects. A device or a network server may add any text. */
const PAYLOAD_NOTE = 'casa de Zubizarreta, llaves en el buzón';
const PERSONAL = [...Object.values(CUSTOMER), ...Object.values(TANK), KEY_NAME, PAYLOAD_NOTE];
/** The serial number of the organization's sensor. It is not personal when nothing connects it with the customer any more. */
const DEVICE = 'SENSOR-5550123';
const ORGANIZATION = 'a0gas';

describe('the search itself', () => {
  test('finds a value in plain text, JSON, URLs, hexadecimal and base64', () => {
    for (const value of PERSONAL) {
      const shifted = ['', 'a', 'ab'].map((prefix) => Buffer.from(`${prefix}${value} and more`).toString('base64'));
      const texts = [value, encodeURIComponent(value), Buffer.from(`x${value}`).toString('hex'), ...shifted];
      for (const text of texts) expect(findValues(`before ${text} after`, PERSONAL), text).toContain(value);
      expect(writtenForms(value).every((form) => form.length >= 4)).toBe(true);
    }
    expect(findValues('nothing here', PERSONAL)).toEqual([]);
  });
});

/** Starts an installation in processes, and records all their logs. */
async function startInstallation() {
  const { postgres, owner, ownerUrl, urls, stop } = await startDatabase({
    log_min_messages: 'info',
    log_error_verbosity: 'terse', // as docs/operators/data.md says
    logging_collector: 'on',
    log_directory: 'log',
  });
  onTestFinished(stop);
  const [mailbox, receiver] = [await startMailbox(), await startReceiver(answering(500))];
  onTestFinished(() => receiver.close());
  const [apiPort, httpPort, mqttPort] = [await freePort(), await freePort(), await freePort()];
  const environment = {
    LOG_LEVEL: 'trace',
    API_DATABASE_URL: urls.api,
    GATEWAY_DATABASE_URL: urls.gateway,
    WRITER_DATABASE_URL: urls.writer,
    WORKER_DATABASE_URL: urls.worker,
    OPERATOR_DATABASE_URL: urls.operator,
    NATS_URL: inject('natsUrl'),
    NATS_STREAM: `test_privacy_${process.pid}`,
    STREAM_MAX_MIB: '64',
    DEVICE_SECRET,
    LINK_SECRET,
    SECRETS_KEY,
    API_HOST: '127.0.0.1',
    API_PORT: String(apiPort),
    API_DRAIN_MS: '0',
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_HTTP_PORT: String(httpPort),
    GATEWAY_MQTT_PORT: String(mqttPort),
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'alerts@gas.example',
    PUBLIC_URL: `http://127.0.0.1:${apiPort}`,
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  };
  const logs: string[] = [];
  const processes = (['writer', 'gateway', 'api', 'worker'] as const).map((role) => new RoleProcess(role, environment));
  for (const role of processes) {
    role.onOutput = (text) => void logs.push(text);
    await role.start();
    onTestFinished(() => role.stop());
  }
  const stream = await openStream(environment);
  onTestFinished(() => stream.close());
  const command = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await tankwatch(args, environment);
    if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  return {
    owner,
    urls,
    mailbox,
    receiver,
    environment,
    stream,
    command,
    processes,
    logs,
    dataFolder: postgres.dataFolder,
    dump: async () => (await run('pg_dump', [ownerUrl], { maxBuffer: 2 ** 28 })).stdout,
    apiUrl: `http://127.0.0.1:${apiPort}`,
    ingestUrl: `http://127.0.0.1:${httpPort}`,
  };
}

const flagsOf = (fields: Record<string, string>): string[] =>
  Object.entries(fields).flatMap(([field, value]) => [`--${field.replaceAll('_', '-')}=${value}`]);

test('no personal value of a deleted customer is left in the database, in logs or in the trimmed stream', async () => {
  const { command, mailbox, ...installation } = await startInstallation();
  const inOrganization = ['--organization', ORGANIZATION];
  await command('organizations', 'create', ORGANIZATION, '--name', 'Gas del Valle');
  await command('customers', 'create', ...inOrganization, ...flagsOf(CUSTOMER));
  const tank = ['--assigned-device-id', DEVICE, '--capacity', '500', '--capacity-unit', 'liters'];
  const owner = ['--owner', CUSTOMER.external_key, '--min-fill-alert-percentage', '20'];
  const tankId = JSON.parse(
    await command('tanks', 'create', ...inOrganization, ...owner, ...tank, ...flagsOf(TANK), '--json'),
  ).id;
  const narrowed = ['--customer', CUSTOMER.external_key, '--name', KEY_NAME];
  const key = (await command('keys', 'create', ...inOrganization, ...narrowed, '--quiet')).trim();
  const ingestKey = (
    await command('keys', 'create', ...inOrganization, '--name', 'ingest', '--scope', 'ingest', '--quiet')
  ).trim();
  await command('webhooks', 'create', installation.receiver.url, ...inOrganization);
  await command('contacts', 'add', 'dispatch@gas.example', ...inOrganization);

  // The mail server first refuses the invitation with the address of the customer, and then accepts it. The customer follows its link.
  mailbox.refusal = { status: 451, message: `greylisted ${CUSTOMER.email}` };
  await command('customers', 'invite', CUSTOMER.external_key, ...inOrganization);
  await expect.poll(() => installation.logs.join('')).toContain('451');
  mailbox.refusal = undefined;
  await installation.owner.query('update mail_jobs set due_at = now()');
  await command('customers', 'invite', CUSTOMER.external_key, ...inOrganization);
  await expect.poll(() => mailbox.of(CUSTOMER.email).length).toBeGreaterThan(0);
  const [link = ''] = /\/links\/[\w.-]+/.exec(mailbox.of(CUSTOMER.email)[0]?.text ?? '') ?? [];
  expect((await callApi(installation.apiUrl, link, { method: 'POST' })).status).toBe(200);

  // The customer signs in to the console by mail, and has asked for one more mail when the data is deleted.
  const ask = () =>
    callApi(installation.apiUrl, '/session/mails', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: CUSTOMER.email, return_to: `/tanks/${tankId}` }),
    });
  const signInLinks = () =>
    mailbox.of(CUSTOMER.email).flatMap(({ text }) => /\/session\/links\/[\w-]+/.exec(text)?.[0] ?? []);
  await ask();
  await expect.poll(() => signInLinks().length).toBe(1);
  const signedIn = await callApi(installation.apiUrl, signInLinks()[0] ?? '', { method: 'POST' });
  expect(signedIn.status).toBe(303);
  const cookie = [signedIn.headers['set-cookie'] ?? []].flat().map((text) => text.split(';')[0]);
  const inConsole = (path: string) => callApi(installation.apiUrl, path, { headers: { cookie: cookie[0] ?? '' } });
  expect((await inConsole('/session')).text).toContain(CUSTOMER.name);
  await ask();
  await expect.poll(() => signInLinks().length).toBe(2);

  // The customer's data is read over the API, with personal values in URLs, and with errors.
  const queries = [`email=${encodeURIComponent(CUSTOMER.email)}`, `name=${encodeURIComponent(CUSTOMER.name)}`];
  for (const query of queries) await callApi(installation.apiUrl, `/v1/customers?${query}`, { key });
  expect((await callApi(installation.apiUrl, `/v1/tanks/${tankId}`, { key })).text).toContain(TANK.street);
  await callApi(installation.apiUrl, `/${encodeURIComponent(CUSTOMER.name)}`, {
    key: CUSTOMER.name.normalize('NFD'),
  }).catch(() => {});
  const reading = (fill: unknown, minute: number, more = {}) => ({
    device_id: DEVICE,
    fill_percentage: fill,
    created_at: new Date(Date.now() - (60 - minute) * 60_000).toISOString(),
    ...more,
  });
  const readings = [
    ...Array.from({ length: 5 }, (_, n) => reading(50 - n / 10, n)),
    ...Array.from({ length: 5 }, (_, n) => reading(15 - n / 10, 10 + n)),
    reading('full', 20, { note: PAYLOAD_NOTE }),
    reading(101, 21, { note: PAYLOAD_NOTE }),
  ];
  const body = JSON.stringify({ readings });
  const ingested = await callApi(installation.ingestUrl, '/ingest/readings', { key: ingestKey, method: 'POST', body });
  expect(ingested.json).toMatchObject({ accepted: 10, rejected: [{}, {}] });
  await untilCommitted(installation.stream);
  const alerts = () => mailbox.of(CUSTOMER.email).filter(({ text }) => text.includes('/console/tanks/'));
  await expect.poll(() => alerts().length).toBe(1);
  await expect.poll(() => installation.receiver.received.length).toBeGreaterThan(0);
  // A statement fails, whose values PostgreSQL could write into its log.
  const duplicate = installation.owner.query(
    `insert into customers (id, organization_no, external_key, email, name)
     select gen_random_uuid(), organization_no, external_key, email, name from customers where external_key = $1`,
    [CUSTOMER.external_key],
  );
  await expect(duplicate).rejects.toThrow('duplicate key value');

  const before = tablesOfDump(await installation.dump());
  expect(findValues([...before.values()].join(''), PERSONAL)).toEqual(PERSONAL);

  await command('customers', 'delete', CUSTOMER.external_key, ...inOrganization, '--with-tanks');
  await callApi(installation.apiUrl, '/v1/customers', { key });
  await callApi(installation.apiUrl, link);
  await callApi(installation.apiUrl, signInLinks()[1] ?? '', { method: 'POST' });
  await expect.poll(async () => (await inConsole('/session')).status).toBe(401);
  const refused = await callApi(installation.ingestUrl, '/ingest/readings', {
    key: ingestKey,
    method: 'POST',
    body: JSON.stringify({ readings: [reading(44, 40)] }),
  });
  expect(refused.status).toBe(202);
  await untilCommitted(installation.stream);
  const worker = openPool({ url: installation.urls.worker, applicationName: 'tests' });
  await eraseDeletedTanks(worker);
  await worker.end();
  await Promise.all(installation.processes.map((role) => role.stop()));

  const after = tablesOfDump(await installation.dump());
  const foundIn = (value: string): string[] =>
    [...after].filter(([, rows]) => findValues(rows, [value]).length > 0).map(([table]) => table);
  expect(PERSONAL.map((value) => [value, foundIn(value)])).toEqual(PERSONAL.map((value) => [value, []]));
  // The serial number stays where it no longer leads to the customer: see docs/operators/data.md.
  expect(foundIn(DEVICE)).toEqual(['public.device_assignments', 'public.rejected_readings']);
  expect((await installation.owner.query('select tank_no from device_assignments')).rows).toEqual([{ tank_no: null }]);
  expect((await installation.owner.query('select code from rejected_readings')).rows).toEqual([
    { code: 'deleted_tank' },
  ]);
  const counters = [...after].filter(([table]) => table.startsWith('public.telemetry_month_counters'));
  expect(counters.length).toBeGreaterThan(0); // a partition for each year
  expect(counters.map(([, rows]) => rows).join('')).toBe('');

  const logs = installation.logs.join('');
  expect(logs.length).toBeGreaterThan(2_000);
  expect(findValues(logs, PERSONAL)).toEqual([]);
  const logFolder = join(installation.dataFolder, 'data/log');
  const postgresLogs = await Promise.all(
    (await readdir(logFolder)).map((file) => readFile(join(logFolder, file), 'utf8')),
  );
  expect(postgresLogs.join('')).toContain('duplicate key value');
  expect(findValues(postgresLogs.join(''), PERSONAL)).toEqual([]);

  // The stream keeps rejected payloads until it is trimmed, for STREAM_KEEP_DAYS: see docs/operators/data.md.
  const streamText = async (): Promise<string> =>
    (await readStream(installation.environment))
      .map((message) => JSON.stringify(message) + message.rejections.map(({ raw }) => raw.toString()).join(''))
      .join('');
  expect(findValues(await streamText(), PERSONAL)).toEqual([PAYLOAD_NOTE]);
  await trimStream(installation.stream, 7 * DAY_MS, Date.now() + 8 * DAY_MS);
  expect(await streamText()).toBe('');
});

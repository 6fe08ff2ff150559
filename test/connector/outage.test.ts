import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { type CloudReading, startOtodata } from '../../engines/clouds.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { ConnectorState, leaseConnectors } from '../../src/connector/connector_state.ts';
import { updateConnector } from '../../src/connectors/connector_changes.ts';
import { SourceError } from '../../src/connectors/source_client.ts';
import { transaction } from '../../src/db/pool.ts';
import { fireAllTimers } from '../../src/evaluation/fire_timers.ts';
import { readSettings } from '../../src/evaluation/tank_settings.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import {
  askNow,
  connectorEnvironment,
  givenConnector,
  givenConnectorRole,
  SECRETS_KEY,
  stateOf,
} from '../support/connectors.ts';
import { givenEndpoint, givenWorker } from '../support/events.ts';
import { givenSender, openStream, startWriter, test, untilCommitted } from '../support/ingest.ts';
import { startMailbox } from '../support/mailbox.ts';
import { mailSettings } from '../support/mails.ts';
import type { TestDatabase } from '../support/test.ts';

const DEVICES = ['80000001', '80000002', '80000003'];

const countSilences = async ({ owner }: TestDatabase, tankNos: readonly number[]): Promise<number> =>
  (
    await owner.query(
      `select from events where tank_no = any ($1) and type = 'tank.device_silent' and retracted_at is null`,
      [tankNos],
    )
  ).rows.length;

/** A source of three devices in a cloud, which have reported every hour for two days. */
async function givenSource(database: TestDatabase) {
  const environment = connectorEnvironment(database, { EVENTS: 'on' });
  const sender = await givenSender(database, DEVICES);
  const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const readings = DEVICES.flatMap((device) =>
    Array.from({ length: 48 }, (_, n): CloudReading => ({ device, atMs: startMs - (47 - n) * HOUR_MS, level: 0.6 })),
  );
  const cloud = await startOtodata({
    readings: (fromMs, toMs) => readings.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs),
  });
  onTestFinished(() => cloud.close());
  const { id, no } = await givenConnector(database, sender.organizationNo, {
    kind: 'otodata',
    name: 'Otodata',
    settings: { urls: [cloud.url], requests_per_minute: 6_000 },
    secret: 'otodata-key',
    days: 3,
  });
  const writer = await startWriter(environment);
  const stream = await openStream(environment);
  onTestFinished(async () => {
    await writer.close();
    await stream.close();
  });
  await givenConnectorRole(environment);
  // Each poll requests a run again, because a run that just ends overwrites the time of the next run.
  const untilState = (state: string) =>
    expect
      .poll(async () => {
        await askNow(database, no);
        return (await stateOf(database, sender.organizationNo, id)).state;
      })
      .toBe(state);
  await untilState('works');
  await expect.poll(async () => (await stateOf(database, sender.organizationNo, id)).backfill_from).toBeNull();
  await untilCommitted(stream);
  return { ...sender, cloud, id, no, untilState, startMs };
}

test('a source that fails for 15 minutes is down: each contact gets one mail, and its devices are not silent until it works', async ({
  database,
}) => {
  const source = await givenSource(database);
  const { organizationNo, tankNos, cloud, no, untilState, startMs } = source;
  const mailbox = await startMailbox();
  for (const name of ['beth', 'ana'])
    await database.owner.query(
      'insert into contacts (id, organization_no, email, types) values (gen_random_uuid(), $1, $2, $3)',
      [organizationNo, `${name}${organizationNo}@example.com`, []],
    );
  await givenWorker(database, mailSettings(mailbox.url));
  const { receiver } = await givenEndpoint(database, organizationNo, undefined, {
    types: ['connector.down', 'connector.up'],
  });
  const messages = () => receiver.received.map(({ body }) => JSON.parse(body) as { type: string; data: object });
  const types = () => messages().map(({ type }) => type);

  const hanging = setInterval(() => {
    cloud.faults.length = 0;
    cloud.faults.push(...Array.from({ length: 20 }, () => ({ status: 503 })));
  }, 10);
  onTestFinished(() => clearInterval(hanging));
  await expect.poll(() => cloud.faults.length).toBe(20);
  await untilState('failing');
  for (let attempt = 0; attempt < 3; attempt++) {
    const requestsBefore = cloud.requests.length;
    const stateLater = async (): Promise<unknown> => {
      await database.owner.query(
        `update connector_states set failing_since = now() - interval '16 minutes', next_attempt_at = now() where connector_no = $1`,
        [no],
      );
      const { state } = await stateOf(database, organizationNo, source.id);
      return [state, cloud.requests.length > requestsBefore];
    };
    await expect.poll(stateLater).toEqual(['down', true]);
  }
  await expect.poll(() => mailbox.mails.length).toBe(2);
  await expect.poll(types).toEqual(['connector.down']);
  expect(messages()[0]?.data).toMatchObject({
    connector_id: source.id,
    name: 'Otodata',
    reason: 'failing',
    tanks: 3,
    tank: { object: 'tank' },
  });
  expect(mailbox.mails.map(({ text }) => text).join()).toContain('3 tanks wait for it');
  expect(mailbox.mails.map(({ text }) => text).join()).not.toContain('otodata-key');

  // Three days later, the source is still down.
  await fireAllTimers(database.writer, startMs + 3 * DAY_MS);
  expect(await countSilences(database, tankNos)).toBe(0);

  // The source works again, but the devices have no newer readings.
  clearInterval(hanging);
  cloud.faults.length = 0;
  await untilState('works');
  await expect.poll(types).toEqual(['connector.down', 'connector.up']);
  await database.owner.query(
    `update tank_outages set from_at = to_timestamp($2::float8 / 1000), to_at = to_timestamp($3::float8 / 1000) where tank_no = any ($1)`,
    [tankNos, startMs + HOUR_MS, startMs + 3 * DAY_MS],
  );
  await database.owner.query('update tank_states set timer_at = now() where tank_no = any ($1)', [tankNos]);
  await fireAllTimers(database.writer, startMs + 3 * DAY_MS + HOUR_MS / 2);
  expect(await countSilences(database, tankNos)).toBe(0);
  // Timers are fired repeatedly, because only one process looks for timers at a time, and it may be the writer.
  const silencesLater = async (): Promise<number> => {
    await database.owner.query('update tank_states set timer_at = now() where tank_no = any ($1)', [tankNos]);
    await fireAllTimers(database.writer, startMs + 3 * DAY_MS + 2 * HOUR_MS);
    return countSilences(database, tankNos);
  };
  await expect.poll(silencesLater).toBe(3);
  expect(mailbox.mails).toHaveLength(2);
});

test('a source whose key was refused is reported when it works with another key', async ({ database }) => {
  const { organizationNo, cloud, id, untilState } = await givenSource(database);
  await givenWorker(database);
  const { receiver } = await givenEndpoint(database, organizationNo, undefined, {
    types: ['connector.down', 'connector.up'],
  });
  const types = () => receiver.received.map(({ body }) => JSON.parse(body).type);
  cloud.secret = 'another-key';
  await untilState('refused');
  await expect.poll(types).toEqual(['connector.down']);
  await transaction(database.operator, (tx) =>
    updateConnector(operatorChange(tx, organizationNo), id, { secret: 'another-key' }, SECRETS_KEY),
  );
  await untilState('works');
  await expect.poll(types).toEqual(['connector.down', 'connector.up']);
});

test('a run that ends just after a pause keeps the outage of the pause, and a success makes the next pause short', async ({
  database,
}) => {
  const { owner, operator, worker } = database;
  const { organizationNo, tankNos } = await givenSender(database, ['80000009']);
  const { id, no } = await givenConnector(database, organizationNo, {
    kind: 'otodata',
    name: 'Otodata',
    settings: { urls: ['https://example.com'] },
    secret: 'otodata-key',
  });
  await owner.query(`insert into connector_devices (connector_no, device_id) values ($1, '80000009')`, [no]);
  await owner.query('update connector_states set failures = 10 where connector_no = $1', [no]);
  const processId = randomUUID();
  const leased = await leaseConnectors(worker, { processId, clouds: 10, brokers: 0, running: {} });
  const connector = leased.find((one) => one.no === no);
  if (connector === undefined) throw new Error('the connector is not due');
  const state = new ConnectorState(worker, processId, connector);
  await state.recordSuccess({ hasLookedBack: false });
  await state.recordFailure(new SourceError('failed', 'no answer'));
  const { rows } = await owner.query<{ seconds: number }>(
    'select extract(epoch from next_attempt_at - now())::float8 as seconds from connector_states where connector_no = $1',
    [no],
  );
  expect(rows[0]?.seconds).toBeLessThan(13);

  await transaction(operator, (tx) =>
    updateConnector(operatorChange(tx, organizationNo), id, { paused: true }, SECRETS_KEY),
  );
  await state.recordSuccess({ hasLookedBack: false });
  const { rows: outages } = await owner.query('select to_at from tank_outages where tank_no = any ($1)', [tankNos]);
  expect(outages).toEqual([{ to_at: null }]);
});

test('a pause of a source prevents new silences of its devices and keeps a silence that began before it', async ({
  database,
}) => {
  const { organizationNo, tankNos, id, startMs, untilState } = await givenSource(database);
  const [first = 0] = tankNos;
  // The first device stopped two days before the source was paused.
  await database.owner.query(
    `insert into tank_outages (tank_no, connector_no, from_at) select $1, no, to_timestamp($3::float8 / 1000) from connectors where id = $2`,
    [first, id, startMs + 2 * DAY_MS],
  );
  await transaction(database.operator, (tx) =>
    updateConnector(operatorChange(tx, organizationNo), id, { paused: true }, SECRETS_KEY),
  );
  await untilState('paused');
  await fireAllTimers(database.writer, startMs + 5 * DAY_MS);
  expect(await countSilences(database, [first])).toBe(1);
  expect(await countSilences(database, tankNos)).toBe(1);
});

test('a source has one open outage at a time, and at most 51 outages of a tank are kept', async ({ database }) => {
  const { organizationNo, tankNos } = await givenSender(database, ['81000001']);
  const { no } = await givenConnector(database, organizationNo, { kind: 'otodata', name: 'Otodata', settings: {} });
  await database.owner.query(`insert into connector_devices (connector_no, device_id) values ($1, '81000001')`, [no]);
  const begin = (minute: number) =>
    database.worker.query('select begin_outage($1, $2) as n', [no, new Date(Date.UTC(2026, 0, 1, 0, minute))]);
  const outages = async () =>
    (await transaction(database.writer, (tx) => readSettings(tx, tankNos))).get(tankNos[0] ?? 0)?.settings.outages ??
    [];
  expect((await begin(0)).rows).toEqual([{ n: 1 }]);
  expect((await begin(1)).rows).toEqual([{ n: 0 }]);
  await database.worker.query('select end_outage($1)', [no]);
  await begin(2);
  expect((await outages()).map(({ fromMs, toMs }) => [new Date(fromMs).getUTCMinutes(), toMs === null])).toEqual([
    [0, false],
    [2, true],
  ]);
  for (let minute = 3; minute < 58; minute++) {
    await database.worker.query('select end_outage($1)', [no]);
    await begin(minute);
  }
  expect((await outages()).length).toBeLessThanOrEqual(51);
});

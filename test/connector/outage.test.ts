import { expect, onTestFinished } from 'vitest';
import { type CloudReading, startOtodata } from '../../engines/clouds.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { updateConnector } from '../../src/connectors/connector_changes.ts';
import { transaction } from '../../src/db/pool.ts';
import { fireAllTimers } from '../../src/evaluation/fire_timers.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import {
  askNow,
  connectorEnvironment,
  givenConnector,
  givenConnectorRole,
  SECRETS_KEY,
  stateOf,
} from '../support/connectors.ts';
import { givenWorker } from '../support/events.ts';
import { givenSender, openStream, startWriter, test, untilCommitted } from '../support/ingest.ts';
import { startMailbox } from '../support/mailbox.ts';
import { mailSettings } from '../support/mails.ts';
import type { TestDatabase } from '../support/test.ts';

const soon = { interval: 100, timeout: 60_000 };
const DEVICES = ['80000001', '80000002', '80000003'];

const silencesOf = async ({ owner }: TestDatabase, tankNos: readonly number[]): Promise<number> =>
  (
    await owner.query(
      `select from events where tank_no = any ($1) and type = 'tank.device_silent' and retracted_at is null`,
      [tankNos],
    )
  ).rows.length;

/** Three devices of a cloud that have reported every hour for two days. */
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
  const stateIs = (state: string) =>
    expect.poll(async () => (await stateOf(database, sender.organizationNo, id)).state, soon).toBe(state);
  await stateIs('works');
  await expect.poll(async () => (await stateOf(database, sender.organizationNo, id)).backfill_from, soon).toBeNull();
  await untilCommitted(stream);
  return { ...sender, cloud, id, no, stateIs, startMs };
}

test('a source that fails for 15 minutes is down: one mail, and no tank is called silent until a rhythm after it works', async ({
  database,
}) => {
  const source = await givenSource(database);
  const { organizationNo, tankNos, cloud, no, stateIs, startMs } = source;
  const mailbox = await startMailbox();
  for (const name of ['beth', 'ana'])
    await database.owner.query(
      'insert into contacts (id, organization_no, email, types) values (gen_random_uuid(), $1, $2, $3)',
      [organizationNo, `${name}${organizationNo}@example.com`, []],
    );
  await givenWorker(database, mailSettings(mailbox.url));

  const hanging = setInterval(() => {
    cloud.faults.length = 0;
    cloud.faults.push(...Array.from({ length: 20 }, () => ({ status: 503 })));
  }, 10);
  onTestFinished(() => clearInterval(hanging));
  await expect.poll(() => cloud.faults.length, soon).toBe(20);
  await askNow(database, no);
  await stateIs('failing');
  for (let attempt = 0; attempt < 3; attempt++) {
    await database.owner.query(
      `update connector_states set failing_since = now() - interval '16 minutes', next_attempt_at = now() where connector_no = $1`,
      [no],
    );
    const asked = cloud.requests.length;
    await stateIs('down');
    await expect.poll(() => cloud.requests.length, soon).toBeGreaterThan(asked);
  }
  await expect.poll(() => mailbox.mails.length, soon).toBe(2);
  expect(mailbox.mails.map(({ text }) => text).join()).toContain('3 tanks wait for it');
  expect(mailbox.mails.map(({ text }) => text).join()).not.toContain('otodata-key');

  // Three days later, it is still down.
  await fireAllTimers(database.writer, startMs + 3 * DAY_MS);
  expect(await silencesOf(database, tankNos)).toBe(0);

  // It works again, but the devices have no newer readings.
  clearInterval(hanging);
  cloud.faults.length = 0;
  await askNow(database, no);
  await stateIs('works');
  await database.owner.query(
    `update tank_outages set from_at = to_timestamp($2::float8 / 1000), to_at = to_timestamp($3::float8 / 1000) where tank_no = any ($1)`,
    [tankNos, startMs + HOUR_MS, startMs + 3 * DAY_MS],
  );
  await database.owner.query('update tank_states set timer_at = now() where tank_no = any ($1)', [tankNos]);
  await fireAllTimers(database.writer, startMs + 3 * DAY_MS + HOUR_MS / 2);
  expect(await silencesOf(database, tankNos)).toBe(0);
  await database.owner.query('update tank_states set timer_at = now() where tank_no = any ($1)', [tankNos]);
  await fireAllTimers(database.writer, startMs + 3 * DAY_MS + 2 * HOUR_MS);
  expect(await silencesOf(database, tankNos)).toBe(3);
  expect(mailbox.mails).toHaveLength(2);
});

test('the devices of a paused source are not called silent; a silence from before it was paused stays', async ({
  database,
}) => {
  const { organizationNo, tankNos, id, startMs, stateIs } = await givenSource(database);
  const [first = 0] = tankNos;
  // One of them stopped two days before.
  await database.owner.query(
    `insert into tank_outages (tank_no, connector_no, from_at) select $1, no, to_timestamp($3::float8 / 1000) from connectors where id = $2`,
    [first, id, startMs + 2 * DAY_MS],
  );
  await transaction(database.operator, (tx) =>
    updateConnector(operatorChange(tx, organizationNo), id, { paused: true }, SECRETS_KEY),
  );
  await stateIs('paused');
  await fireAllTimers(database.writer, startMs + 5 * DAY_MS);
  expect(await silencesOf(database, [first])).toBe(1);
  expect(await silencesOf(database, tankNos)).toBe(1);
});

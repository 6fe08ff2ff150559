import { connectAsync } from 'mqtt';
import { expect, onTestFinished } from 'vitest';
import { type MqttBroker, startMqttBroker } from '../../engines/mqtt_broker.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { fitsTopic } from '../../src/connectors/broker_session.ts';
import { requestTrial } from '../../src/connectors/connector_changes.ts';
import { transaction } from '../../src/db/pool.ts';
import { askNow, connectorEnvironment, givenConnector, givenConnectorRole, stateOf } from '../support/connectors.ts';
import { givenSender, openStream, startWriter, test, untilCommitted } from '../support/ingest.ts';
import { type TestDatabase, untilTestEnds } from '../support/test.ts';

/** Publishes messages, each with QoS 1, and waits until the broker has them. */
async function publish(
  { url, user, password }: MqttBroker,
  messages: readonly { topic: string; message: string; retain?: boolean }[],
): Promise<void> {
  const client = await connectAsync(url, { username: user, password, reconnectPeriod: 0, clientId: 'rtl_433' });
  for (const { topic, message, retain = false } of messages)
    await client.publishAsync(topic, message, { qos: 1, retain });
  await client.endAsync();
}

/** A message of rtl_433, with the time of its option -M time:utc or without a time. */
const oilMessage = (time: object, retain = false) => ({
  topic: 'rtl_433/oil',
  message: JSON.stringify({ ...time, model: 'Oil-SonicAdv', id: 7, depth_cm: 40, temperature_C: 5 }),
  retain,
});

async function givenBrokerSource(database: TestDatabase, password: string | undefined) {
  const environment = connectorEnvironment(database);
  const broker = await untilTestEnds(startMqttBroker());
  const sender = await givenSender(database, ['PLAIN1', 'Oil-SonicAdv/7']);
  const connector = await givenConnector(database, sender.organizationNo, {
    kind: 'mqtt',
    name: 'home',
    settings: {
      url: broker.url,
      user: broker.user,
      topics: [
        { filter: 'rtl_433/#', profile: 'rtl433-oil' },
        { filter: 'tanks/+/level', device_level: 1 },
      ],
    },
    secret: password ?? broker.password,
  });
  const untilState = (state: string) =>
    expect.poll(async () => (await stateOf(database, sender.organizationNo, connector.id)).state).toBe(state);
  return { ...sender, ...connector, environment, broker, untilState };
}

test('messages of a broker are stored once, also those that it keeps while no connector runs or before the connector reconnects', async ({
  database,
}) => {
  const { organizationNo, tankNos, id, no, environment, broker, untilState } = await givenBrokerSource(
    database,
    undefined,
  );
  const [writer, stream] = await Promise.all([startWriter(environment), openStream(environment)]);
  onTestFinished(async () => {
    await Promise.all([writer.close(), stream.close()]);
  });
  const message = (minute: number) => ({
    topic: 'tanks/PLAIN1/level',
    message: JSON.stringify({
      fill_percentage: 50,
      created_at: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
    }),
  });
  const countStored = async (): Promise<number> =>
    (await database.owner.query('select from telemetry where tank_no = any ($1)', [tankNos])).rows.length;
  const first = await givenConnectorRole(environment);
  await untilState('works');
  await publish(broker, [message(1), message(2), { ...message(3), topic: 'other/topic' }]);
  await expect.poll(countStored).toBe(2);

  // A trial subscribes beside the connection of the connector, and takes no message from it.
  await transaction(database.operator, (tx) => requestTrial(operatorChange(tx, organizationNo), id));
  let minute = 100;
  const tried = async () => {
    await publish(broker, [message(minute++)]);
    return (await stateOf(database, organizationNo, id)).last_try;
  };
  await expect
    .poll(tried, { interval: 1_000 })
    .toMatchObject({ works: true, devices: 1, devices_on_tanks: 1, error: null });
  await expect.poll(countStored).toBe(2 + minute - 100);
  await database.owner.query(`delete from telemetry where created_at >= '2026-01-01T01:40:00Z'`);

  // The broker keeps the messages that arrive while no connector runs.
  await first.close();
  await publish(broker, [message(4), message(5)]);
  const second = await givenConnectorRole(environment);
  await expect.poll(countStored).toBe(4);

  await broker.kill();
  await untilState('failing');
  await broker.restart({ keepsMessages: true });
  await publish(broker, [message(6)]);
  await askNow(database, no);
  await expect.poll(countStored).toBe(5);
  await untilState('works');

  // The broker has lost its sessions, so the connector subscribes again.
  await broker.kill();
  await untilState('failing');
  await broker.restart({ keepsMessages: false });
  await askNow(database, no);
  await untilState('works');
  await publish(broker, [message(7), message(7)]);
  await expect.poll(countStored).toBe(6);

  // The profile reads distances, but the tank has no gauge. Both messages are new, also the one that the broker retains.
  await publish(broker, [oilMessage({}, true), oilMessage({ time: '2026-01-01 00:00:00' })]);
  const rejected = async (): Promise<unknown[]> =>
    (await database.owner.query('select device_id, code from rejected_readings')).rows;
  const noGauge = { device_id: 'Oil-SonicAdv/7', code: 'no_gauge' };
  await expect.poll(rejected).toEqual([noGauge, noGauge]);
  // At the next connection, the broker sends the retained message again. Its age is unknown, so it is ignored.
  await second.close();
  await givenConnectorRole(environment);
  await publish(broker, [message(8)]);
  await expect.poll(countStored).toBe(7);
  await untilCommitted(stream);
  expect(await rejected()).toHaveLength(2);
});

test('a broker that refuses the password is not tried again', async ({ database }) => {
  const { organizationNo, id, environment, untilState } = await givenBrokerSource(database, 'wrong');
  await givenConnectorRole(environment);
  await untilState('refused');
  expect((await stateOf(database, organizationNo, id)).last_error).toContain('refuses the user name or password');
});

test('in a filter of topics, "+" matches one level, and "#" matches all further levels', () => {
  expect([
    fitsTopic('a/+/c', 'a/b/c'),
    fitsTopic('a/#', 'a/b/c'),
    fitsTopic('#', 'a'),
    fitsTopic('a/+', 'a/b/c'),
    fitsTopic('a/b', 'a'),
    fitsTopic('a', 'a/b'),
  ]).toEqual([true, true, true, false, false, false]);
});

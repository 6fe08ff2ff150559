import { connectAsync } from 'mqtt';
import { expect, onTestFinished } from 'vitest';
import { type MqttBroker, startMqttBroker } from '../../engines/mqtt_broker.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { removeConnector, requestTrial, updateConnector } from '../../src/connectors/connector_changes.ts';
import { transaction } from '../../src/db/pool.ts';
import { isObject } from '../../src/values/json.ts';
import {
  askNow,
  connectorEnvironment,
  givenConnector,
  givenConnectorRole,
  SECRETS_KEY,
  stateOf,
} from '../support/connectors.ts';
import { givenSender, postReadings, startGateway, startWriter, test } from '../support/ingest.ts';

const soon = { interval: 200, timeout: 60_000 };

/** Reads everything that the broker retains, as a new subscriber. An empty message has deleted the retained one. */
async function readRetained({ url, user, password }: MqttBroker): Promise<Record<string, unknown>> {
  const client = await connectAsync(url, { username: user, password, reconnectPeriod: 0 });
  const messages: Record<string, unknown> = {};
  client.on('message', (topic, payload, { retain }) => {
    const text = payload.toString();
    if (retain) messages[topic] = text.startsWith('{') ? JSON.parse(text) : text;
  });
  // The broker sends the retained messages first, and then the message that this client publishes.
  const echo = new Promise<void>((resolve) => client.on('message', (topic) => topic === 'echo' && resolve()));
  await client.subscribeAsync(['homeassistant/#', 'tankwatch/#', 'echo']);
  await client.publishAsync('echo', 'x', { qos: 1 });
  await echo;
  await client.endAsync();
  return messages;
}

test('chosen tanks are devices of Home Assistant, also after the broker has lost everything', async ({ database }) => {
  const environment = connectorEnvironment(database);
  const broker = await startMqttBroker();
  onTestFinished(() => broker.stop());
  const [writer, gateway] = await Promise.all([startWriter(environment), startGateway(environment)]);
  onTestFinished(async () => {
    await Promise.all([writer.close(), gateway.close()]);
  });
  const sender = await givenSender(database, ['HOME1', 'HOME2', 'OTHER']);
  const { organizationNo } = sender;
  const send = (device_id: string, fill_percentage: number) =>
    postReadings(gateway.httpUrl, sender.key, [{ device_id, fill_percentage, created_at: new Date().toISOString() }]);
  await send('HOME1', 62.5);
  const { rows } = await database.owner.query<{ id: string; name: string }>(
    `select id, name from tanks where organization_no = $1 order by no`,
    [organizationNo],
  );
  const [first = { id: '', name: '' }, second = { id: '', name: '' }] = rows;
  await database.owner.query(
    `insert into device_health (organization_no, device_id, tank_no, at, day, battery_percent, battery_days, signal_days, is_signal_weak)
     values ($1, 'HOME1', $2, now(), 20000, 87, '{}', '{}', false)
     on conflict (organization_no, device_id) do update set battery_percent = 87`,
    [organizationNo, sender.tankNos[0]],
  );
  const settings = { url: broker.url, user: broker.user, tanks: [first.id, second.id] };
  const connector = await givenConnector(
    database,
    organizationNo,
    { kind: 'home_assistant', name: 'Home', settings, secret: broker.password },
    { isPaused: true },
  );
  const state = () => stateOf(database, organizationNo, connector.id);
  const change = (values: Parameters<typeof updateConnector>[2]) =>
    transaction(database.operator, (tx) =>
      updateConnector(operatorChange(tx, organizationNo), connector.id, values, SECRETS_KEY),
    );
  const role = await givenConnectorRole(environment);

  // A trial connects and publishes nothing.
  await transaction(database.operator, (tx) => requestTrial(operatorChange(tx, organizationNo), connector.id));
  await expect.poll(async () => (await state()).last_try, soon).toMatchObject({ works: true, devices: 2 });
  expect(await readRetained(broker)).toEqual({});

  await change({ paused: false });
  await expect.poll(async () => (await state()).state, soon).toBe('works');
  const topics = {
    config: (id: string) => `homeassistant/device/tankwatch_${id}/config`,
    state: (id: string) => `tankwatch/${connector.id}/${id}/state`,
    status: `tankwatch/${connector.id}/status`,
  };
  await expect
    .poll(async () => (await readRetained(broker))[topics.state(first.id)], soon)
    .toMatchObject({
      fill_percentage: 62.5,
      low: 'OFF',
      battery_percent: 87,
    });
  const found = await readRetained(broker);
  expect(Object.keys(found).toSorted()).toEqual(
    [first, second]
      .flatMap(({ id }) => [topics.config(id), topics.state(id)])
      .concat(topics.status)
      .toSorted(),
  );
  expect(found[topics.status]).toBe('online');
  const config = found[topics.config(first.id)];
  expect(config).toMatchObject({
    device: { identifiers: [`tankwatch_${first.id}`], name: first.name },
    origin: { name: 'tankwatch' },
    availability_topic: topics.status,
    state_topic: topics.state(first.id),
    components: {
      level: { platform: 'sensor', unit_of_measurement: '%', state_class: 'measurement' },
      low: { platform: 'binary_sensor', device_class: 'problem' },
      last_seen: { platform: 'sensor', device_class: 'timestamp' },
      battery: { platform: 'sensor', device_class: 'battery', unit_of_measurement: '%' },
    },
  });
  // The other device has not reported a battery.
  const other = found[topics.config(second.id)];
  expect(isObject(other) && isObject(other['components']) && Object.keys(other['components'])).toEqual([
    'level',
    'low',
    'last_seen',
  ]);
  expect(found[topics.state(second.id)]).toEqual({
    fill_percentage: null,
    low: 'OFF',
    last_seen: null,
    battery_percent: null,
  });

  // A new level is published at once. The evaluation decides whether the tank is low, and it doubts a sudden fall.
  const published = async () => (await readRetained(broker))[topics.state(first.id)];
  await send('HOME1', 61);
  await expect.poll(published, soon).toMatchObject({ fill_percentage: 61, low: 'OFF' });
  await database.owner.query('update fleet_tanks set is_low = true where tank_no = $1', [sender.tankNos[0]]);
  await expect.poll(published, soon).toMatchObject({ fill_percentage: 61, low: 'ON' });
  const before = await readRetained(broker);

  // After the broker has lost everything, the tanks are published again.
  await broker.kill();
  await expect.poll(async () => (await state()).state, soon).toBe('failing');
  await database.owner.query(
    `update connector_states set next_attempt_at = now() + interval '1 hour' where connector_no = $1`,
    [connector.no],
  );
  await broker.restart({ keepsMessages: false });
  expect(await readRetained(broker)).toEqual({});
  await askNow(database, connector.no);
  await expect.poll(() => readRetained(broker), soon).toEqual(before);

  // Without the connector, the tanks are unavailable.
  await role.close();
  await expect.poll(async () => (await readRetained(broker))[topics.status], soon).toBe('offline');

  // A tank that is no longer chosen is removed from the broker, also by another process.
  await change({ settings: { ...settings, tanks: [first.id] } });
  await givenConnectorRole(environment);
  await expect
    .poll(async () => Object.keys(await readRetained(broker)).toSorted(), soon)
    .toEqual([topics.config(first.id), topics.state(first.id), topics.status].toSorted());
  await expect.poll(state, soon).toMatchObject({ devices: 1, tanks: 1 });

  // The messages of a removed connector are deleted, except for a tank that another connector publishes to the same broker.
  await change({ settings });
  await expect.poll(async () => Object.keys(await readRetained(broker)).length, soon).toBe(5);
  const another = await givenConnector(database, organizationNo, {
    kind: 'home_assistant',
    name: 'Other',
    settings: { ...settings, tanks: [second.id] },
    secret: broker.password,
  });
  await expect.poll(async () => (await stateOf(database, organizationNo, another.id)).state, soon).toBe('works');
  await transaction(database.operator, (tx) => removeConnector(operatorChange(tx, organizationNo), connector.id));
  await expect
    .poll(async () => Object.keys(await readRetained(broker)).toSorted(), soon)
    .toEqual(
      [
        topics.config(second.id),
        `tankwatch/${another.id}/${second.id}/state`,
        `tankwatch/${another.id}/status`,
      ].toSorted(),
    );
  expect((await database.owner.query('select from broker_cleanups')).rowCount).toBe(0);
});

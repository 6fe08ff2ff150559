import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { connectPacket, PING_REQUEST } from '../../bench/load_client/mqtt_packets.ts';
import { revokeDevice } from '../../src/catalog/devices.ts';
import { findOrganization } from '../../src/catalog/organizations.ts';
import { transaction } from '../../src/db/pool.ts';
import { devicePassword, deviceUserName } from '../../src/keys/device_password.ts';
import { organizationSecret } from '../../src/keys/organization_secret.ts';
import { DEVICE_SECRET, givenSender, test } from '../support/ingest.ts';
import { closed, connectDevice, publish, READING, topicOf } from '../support/mqtt.ts';
import { within } from '../support/stopwatch.ts';
import type { TestDatabase } from '../support/test.ts';

async function revoke(database: TestDatabase, organizationCode: string, deviceId: string): Promise<void> {
  await transaction(database.operator, async (tx) => {
    await revokeDevice(tx, (await findOrganization(tx, organizationCode)) ?? 0, deviceId);
  });
}

/** Connects with more packets behind the CONNECT than the broker queues, so that it closes the connection early. */
function connectWithTooManyPackets(port: number, organizationCode: string, deviceId: string): Socket {
  const username = deviceUserName(organizationCode, deviceId);
  const password = devicePassword(organizationSecret(DEVICE_SECRET, organizationCode), deviceId, 1);
  const login = connectPacket({ clientId: username, username, password, keepAliveSeconds: 60 });
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}).resume();
  socket.write(Buffer.concat([login, ...Array.from({ length: 60 }, () => PING_REQUEST)]));
  return socket;
}

test('a revoked device is disconnected within a second, even if it tried to connect again in between', async ({
  database,
  ingest,
}) => {
  const { organizationCode } = await givenSender(database, ['R1']);
  const { mqttPort } = ingest.gateway;
  const device = { organizationCode, deviceId: 'R1' };
  const client = await connectDevice(mqttPort, device);
  for (let n = 0; n < 20; n++) {
    const socket = connectWithTooManyPackets(mqttPort, organizationCode, 'R1');
    await new Promise((resolve) => socket.once('close', resolve));
  }
  await sleep(100);
  expect(await publish(client, topicOf(device), READING)).toBe('acknowledged');
  await revoke(database, organizationCode, 'R1');
  await within(1_000, () => closed(client));
  await expect(connectDevice(mqttPort, device)).rejects.toThrow();
});

test('connections that the broker gives up do not count as connected devices', async ({ database, ingest }) => {
  const { organizationCode } = await givenSender(database, ['R2']);
  const connected = async (): Promise<number | undefined> => {
    const metric = await ingest.gateway.registry.getSingleMetric('tankwatch_gateway_connections')?.get();
    return metric?.values[0]?.value;
  };
  await expect.poll(connected).toBe(0); // the connections of the previous test have ended
  for (let n = 0; n < 20; n++) {
    const socket = connectWithTooManyPackets(ingest.gateway.mqttPort, organizationCode, 'R2');
    await new Promise((resolve) => socket.once('close', resolve));
  }
  await expect.poll(connected).toBe(0);
});

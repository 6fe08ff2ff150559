import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionLostError, MqttConnection } from '../../bench/load_client/mqtt_connection.ts';
import { atMost, figure } from '../../bench/report.ts';
import { revokeDevice } from '../../src/catalog/devices.ts';
import { transaction } from '../../src/db/pool.ts';
import { mqttIdentity } from '../../src/simulation/device_login.ts';
import { ATTACKER_ADDRESS, type Attack, type AttackContext } from './attack.ts';
import { loginAndPings, openSocket, readingsPacket, untilClosed } from './raw_mqtt.ts';

const AT_ONCE = 20;

/**
 * A connected device connects again with too many packets behind its CONNECT. The broker closes the second connection
 * before it accepts the client, so the gateway must not store it in place of the first one.
 */
export const revokedDevice: Attack = {
  name: 'revoked-device',
  roles: ['gateway'],
  honestPaths: ['publish', 'connect', 'ingest'],

  async run({ installation, roles, isQuick, log }) {
    const { attacker, owner } = installation;
    const device = attacker.devices[0];
    if (device === undefined) throw new Error('the attacker has no device');
    const options = {
      url: `mqtt://127.0.0.1:${roles.mqttPort}`,
      ...mqttIdentity(device),
      keepAliveSeconds: 60,
      timeoutMs: 5_000,
      signal: new AbortController().signal,
    };
    let lostAtMs: number | undefined;
    const first = await MqttConnection.open(options, () => {
      lostAtMs = performance.now();
    });
    const connects = isQuick ? 1_000 : 20_000;
    await connectAgain(roles.mqttPort, loginAndPings(device), connects);
    log(`${connects} connects made; revoking the device`);

    await transaction(owner, (tx) => revokeDevice(tx, attacker.organizationNo, device.deviceId));
    const revokedAtMs = performance.now();
    await sleep(1_000);
    const lateMs = lostAtMs === undefined ? Number.POSITIVE_INFINITY : lostAtMs - revokedAtMs;
    return [
      figure('connects of one device, each with 60 packets behind its CONNECT', connects),
      atMost('milliseconds until the revoked device was disconnected', Math.min(lateMs, 99_999), 1_000),
      atMost('publishes of the revoked device that were acknowledged', await publishThreeTimes(first, device), 0),
    ];
  },
};

async function connectAgain(port: number, bytes: Buffer, connects: number): Promise<void> {
  let begun = 0;
  const connectRest = async (): Promise<void> => {
    while (begun < connects) {
      begun++;
      const socket = openSocket(port, ATTACKER_ADDRESS, bytes);
      await Promise.race([untilClosed(socket), sleep(2_000)]);
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, connectRest));
}

/** Publishes three times over an open connection. Returns how many were acknowledged. */
async function publishThreeTimes(
  connection: MqttConnection,
  device: AttackContext['installation']['attacker']['devices'][number],
): Promise<number> {
  let acknowledged = 0;
  for (let n = 0; n < 3; n++) {
    try {
      await connection.publish(readingsPacket(device, [{ atMs: Date.now() - n, fillPercentage: 50 }]), false);
      acknowledged++;
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
    }
  }
  if (!connection.isLost) await connection.end();
  return acknowledged;
}

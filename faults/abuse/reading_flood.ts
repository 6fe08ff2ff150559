import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type Answer, countStatus, HttpClient } from '../../bench/load_client/http_client.ts';
import { ConnectionLostError, MqttConnection } from '../../bench/load_client/mqtt_connection.ts';
import { atLeast, atMost, figure } from '../../bench/report.ts';
import { type DeviceLogin, mqttIdentity } from '../../src/simulation/device_login.ts';
import { DAY_MS } from '../../src/values/time.ts';
import type { Attack } from './attack.ts';
import type { KeyedTenant } from './installation.ts';
import { readingsPacket } from './raw_mqtt.ts';

const READINGS_PER_BODY = 1_000;
/** As many readings as fit into the 64 KiB of a device's message. */
const READINGS_PER_PUBLISH = 900;
const BODIES_PER_SECOND = 100;
/** The documented default limit of one organization, once its burst is used up. */
const MAX_READINGS_PER_SECOND = 2_000;
const BURST_READINGS = 20_000;

/** One device publishes 9,000 readings a second, and one key posts 100,000, in messages of the permitted size. */
export const readingFlood: Attack = {
  name: 'reading-flood',
  roles: ['gateway', 'writer'],
  honestPaths: ['publish', 'ingest'],

  async run({ installation, roles, isQuick }) {
    const { attacker, honest, owner } = installation;
    const seconds = isQuick ? 5 : 30;
    const [mqttDevice, httpDevice] = attacker.devices;
    if (mqttDevice === undefined || httpDevice === undefined) throw new Error('the attacker has no device');
    const startMs = performance.now();
    const [overMqtt, answers] = await Promise.all([
      floodOverMqtt(roles.mqttPort, mqttDevice, seconds),
      floodOverHttp(`${roles.gatewayUrl}/ingest/readings`, attacker.ingestKey, httpDevice, seconds),
    ]);
    // On a busy machine, the last answers arrive long after the last request, and the quota grows until then.
    const elapsedSeconds = (performance.now() - startMs) / 1_000;
    const accepted = overMqtt + countStatus(answers, 202) * READINGS_PER_BODY;
    const refused = answers.filter(({ status }) => status === 429);
    const lagMs = await measureStoringLagMs(owner, honest, roles.gatewayUrl);
    return [
      figure('readings of the device that were acknowledged', overMqtt),
      figure('requests of the key', answers.length),
      atMost(
        'readings of the attacker that were accepted',
        accepted,
        Math.round(BURST_READINGS + MAX_READINGS_PER_SECOND * (elapsedSeconds + 2)),
      ),
      atLeast('requests of the key refused with 429', refused.length, 1),
      atMost(
        'answers 429 without Retry-After',
        refused.filter(({ headers }) => headers['retry-after'] === undefined).length,
        0,
      ),
      atMost('milliseconds until an honest reading sent after the attack was stored', lagMs, 5_000),
    ];
  },
};

let lastAtMs = Date.now() - 300 * DAY_MS;

function makeReadings(count: number): { atMs: number; fillPercentage: number }[] {
  const firstMs = lastAtMs + 1;
  lastAtMs += count;
  return Array.from({ length: count }, (_, n) => ({ atMs: firstMs + n, fillPercentage: 70 }));
}

/** Keeps two publishes of 900 readings unacknowledged, at most ten a second. Reconnects when the connection is closed. */
async function floodOverMqtt(port: number, device: DeviceLogin, seconds: number): Promise<number> {
  const endMs = performance.now() + seconds * 1_000;
  let acknowledged = 0;
  const options = {
    url: `mqtt://127.0.0.1:${port}`,
    ...mqttIdentity(device),
    keepAliveSeconds: 60,
    timeoutMs: 30_000,
    signal: AbortSignal.timeout(seconds * 1_000),
  };
  const publishUntilLost = async (connection: MqttConnection): Promise<void> => {
    while (!connection.isLost && performance.now() < endMs) {
      await connection.publish(readingsPacket(device, makeReadings(READINGS_PER_PUBLISH)), false);
      acknowledged += READINGS_PER_PUBLISH;
      await sleep(200);
    }
  };
  while (performance.now() < endMs) {
    try {
      const connection = await MqttConnection.open(options, () => {});
      const over = sleep(Math.max(endMs - performance.now(), 0));
      await Promise.race([Promise.all([publishUntilLost(connection), publishUntilLost(connection)]), over]);
      await connection.end();
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
      await sleep(100);
    }
  }
  return acknowledged;
}

async function floodOverHttp(url: string, key: string, { deviceId }: DeviceLogin, seconds: number): Promise<Answer[]> {
  const http = new HttpClient();
  const endMs = performance.now() + seconds * 1_000;
  const sent: Promise<Answer>[] = [];
  for (let dueMs = performance.now(); dueMs < endMs; dueMs += 1_000 / BODIES_PER_SECOND) {
    await sleep(Math.max(dueMs - performance.now(), 0));
    const posted = makeReadings(READINGS_PER_BODY).map(({ atMs, fillPercentage }) => ({
      device_id: deviceId,
      created_at: new Date(atMs).toISOString(),
      fill_percentage: fillPercentage,
    }));
    sent.push(http.send(url, { key, json: { readings: posted } }));
  }
  const answers = await Promise.all(sent);
  http.close();
  return answers;
}

/** Measures the time from sending a reading of the honest tenant until it is in the database, at most 60 s. */
async function measureStoringLagMs(owner: Pool, honest: KeyedTenant, gatewayUrl: string): Promise<number> {
  const http = new HttpClient();
  const [device_id, tankNo] = [honest.devices[3]?.deviceId, honest.tanks[3]?.no];
  const createdAt = new Date().toISOString();
  const startMs = performance.now();
  await http.send(`${gatewayUrl}/ingest/readings`, {
    key: honest.ingestKey,
    json: { readings: [{ device_id, created_at: createdAt, fill_percentage: 50 }] },
  });
  http.close();
  while (performance.now() - startMs < 60_000) {
    const { rowCount } = await owner.query('select from telemetry where tank_no = $1 and created_at = $2', [
      tankNo,
      createdAt,
    ]);
    if (rowCount) break;
    await sleep(20);
  }
  return performance.now() - startMs;
}

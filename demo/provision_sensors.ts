import { randomUUID } from 'node:crypto';
import { operatorChange } from '../src/catalog/change_context.ts';
import { createCustomers } from '../src/catalog/customers.ts';
import { createTanks } from '../src/catalog/tanks.ts';
import { transaction } from '../src/db/pool.ts';
import { assignProfile, checkGaugeProfile, setGaugeProfile } from '../src/gauges/gauge_changes.ts';
import { readByProfile } from '../src/gauges/read_message.ts';
import { OrganizationGauges, parseSelector } from '../src/gauges/selection.ts';
import { setTankGauges } from '../src/gauges/set_gauges.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { parseBody, parseDevicePayload } from '../src/telemetry/payload_formats.ts';
import type { ParsedPayload, ReadByProfile } from '../src/telemetry/raw_message.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import type { Databases } from './provision.ts';
import { DIAL_PROFILE, SENSOR_DAYS, SENSOR_EVERY_MS, SENSOR_GAP_HOURS, type Sensor } from './sensors.ts';

/** Creates the tanks of the sensors, their gauges and profiles, and stores what the sensors have sent so far. */
export async function provisionSensors(
  { operator, writer }: Databases,
  organizationNo: number,
  sensors: readonly Sensor[],
  nowMs: number,
): Promise<void> {
  await transaction(operator, async (tx) => {
    const change = operatorChange(tx, organizationNo);
    await setGaugeProfile(change, DIAL_PROFILE);
    for (const { owner, tank, gauge, selector, profile } of sensors) {
      const email = `${owner.toLowerCase().replaceAll(' ', '.')}@example.com`;
      const [customer] = await createCustomers(tx, organizationNo, [{ name: owner, email }]);
      const [created] = await createTanks(tx, organizationNo, [{ ...tank, owner_no: customer?.no ?? 0 }]);
      if (gauge) await setTankGauges(change, { no: created?.no ?? 0 }, [{ ...gauge, from_at: null }]);
      await assignProfile(change, { selector, profile, settings: null });
    }
  });
  await storeMessages(new BatchIngester(writer), organizationNo, sensors, nowMs);
}

/** Parses the messages of 90 days as the gateway does, and stores them as the writer does. */
async function storeMessages(
  ingester: BatchIngester,
  organizationNo: number,
  sensors: readonly Sensor[],
  nowMs: number,
): Promise<void> {
  const read = messageReader(sensors);
  const parsed: (ParsedPayload & { atMs: number })[] = [];
  const toMs = nowMs - SENSOR_GAP_HOURS * HOUR_MS;
  for (let atMs = toMs - SENSOR_DAYS * DAY_MS; atMs <= toMs; atMs += SENSOR_EVERY_MS)
    for (const sensor of sensors) parsed.push({ ...read(sensor, atMs), atMs });
  const messageId = randomUUID();
  const { stored, rejected } = await ingester.ingestBatch({
    readings: parsed.flatMap(({ readings, atMs: receivedAtMs }, index) =>
      readings.map((reading) => ({
        reading: { ...reading, organizationNo },
        messageId,
        position: index,
        receivedAtMs,
      })),
    ),
    rejections: [],
    health: parsed.flatMap(({ health = [] }) =>
      health.map((report) => ({ ...report, organization_no: organizationNo })),
    ),
  });
  if (stored !== parsed.length)
    throw new Error(`of ${parsed.length} messages, ${stored} were stored: ${JSON.stringify(rejected)}`);
}

function messageReader(sensors: readonly Sensor[]): (sensor: Sensor, atMs: number) => ParsedPayload {
  const gauges = new OrganizationGauges();
  gauges.setProfile(DIAL_PROFILE.profile, checkGaugeProfile(DIAL_PROFILE));
  for (const { selector, profile } of sensors)
    gauges.assign(parseSelector(selector) ?? selector, { profile, settings: null });
  const byProfile: ReadByProfile = (message, times) => readByProfile(gauges, message, times);
  return (sensor, atMs) => {
    const message = sensor.message(atMs);
    return 'format' in message
      ? parseBody({ name: message.format }, Buffer.from(JSON.stringify(message.body)), atMs, byProfile)
      : parseDevicePayload(message.deviceId, Buffer.from(message.payload), atMs, { byProfile });
  };
}

import { expect } from 'vitest';
import { counterFaults, givenSender, postReadings, test, untilCommitted } from '../support/ingest.ts';
import { connectDevice, publish, topicOf } from '../support/mqtt.ts';
import { iso } from '../support/readings.ts';
import { isThorough } from '../support/whole_tests.ts';

const TOTAL = isThorough() ? 100_000 : 20_000;
/** The first readings are sent over HTTP, the others over MQTT with up to ten readings per message. */
const BY_HTTP = 0.95 * TOTAL;
const DEVICES = 500;
/** The readings of a device are half an hour apart, so they continue in the next month. */
const START_MS = Date.UTC(2025, 0, 31, 12);

interface Bad {
  code: string;
  sent: { device_id?: string; created_at: string } & Record<string, unknown>;
  /** The writer rejects it, not the gateway. Then `raw` is the parsed reading, without its note. */
  isRejectedByWriter?: true;
}

/** Ten kinds of bad readings. One of 100 readings is bad, so 1,000 readings contain each kind once. */
const POISON: readonly ((n: number, at: string) => Bad)[] = [
  (_, at) => ({ code: 'out_of_range', sent: { fill_percentage: 100.01, created_at: at } }),
  (_, at) => ({ code: 'out_of_range', sent: { fill_percentage: -1, created_at: at } }),
  () => ({ code: 'future', sent: { fill_percentage: 5, created_at: iso(Date.now() + 3_600_000) } }),
  () => ({ code: 'before_2000', sent: { fill_percentage: 5, created_at: '1970-01-01T00:00:07Z' } }),
  () => ({ code: 'malformed_time', sent: { fill_percentage: 5, created_at: '13.08.2025' } }),
  (_, at) => ({ code: 'malformed_level', sent: { fill_percentage: 'NaN', created_at: at } }),
  (_, at) => ({ code: 'malformed_level', sent: { created_at: at } }),
  (_, at) => ({ code: 'out_of_range', sent: { volume_liters: 501, created_at: at }, isRejectedByWriter: true }), // of 500 liters
  (n, at) => ({
    code: 'unknown_device',
    sent: { device_id: `STRANGER${n}`, fill_percentage: 5, created_at: at },
    isRejectedByWriter: true,
  }),
  (n) => ({
    code: 'conflict',
    sent: { device_id: `P${n % 97}`, fill_percentage: 99.99, created_at: iso(START_MS) },
    isRejectedByWriter: true,
  }),
];

test(`with 1 % bad readings among ${TOTAL}, every good one is stored and every bad one is recorded with its reason`, async ({
  database,
  ingest,
}) => {
  const deviceIds = Array.from({ length: DEVICES }, (_, n) => `P${n}`);
  const { organizationNo, organizationCode, key, tankNos } = await givenSender(database, deviceIds);
  const bad: string[] = [];
  const good = new Map<string, number>();
  const readings = Array.from({ length: TOTAL }, (_, n) => {
    const own = { device_id: `P${n % DEVICES}`, created_at: iso(START_MS + Math.floor(n / DEVICES) * 1_800_000) };
    // Over MQTT a device sends only its own readings, so readings of other devices are sent over HTTP.
    const poison = n % 100 === 99 ? POISON[Math.floor(n / 100) % (n < BY_HTTP ? 10 : 8)] : undefined;
    if (poison === undefined) {
      good.set(`${tankNos[n % DEVICES]} ${own.created_at}`, (n * 7) % 100);
      return { ...own, fill_percentage: (n * 7) % 100 };
    }
    const { code, sent, isRejectedByWriter } = poison(n, own.created_at);
    const reading = { ...own, ...sent, note: n };
    bad.push(`${code} ${reading.device_id} ${isRejectedByWriter ? sent.created_at : n}`);
    return reading;
  });

  const post = async (from: number, to = from + 1_000): Promise<void> => {
    const { status, json } = await postReadings(ingest.gateway.httpUrl, key, readings.slice(from, to));
    expect([status, json.accepted + json.rejected.length]).toEqual([202, to - from]);
  };
  await post(0, DEVICES);
  await untilCommitted(ingest.stream); // so that it is certain which of two values is stored first
  await post(DEVICES, 1_000);
  for (let from = 1_000; from < BY_HTTP; from += 4_000) {
    const batches = [0, 1_000, 2_000, 3_000].map((shift) => from + shift).filter((start) => start < BY_HTTP);
    await Promise.all(batches.map((start) => post(start)));
  }
  const byDevice = [...Map.groupBy(readings.slice(BY_HTTP), ({ device_id }) => device_id)];
  for (let from = 0; from < byDevice.length; from += 50) {
    await Promise.all(
      byDevice.slice(from, from + 50).map(async ([deviceId, own]) => {
        const device = { organizationCode, deviceId };
        const client = await connectDevice(ingest.gateway.mqttPort, device);
        expect(await publish(client, topicOf(device), JSON.stringify(own))).toBe('acknowledged');
        await client.endAsync();
      }),
    );
  }
  await untilCommitted(ingest.stream);

  const { rows } = await database.owner.query<{ tank_no: number; created_at: string; fill_percentage: number }>(
    'select tank_no, created_at, fill_percentage from telemetry',
  );
  expect([rows.length, good.size]).toEqual([TOTAL * 0.99, TOTAL * 0.99]);
  const wrong = rows.filter((row) => good.get(`${row.tank_no} ${row.created_at}`) !== row.fill_percentage);
  expect(wrong).toEqual([]);
  expect(await counterFaults(database)).toEqual([]);

  const { rows: rejected } = await database.owner.query<{ is: string; detail: string }>(
    `select concat_ws(' ', code, device_id, coalesce(sent ->> 'note', sent ->> 'created_at')) as is, detail
     from (
       select code, device_id, detail, convert_from(raw, 'UTF8')::jsonb as sent
       from rejected_readings where organization_no = $1
     ) as rejected`,
    [organizationNo],
  );
  expect(rejected.map((row) => row.is).toSorted()).toEqual(bad.toSorted());
  expect(rejected.filter(({ detail }) => !/^.{20,}\.$/.test(detail))).toEqual([]);
});

import { createTanks } from '../src/catalog/tanks.ts';
import { transaction } from '../src/db/pool.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { DAY_MS } from '../src/values/time.ts';
import type { Databases } from './provision.ts';

/** The dips of each tank as days ago and level. A person reads the dial about once a month, and a truck comes in between. */
const DIPS: readonly (readonly (readonly [number, number])[])[] = [
  [
    [70, 78],
    [38, 41],
    [5, 66],
  ],
  [
    [45, 60],
    [12, 37],
  ],
  // The last dip is so old that the console asks for another one.
  [[48, 72]],
];

/** Creates tanks without a sensor. Within five minutes, the worker learns the use of the other tanks and estimates their levels. */
export async function provisionDips(
  { operator, writer }: Databases,
  organizationNo: number,
  ownerNos: readonly number[],
  nowMs: number,
): Promise<void> {
  const tanks = await transaction(operator, (tx) =>
    createTanks(
      tx,
      organizationNo,
      DIPS.map((_, index) => ({
        owner_no: ownerNos[index] ?? 0,
        name: `Tank without a sensor ${index + 1}`,
        assigned_device_id: 'manual',
        capacity: 1_000,
        capacity_unit: 'liters',
        min_fill_alert_percentage: 20,
        use_case: 'residential',
      })),
    ),
  );
  await new BatchIngester(writer).ingestReadings(
    tanks.flatMap(({ no }, index) =>
      (DIPS[index] ?? []).map(([days, fillPercentage]) => ({
        tankNo: no,
        atMs: nowMs - days * DAY_MS,
        fillPercentage,
      })),
    ),
  );
}

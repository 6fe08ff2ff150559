import { createTanks } from '../src/catalog/tanks.ts';
import { transaction } from '../src/db/pool.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { DAY_MS } from '../src/values/time.ts';
import type { Databases } from './provision.ts';

/** Days ago and level: somebody looks once a month, and a truck comes in between. */
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
  // Nobody has looked for long: a dip is asked for.
  [[48, 72]],
];

/** Some tanks without a sensor: the worker learns the use of the others within five minutes, and their levels are estimated by it. */
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

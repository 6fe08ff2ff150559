import type { Readers, Statement } from '../../db/readers.ts';
import { tenth } from '../../values/tenth.ts';
import { readUsages, type UsageRange } from './read_usage.ts';

type VolumeUnit = 'liters' | 'gallons';

export interface CustomerUsagePeriod {
  starts_at: string;
  used_volume: number;
  delivered_volume: number;
  lost_volume: number;
  /** Tanks whose use is not known, because there is no reading near an edge of the period. */
  unknown_tanks: number;
}

export interface CustomerUsage {
  tanks: number;
  volumes: { unit: VolumeUnit; periods: CustomerUsagePeriod[] }[];
}

/** Each tank costs about 2 ms. A customer with more tanks is a company that has its own reports. */
export const MAX_TANKS = 200;

const TANKS: Statement = {
  name: 'usage_tanks_of_customer',
  text: `select no, capacity_unit as unit from tanks where owner_no = $1 and deleted_at is null order by no limit $2`,
};

/** The use of all tanks of a customer. Liters and gallons are never added. */
export async function readCustomerUsage(
  readers: Readers,
  { customerNo, ...range }: UsageRange & { customerNo: number },
): Promise<CustomerUsage> {
  const tanks = await readers.query<{ no: number; unit: VolumeUnit }>(TANKS, [customerNo, MAX_TANKS]);
  const usages = await readUsages(
    readers,
    tanks.map(({ no }) => no),
    range,
  );
  const units = [...new Set(tanks.map(({ unit }) => unit))].toSorted();
  const volumes = units.map((unit) => {
    const sums = new Map<string, CustomerUsagePeriod>();
    for (const one of tanks.filter((tank) => tank.unit === unit).flatMap(({ no }) => usages.get(no) ?? [])) {
      const sum = sums.get(one.period_at) ?? emptyPeriod(one.period_at);
      sums.set(one.period_at, {
        starts_at: one.period_at,
        used_volume: sum.used_volume + (one.used_volume ?? 0),
        delivered_volume: sum.delivered_volume + one.delivered_volume,
        lost_volume: sum.lost_volume + one.lost_volume,
        unknown_tanks: sum.unknown_tanks + (one.used_volume === null ? 1 : 0),
      });
    }
    const periods = [...sums.values()].map((sum) => ({
      ...sum,
      used_volume: tenth(sum.used_volume),
      delivered_volume: tenth(sum.delivered_volume),
      lost_volume: tenth(sum.lost_volume),
    }));
    return { unit, periods: periods.toSorted((a, b) => a.starts_at.localeCompare(b.starts_at)) };
  });
  return { tanks: tanks.length, volumes };
}

const emptyPeriod = (starts_at: string): CustomerUsagePeriod => ({
  starts_at,
  used_volume: 0,
  delivered_volume: 0,
  lost_volume: 0,
  unknown_tanks: 0,
});

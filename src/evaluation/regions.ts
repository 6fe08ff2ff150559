import { arrayLiteral, type Db } from '../db/pool.ts';
import { DAY_MS } from '../values/time.ts';
import type { Region } from './pure/dips/region.ts';

interface RegionRow {
  tank_no: number;
  until_on: string;
  rates: number[];
  prior_log: number;
  prior_deviation: number;
}

/**
 * Reads the region of each tank: the tanks with sensors that have its use case and city, otherwise all that have its
 * use case, otherwise all tanks with sensors of the organization. A region is stored only if it has enough tanks. This
 * takes at most three lookups by the primary key.
 */
export async function readRegions(db: Db, tankNos: readonly number[]): Promise<Map<number, Region>> {
  const { rows } = await db.query<RegionRow>({
    name: 'read_regions',
    text: `select f.tank_no, r.until_on::text, r.rates, r.prior_log, r.prior_deviation
       from fleet_tanks f
       cross join lateral (
         select r.* from regional_rates r
         where r.organization_no = f.organization_no
           and ((r.use_case = f.use_case and r.city in (f.city, '')) or (r.use_case = '' and r.city = ''))
         order by r.use_case = '', r.city = '' limit 1
       ) as r
       where f.tank_no = any ($1::int[])`,
    values: [arrayLiteral(tankNos)],
  });
  return new Map(
    rows.map((row) => [
      row.tank_no,
      {
        untilDay: Math.round(Date.parse(row.until_on) / DAY_MS),
        rates: row.rates,
        prior: { log: row.prior_log, deviation: row.prior_deviation },
      },
    ]),
  );
}

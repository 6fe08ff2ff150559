import type { Readers, Statement } from '../../db/readers.ts';
import type { FleetScope } from '../../status/tank_filter.ts';
import { type CapacityUnit, fromLiters } from '../../values/capacity_unit.ts';
import { tenth } from '../../values/tenth.ts';
import { compareDrivers, compareTrucks, type TruckComparisons } from '../pure/truck_meters/compare_trucks.ts';
import type { DriverDelivery } from '../pure/truck_meters/differing_trucks.ts';

export interface TotalRow {
  /** The id of the truck or driver, null if the notes name none; for a month, its start. */
  id: string | null;
  name: string | null;
  unit: CapacityUnit;
  deliveries: number;
  notes: number;
  consistent: number;
  not_consistent: number;
  cannot_be_told: number;
  waiting: number;
  note_without_refill: number;
  note_volume: number;
  /** The volume of the entries that have both a note and a refill. */
  compared_volume: number;
  gauge_volume: number;
}

/**
 * The largest number of deliveries that are compared, newest first: 20,000 take about 50 ms, and a truck has about
 * 3,000 a year.
 */
const MAX_COMPARED_DELIVERIES = 20_000;

const COUNTS = `count(*) filter (where e.note_nos <> '{}')::int as deliveries, coalesce(sum(cardinality(e.note_nos)), 0)::int as notes,
  count(*) filter (where e.verdict = 'consistent')::int as consistent,
  count(*) filter (where e.verdict = 'not_consistent')::int as not_consistent,
  count(*) filter (where e.verdict = 'cannot_be_told')::int as cannot_be_told,
  count(*) filter (where e.verdict = 'waiting')::int as waiting,
  count(*) filter (where e.verdict = 'note_without_refill')::int as note_without_refill,
  coalesce(sum(e.written_litres), 0) as note_litres,
  coalesce(sum(e.note_litres) filter (where e.gauge_litres is not null), 0) as compared_litres,
  coalesce(sum(e.gauge_litres) filter (where e.note_litres is not null), 0) as gauge_litres`;

type SummedRow = Omit<TotalRow, 'note_volume' | 'compared_volume' | 'gauge_volume'> & {
  note_litres: number;
  compared_litres: number;
  gauge_litres: number;
};

const totalOf = ({ note_litres, compared_litres, gauge_litres, ...row }: SummedRow): TotalRow => ({
  ...row,
  note_volume: tenth(fromLiters(note_litres, row.unit)),
  compared_volume: tenth(fromLiters(compared_litres, row.unit)),
  gauge_volume: tenth(fromLiters(gauge_litres, row.unit)),
});

/** Groups the entries of an organization ($1) and a period ($2, $3) by truck or driver, along the index of time. */
const totalsBy = (by: 'truck' | 'driver', unit: string): Statement => ({
  name: `ledger_totals_by_${by}`,
  text: `select p.id, p.name, ${unit} as unit, s.*
    from (
      select e.${by}_no as no, ${COUNTS} from ledger_entries e
      where e.organization_no = $1 and e.at >= $2::timestamptz and e.at < $3::timestamptz and e.note_nos <> '{}'
      group by e.${by}_no
    ) as s left join ${by}s p on p.no = s.no
    order by lower(p.name) nulls last, s.no`,
});
const TOTALS = {
  truck: totalsBy('truck', `coalesce(p.capacity_unit, 'liters')`),
  driver: totalsBy('driver', `'liters'`),
};

/** The columns of DriverDelivery for an entry of the ledger that is compared. */
export const COMPARED_COLUMNS = `id as "noteId", refill_tank_nos[1]::text as "tankId", truck_no::text as "truckId",
  driver_no::text as "driverId", (extract(epoch from at) * 1000)::float8 as "atMs", gauge_litres as "gaugeLiters",
  note_litres as "noteLiters"`;

const COMPARED: Statement = {
  name: 'ledger_compared',
  text: `select ${COMPARED_COLUMNS} from ledger_entries
    where organization_no = $1 and is_compared and at >= $2::timestamptz and at < $3::timestamptz
    order by at desc, id desc limit ${MAX_COMPARED_DELIVERIES}`,
};

export interface Period {
  fromMs: number;
  untilMs: number;
}

export type ComparedTotal = TotalRow & { no: number | null };

/** Reads what each truck or driver delivered by notes and by gauges, and compares them with the others. */
export async function readComparison(
  readers: Readers,
  { organizationNo }: FleetScope,
  by: 'truck' | 'driver',
  period: Period,
): Promise<{ totals: ComparedTotal[]; compared: TruckComparisons }> {
  const values = [organizationNo, iso(period.fromMs), iso(period.untilMs)];
  const [sums, deliveries] = await Promise.all([
    readers.query<SummedRow & { no: number | null }>(TOTALS[by], values),
    readers.query<DriverDelivery>(COMPARED, values),
  ]);
  const compared = by === 'driver' ? compareDrivers(deliveries) : compareTrucks(deliveries);
  return { totals: sums.map(({ no, ...row }) => ({ no, ...totalOf(row) })), compared };
}

/**
 * Groups the entries of an organization ($1), or of one customer of it ($3), by month. $2 has the starts of the months,
 * and as its last element the end of the last month.
 */
const totalsByMonth = (hasCustomer: boolean) => ({
  name: hasCustomer ? 'ledger_totals_of_customer_by_month' : 'ledger_totals_by_month',
  text: `select m.at::text as id, null as name, 'liters' as unit, s.*
    from unnest($2::timestamptz[]) with ordinality as m (at, position)
    cross join lateral (
      select ${COUNTS} from ledger_entries e
      where e.organization_no = $1 ${hasCustomer ? 'and e.customer_no = $3' : ''} and e.note_nos <> '{}'
        and e.at >= m.at and e.at < ($2::timestamptz[])[m.position + 1]
    ) as s
    where m.position < cardinality($2::timestamptz[]) order by m.position desc`,
});

export async function readMonths(
  readers: Readers,
  { organizationNo, customerNo }: FleetScope,
  beginningsMs: readonly number[],
): Promise<TotalRow[]> {
  const values = [organizationNo, beginningsMs.map(iso), ...(customerNo === null ? [] : [customerNo])];
  const rows = await readers.query<SummedRow>(totalsByMonth(customerNo !== null), values);
  return rows.map(totalOf);
}

const ERASED = {
  name: 'erased_deliveries',
  text: `select k.id, e.notes, e.litres from erased_deliveries e left join trucks k on k.no = e.truck_no where e.organization_no = $1`,
};

/** Reads the totals that are left of the notes of deleted customers, by the id of the truck. */
export const readErased = (
  readers: Readers,
  { organizationNo }: FleetScope,
): Promise<{ id: string | null; notes: number; litres: number }[]> => readers.query(ERASED, [organizationNo]);

const iso = (ms: number): string => new Date(ms).toISOString();

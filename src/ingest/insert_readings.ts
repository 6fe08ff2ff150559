import { arrayLiteral, type Tx, textArrayLiteral } from '../db/pool.ts';
import type { TankUpdate } from '../evaluation/evaluate_new_readings.ts';
import { countIntoBuckets, type MonthCounter, startOfMonthMs } from '../telemetry/counter_buckets.ts';
import type { TankReading } from '../telemetry/reading.ts';
import { encodeMeasure } from '../telemetry/stored_measure.ts';
import { toHundredths } from './compare_with_stored.ts';

/** The largest number of readings in a row of reading_batches. With 14 bytes each, the row is not compressed or moved to TOAST. */
const BATCH_ROW_READINGS = 100;

/**
 * Inserts new readings into telemetry and the feed, and updates the month counters and tank states. One statement does all four,
 * because four statements take three more round trips per batch. The caller holds the locks of the tanks, so the insert needs no
 * `on conflict`, which would cost a third of its time. Readings and updates are sorted by tank.
 */
export async function insertReadings(
  tx: Tx,
  newReadings: readonly TankReading[],
  updates: readonly TankUpdate[],
  /** Undefined for a tank that the catalog does not contain. */
  organizationOf: (tankNo: number) => number | undefined,
): Promise<void> {
  if (newReadings.length === 0) return;
  const months = countByMonth(newReadings);
  // The order of rows matters: with unsorted rows, eight writers deadlocked 19 times in six seconds.
  const { rows } = await tx.query<MonthCounter & { is_packed: boolean; is_busy: boolean }>({
    name: 'insert_readings',
    text: `with stored as (
         insert into telemetry (tank_no, created_at, fill_percentage, gauge_value)
         select tank_no, to_timestamp(ms / 1000), fill_percentage, gauge_value
         from unnest($1::int[], $2::float8[], $3::real[], $14::int[]) as r (tank_no, ms, fill_percentage, gauge_value)
       ), numbered as materialized (
         select next_change_number() as change_number
       ), followed as (
         insert into reading_batches (organization_no, change_number, tank_nos, times, levels)
         select organization_no, (select change_number from numbered), array_agg(tank_no), array_agg(to_timestamp(ms / 1000)),
                array_agg(round(fill_percentage * 100)::smallint)
         from unnest($1::int[], $2::float8[], $3::real[], $15::int[], $16::int[])
           as r (tank_no, ms, fill_percentage, organization_no, part)
         -- Followers are read here, when the tanks are locked and the transaction has its number (see beginFollowing).
         where organization_no in (select organization_no from reading_followers)
         group by organization_no, part
       ), states as (
         update tank_states s
         set latest_at = greatest(s.latest_at, to_timestamp(r.ms / 1000)),
             latest_fill_percentage =
               case when to_timestamp(r.ms / 1000) > s.latest_at then r.fill_percentage else s.latest_fill_percentage end,
             encoded_state = case when r.keeps_state then s.encoded_state else r.encoded_state end,
             -- A timer that expires too early costs one evaluation of the tank. Moving it to a later time would change
             -- the index with each reading, and then PostgreSQL would have to update every index of the row.
             timer_at = case when r.keeps_state then s.timer_at
                             when r.timer_ms is not null then least(s.timer_at, to_timestamp(r.timer_ms / 1000)) end,
             reevaluate_from = to_timestamp(r.reevaluate_from_ms / 1000)
         from unnest($4::int[], $5::float8[], $6::real[], $7::text[], $8::bool[], $9::float8[], $10::float8[])
           as r (tank_no, ms, fill_percentage, encoded_state, keeps_state, timer_ms, reevaluate_from_ms)
         where s.tank_no = r.tank_no
       ), months as (
         insert into telemetry_month_counters as m (tank_no, month, n)
         select tank_no, to_timestamp(ms / 1000), n from unnest($11::int[], $12::float8[], $13::int[]) as r (tank_no, ms, n)
         on conflict (tank_no, month) do update set n = m.n + excluded.n
         returning tank_no, month, n, is_packed
       )
       select tank_no, date_part('epoch', month) * 1000 as starts_ms, n, is_packed, n > max_bucket_items() as is_busy
       from months where n > max_bucket_items() or is_packed`,
    values: [
      ...readingColumns(newReadings),
      ...readingColumns(updates.map(({ latest }) => latest)),
      textArrayLiteral(updates.map(({ encodedState }) => encodedState)),
      arrayLiteral(updates.map(({ keepsState }) => (keepsState ? 't' : 'f'))),
      arrayLiteral(updates.map(({ timerMs }) => timerMs ?? 'null')),
      arrayLiteral(updates.map(({ reevaluateFromMs }) => reevaluateFromMs ?? 'null')),
      arrayLiteral(months.map(({ tank_no }) => tank_no)),
      arrayLiteral(months.map(({ starts_ms }) => starts_ms)),
      arrayLiteral(months.map(({ n }) => n)),
      measureColumn(newReadings),
      ...organizationColumns(newReadings, organizationOf),
    ],
  });
  if (rows.length === 0) return;
  await unpackMonths(
    tx,
    rows.filter(({ is_packed }) => is_packed),
  );
  // Only months above the limit have buckets. All of them are plain now, so that they can be split.
  const busyMonths = rows.filter(({ is_busy }) => is_busy);
  if (busyMonths.length > 0) await countIntoBuckets(tx, busyMonths, newReadings);
}

/** Unpacks packed months to which a late reading was added. They are packed again later. */
async function unpackMonths(tx: Tx, months: readonly MonthCounter[]): Promise<void> {
  if (months.length === 0) return;
  await tx.query(
    `select unpack_tank_months($1::int[], array(select to_timestamp(ms / 1000) from unnest($2::float8[]) as ms))`,
    [arrayLiteral(months.map(({ tank_no }) => tank_no)), arrayLiteral(months.map(({ starts_ms }) => starts_ms))],
  );
}

/** The readings must be sorted by tank and time. */
function countByMonth(readings: readonly TankReading[]): MonthCounter[] {
  const months: MonthCounter[] = [];
  for (const { tankNo, atMs } of readings) {
    const last = months.at(-1);
    const starts_ms = startOfMonthMs(atMs);
    if (last?.tank_no === tankNo && last.starts_ms === starts_ms) last.n++;
    else months.push({ tank_no: tankNo, starts_ms, n: 1 });
  }
  return months;
}

const readingColumns = (readings: readonly TankReading[]): string[] => [
  arrayLiteral(readings.map(({ tankNo }) => tankNo)),
  arrayLiteral(readings.map(({ atMs }) => atMs)),
  arrayLiteral(readings.map(({ fillPercentage }) => toHundredths(fillPercentage) / 100)),
];

/** The organization of each reading, and the index of its row in reading_batches, which starts at 0 for each organization. */
function organizationColumns(
  readings: readonly TankReading[],
  organizationOf: (tankNo: number) => number | undefined,
): string[] {
  const counts = new Map<number, number>();
  const organizations = readings.map(({ tankNo }) => organizationOf(tankNo) ?? null);
  const parts = organizations.map((organizationNo) => {
    const before = counts.get(organizationNo ?? 0) ?? 0;
    counts.set(organizationNo ?? 0, before + 1);
    return Math.floor(before / BATCH_ROW_READINGS);
  });
  return [arrayLiteral(organizations.map((organizationNo) => organizationNo ?? 'null')), arrayLiteral(parts)];
}

/** The measures of readings as they are stored, as an array literal. It is empty if no reading has a measure. */
const measureColumn = (readings: readonly TankReading[]): string =>
  readings.some(({ measure }) => measure !== undefined)
    ? arrayLiteral(readings.map(({ measure }) => (measure && encodeMeasure(measure)) ?? 'null'))
    : '{}';

import { arrayLiteral, type Db } from '../db/pool.ts';
import { startOfMonthMs } from '../telemetry/counter_buckets.ts';
import type { TankReading } from '../telemetry/reading.ts';
import { decodeMeasure } from '../telemetry/stored_measure.ts';

export interface Comparison {
  /** The readings to insert, sorted by tank and time. */
  newReadings: TankReading[];
  /** The number of readings that are already stored, or that repeat an earlier reading of the list, with the same measure or level. */
  duplicates: number;
  conflicts: Conflict[];
}

/** A reading whose tank has another value at the same time, stored or earlier in the list. */
export interface Conflict {
  /** Index of the reading in the list. */
  index: number;
  existing: KnownValue;
}

/** The level of a tank at one time, with its measure if there is one. */
type KnownValue = Pick<TankReading, 'fillPercentage' | 'measure'>;

/**
 * Finds which readings are new, duplicates or conflicts. If the list has several readings of a tank at one time, the first
 * one is used, as if they had arrived one after the other. A reading for which `isCertainlyNew` returns true is not looked up.
 */
export async function compareWithStored(
  db: Db,
  readings: readonly TankReading[],
  isCertainlyNew: (reading: TankReading) => boolean = () => false,
): Promise<Comparison> {
  // Sorting is stable: readings of one tank and time keep the order of the list.
  const sorted = readings.toSorted(compareTankAndTime);
  const firsts = sorted.filter(
    (reading, index) => index === 0 || compareTankAndTime(sorted[index - 1] ?? reading, reading) !== 0,
  );
  const stored = await readStoredValues(
    db,
    firsts.filter((reading) => !isCertainlyNew(reading)),
  );
  const newReadings = stored.size === 0 ? firsts : firsts.filter((reading) => !stored.has(keyOf(reading)));
  if (newReadings.length === readings.length) return { newReadings, duplicates: 0, conflicts: [] };

  const known = new Map<string, KnownValue>(firsts.map((reading) => [keyOf(reading), reading]));
  for (const [key, value] of stored) known.set(key, value);
  const conflicts = readings.flatMap((reading, index) => {
    const existing = known.get(keyOf(reading)) ?? reading;
    return isSameValue(existing, reading) ? [] : [{ index, existing }];
  });
  return { newReadings, duplicates: readings.length - newReadings.length - conflicts.length, conflicts };
}

/** Compares the measures if both readings have one, because the levels of one measure differ after the gauge was corrected. */
function isSameValue(a: KnownValue, b: KnownValue): boolean {
  if (a.measure && b.measure) return a.measure.kind === b.measure.kind && a.measure.value === b.measure.value;
  return toHundredths(a.fillPercentage) === toHundredths(b.fillPercentage);
}

/** Fill percentages are stored with two decimals. */
export const toHundredths = (fillPercentage: number): number => Math.round(fillPercentage * 100);

const compareTankAndTime = (a: TankReading, b: TankReading): number => a.tankNo - b.tankNo || a.atMs - b.atMs;

const keyOf = ({ tankNo, atMs }: Pick<TankReading, 'tankNo' | 'atMs'>): string => `${tankNo} ${atMs}`;

/** Reads the stored values at the tanks and times of these readings. */
async function readStoredValues(db: Db, readings: readonly TankReading[]): Promise<Map<string, KnownValue>> {
  if (readings.length === 0) return new Map();
  const { rows } = await db.query<{ position: number; fill_percentage: number; gauge_value: number | null }>(
    // "offset 0" keeps one index lookup in one partition per reading. A plain join may read all partitions.
    // A packed month may still have plain rows. They are equal to its packed readings.
    `with r as materialized (
       select tank_no, to_timestamp(ms / 1000) as at, to_timestamp(month_ms / 1000) as month, position
       from unnest($1::int[], $2::float8[], $3::float8[]) with ordinality as r (tank_no, ms, month_ms, position)
     )
     select r.position, plain.fill_percentage, plain.gauge_value
     from r cross join lateral (
       select t.fill_percentage, t.gauge_value from telemetry t where t.tank_no = r.tank_no and t.created_at = r.at offset 0
     ) as plain
     union all
     select r.position, part.levels[place]::real / 100::real, part.gauge_values[place]
     from r cross join lateral (
       select p.times, p.levels, p.gauge_values from packed_telemetry p
       where p.tank_no = r.tank_no and p.starts_at >= r.month and p.starts_at <= r.at
       order by p.starts_at desc limit 1
     ) as part
     cross join lateral packed_position(part.times, r.at) as place
     where place is not null`,
    [
      arrayLiteral(readings.map(({ tankNo }) => tankNo)),
      arrayLiteral(readings.map(({ atMs }) => atMs)),
      arrayLiteral(readings.map(({ atMs }) => startOfMonthMs(atMs))),
    ],
  );
  return new Map(
    rows.flatMap(({ position, fill_percentage, gauge_value }) => {
      const reading = readings[position - 1];
      const measure = gauge_value === null ? {} : { measure: decodeMeasure(gauge_value) };
      return reading === undefined ? [] : [[keyOf(reading), { fillPercentage: fill_percentage, ...measure }]];
    }),
  );
}

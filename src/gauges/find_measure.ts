import type { Db } from '../db/pool.ts';
import type { Measure } from '../telemetry/reading.ts';
import { decodeMeasure } from '../telemetry/stored_measure.ts';
import { gaugeAt, readGauges } from './gauges_of_tanks.ts';
import { shapeHeight } from './shapes/shape.ts';
import { productHeightMm } from './tank_gauge.ts';

export interface FoundMeasure {
  at: string;
  fillPercentage: number;
  measure: Measure;
}

/** The latest measure of the device, with the height of the product and of the tank by the gauge of the tank. */
export interface LatestMeasure extends FoundMeasure {
  /** Null if the gauge is not described, or cannot read the measure. */
  heightMm: number | null;
  innerHeightMm: number | null;
}

/** The latest measure of a tank. Null if there is no reading, or if the latest reading has no measure. */
export async function findLatestMeasure(db: Db, tankNo: number): Promise<LatestMeasure | null> {
  const { rows } = await db.query<{ latest_at: string }>(
    `select latest_at from tank_states where tank_no = $1 and latest_at > '-infinity'`,
    [tankNo],
  );
  const latest = rows[0] === undefined ? null : await nearestMeasure(db, tankNo, rows[0].latest_at, 0);
  if (latest === null) return null;
  const gauge = gaugeAt((await readGauges(db, [tankNo])).get(tankNo) ?? [], Date.parse(latest.at))?.gauge;
  return {
    ...latest,
    heightMm: (gauge && productHeightMm(gauge, latest.measure)) ?? null,
    innerHeightMm: gauge ? shapeHeight(gauge.shape) : null,
  };
}

/** The measure nearest to a time. Null if there is none within `withinMs`. */
export async function nearestMeasure(
  db: Db,
  tankNo: number,
  at: string,
  withinMs: number,
): Promise<FoundMeasure | null> {
  const { rows } = await db.query<{ gauge_value: number; fill_percentage: number; created_at: string }>(
    // The end of the range is exclusive. A device sends far fewer than 100,000 readings in a day.
    `select gauge_value, fill_percentage, created_at
     from oldest_measures($1, $2::timestamptz - $3 * interval '1 millisecond', $2::timestamptz + ($3 + 1) * interval '1 millisecond', 100000)
     where gauge_value is not null order by abs(date_part('epoch', created_at - $2::timestamptz)) limit 1`,
    [tankNo, at, withinMs],
  );
  const [row] = rows;
  if (row === undefined) return null;
  return {
    at: new Date(row.created_at).toISOString(),
    fillPercentage: row.fill_percentage,
    measure: decodeMeasure(row.gauge_value),
  };
}

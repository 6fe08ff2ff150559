import type { Db } from '../db/pool.ts';
import { toLiters } from '../values/capacity_unit.ts';
import { ChangeRefusedError } from '../values/change_refusal.ts';
import { HOUR_MS } from '../values/time.ts';
import { betterFit, type CalibrationFit, type CalibrationPoint, calibrate } from './calibrate.ts';
import { nearestMeasure } from './find_measure.ts';
import type { TankGauge } from './gauge_schema.ts';
import { gaugeAt, readGauges } from './gauges_of_tanks.ts';
import { productHeightMm } from './tank_gauge.ts';

/** A level that a person read from the dial. */
export interface DialReading {
  at: string;
  fillPercentage: number;
}

/** A dial reading or a delivery, with the measures at that time. */
export interface MeasuredPoint extends CalibrationPoint {
  kind: 'dial' | 'delivery';
  at: string;
  measuredAt: string;
}

export interface TankCalibration {
  gauge: TankGauge;
  /** The time from which the tank has this gauge; null if it always had it. */
  fromAt: string | null;
  /** Oldest first. */
  points: MeasuredPoint[];
  /** The number of points without a measure near them, from before this gauge, or with a measure of another kind. */
  leftOut: number;
  /** The gauge as described, then others, the best first. Each residual belongs to the point at the same position. */
  fits: CalibrationFit[];
  better: CalibrationFit | undefined;
}

/** The longest time between a dial reading and its measure. */
const NEAR_MS = 12 * HOUR_MS;
/** The largest number of deliveries, newest first. More hardly change the result, and would take longer to find. */
const MAX_DELIVERIES = 50;

/** Compares the gauge of a tank, and other shapes, with dial readings and deliveries. */
export async function calibrateTank(
  db: Db,
  tankNo: number,
  { dials, usesDeliveries }: { dials: readonly DialReading[]; usesDeliveries: boolean },
): Promise<TankCalibration> {
  const period = gaugeAt((await readGauges(db, [tankNo])).get(tankNo) ?? [], Date.now());
  const gauge = period?.gauge;
  if (!gauge) throw new ChangeRefusedError('gauge_not_described', 'the gauge of the tank is not described');
  const candidates: (MeasuredPoint | null)[] = [];
  for (const dial of dials) candidates.push(await dialPoint(db, tankNo, dial));
  if (usesDeliveries) candidates.push(...(await deliveryPoints(db, tankNo)));
  const isReadable = ({ measure, before }: MeasuredPoint): boolean =>
    [measure, before ?? measure].every((value) => productHeightMm(gauge, value) !== undefined);
  const points = candidates
    .filter((point) => point !== null)
    .filter((point) => Date.parse(point.measuredAt) >= period.fromMs && isReadable(point))
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const fits = calibrate(gauge, points);
  return {
    gauge,
    fromAt: Number.isFinite(period.fromMs) ? new Date(period.fromMs).toISOString() : null,
    points,
    leftOut: candidates.length - points.length,
    fits,
    better: betterFit(fits),
  };
}

async function dialPoint(db: Db, tankNo: number, { at, fillPercentage }: DialReading): Promise<MeasuredPoint | null> {
  const nearest = await nearestMeasure(db, tankNo, at, NEAR_MS);
  return nearest && { kind: 'dial', at, expected: fillPercentage, measuredAt: nearest.at, measure: nearest.measure };
}

/**
 * The deliveries with one note and one refill that can be compared, with the measures before and after. Null for a
 * delivery without these measures.
 */
async function deliveryPoints(db: Db, tankNo: number): Promise<(MeasuredPoint | null)[]> {
  const { rows } = await db.query<{
    at: string;
    from_at: string;
    to_at: string;
    litres: number;
    capacity: number;
    capacity_unit: 'liters' | 'gallons';
  }>(
    // Entries are found by customer, because there is an index by customer and none by tank.
    `select r.at, r.from_at, r.to_at, e.note_litres as litres, t.capacity, t.capacity_unit
     from tanks t
     join ledger_entries e on e.customer_no = t.owner_no and e.is_compared and e.note_litres is not null
       and e.refill_tank_nos = array[t.no]
     join seen_refills r on r.tank_no = t.no and r.at = e.refill_ats[1]
     where t.no = $1 order by e.at desc limit $2`,
    [tankNo, MAX_DELIVERIES],
  );
  const points: (MeasuredPoint | null)[] = [];
  for (const { at, from_at, to_at, litres, capacity, capacity_unit } of rows) {
    const [before, after] = [await nearestMeasure(db, tankNo, from_at, 0), await nearestMeasure(db, tankNo, to_at, 0)];
    const expected = (litres / toLiters(capacity, capacity_unit)) * 100;
    // The earlier measure decides whether the point belongs to the current gauge.
    const measures = before && after && { measuredAt: before.at, measure: after.measure, before: before.measure };
    points.push(measures && { kind: 'delivery', at, expected, ...measures });
  }
  return points;
}

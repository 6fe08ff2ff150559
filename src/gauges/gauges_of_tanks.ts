import { arrayLiteral, type Db } from '../db/pool.ts';
import type { Measure } from '../telemetry/reading.ts';
import type { TankGauge } from './gauge_schema.ts';
import { FORMS } from './shapes/shape.ts';
import { describeMeasure, gaugePercentage, type UnreadableMeasure } from './tank_gauge.ts';

/** A gauge of a tank, from a time until the next gauge begins. */
export interface GaugePeriod {
  /** When the period begins; -Infinity for the beginning. */
  fromMs: number;
  /** Null if a newer release stored a form that this release does not know. */
  gauge: TankGauge | null;
}

/** The gauges of each tank that has one, newest first. */
export async function readGauges(db: Db, tankNos: readonly number[]): Promise<Map<number, GaugePeriod[]>> {
  const gauges = new Map<number, GaugePeriod[]>();
  if (tankNos.length === 0) return gauges;
  const { rows } = await db.query<{ tank_no: number; from_ms: number; definition: TankGauge }>({
    name: 'read_gauges',
    text: `select tank_no, round(date_part('epoch', from_at) * 1000) as from_ms, definition
           from tank_gauges where tank_no = any ($1::int[]) order by tank_no, from_at desc`,
    values: [arrayLiteral(tankNos)],
  });
  for (const { tank_no, from_ms, definition } of rows) {
    const period = { fromMs: from_ms, gauge: FORMS.includes(definition.shape.form) ? definition : null };
    const periods = gauges.get(tank_no);
    if (periods === undefined) gauges.set(tank_no, [period]);
    else periods.push(period);
  }
  return gauges;
}

/** The gauge that a tank had at a time. */
export const gaugeAt = (periods: readonly GaugePeriod[], atMs: number): GaugePeriod | undefined =>
  periods.find(({ fromMs }) => fromMs <= atMs);

/** The level in percent for a measure, or the reason why there is none. */
export function levelOfMeasure(period: GaugePeriod | undefined, measure: Measure): number | UnreadableMeasure {
  if (period?.gauge) return gaugePercentage(period.gauge, measure);
  const why = period === undefined ? 'is not described' : 'is described in a form that this release does not know';
  return {
    code: 'no_gauge',
    detail: `The device sent ${describeMeasure(measure)} and no level, and the gauge of its tank ${why}; describe it, then replay the reading.`,
  };
}

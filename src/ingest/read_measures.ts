import type { Db } from '../db/pool.ts';
import { gaugeAt, levelOfMeasure, readGauges } from '../gauges/gauges_of_tanks.ts';
import { type FoundReading, isReadingError, type ReadingError, type TankReading } from '../telemetry/reading.ts';
import { encodeMeasure } from '../telemetry/stored_measure.ts';
import type { OrganizationReading } from '../telemetry/stream_message.ts';
import { findTanks } from '../telemetry/tank_lookup.ts';

/** Finds the tank and the level of each reading, or the reason why a reading has no tank or level. */
export async function findTankReadings(
  db: Db,
  readings: readonly OrganizationReading[],
): Promise<(TankReading | ReadingError)[]> {
  const found = await findTanks(db, readings);
  const measured = found.filter(
    (reading): reading is FoundReading => !isReadingError(reading) && reading.measure !== undefined,
  );
  const gauges = await readGauges(db, tanksOf(measured));
  return found.map((reading) =>
    isReadingError(reading) ? reading : readMeasure(reading, gauges.get(reading.tankNo) ?? []),
  );
}

/**
 * Computes levels again from the measures and the current gauges, under the locks of the tanks. A gauge may have been corrected,
 * and the stored levels recomputed, since the readings were looked up. If the corrected gauge has no level for a measure, the
 * reading keeps its level, as if it had been stored before the correction.
 */
export async function readMeasuresAgain(tx: Db, readings: readonly TankReading[]): Promise<readonly TankReading[]> {
  const measured = readings.filter(({ measure }) => measure !== undefined);
  if (measured.length === 0) return readings;
  const gauges = await readGauges(tx, tanksOf(measured));
  return readings.map((reading) => {
    const current = readMeasure(reading, gauges.get(reading.tankNo) ?? []);
    return isReadingError(current) ? reading : current;
  });
}

/** Computes the level from the measure if the tank has a gauge, and takes the level of the device otherwise. */
function readMeasure(
  { fillPercentage, ...reading }: FoundReading,
  periods: Parameters<typeof gaugeAt>[0],
): TankReading | ReadingError {
  const { measure, ...plain } = reading;
  if (measure === undefined || encodeMeasure(measure) === undefined) {
    if (fillPercentage !== null) return { ...plain, fillPercentage };
    return { code: 'out_of_range', detail: `The device measured ${measure?.value ?? 'nothing'}, which is too large.` };
  }
  const period = gaugeAt(periods, reading.atMs);
  if (period === undefined && fillPercentage !== null) return { ...reading, fillPercentage };
  const level = levelOfMeasure(period, measure);
  return typeof level === 'number' ? { ...reading, fillPercentage: level } : level;
}

const tanksOf = (readings: readonly { tankNo: number }[]): number[] => [
  ...new Set(readings.map(({ tankNo }) => tankNo)),
];

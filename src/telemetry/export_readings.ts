import type { CatalogRef } from '../catalog/upsert_rows.ts';
import type { Db } from '../db/pool.ts';
import { BYTE_ORDER_MARK, csvLine } from '../values/csv.ts';
import { readingFields } from './reading.ts';
import { type FileFormat, READING_COLUMNS } from './reading_file.ts';
import { decodeMeasure } from './stored_measure.ts';

export interface ExportSelection {
  organizationNo: number;
  /** Exports only this tank. */
  tankNo?: number;
  /** ISO 8601, UTC; includes readings at this time. */
  since?: string;
  /** ISO 8601, UTC; excludes readings at this time, so that the next export can begin with it. */
  until?: string;
  /** True to write device ids that look like formulas as texts. */
  isSpreadsheetSafe?: boolean;
  hasByteOrderMark?: boolean;
}

/** A reading as an export writes it. An import reads the same columns. */
interface ExportedReading {
  tank_id: string;
  /** The device that is assigned to the tank today. */
  device_id: string | null;
  created_at: string;
  fill_percentage: number;
  /** The measure, in the field in which a device may send it. Only JSON has it. */
  [measure: string]: string | number | null;
}

interface ReportingTank extends CatalogRef {
  device_id: string | null;
}

interface TankRange {
  tankNo: number;
  since: string;
  until: string;
}

const BATCH_READINGS = 5_000;
const BATCH_TANKS = 1_000;

/** Yields readings as text, tank by tank, oldest first. Queries run on demand, so that a slow reader costs no memory. */
export async function* exportReadings(
  db: Db,
  selection: ExportSelection,
  format: FileFormat,
): AsyncGenerator<string, void, undefined> {
  const isCsv = format === 'csv';
  const toLine = (reading: ExportedReading): string =>
    isCsv
      ? csvLine(
          READING_COLUMNS.map((column) => reading[column]),
          selection,
        )
      : `${JSON.stringify(reading)}\n`;
  if (isCsv) yield (selection.hasByteOrderMark ? BYTE_ORDER_MARK : '') + csvLine(READING_COLUMNS);
  const { since = '-infinity', until = 'infinity' } = selection;
  for await (const tank of reportingTanks(db, selection)) {
    for await (const readings of readingsOf(db, { tankNo: tank.no, since, until }, isCsv)) {
      const lines = readings.map(({ gauge_value: value, ...reading }) =>
        toLine({ tank_id: tank.id, device_id: tank.device_id, ...reading, ...measureFields(value) }),
      );
      yield lines.join('');
    }
  }
}

/** Live tanks that have a reading at or after `since`. */
async function* reportingTanks(db: Db, selection: ExportSelection): AsyncGenerator<ReportingTank> {
  let afterNo = 0;
  for (;;) {
    const { rows } = await db.query<ReportingTank>(
      `select t.no, t.id, t.assigned_device_id as device_id
       from tanks t join tank_states s on s.tank_no = t.no
       where t.organization_no = $1 and t.deleted_at is null and t.no > $2
         and ($3::int is null or t.no = $3) and s.latest_at >= $4
       order by t.no limit $5`,
      [selection.organizationNo, afterNo, selection.tankNo, selection.since ?? '-infinity', BATCH_TANKS],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH_TANKS) return;
    afterNo = last.no;
  }
}

interface Reading {
  created_at: string;
  fill_percentage: number;
  gauge_value?: number | null;
}

/** The fields of a stored measure in JSON, such as `distance_mm`, which an import reads. */
export const measureFields = (gaugeValue: number | null | undefined): Record<string, number> =>
  gaugeValue === null || gaugeValue === undefined
    ? {}
    : readingFields({ level: null, measure: decodeMeasure(gaugeValue) });

async function* readingsOf(
  db: Db,
  { tankNo, since, until }: TankRange,
  hasLevelsOnly: boolean,
): AsyncGenerator<Reading[]> {
  // Named statements are planned once.
  const statement = hasLevelsOnly
    ? { name: 'export_levels', text: 'select created_at, fill_percentage from oldest_telemetry($1, $2, $3, $4)' }
    : {
        name: 'export_readings',
        text: 'select created_at, fill_percentage, gauge_value from oldest_measures($1, $2, $3, $4)',
      };
  let from = since;
  for (;;) {
    const { rows } = await db.query<Reading>({ ...statement, values: [tankNo, from, until, BATCH_READINGS] });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH_READINGS) return;
    // The times of a tank are unique and have whole milliseconds.
    from = new Date(Date.parse(last.created_at) + 1).toISOString();
  }
}

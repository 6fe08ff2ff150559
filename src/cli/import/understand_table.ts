import { shownValues } from '../../catalog/import_file.ts';
import {
  findTargetColumns,
  type ImportTarget,
  type RowOptions,
  readHeader,
  readRow,
  type TableHeader,
} from '../../catalog/import_row.ts';
import { IMPORT_TARGETS } from '../../catalog/suggest_mapping.ts';
import { readRows } from '../../telemetry/reading_file.ts';
import { parseFileReading } from '../../telemetry/reading_row.ts';
import { decimalMarkOf } from '../../values/decimal.ts';
import { joinedCells } from '../../values/headings.ts';
import { type RowErrorGroup, RowErrorGroups } from '../../values/row_error.ts';
import { readTable, type TableOptions } from '../../values/table_reader.ts';
import { hasOffset, type TextFormat } from '../../values/text_format.ts';
import { tableOptions, textFormat } from '../options/file.ts';
import { type KnownTable, sheetOf, type TableReadOptions } from './tables.ts';

/** What a table contains, as it was understood. */
export interface UnderstoodTable {
  rows: number;
  errors: RowErrorGroup[];
  firstRows: Record<string, unknown>[];
  /** The time of the newest reading; null for customers and tanks. */
  newestMs: number | null;
  /** Whether readings or levels have times without an offset, whose time zone is not known. */
  hasLocalTimes: boolean;
}

const SHOWN_ROWS = 5;

/** Reads a whole table with the rules of its import, and compares nothing with the database. */
export async function understand(
  table: KnownTable,
  options: TableReadOptions,
  shiftMs: number,
  onNote: (sentence: string) => void,
): Promise<UnderstoodTable> {
  const usual = table.usual ?? decimalMarkOf(options.language ?? 'en');
  const fileOptions = { ...table.options, ...options };
  const format = { ...textFormat(fileOptions), usual, shiftMs };
  const read = tableOptions({ ...fileOptions, ...sheetOf(table) }, onNote);
  return table.kind === 'readings'
    ? understandReadings(table, options.device, read, format)
    : understandCatalog(table, IMPORT_TARGETS[table.kind], read, {
        format,
        ...(options.words === undefined ? {} : { words: options.words }),
      });
}

async function understandCatalog(
  { source, column, constants, mapping }: KnownTable,
  target: ImportTarget,
  read: TableOptions,
  valueOptions: Pick<RowOptions, 'format' | 'words'>,
): Promise<UnderstoodTable> {
  const errors = new RowErrorGroups();
  const result: UnderstoodTable = { rows: 0, errors: [], firstRows: [], newestMs: null, hasLocalTimes: false };
  const rowOptions = { columns: column, constants, readsOnlyNamed: mapping !== undefined, ...valueOptions };
  const findColumns = (cells: readonly string[]): number[] | undefined => findTargetColumns(cells, target, rowOptions);
  let header: TableHeader | undefined;
  for await (const records of readTable(source, { ...read, findColumns })) {
    for (const record of records) {
      if (header === undefined) {
        header = readHeader(record.cells, target, rowOptions);
        continue;
      }
      const row = readRow(record, header, target, rowOptions);
      result.rows++;
      const { places = [] } = header.columns.find((found) => found.column === 'measured_at') ?? {};
      const measuredAt = joinedCells(record.cells, places).trim() || (constants['measured_at'] ?? '');
      result.hasLocalTimes ||=
        valueOptions.format?.timeZone === undefined && measuredAt !== '' && !hasOffset(measuredAt);
      for (const error of row.errors) errors.add(row.line, error);
      if (row.errors.length === 0 && result.firstRows.length < SHOWN_ROWS)
        result.firstRows.push(shownValues(row.values, header.columns));
    }
  }
  return { ...result, errors: errors.list() };
}

async function understandReadings(
  { source, column, format: fileFormat }: KnownTable,
  device: string | undefined,
  read: TableOptions,
  format: TextFormat,
): Promise<UnderstoodTable> {
  const errors = new RowErrorGroups();
  const result: UnderstoodTable = { rows: 0, errors: [], firstRows: [], newestMs: null, hasLocalTimes: false };
  const nowMs = Date.now();
  for await (const rows of readRows(source, fileFormat, { ...read, names: column, device })) {
    for (const row of rows) {
      result.rows++;
      if ('problem' in row) {
        errors.add(row.line, { column: null, text: null, problem: `the row ${row.problem}` });
        continue;
      }
      const { tank_id, device_id, created_at, fill_percentage } = row.cells;
      const reading = parseFileReading(created_at, fill_percentage, nowMs, format);
      if ('code' in reading) {
        errors.add(row.line, { column: reading.code, text: null, problem: reading.detail, group: reading.code });
        continue;
      }
      result.newestMs = Math.max(result.newestMs ?? 0, reading.atMs);
      result.hasLocalTimes ||= format.timeZone === undefined && !hasOffset(created_at);
      if (result.firstRows.length >= SHOWN_ROWS) continue;
      const tank = tank_id === '' ? { device_id } : { tank_id };
      const createdAt = new Date(reading.atMs).toISOString();
      result.firstRows.push({ ...tank, created_at: createdAt, fill_percentage: reading.fillPercentage });
    }
  }
  return { ...result, errors: errors.list() };
}

import type { ByteSource } from '../values/byte_source.ts';
import { columnName } from '../values/headings.ts';
import { readTable, type TableOptions } from '../values/table_reader.ts';
import type { TextFormat } from '../values/text_format.ts';
import { UserError } from '../values/user_error.ts';
import {
  byColumn,
  isTemperatureError,
  parseTemperature,
  type Temperature,
  type TemperatureCells,
  type TemperatureColumn,
  type TemperatureError,
} from './temperature_row.ts';

export interface TemperatureFileOptions {
  table: TableOptions;
  format: TextFormat;
  /** The names of our columns in the file. */
  names: Readonly<Record<string, string>>;
  /** The place of all rows that name no place. */
  station?: string | undefined;
  nowMs: number;
  /** Called with the header before the first row. */
  onHeader?: (cells: readonly string[]) => Promise<void> | undefined;
}

export type FileTemperature = { line: number; cells: readonly string[] } & (
  | { temperature: Temperature }
  | { error: TemperatureError | { column: null; text: null; problem: string } }
);

interface Header {
  indexes: Readonly<Record<TemperatureColumn, number>>;
  /** The unit from the name of a column such as mean_f. */
  unit: string;
}

/** The name of a column may end with its unit: mean_c, mean_temperature_f. */
const DEGREES = /^(mean|min|max)(?:_temperature)?(?:_([cf]))?$/;

/** Reads a CSV file or a workbook of daily temperatures, row by row. */
export async function* readTemperatures(
  source: ByteSource,
  { table, format, names, station = '', nowMs, onHeader }: TemperatureFileOptions,
): AsyncGenerator<FileTemperature[]> {
  let header: Header | undefined;
  const findColumns = (cells: readonly string[]): number[] | undefined => {
    const { indexes } = headerOf(cells, names);
    return isHeader(indexes) ? [indexes.date, Math.max(indexes.mean, indexes.min)] : undefined;
  };
  for await (const records of readTable(source, { ...table, findColumns })) {
    const rows: FileTemperature[] = [];
    for (const { line, cells, problem } of records) {
      if (header === undefined) {
        header = headerOf(cells, names);
        checkHeader(header, cells);
        await onHeader?.(cells);
        continue;
      }
      if (problem !== null) {
        rows.push({ line, cells, error: { column: null, text: null, problem: `the row ${problem}` } });
        continue;
      }
      const row = parseTemperature(cellsOf(cells, header, station), nowMs, format);
      rows.push(isTemperatureError(row) ? { line, cells, error: row } : { line, cells, temperature: row });
    }
    yield rows;
  }
  if (header === undefined) throw new UserError('the file is empty; the first line must contain the column names.');
}

function headerOf(cells: readonly string[], names: Readonly<Record<string, string>>): Header {
  const columns = cells.map((cell) => columnName(cell).replaceAll(' ', '_'));
  let unit = '';
  const indexOf = (column: TemperatureColumn): number => {
    const nameInFile = names[column];
    if (nameInFile !== undefined) return columns.indexOf(columnName(nameInFile).replaceAll(' ', '_'));
    return columns.findIndex((name) => {
      const [, degrees = name, unitOfColumn = ''] = DEGREES.exec(name) ?? [];
      if (degrees === column && unitOfColumn !== '') unit = unitOfColumn;
      return degrees === column;
    });
  };
  const indexes = byColumn(indexOf);
  return { indexes, unit };
}

const isHeader = ({ date, mean, min, max }: Header['indexes']): boolean =>
  date >= 0 && (mean >= 0 || (min >= 0 && max >= 0));

function checkHeader({ indexes }: Header, cells: readonly string[]): void {
  if (isHeader(indexes)) return;
  const shown = cells.join(', ').slice(0, 500);
  const missing = indexes.date < 0 ? 'no date' : 'no mean, and not both min and max';
  throw new UserError(
    `the header has ${missing}; it has ${shown}. If a column has another name, pass it, such as --column date=Fecha.`,
  );
}

function cellsOf(cells: readonly string[], { indexes, unit }: Header, station: string): TemperatureCells {
  const row = byColumn((column) => cells[indexes[column]]?.trim() ?? '');
  const isPlaced = row.station !== '' || row.postal_code !== '' || row.latitude !== '';
  return { ...row, unit: row.unit === '' ? unit : row.unit, station: isPlaced ? row.station : station };
}

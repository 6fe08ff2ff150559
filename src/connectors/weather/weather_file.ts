import { inChunks } from '../../values/byte_source.ts';
import { UserError } from '../../values/user_error.ts';
import { SERVER_PART_BYTES } from '../../values/xlsx/limits.ts';
import { readTemperatures } from '../../weather/temperature_file.ts';
import type { Temperature } from '../../weather/temperature_row.ts';
import type { WeatherFileSettings } from '../connector_settings.ts';
import { SourceError } from '../source_client.ts';

const MAX_ROWS = 50_000;

/** Reads a file of temperatures like `tankwatch weather import`. Skips unreadable rows, and throws if none is left. */
export async function readWeatherFile(
  bytes: Uint8Array,
  { station, columns = {}, decimal, date_order: dateOrder }: WeatherFileSettings,
  nowMs: number,
): Promise<Temperature[]> {
  const temperatures: Temperature[] = [];
  let problem = 'it has no rows';
  let count = 0;
  const table = { maxPartBytes: SERVER_PART_BYTES };
  const options = { table, format: { decimal, dateOrder }, names: columns, station, nowMs };
  try {
    for await (const rows of readTemperatures(inChunks(bytes, 'the answer'), options))
      for (const row of rows) {
        count++;
        if (count > MAX_ROWS) throw new SourceError('changed', `the file has more than ${MAX_ROWS} rows`);
        if ('temperature' in row) temperatures.push(row.temperature);
        else problem = `line ${row.line}: ${row.error.column ?? 'row'} ${row.error.problem}`;
      }
  } catch (error) {
    throw error instanceof UserError ? new SourceError('changed', error.message) : error;
  }
  if (temperatures.length === 0) throw new SourceError('changed', `nothing of the file can be read: ${problem}`);
  return temperatures;
}

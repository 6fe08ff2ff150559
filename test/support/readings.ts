import type { CatalogRef } from '../../src/catalog/upsert_rows.ts';
import {
  importReadings,
  type ReadingImportCounts,
  type ReadingImportOptions,
  type RejectedRow,
} from '../../src/ingest/import_readings.ts';
import { type ColumnNames, type FileFormat, readRows } from '../../src/telemetry/reading_file.ts';
import type { ByteSource } from '../../src/values/byte_source.ts';
import { asCreated, type Created, givenCustomer, givenOrganization, givenTanks } from './fleet.ts';
import type { TestDatabase } from './test.ts';

export interface Imported extends ReadingImportCounts {
  rejections: RejectedRow[];
}

interface Source {
  format?: FileFormat;
  names?: ColumnNames;
}

/** Yields the text in pieces that cut rows and characters anywhere, as a pipe does. */
async function* inPieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += 4_001) yield bytes.subarray(start, start + 4_001);
}

const piped = (text: string): ByteSource => ({ name: 'a pipe', isRepeatable: false, chunks: () => inPieces(text) });

export async function importText(
  database: TestDatabase,
  organizationNo: number,
  text: string,
  { format = 'csv', names = {}, ...options }: Source & Partial<ReadingImportOptions> = {},
): Promise<Imported> {
  const rejections: RejectedRow[] = [];
  const counts = await importReadings(database.operator, readRows(piped(text), format, { names }), {
    organizationNo,
    report: (_, some) => void rejections.push(...some),
    ...options,
  });
  return { ...counts, rejections };
}

/** An organization with a tank for each of these devices. */
export async function givenFleet<const DeviceIds extends readonly string[]>(
  { operator }: TestDatabase,
  deviceIds: DeviceIds,
): Promise<{ organizationNo: number; tanks: Created<DeviceIds> }> {
  const organizationNo = await givenOrganization(operator);
  const owner = await givenCustomer(operator, organizationNo);
  const devices = deviceIds.map((assigned_device_id) => ({ assigned_device_id }));
  return { organizationNo, tanks: asCreated(deviceIds, await givenTanks(operator, organizationNo, owner.no, devices)) };
}

export const iso = (ms: number): string => new Date(ms).toISOString();

export const readingsOf = async (database: TestDatabase, tank: CatalogRef | undefined) =>
  (
    await database.owner.query<{ created_at: string; fill_percentage: number }>(
      'select created_at, fill_percentage from telemetry where tank_no = $1 order by created_at',
      [tank?.no],
    )
  ).rows;

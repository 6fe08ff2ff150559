import type { Db } from '../db/pool.ts';
import { isDeviceId } from '../telemetry/reading.ts';
import { elementsAt, valueAt } from '../values/json_path.ts';
import type { JsonSource } from './json_source.ts';
import { type SourceClient, SourceError } from './source_client.ts';
import { MAX_DEVICES, type SourceReader } from './source_reader.ts';

/** A device of a cloud, with the columns of an import of tanks for which the cloud has values. */
export type CloudTank = { assigned_device_id: string; on_tank: string | null } & Record<string, string | null>;

/** Reads the devices that a cloud lists, as proposed rows for an import of tanks. `on_tank` names the tank of a known device. */
export async function proposeTanks(
  db: Db,
  organizationNo: number,
  { source, client, reader }: { source: JsonSource; client: SourceClient; reader: SourceReader },
): Promise<CloudTank[]> {
  const { catalog } = source;
  if (catalog === null) throw new SourceError('failed', 'this kind of source does not list devices');
  const listed = new Map<string, unknown>();
  if (source.devices === null) {
    for (const element of elementsOf(await client.get(catalog.url), catalog.each)) {
      const id = textAt(element, catalog.device);
      if (isDeviceId(id)) listed.set(id, element);
    }
  } else
    for (const device of await reader.devices())
      listed.set(device, elementsOf(await client.get(catalog.url, { device }), catalog.each)[0]);
  const { rows } = await db.query<{ device_id: string; tank: string }>(
    `select assigned_device_id as device_id, name as tank from tanks
     where organization_no = $1 and assigned_device_id = any ($2) and deleted_at is null`,
    [organizationNo, [...listed.keys()]],
  );
  const tanks = new Map(rows.map(({ device_id, tank }) => [device_id, tank]));
  return [...listed].map(([device, element]) => ({
    assigned_device_id: device,
    on_tank: tanks.get(device) ?? null,
    ...Object.fromEntries(Object.entries(catalog.columns).map(([column, path]) => [column, textAt(element, path)])),
  }));
}

function elementsOf(json: unknown, each: string): unknown[] {
  const elements = elementsAt(json, each, MAX_DEVICES);
  if (elements === undefined) throw new SourceError('changed', `the answer has no ${each}`);
  return elements;
}

function textAt(element: unknown, path: string): string | null {
  const value = valueAt(element, path);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

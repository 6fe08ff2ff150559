import type { Tx } from '../../db/pool.ts';
import type { BatteryEvent } from '../../evaluation/pure/alerts/event_types.ts';
import { recordEvents } from '../../evaluation/record_events.ts';
import type { OrganizationHealth } from '../../telemetry/stream_message.ts';
import { DAY_MS } from '../../values/time.ts';
import { MAX_CHANNELS } from '../profiles/quantities.ts';
import { type DeviceHealth, type FoldedReport, foldReport } from './device_health.ts';

/** A device with its reports, oldest first. */
interface Device {
  organization_no: number;
  device_id: string;
  reports: OrganizationHealth[];
}

/** A report that is older than this when it arrives causes no notification. */
const MAX_NOTIFIED_AGE_MS = 2 * DAY_MS;

/**
 * Stores the health that devices report, in the transaction of their readings and after the locks of their tanks. A
 * device that is not on a tank is not stored, because a sender could invent any number of devices.
 */
export async function storeHealth(tx: Tx, reports: readonly OrganizationHealth[]): Promise<void> {
  if (reports.length === 0) return;
  const devices = groupByDevice(reports);
  const known = await readHealth(tx, devices);
  const changed = devices.flatMap((device, index) => {
    const folded = foldReports(known.get(index) ?? null, device.reports);
    return folded.isToStore ? [{ ...device, ...folded }] : [];
  });
  if (changed.length > 0) await writeHealth(tx, changed);
}

/** Groups reports by device, in the order of the keys, so that all writers lock devices in the same order. */
function groupByDevice(reports: readonly OrganizationHealth[]): Device[] {
  const devices = new Map<string, Device>();
  for (const report of reports.toSorted((a, b) => a.at_ms - b.at_ms)) {
    const { organization_no, device_id } = report;
    const key = `${organization_no}/${device_id}`;
    const device = devices.get(key) ?? { organization_no, device_id, reports: [] };
    device.reports.push(report);
    devices.set(key, device);
  }
  return [...devices].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, device]) => device);
}

/** Adds the reports of a device one after another. If a batch has several events, the last one counts. */
function foldReports(known: DeviceHealth | null, reports: readonly OrganizationHealth[]): FoldedReport {
  const [first, ...others] = reports;
  if (first === undefined) throw new Error('A device has no report.');
  return others.reduce(
    (folded, report) => {
      const next = foldReport(folded.health, report);
      return { ...next, isToStore: folded.isToStore || next.isToStore, event: next.event ?? folded.event };
    },
    foldReport(known, first),
  );
}

const COLUMNS = [
  'tank_no',
  'at',
  'battery_v',
  'battery_percent',
  'celsius',
  'rssi_dbm',
  'snr_db',
  'signal_percent',
  'firmware',
  'next_at',
  'profile',
  'fault',
  'fault_since',
  'low_from',
  'low_at',
  'battery_low_since',
  'day',
  'battery_days',
  'signal_days',
  'is_signal_weak',
] as const;

/** The times of a row are ISO 8601. */
type HealthRow = Omit<DeviceHealth, `${string}_ms`> &
  Record<'fault_since' | 'next_at' | 'low_from' | 'low_at' | 'battery_low_since', string | null> & { at: string };

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
const msOf = (time: string | null): number | null => (time === null ? null : Date.parse(time));

function toRow(health: DeviceHealth): HealthRow {
  const { at_ms, next_at_ms, fault_since_ms, low_from_ms, low_at_ms, battery_low_since_ms, ...values } = health;
  return {
    ...values,
    at: new Date(at_ms).toISOString(),
    next_at: iso(next_at_ms),
    fault_since: iso(fault_since_ms),
    low_from: iso(low_from_ms),
    low_at: iso(low_at_ms),
    battery_low_since: iso(battery_low_since_ms),
  };
}

function toHealth({
  at,
  next_at,
  fault_since,
  low_from,
  low_at,
  battery_low_since,
  ...values
}: HealthRow): DeviceHealth {
  return {
    ...values,
    at_ms: Date.parse(at),
    next_at_ms: msOf(next_at),
    fault_since_ms: msOf(fault_since),
    low_from_ms: msOf(low_from),
    low_at_ms: msOf(low_at),
    battery_low_since_ms: msOf(battery_low_since),
  };
}

const keysOf = (devices: readonly Device[]): [number[], string[]] => [
  devices.map(({ organization_no }) => organization_no),
  devices.map(({ device_id }) => device_id),
];

/** Reads and locks the known health of devices, by the index of the device. */
async function readHealth(tx: Tx, devices: readonly Device[]): Promise<Map<number, DeviceHealth>> {
  const { rows } = await tx.query<HealthRow & { position: number }>({
    name: 'read_device_health',
    text: `select d.position, ${COLUMNS.map((column) => `h.${column}`).join(', ')}
       from unnest($1::int[], $2::text[]) with ordinality as d (organization_no, device_id, position)
       join device_health h using (organization_no, device_id) order by d.position for update of h`,
    values: keysOf(devices),
  });
  return new Map(rows.map(({ position, ...row }) => [position - 1, toHealth(row)]));
}

/** The first tank of each device, by the index of the device. A device on four tanks has one battery. */
async function findFirstTanks(tx: Tx, devices: readonly Device[]): Promise<Map<number, number>> {
  const { rows } = await tx.query<{ position: number; tank_no: number }>({
    name: 'first_tanks_of_devices',
    text: `select d.position, a.tank_no
       from unnest($1::int[], $2::text[]) with ordinality as d (organization_no, device_id, position)
       cross join lateral (
         select a.tank_no
         from generate_series(0, ${MAX_CHANNELS}) as channel
         join device_assignments a on a.organization_no = d.organization_no and a.to_at = 'infinity'
           and a.device_id = d.device_id || case channel when 0 then '' else '#' || channel end
         where a.tank_no is not null order by channel limit 1
       ) as a`,
    values: keysOf(devices),
  });
  return new Map(rows.map(({ position, tank_no }) => [position - 1, tank_no]));
}

async function writeHealth(tx: Tx, changed: readonly (Device & FoldedReport)[]): Promise<void> {
  const tanks = await findFirstTanks(tx, changed);
  const placed = changed.flatMap((device, index) => {
    const tankNo = tanks.get(index);
    return tankNo === undefined ? [] : [{ ...device, tankNo }];
  });
  const rows = placed.map(({ organization_no, device_id, tankNo: tank_no, health }) => ({
    organization_no,
    device_id,
    tank_no,
    ...toRow(health),
  }));
  await tx.query({
    name: 'write_device_health',
    text: `insert into device_health (organization_no, device_id, ${COLUMNS.join(', ')})
       select organization_no, device_id, ${COLUMNS.join(', ')} from json_populate_recordset(null::device_health, $1)
       on conflict (organization_no, device_id) do update
       set (${COLUMNS.join(', ')}) = row (${COLUMNS.map((column) => `excluded.${column}`).join(', ')})`,
    values: [JSON.stringify(rows)],
  });
  await recordEvents(
    tx,
    placed.flatMap((device) => batteryEvent(device) ?? []),
  );
}

function batteryEvent({
  organization_no: organizationNo,
  device_id,
  tankNo,
  health: { at_ms, battery_v, battery_percent },
  event,
}: Device & FoldedReport & { tankNo: number }): BatteryEvent | undefined {
  if (event === null) return undefined;
  const data = { device_id, battery_v, battery_percent };
  const occurredAt = new Date(at_ms).toISOString();
  const notify = Date.now() - at_ms < MAX_NOTIFIED_AGE_MS;
  return { organizationNo, tankNo, type: event, occurredAt, data, readings: [], notify };
}

import type { Db } from '../db/pool.ts';
import { isManualDevice } from '../values/manual_device.ts';
import {
  type FoundReading,
  isReadingError,
  manualDeviceError,
  quote,
  type ReadingError,
  toPercentage,
} from './reading.ts';
import type { OrganizationReading } from './stream_message.ts';

interface Assignment {
  from_ms: number;
  to_ms: number;
  /** This field and the next ones are null if the tank was deleted. */
  tank_no: number | null;
  capacity: number | null;
  capacity_unit: 'liters' | 'gallons' | null;
}

/** Finds for each reading the tank that its device was on at the reading's time. Returns an error if there is none. */
export async function findTanks(
  db: Db,
  readings: readonly OrganizationReading[],
): Promise<(FoundReading | ReadingError)[]> {
  const assignments = await readAssignments(db, readings);
  return readings.map((reading) => {
    const { deviceId, atMs, level, measure } = reading;
    // Gateways of older releases accept readings of manual devices.
    if (isManualDevice(deviceId)) return manualDeviceError(deviceId);
    const history = assignments.get(keyOf(reading)) ?? [];
    const assignment =
      history.find(({ from_ms, to_ms }) => Math.round(from_ms) <= atMs && atMs < Math.round(to_ms)) ??
      lastIfDeleted(history);
    if (assignment === undefined) {
      const time = new Date(atMs).toISOString();
      return {
        code: 'unknown_device',
        detail: `The device ${quote(deviceId)} was not assigned to a tank at ${time}; assign it first.`,
      };
    }
    const { tank_no: tankNo, capacity, capacity_unit: unit } = assignment;
    // Readings of a deleted tank are rejected, because no list would show them.
    if (tankNo === null || capacity === null || unit === null) {
      return { code: 'deleted_tank', detail: `The tank of the device ${quote(deviceId)} was deleted.` };
    }
    const fillPercentage = level === null ? null : toPercentage(level, { amount: capacity, unit });
    // As in parseReading, an impossible level does not affect the measure.
    if (fillPercentage !== null && isReadingError(fillPercentage))
      return measure ? { tankNo, atMs, fillPercentage: null, measure } : fillPercentage;
    return measure ? { tankNo, atMs, fillPercentage, measure } : { tankNo, atMs, fillPercentage };
  });
}

/** The last assignment if its tank was deleted. It ended with the tank, but the device may still report. */
const lastIfDeleted = (history: readonly Assignment[]): Assignment | undefined =>
  history.at(-1)?.tank_no === null ? history.at(-1) : undefined;

const keyOf = ({ organizationNo, deviceId }: OrganizationReading): string => `${organizationNo}/${deviceId}`;

/** Reads the assignments of the devices of a batch. They are not cached, because they change. */
async function readAssignments(db: Db, readings: readonly OrganizationReading[]): Promise<Map<string, Assignment[]>> {
  const devices = [...new Map(readings.map((reading) => [keyOf(reading), reading])).values()];
  const { rows } = await db.query<Assignment & { position: number }>({
    name: 'read_assignments',
    text: `select d.position, t.tank_no, t.capacity, t.capacity_unit,
         date_part('epoch', a.from_at) * 1000 as from_ms, date_part('epoch', a.to_at) * 1000 as to_ms
       from unnest($1::int[], $2::text[]) with ordinality as d (organization_no, device_id, position)
       join device_assignments a using (organization_no, device_id)
       left join tank_settings t on t.tank_no = a.tank_no and not t.is_deleted
       order by d.position, a.from_at`,
    values: [devices.map(({ organizationNo }) => organizationNo), devices.map(({ deviceId }) => deviceId)],
  });
  const assignments = new Map<string, Assignment[]>();
  for (const row of rows) {
    const device = devices[row.position - 1];
    if (device === undefined) continue;
    const history = assignments.get(keyOf(device));
    if (history) history.push(row);
    else assignments.set(keyOf(device), [row]);
  }
  return assignments;
}

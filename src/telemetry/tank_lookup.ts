import type { Db } from '../db/pool.ts';
import { isReadingError, quote, type ReadingError, type TankReading, toPercentage } from './reading.ts';
import type { OrganizationReading } from './stream_message.ts';

interface Assignment {
  tank_no: number;
  from_ms: number;
  to_ms: number;
  is_deleted: boolean;
  capacity: number;
  capacity_unit: 'liters' | 'gallons';
}

/** For each reading its tank, the one its device was on at the reading's own time; or why there is none. */
export async function findTanks(
  db: Db,
  readings: readonly OrganizationReading[],
): Promise<(TankReading | ReadingError)[]> {
  const assignments = await readAssignments(db, readings);
  return readings.map((reading) => {
    const { deviceId, atMs, level } = reading;
    const history = assignments.get(keyOf(reading)) ?? [];
    const at =
      history.find(({ from_ms, to_ms }) => Math.round(from_ms) <= atMs && atMs < Math.round(to_ms)) ?? gone(history);
    if (at === undefined) {
      const when = new Date(atMs).toISOString();
      return {
        code: 'unknown_device',
        detail: `No tank carried the device ${quote(deviceId)} at ${when}; assign it first.`,
      };
    }
    // What a deleted tank held is shown to nobody, so nothing is added to it.
    if (at.is_deleted)
      return { code: 'deleted_tank', detail: `The tank of the device ${quote(deviceId)} was deleted.` };
    const fillPercentage = toPercentage(level, { amount: at.capacity, unit: at.capacity_unit });
    if (isReadingError(fillPercentage)) return fillPercentage;
    return { tankNo: at.tank_no, atMs, fillPercentage };
  });
}

/** A device that nobody took from its deleted tank still reports for it. */
const gone = (history: readonly Assignment[]): Assignment | undefined =>
  history.at(-1)?.is_deleted ? history.at(-1) : undefined;

const keyOf = ({ organizationNo, deviceId }: OrganizationReading): string => `${organizationNo}/${deviceId}`;

/** Asked anew for each batch and once per device: devices move while we run, and send several readings at a time. */
async function readAssignments(db: Db, readings: readonly OrganizationReading[]): Promise<Map<string, Assignment[]>> {
  const devices = [...new Map(readings.map((reading) => [keyOf(reading), reading])).values()];
  const { rows } = await db.query<Assignment & { place: number }>({
    name: 'read_assignments',
    text: `select d.place, a.tank_no, t.is_deleted, t.capacity, t.capacity_unit,
         date_part('epoch', a.from_at) * 1000 as from_ms, date_part('epoch', a.to_at) * 1000 as to_ms
       from unnest($1::int[], $2::text[]) with ordinality as d (organization_no, device_id, place)
       join device_assignments a using (organization_no, device_id)
       join tank_settings t using (tank_no)
       order by d.place, a.from_at`,
    values: [devices.map(({ organizationNo }) => organizationNo), devices.map(({ deviceId }) => deviceId)],
  });
  const found = new Map<string, Assignment[]>();
  for (const row of rows) {
    const device = devices[row.place - 1];
    if (device === undefined) continue;
    const history = found.get(keyOf(device));
    if (history) history.push(row);
    else found.set(keyOf(device), [row]);
  }
  return found;
}

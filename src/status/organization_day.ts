import type { Readers, Statement } from '../db/readers.ts';
import type { SharedConnections } from '../db/shared_connections.ts';
import { MINUTE_MS } from '../values/time.ts';
import { zonedDate } from '../values/zoned_time.ts';

const TIME_ZONE: Statement = {
  name: 'time_zone_of_organization',
  text: 'select time_zone from organizations where no = $1',
};

/** The time for which a time zone is cached. Each page of tanks needs one, and time zones hardly ever change. */
const KEPT_MS = MINUTE_MS;

interface KnownZone {
  zone: string;
  untilMs: number;
}
const zones = new WeakMap<SharedConnections, Map<number, KnownZone>>();

/**
 * Today's date in the time zone of an organization, from which "within 3 days" and "since yesterday" count. Node computes it,
 * because Node has checked the names of the time zones, and PostgreSQL may know other names.
 */
export const organizationToday = async (readers: Readers, organizationNo: number): Promise<string> =>
  zonedDate(Date.now(), await organizationZone(readers, organizationNo));

export async function organizationZone(readers: Readers, organizationNo: number): Promise<string> {
  const known = zones.get(readers.connections) ?? new Map<number, KnownZone>();
  zones.set(readers.connections, known);
  const nowMs = Date.now();
  const recent = known.get(organizationNo);
  if (recent !== undefined && recent.untilMs > nowMs) return recent.zone;
  const [row] = await readers.query<{ time_zone: string }>(TIME_ZONE, [organizationNo]);
  const zone = row?.time_zone ?? 'UTC';
  known.set(organizationNo, { zone, untilMs: nowMs + KEPT_MS });
  return zone;
}

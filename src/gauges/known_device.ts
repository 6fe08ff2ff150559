import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { parseRejectedPayload } from '../telemetry/payload_formats.ts';
import type { RejectionCode } from '../telemetry/reading.ts';
import { readOrganizationGauges } from './gauge_rows.ts';
import type { GaugeProfile } from './profiles/profile.ts';
import { type SentLevels, sentLevels } from './profiles/sent_levels.ts';
import { readMessage } from './read_message.ts';
import { OrganizationGauges } from './selection.ts';

/** The facts about a device that are known whether it is on a tank or not. */
export interface KnownDevice extends SentLevels {
  device_id: string;
  tank_id: string | null;
  heard_at: string | null;
  profile: string | null;
  maker: string | null;
  model: string | null;
  /** How the profile was found: by its assignment to the device, or because it decodes the messages. Null if none was found. */
  recognized_by: 'assignment' | 'messages' | null;
  battery_v: number | null;
  battery_percent: number | null;
  signal_dbm: number | null;
  signal_percent: number | null;
  /** The newest message that gave no reading. */
  last_rejection: { received_at: string; code: RejectionCode; detail: string } | null;
}

/** The number of newest rejected readings that are searched. A device that was just switched on is among them. */
const RECENT_REJECTIONS = 1_000;

type Health = Pick<KnownDevice, 'profile' | 'battery_v' | 'battery_percent' | 'signal_dbm' | 'signal_percent'> & {
  at: string | null;
  tank_id: string | null;
};

/**
 * Finds the model of a device as the gateway does: by the profile that is assigned to it, otherwise by its messages. A
 * message is never recognized by its length, because two models send 8 bytes.
 */
export async function findKnownDevice(db: Db, organizationNo: number, deviceId: string): Promise<KnownDevice> {
  const [base = deviceId] = deviceId.split('#');
  const gauges = (await readOrganizationGauges(db, [organizationNo])).get(organizationNo) ?? new OrganizationGauges();
  const { profile: healthProfile, at, tank_id, ...health } = await readHealth(db, organizationNo, deviceId, base);
  const rejected = await readRejection(db, organizationNo, base, gauges);
  const assigned = gauges.select({ deviceId: base })?.profile;
  const isRejectedNewer = rejected !== null && Date.parse(rejected.received_at) > Date.parse(at ?? '1970');
  const fromHealth = healthProfile === null ? undefined : gauges.named(healthProfile)?.profile;
  const fromMessages = isRejectedNewer ? (rejected.profile ?? fromHealth) : fromHealth;
  const profile = assigned ?? fromMessages;
  const recognizedBy = profile === assigned ? 'assignment' : 'messages';
  const times = [at, rejected?.received_at ?? null].filter((time) => time !== null);
  return {
    device_id: deviceId,
    tank_id,
    heard_at: times.toSorted((a, b) => Date.parse(b) - Date.parse(a))[0] ?? null,
    profile: profile?.profile ?? null,
    maker: profile?.maker ?? null,
    model: profile?.device ?? null,
    recognized_by: profile === undefined ? null : recognizedBy,
    ...(profile === undefined ? (rejected?.sent ?? NOTHING_SENT) : sentLevels(profile)),
    ...health,
    last_rejection: rejected && { received_at: rejected.received_at, code: rejected.code, detail: rejected.detail },
  };
}

const NOTHING_SENT: SentLevels = { channels: [], measures: [], reports_level: false };

async function readHealth(db: Db, organizationNo: number, deviceId: string, base: string): Promise<Health> {
  const { rows } = await db.query<Health>(
    // The tank of this input, and the health of the whole device. Always one row.
    `select t.id as tank_id, h.at, h.profile, h.battery_v, h.battery_percent, h.rssi_dbm as signal_dbm, h.signal_percent
     from (select) as always
     left join tanks t on t.organization_no = $1 and t.assigned_device_id = $2 and t.deleted_at is null
     left join device_health h on h.organization_no = $1 and h.device_id = $3`,
    [organizationNo, deviceId, base],
  );
  return onlyRow(rows);
}

interface Rejection {
  received_at: string;
  code: RejectionCode;
  detail: string;
  /** The profile that reads the message today. */
  profile: GaugeProfile | undefined;
  sent: SentLevels;
}

async function readRejection(
  db: Db,
  organizationNo: number,
  base: string,
  gauges: OrganizationGauges,
): Promise<Rejection | null> {
  const { rows } = await db.query<{
    device_id: string;
    code: RejectionCode;
    detail: string;
    raw: Buffer;
    format: string;
    received_at: string;
  }>(
    `select device_id, code, detail, raw, format, received_at
     from (
       select no, device_id, code, detail, raw, format, received_at from rejected_readings
       where organization_no = $1 and settled_at is null order by no desc limit $3
     ) as recent
     where split_part(device_id, '#', 1) = $2 order by no desc limit 1`,
    [organizationNo, base, RECENT_REJECTIONS],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { device_id: deviceId, code, detail, raw, format, received_at } = row;
  const times = { receivedAtMs: Date.parse(received_at), nowMs: Date.now() };
  let profile: GaugeProfile | undefined;
  const { readings } = parseRejectedPayload({ deviceId, code, raw, format }, times, (message) => {
    const selected = gauges.select(message);
    profile = selected?.profile;
    return selected && readMessage(selected, message, times);
  });
  const [reading] = readings;
  const sent = {
    channels: [],
    measures: reading?.measure === undefined ? [] : [reading.measure.kind],
    reports_level: reading !== undefined && reading.level !== null,
  };
  return { received_at, code, detail, profile, sent };
}

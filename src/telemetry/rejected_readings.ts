import { isUtf8 } from 'node:buffer';
import type { Db, Tx } from '../db/pool.ts';
import type { OrganizationRejectedPayload } from './stream_message.ts';

export interface NewRejection extends OrganizationRejectedPayload {
  /** The message and the position in it identify a rejected reading, so that a redelivered message is recorded once. */
  messageId: string;
  position: number;
  receivedAtMs: number;
}

/** PostgreSQL's text cannot hold NUL. */
const withoutNul = (text: string): string => text.replaceAll('\0', '\uFFFD');

export async function recordRejections(tx: Tx, rejections: readonly NewRejection[]): Promise<void> {
  if (rejections.length === 0) return;
  await tx.query(
    `insert into rejected_readings
       (organization_no, device_id, code, detail, raw, format, received_at, message_id, place)
     select * from unnest(
       $1::int[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::text[], $7::timestamptz[], $8::uuid[], $9::int[]
     )
     on conflict do nothing`,
    [
      rejections.map(({ organizationNo }) => organizationNo),
      rejections.map(({ deviceId }) => (deviceId === null ? null : withoutNul(deviceId))),
      rejections.map(({ code }) => code),
      rejections.map(({ detail }) => withoutNul(detail)),
      rejections.map(({ raw }) => raw),
      rejections.map(({ format }) => withoutNul(format)),
      rejections.map(({ receivedAtMs }) => new Date(receivedAtMs).toISOString()),
      rejections.map(({ messageId }) => messageId),
      rejections.map(({ position }) => position),
    ],
  );
}

/** Selects rejected readings: only unsettled ones unless `isAll` is set. */
export interface RejectedFilter {
  organizationNo?: number;
  code?: string;
  deviceId?: string;
  no?: number;
  isAll?: boolean;
}

export const REJECTED_FILTER_SQL = `(organization_no = $1 or $1 is null) and (code = $2 or $2 is null) and (device_id = $3 or $3 is null)
  and (no = $4 or $4 is null) and (settled_at is null or $5)`;

export const filterValues = ({ organizationNo, code, deviceId, no, isAll }: RejectedFilter): unknown[] => [
  organizationNo ?? null,
  code ?? null,
  deviceId ?? null,
  no ?? null,
  isAll ?? false,
];

/** Lists rejected readings, newest first. */
export async function listRejected(db: Db, filter: RejectedFilter, limit: number): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    `select no, (select o.code from organizations o where o.no = r.organization_no) as organization, device_id, r.code,
            detail, received_at, settlement
     from rejected_readings r where ${REJECTED_FILTER_SQL} order by no desc limit $6`,
    [...filterValues(filter), limit],
  );
  return rows;
}

/** Counts by code, most frequent first. */
export async function countRejected(db: Db, filter: RejectedFilter): Promise<{ code: string; n: number }[]> {
  const { rows } = await db.query<{ code: string; n: number }>(
    `select code, count(*) as n from rejected_readings where ${REJECTED_FILTER_SQL} group by code order by n desc, code`,
    filterValues(filter),
  );
  return rows;
}

export async function showRejected(db: Db, no: number): Promise<Record<string, unknown> | undefined> {
  const { rows } = await db.query<{ raw: Buffer } & Record<string, unknown>>(
    `select no, (select o.code from organizations o where o.no = r.organization_no) as organization, device_id, r.code,
            detail, format, received_at, message_id, place, settled_at, settlement, settled_by, raw
     from rejected_readings r where no = $1`,
    [no],
  );
  const [row] = rows;
  return row && { ...row, raw: isUtf8(row.raw) ? row.raw.toString('utf8') : `hex ${row.raw.toString('hex')}` };
}

export async function discardRejected(tx: Tx, filter: RejectedFilter): Promise<number> {
  const { rowCount } = await tx.query(
    `update rejected_readings set settled_at = now(), settlement = 'discarded', settled_by = current_actor()
     where ${REJECTED_FILTER_SQL} and settled_at is null`,
    filterValues(filter),
  );
  return rowCount ?? 0;
}

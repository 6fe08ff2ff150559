import type { Db } from '../db/pool.ts';
import { NoSuchObjectError } from '../values/change_refusal.ts';
import { isUuid } from '../values/uuid7.ts';
import type { ConnectorKind } from './connector_settings.ts';
import { HOURS_SQL, type HourOfSource } from './hours_of_source.ts';

/** The largest number of connectors of an organization. Lists are not paged. */
export const MAX_CONNECTORS = 20;

export type SourceState = 'works' | 'starting' | 'failing' | 'down' | 'refused' | 'paused';

/** The result of a trial. Its readings are only counted and not stored. */
export interface Trial {
  at: string;
  works: boolean;
  /** The number of devices in the response. */
  devices: number;
  /** The number of these devices that are on a tank. */
  devices_on_tanks: number;
  readings: number;
  error: string | null;
}

/** A connector, as /manage/v1 returns it. The secret is never returned. */
export interface Connector {
  id: string;
  object: 'connector';
  kind: ConnectorKind;
  name: string;
  settings: object;
  has_secret: boolean;
  state: SourceState;
  paused_at: string | null;
  down_since: string | null;
  last_error: string | null;
  last_attempt_at: string | null;
  last_success_at: string | null;
  next_attempt_at: string | null;
  read_up_to: string | null;
  backfill_from: string | null;
  devices: number;
  tanks: number;
  last_try: Trial | null;
  hours: HourOfSource[];
  created_at: string;
}

export interface StoredConnector {
  no: number;
  object: Connector;
}

const CONNECTORS = `select c.no, c.id, 'connector' as object, c.kind, c.name, c.settings, c.has_secret,
    case when c.paused_at is not null then 'paused' when s.refused_at is not null then 'refused'
         when s.down_since is not null then 'down' when s.failing_since is not null then 'failing'
         when s.worked_at is null then 'starting' else 'works' end as state,
    c.paused_at, coalesce(s.down_since, s.refused_at) as down_since, s.last_error, s.attempted_at as last_attempt_at,
    s.worked_at as last_success_at,
    case when c.paused_at is null and s.refused_at is null then s.next_attempt_at end as next_attempt_at,
    s.cursor_at as read_up_to, s.backfill_at as backfill_from,
    coalesce((s.memory ->> 'devices')::int, d.devices) as devices, coalesce((s.memory ->> 'tanks')::int, d.tanks) as tanks,
    s.trial as last_try, c.created_at, ${HOURS_SQL} as hours
  from connectors c join connector_states s on s.connector_no = c.no
  cross join lateral (
    select count(*)::int as devices, (count(*) filter (where exists (
      select from tanks t where t.organization_no = c.organization_no and t.assigned_device_id = d.device_id and t.deleted_at is null
    )))::int as tanks
    from connector_devices d where d.connector_no = c.no
  ) as d
  where c.organization_no = $1 and c.deleted_at is null`;

/** The connectors of an organization, in the order in which they were added. */
export async function listConnectors(db: Db, organizationNo: number): Promise<Connector[]> {
  const { rows } = await db.query<Connector & { no: number }>(`${CONNECTORS} order by c.no`, [organizationNo]);
  return rows.map(({ no: _no, ...connector }) => connector);
}

/** Finds a connector by its id, or by its name in any case. Throws NoSuchObjectError. */
export async function existingConnector(db: Db, organizationNo: number, reference: string): Promise<StoredConnector> {
  const condition = isUuid(reference) ? 'c.id = $2' : 'lower(c.name) = lower($2)';
  const { rows } = await db.query<Connector & { no: number }>(`${CONNECTORS} and ${condition}`, [
    organizationNo,
    reference.replaceAll('\0', ''),
  ]);
  if (rows[0] === undefined) throw new NoSuchObjectError('connector');
  const { no, ...object } = rows[0];
  return { no, object };
}

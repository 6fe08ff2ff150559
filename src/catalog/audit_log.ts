import { contactIdSql } from '../db/contact_of_actor.ts';
import type { Db, Tx } from '../db/pool.ts';

/** The audit log, newest first. A change of many objects is one row; the id is shown if there is only one object. */
export async function listAudit(
  db: Db,
  organizationNo: number,
  { limit, objectId }: { limit: number; objectId: string | null },
): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    `with asked as (
       select 'customer' as object, no from customers where organization_no = $1 and id::text = $2
       union all
       select 'tank', no from tanks where organization_no = $1 and id::text = $2
     )
     select a.at, a.actor, a.login, a.action, a.object,
            case when cardinality(a.object_nos) > 1 then cardinality(a.object_nos) || ' of them' else coalesce(
              case a.object when 'customer' then (select id::text from customers where no = a.object_nos[1])
                            when 'tank' then (select id::text from tanks where no = a.object_nos[1])
                            when 'key' then (select prefix from api_keys where no = a.object_nos[1])
                            when 'connector' then (select id::text from connectors where no = a.object_nos[1])
                            when 'duty_plan' then 'of the organization'
                            when 'text_channel' then 'of the organization'
                            when 'webhook' then (select id::text from webhook_endpoints where no = a.object_nos[1])
                            when 'issuer' then (select id::text from issuers where no = a.object_nos[1])
                            when 'note' then (select id::text from tank_notes where no = a.object_nos[1])
                            when 'delivery_note' then (select id::text from delivery_notes where no = a.object_nos[1])
                            when 'acknowledgement' then (select id::text from acknowledgements where no = a.object_nos[1])
                            when 'mute' then (select id::text from mutes where no = a.object_nos[1])
                            when 'depot' then (select id::text from depots where no = a.object_nos[1])
                            when 'truck' then (select id::text from trucks where no = a.object_nos[1])
                            when 'driver' then (select id::text from drivers where no = a.object_nos[1])
                            when 'round' then (select id::text from rounds where no = a.object_nos[1])
                            when 'delivery_days' then (select coalesce(city, 'of a tank') from delivery_days where no = a.object_nos[1])
                            when 'contact' then (select id::text from contacts where no = a.object_nos[1])
                            when 'device' then (select device_id from device_credentials where no = a.object_nos[1])
                            else (select code from organizations where no = a.object_nos[1]) end, '') end as which,
            array_to_string(a.fields, ', ') as fields, a.request_id
     from audit_log a
     where (a.organization_no = $1 or a.organization_no is null)
       and ($2::text is null or exists (select from asked where asked.object = a.object and asked.no = any (a.object_nos)))
     order by a.no desc limit $3`,
    [organizationNo, objectId, limit],
  );
  return rows;
}

/** A command that changes no row of the catalog and is therefore not recorded by a trigger. */
export interface RecordedCommand {
  /** Null if the command concerns all organizations. */
  organizationNo: number | null;
  object: 'telemetry' | 'tank' | 'stream' | 'organization' | 'webhook' | 'weather' | 'evaluation' | 'round';
  action: 'import' | 'issue' | 'replay' | 'pack' | 'unpack' | 'update' | 'delete';
  fields?: readonly string[];
  objectNos?: readonly number[];
}

/** Records a command in the audit log before it runs, so that a failed attempt is recorded too. */
export async function recordCommand(tx: Tx, command: RecordedCommand): Promise<void> {
  const { organizationNo, object, action, fields = [], objectNos = [] } = command;
  await tx.query('select record_command($1, $2, $3, $4, $5)', [organizationNo, object, action, fields, objectNos]);
}

/** A change, as /manage/v1 returns it. */
export interface AuditEntry {
  number: number;
  object: 'audit_entry';
  at: string;
  actor: string;
  name: string | null;
  action: string;
  changed: string;
  changed_id: string | null;
  changed_name: string | null;
  tank_id: string | null;
  changed_objects: number;
  fields: string[];
  request_id: string | null;
}

/**
 * The object of an entry with its name, and the tank that a note, acknowledgement, mute or delivery note belongs to.
 */
const CHANGED = `
  select x.id, x.name as title, null::uuid as tank_id, x.deleted_at is not null as is_gone
  from customers x where a.object = 'customer' and x.no = a.object_nos[1]
  union all
  select x.id, concat_ws(' ', x.name, x.custom_id), null, x.deleted_at is not null
  from tanks x where a.object = 'tank' and x.no = a.object_nos[1]
  union all
  select x.id, concat_ws(' ', t.name, t.custom_id), t.id, t.deleted_at is not null
  from (
    select id, tank_no from tank_notes where a.object = 'note' and no = a.object_nos[1]
    union all
    select id, tank_no from acknowledgements where a.object = 'acknowledgement' and no = a.object_nos[1]
    union all
    select id, tank_no from mutes where a.object = 'mute' and no = a.object_nos[1]
  ) x join tanks t on t.no = x.tank_no
  union all
  select x.id, x.number, t.id, false
  from delivery_notes x left join tanks t on t.no = x.tank_no and t.deleted_at is null
  where a.object = 'delivery_note' and x.no = a.object_nos[1]
  union all
  select id, name, null, false from depots where a.object = 'depot' and no = a.object_nos[1]
  union all
  select id, name, null, false from trucks where a.object = 'truck' and no = a.object_nos[1]
  union all
  select id, name, null, deleted_at is not null from drivers where a.object = 'driver' and no = a.object_nos[1]
  union all
  select id, date::text, null, false from rounds where a.object = 'round' and no = a.object_nos[1]
  union all
  select id, coalesce(name, email), null, deleted_at is not null
  from contacts where a.object = 'contact' and no = a.object_nos[1]
  union all
  select id, name, null, deleted_at is not null from connectors where a.object = 'connector' and no = a.object_nos[1]
  union all
  -- Only the host is shown, because the path and the query of a URL can contain a secret.
  select id, substring(url from '^[a-z]+://(?:[^/?#]*@)?([^/?#]+)'), null, deleted_at is not null
  from webhook_endpoints where a.object = 'webhook' and no = a.object_nos[1]`;

/**
 * One page of the changes of an organization, newest first. Keys have no id here, because the database role of
 * /manage/v1 cannot read them. The log stores no values, so names are the current ones, and deleted objects have none.
 */
export async function readAuditPage(
  db: Db,
  organizationNo: number,
  { size, beforeNo }: { size: number; beforeNo: number | null },
): Promise<AuditEntry[]> {
  const { rows } = await db.query<AuditEntry>(
    `select a.no as number, 'audit_entry' as object, a.at, a.actor, coalesce(c.name, c.email) as name, a.action,
            a.object as changed, w.id as changed_id, case when not w.is_gone then w.title end as changed_name,
            case when not w.is_gone then w.tank_id end as tank_id,
            cardinality(a.object_nos) as changed_objects, a.fields, a.request_id
     from audit_log a
     left join contacts c on c.organization_no = $1
       and c.id = ${contactIdSql('a.actor')}
     left join lateral (${CHANGED}) w on cardinality(a.object_nos) = 1
     where a.organization_no = $1 and ($2::bigint is null or a.no < $2)
     order by a.no desc limit $3`,
    [organizationNo, beforeNo, size],
  );
  return rows;
}

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
                            when 'webhook' then (select id::text from webhook_endpoints where no = a.object_nos[1])
                            when 'issuer' then (select id::text from issuers where no = a.object_nos[1])
                            when 'note' then (select id::text from tank_notes where no = a.object_nos[1])
                            when 'acknowledgement' then (select id::text from acknowledgements where no = a.object_nos[1])
                            when 'mute' then (select id::text from mutes where no = a.object_nos[1])
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

/** A command that changes no row of the catalog, so that no trigger records it. */
export interface RecordedCommand {
  /** Null: the command concerns all organizations. */
  organizationNo: number | null;
  object: 'telemetry' | 'tank' | 'stream' | 'organization' | 'webhook' | 'weather' | 'evaluation';
  action: 'import' | 'issue' | 'replay' | 'pack' | 'unpack' | 'update' | 'delete';
  fields?: readonly string[];
  objectNos?: readonly number[];
}

/** Records a command in the audit log, before it is carried out: an attempt that fails is on record too. */
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
  changed_objects: number;
  fields: string[];
  request_id: string | null;
}

/** One page of the changes of an organization, newest first. Keys have no id here: the manager cannot read them. */
export async function readAuditPage(
  db: Db,
  organizationNo: number,
  { size, beforeNo }: { size: number; beforeNo: number | null },
): Promise<AuditEntry[]> {
  const { rows } = await db.query<AuditEntry>(
    `select a.no as number, 'audit_entry' as object, a.at, a.actor, coalesce(c.name, c.email) as name, a.action,
            a.object as changed, case when cardinality(a.object_nos) = 1 then
              case a.object when 'customer' then (select id from customers where no = a.object_nos[1])
                            when 'tank' then (select id from tanks where no = a.object_nos[1])
                            when 'note' then (select id from tank_notes where no = a.object_nos[1])
                            when 'acknowledgement' then (select id from acknowledgements where no = a.object_nos[1])
                            when 'mute' then (select id from mutes where no = a.object_nos[1])
                            when 'contact' then (select id from contacts where no = a.object_nos[1])
                            when 'webhook' then (select id from webhook_endpoints where no = a.object_nos[1])
              end end as changed_id,
            cardinality(a.object_nos) as changed_objects, a.fields, a.request_id
     from audit_log a
     left join contacts c on c.organization_no = $1
       and c.id = case when a.actor ~ '^contact [0-9a-f-]{36}$' then substr(a.actor, 9)::uuid end
     where a.organization_no = $1 and ($2::bigint is null or a.no < $2)
     order by a.no desc limit $3`,
    [organizationNo, beforeNo, size],
  );
  return rows;
}

import type { Db } from '../db/pool.ts';

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
     select a.at, a.actor, a.action, a.object,
            case when cardinality(a.object_nos) > 1 then cardinality(a.object_nos) || ' of them' else coalesce(
              case a.object when 'customer' then (select id::text from customers where no = a.object_nos[1])
                            when 'tank' then (select id::text from tanks where no = a.object_nos[1])
                            when 'key' then (select prefix from api_keys where no = a.object_nos[1])
                            when 'webhook' then (select id::text from webhook_endpoints where no = a.object_nos[1])
                            when 'contact' then (select id::text from contacts where no = a.object_nos[1])
                            when 'device' then (select device_id from device_credentials where no = a.object_nos[1])
                            else (select code from organizations where no = a.object_nos[1]) end, '') end as which,
            array_to_string(a.fields, ', ') as fields
     from audit_log a
     where a.organization_no = $1
       and ($2::text is null or exists (select from asked where asked.object = a.object and asked.no = any (a.object_nos)))
     order by a.no desc limit $3`,
    [organizationNo, objectId, limit],
  );
  return rows;
}

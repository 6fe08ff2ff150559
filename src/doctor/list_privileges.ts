import { DATABASE_ROLES } from '../db/login_rights.ts';
import type { Db } from '../db/pool.ts';

/**
 * Lists the rights of the database roles, one per line: on the database, schemas, tables, columns, sequences and
 * functions. Rights of everybody are listed once, under `public`. PostgreSQL's has_..._privilege functions decide, so
 * it does not matter how a role got a right.
 */
export async function listPrivileges(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ line: string }>(LIST_PRIVILEGES);
  return rows.map(({ line }) => line);
}

const LIST_PRIVILEGES = `
with roles as (
  select rolname::text as role from pg_roles where rolname ~ '^tankwatch_(${DATABASE_ROLES.join('|')})$'
  union all
  select 'public'
), schemas as (
  select oid, nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
), relations as (
  select c.oid, relkind, nspname, relname, case nspname when 'public' then '' else nspname || '.' end || relname as name
  from pg_class c join schemas on schemas.oid = relnamespace
), held as (
  select role, 'database' as object, privilege
  from roles, unnest(array['create', 'temporary', 'connect']) as privilege
  where has_database_privilege(role, current_database(), privilege)

  union all
  select role, 'schema ' || nspname, privilege
  from roles, schemas, unnest(array['create', 'usage']) as privilege
  where has_schema_privilege(role, nspname, privilege)

  union all
  select role, 'table ' || name, privilege
  from roles, relations,
       unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) as privilege
  where relkind in ('r', 'p', 'v', 'm', 'f') and has_table_privilege(role, relations.oid, privilege)

  union all
  select role, format('table %s (%s)', name, attname), privilege
  from roles, relations, pg_attribute, unnest(array['select', 'insert', 'update', 'references']) as privilege
  where relkind in ('r', 'p', 'v', 'm', 'f') and attrelid = relations.oid and attnum > 0 and not attisdropped
    and has_column_privilege(role, relations.oid, attnum, privilege)
    and not has_table_privilege(role, relations.oid, privilege)

  union all
  select role, 'sequence ' || name, privilege
  from roles, relations, unnest(array['select', 'usage', 'update']) as privilege
  where relkind = 'S' and has_sequence_privilege(role, relations.oid, privilege)

  union all
  select role, format('function %s%s', case nspname when 'public' then '' else nspname || '.' end, p.proname), 'execute'
  from roles, pg_proc p join schemas on schemas.oid = pronamespace
  where has_schema_privilege(role, nspname, 'usage') and has_function_privilege(role, p.oid, 'execute')

  union all
  select member::regrole::text, 'member of ' || roleid::regrole, 'member'
  from pg_auth_members join roles on role = member::regrole::text

  union all
  select role, 'role attributes', attribute
  from roles join pg_roles on rolname = role,
       lateral (values ('superuser', rolsuper), ('createrole', rolcreaterole), ('createdb', rolcreatedb),
                       ('replication', rolreplication), ('bypassrls', rolbypassrls), ('login', rolcanlogin))
         as attributes (attribute, is_set)
  where is_set

  -- Any other object, such as a function of PostgreSQL itself, a language or a large object, and everything that is owned.
  union all
  select refobjid::regrole::text, format('other object %s %s', classid::regclass, pg_describe_object(classid, objid, objsubid)),
         case deptype when 'o' then 'owner' else 'granted' end
  from pg_shdepend join roles on role = refobjid::regrole::text
  where refclassid = 'pg_authid'::regclass and dbid in (0, (select oid from pg_database where datname = current_database()))
    and not (deptype = 'r' and classid = 'pg_policy'::regclass)
    and (deptype = 'o' or case classid
      when 'pg_class'::regclass then not exists (select from relations where oid = objid)
      when 'pg_proc'::regclass then not exists (select from pg_proc join schemas on schemas.oid = pronamespace where pg_proc.oid = objid)
      when 'pg_namespace'::regclass then not exists (select from schemas where oid = objid)
      else classid <> 'pg_database'::regclass end)
)
select format('%s: %s on %s', role, string_agg(distinct privilege, ', ' order by privilege), object) as line
from held
where role = 'public' or not exists (
  select from held everybody
  where everybody.role = 'public' and everybody.object = held.object and everybody.privilege = held.privilege
)
group by role, object
order by replace(role, 'public', ''), object`;

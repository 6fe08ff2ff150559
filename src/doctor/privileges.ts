import type { Db } from '../db/pool.ts';
import { type CheckFinding, finding } from './finding.ts';

type Grants = Readonly<Record<string, readonly string[]>>;

const SELECT = ['select'] as const;
const INSERT = ['select', 'insert'] as const;
const WRITE = ['select', 'insert', 'update'] as const;

/** The table privileges that the migrations grant. Listed a second time, so that a mistake in one place is found. */
export const EXPECTED_GRANTS: Readonly<Record<string, Grants>> = {
  tankwatch_api: {
    customers: SELECT,
    tanks: SELECT,
    api_keys: SELECT,
    catalog_month_counters: SELECT,
    catalog_buckets: SELECT,
    telemetry: SELECT,
    telemetry_month_counters: SELECT,
    telemetry_buckets: SELECT,
    schema_migrations: SELECT,
  },
  tankwatch_writer: {
    organizations: SELECT,
    organization_secrets: SELECT,
    device_assignments: SELECT,
    api_keys: SELECT,
    device_credentials: SELECT,
    tank_settings: SELECT,
    rejected_readings: INSERT,
    tank_checkpoints: WRITE,
    tank_settings_history: SELECT,
    telemetry: INSERT,
    telemetry_month_counters: WRITE,
    telemetry_buckets: WRITE,
    tank_states: WRITE,
    events: WRITE,
    schema_migrations: SELECT,
  },
  tankwatch_operator: {
    organizations: WRITE,
    organization_secrets: INSERT,
    customers: WRITE,
    tanks: WRITE,
    api_keys: WRITE,
    catalog_month_counters: WRITE,
    catalog_buckets: WRITE,
    device_assignments: [...WRITE, 'delete'],
    device_credentials: WRITE,
    tank_settings: SELECT,
    rejected_readings: WRITE,
    tank_checkpoints: WRITE,
    tank_settings_history: INSERT,
    telemetry: INSERT,
    telemetry_month_counters: WRITE,
    telemetry_buckets: WRITE,
    tank_states: WRITE,
    audit_log: SELECT,
    events: WRITE,
    webhook_endpoints: WRITE,
    webhook_deliveries: WRITE,
    contacts: WRITE,
    event_mails: SELECT,
    reminder_unsubscribes: SELECT,
    schema_migrations: SELECT,
  },
  tankwatch_worker: {
    organizations: SELECT,
    organization_secrets: SELECT,
    customers: SELECT,
    tanks: SELECT,
    tank_states: SELECT,
    catalog_month_counters: SELECT,
    events: SELECT,
    webhook_endpoints: ['select', 'update'],
    webhook_deliveries: [...WRITE, 'delete'],
    contacts: SELECT,
    event_mails: INSERT,
    reminder_unsubscribes: SELECT,
    schema_migrations: SELECT,
  },
};

const ROLES = Object.keys(EXPECTED_GRANTS);
const KNOWN_TABLES = new Set(Object.values(EXPECTED_GRANTS).flatMap((grants) => Object.keys(grants)));

/** Functions that run with the rights of their owner, and the only roles that may call them. */
export const EXPECTED_CALLERS: Readonly<Record<string, readonly string[]>> = {
  record_key_use: ['tankwatch_api'],
  ensure_telemetry_month: ['tankwatch_writer', 'tankwatch_operator', 'tankwatch_worker'],
  enqueue_events: ['tankwatch_writer', 'tankwatch_operator'],
  enqueue_invitation: ['tankwatch_operator'],
  overdue_jobs: ['tankwatch_operator'],
  customer_of_link: ['tankwatch_api'],
  verify_customer_of_link: ['tankwatch_api'],
  unsubscribe_customer_of_link: ['tankwatch_api'],
};

export async function checkPrivileges(db: Db): Promise<CheckFinding[]> {
  const { rows } = await db.query<{ name: string }>('select rolname as name from pg_roles where rolname = any ($1)', [
    ROLES,
  ]);
  const roles = rows.map((row) => row.name).toSorted();
  return [
    ...ROLES.filter((role) => !roles.includes(role)).map((role) =>
      finding(
        `the role ${role} is missing`,
        `as a superuser: create role ${role} nologin; then grant it the privileges in migrations/0009_grants.sql`,
      ),
    ),
    ...(await checkTables(db, roles)),
    ...(await checkFunctions(db, roles)),
    ...(await checkDatabase(db, roles)),
  ];
}

interface TablePrivilege {
  role: string;
  table: string;
  privilege: string;
  /** On the whole table. */
  held: boolean;
  /** On the table or on at least one of its columns. */
  held_on_any_column: boolean;
}

async function checkTables(db: Db, roles: readonly string[]): Promise<CheckFinding[]> {
  const { rows } = await db.query<TablePrivilege>(
    `select role, relname as table, privilege, has_table_privilege(role, c.oid, privilege) as held,
            case when privilege in ('select', 'insert', 'update', 'references')
                 then has_any_column_privilege(role, c.oid, privilege)
                 else has_table_privilege(role, c.oid, privilege) end as held_on_any_column
     from pg_class c
     cross join unnest($1::text[]) as role
     cross join unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger'])
       with ordinality as p (privilege, at)
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')
     order by role, relname, p.at`,
    [roles],
  );
  const tables = new Set(rows.map((row) => row.table));
  const isExpected = ({ role, table, privilege }: TablePrivilege): boolean =>
    EXPECTED_GRANTS[role]?.[table]?.includes(privilege) ?? false;
  // Other tables of the installation are not checked, except that the api role may not write to any table.
  const isForbidden = ({ role, table, privilege }: TablePrivilege): boolean =>
    KNOWN_TABLES.has(table) || (role === 'tankwatch_api' && privilege !== 'select');

  const absent = roles.length === 0 ? [] : [...KNOWN_TABLES].filter((table) => !tables.has(table));
  const missing = rows.filter((row) => isExpected(row) && !row.held);
  const excess = rows.filter((row) => !isExpected(row) && isForbidden(row) && row.held_on_any_column);
  return [
    ...absent.map((table) => finding(`the table ${table} is missing`, 'restore it from a backup')),
    ...byRoleAndTable(missing).map(({ role, table, privileges }) =>
      finding(`${role} lacks ${privileges} on ${table}`, `as the owner: grant ${privileges} on ${table} to ${role}`),
    ),
    ...byRoleAndTable(excess).map(({ role, table, privileges }) =>
      finding(
        `${role} has ${privileges} on ${table}, which it must not have`,
        `as the owner: revoke ${privileges} on ${table} from ${role}, public`,
      ),
    ),
  ];
}

/** One finding for all missing or excess privileges of a role on a table. */
function byRoleAndTable(rows: readonly TablePrivilege[]): { role: string; table: string; privileges: string }[] {
  const groups = Map.groupBy(rows, ({ role, table }) => `${role} ${table}`);
  return [...groups.values()].map((group) => ({
    role: group[0]?.role ?? '',
    table: group[0]?.table ?? '',
    privileges: group.map(({ privilege }) => privilege).join(', '),
  }));
}

async function checkFunctions(db: Db, roles: readonly string[]): Promise<CheckFinding[]> {
  const { rows } = await db.query<{ role: string; name: string; held: boolean }>(
    `select role, proname as name, has_function_privilege(role, p.oid, 'execute') as held
     from pg_proc p cross join unnest($1::text[]) as role
     where pronamespace = 'public'::regnamespace and proname = any ($2) order by role, proname`,
    [roles, Object.keys(EXPECTED_CALLERS)],
  );
  const functions = new Set(rows.map((row) => row.name));
  const absent = roles.length === 0 ? [] : Object.keys(EXPECTED_CALLERS).filter((name) => !functions.has(name));
  const wrong = rows.flatMap(({ role, name, held }) => {
    const isExpected = EXPECTED_CALLERS[name]?.includes(role) ?? false;
    if (held === isExpected) return [];
    return held
      ? finding(
          `${role} has execute on ${name}, which it must not have`,
          `as the owner: revoke execute on function ${name} from ${role}, public`,
        )
      : finding(`${role} lacks execute on ${name}`, `as the owner: grant execute on function ${name} to ${role}`);
  });
  return [...absent.map((name) => finding(`the function ${name} is missing`, 'restore it from a backup')), ...wrong];
}

/** A role that can create objects could shadow those that functions with the rights of their owner use. */
async function checkDatabase(db: Db, roles: readonly string[]): Promise<CheckFinding[]> {
  const { rows } = await db.query<{ can_make_temporary: boolean; can_create: boolean; unable: string[] }>(
    `select has_database_privilege('public', current_database(), 'temporary') as can_make_temporary,
            has_schema_privilege('public', 'public', 'create') as can_create,
            array(select role from unnest($1::text[]) as role
                  where not has_schema_privilege(role, 'public', 'usage')) as unable`,
    [roles],
  );
  return rows.flatMap(({ can_make_temporary, can_create, unable }) => [
    ...(can_make_temporary
      ? [
          finding(
            'every role may create temporary tables in this database',
            'run tankwatch migrate, which revokes the privilege',
          ),
        ]
      : []),
    ...(can_create
      ? [
          finding(
            'every role may create tables in this database',
            'as the owner: revoke create on schema public from public',
          ),
        ]
      : []),
    ...unable.map((role) =>
      finding(`${role} lacks usage on the schema public`, `as the owner: grant usage on schema public to ${role}`),
    ),
  ]);
}

import type { Db } from '../db/pool.ts';
import { type CheckFinding, finding, warning } from './finding.ts';
import { EXPECTED_CALLERS, EXPECTED_COLUMNS, EXPECTED_GRANTS } from './privileges.ts';

const ROLES = Object.keys(EXPECTED_GRANTS);
const KNOWN_TABLES = new Set(Object.values(EXPECTED_GRANTS).flatMap((grants) => Object.keys(grants)));

export async function checkPrivileges(db: Db): Promise<CheckFinding[]> {
  const { rows } = await db.query<{ name: string }>('select rolname as name from pg_roles where rolname = any ($1)', [
    ROLES,
  ]);
  const roles = rows.map((row) => row.name).toSorted();
  return [
    ...ROLES.filter((role) => !roles.includes(role)).map((role) =>
      finding(
        `the role ${role} is missing`,
        `as a superuser: create role ${role} nologin; then grant it the privileges in migrations/0011_grants.sql`,
      ),
    ),
    ...(await checkTables(db, roles)),
    ...(await checkColumns(db, roles)),
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
  const isOnColumns = ({ role, table, privilege, held }: TablePrivilege): boolean =>
    privilege === 'select' && !held && EXPECTED_COLUMNS[role]?.[table] !== undefined;
  // Other tables of the installation are not checked, except that the api role may not write to any table.
  const isForbidden = ({ role, table, privilege }: TablePrivilege): boolean =>
    KNOWN_TABLES.has(table) || (role === 'tankwatch_api' && privilege !== 'select');

  const absent = roles.length === 0 ? [] : [...KNOWN_TABLES].filter((table) => !tables.has(table));
  const missing = rows.filter((row) => isExpected(row) && !row.held);
  const excess = rows.filter(
    (row) => !isExpected(row) && !isOnColumns(row) && isForbidden(row) && row.held_on_any_column,
  );
  return [
    ...absent.map((table) => finding(`the table ${table} is missing`, 'restore it from a backup')),
    ...byRoleAndTable(missing).map(({ role, table, privileges }) =>
      finding(`${role} lacks ${privileges} on ${table}`, `as the owner: grant ${privileges} on ${table} to ${role}`),
    ),
    ...byRoleAndTable(excess).map(({ role, table, privileges }) =>
      warning(
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

/** Compares the columns that each role may select. Other rights on columns are findings of checkTables. */
async function checkColumns(db: Db, roles: readonly string[]): Promise<CheckFinding[]> {
  const expected = roles.flatMap((role) =>
    Object.entries(EXPECTED_COLUMNS[role] ?? {}).map(([table, columns]) => ({ role, table, columns })),
  );
  const { rows } = await db.query<{ role: string; table: string; columns: string[]; is_whole: boolean }>(
    `select role, relname as table, array_agg(attname::text order by attname) as columns,
            bool_or(has_table_privilege(role, c.oid, 'select')) as is_whole
     from unnest($1::text[], $2::text[]) as wanted (role, name)
     join pg_class c on c.relnamespace = 'public'::regnamespace and c.relname = wanted.name
     join pg_attribute a on a.attrelid = c.oid and attnum > 0 and not attisdropped
     where has_column_privilege(role, c.oid, attnum, 'select')
     group by role, relname`,
    [expected.map(({ role }) => role), expected.map(({ table }) => table)],
  );
  // A right on the whole table is a finding of checkTables.
  const heldBy = new Map(
    rows.map(({ role, table, columns, is_whole: isWhole }) => [
      `${role} ${table}`,
      { columns: new Set(columns), isWhole },
    ]),
  );
  return expected.flatMap(({ role, table, columns }) => {
    const { columns: held, isWhole } = heldBy.get(`${role} ${table}`) ?? { columns: new Set<string>(), isWhole: false };
    const missing = columns.filter((column) => !held.has(column)).join(', ');
    const excess = isWhole ? '' : [...held].filter((column) => !columns.includes(column)).join(', ');
    return [
      ...(missing === ''
        ? []
        : [
            finding(
              `${role} lacks select (${missing}) on ${table}`,
              `as the owner: grant select (${missing}) on ${table} to ${role}`,
            ),
          ]),
      ...(excess === ''
        ? []
        : [
            warning(
              `${role} has select (${excess}) on ${table}, which it must not have`,
              `as the owner: revoke select (${excess}) on ${table} from ${role}, public`,
            ),
          ]),
    ];
  });
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
      ? warning(
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
          warning(
            'every role may create temporary tables in this database',
            'run tankwatch migrate, which revokes the privilege',
          ),
        ]
      : []),
    ...(can_create
      ? [
          warning(
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

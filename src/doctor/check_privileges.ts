import { readFile } from 'node:fs/promises';
import { DATABASE_ROLES } from '../db/login_rights.ts';
import { MIGRATIONS_FOLDER } from '../db/migrate.ts';
import type { Db } from '../db/pool.ts';
import { type CheckFinding, finding, warning } from './finding.ts';
import { listPrivileges } from './list_privileges.ts';

/** The rights of a role on one object, such as `table tanks` or `table api_keys (burst)`. */
interface Right {
  role: string;
  object: string;
  privileges: Set<string>;
}

const ROLES: readonly string[] = DATABASE_ROLES.map((role) => `tankwatch_${role}`);

/** The rights of all roles in a migrated database, in the form of `listPrivileges`. */
export const readExpectedPrivileges = async (): Promise<string[]> =>
  (await readFile(new URL('privileges.txt', MIGRATIONS_FOLDER), 'utf8')).trim().split('\n');

/** Compares the rights of the database roles with those that the migrations grant. */
export async function checkPrivileges(db: Db): Promise<CheckFinding[]> {
  const expected = parseRights(await readExpectedPrivileges());
  const held = parseRights(await listPrivileges(db));
  const { rows } = await db.query<{ role: string }>('select rolname as role from pg_roles where rolname = any ($1)', [
    ROLES,
  ]);
  const roles = ROLES.filter((role) => rows.some((row) => row.role === role));
  return [
    ...ROLES.filter((role) => !roles.includes(role)).map((role) =>
      finding(
        `the role ${role} is missing`,
        `as a superuser: create role ${role} nologin; then grant it the privileges in migrations/privileges.txt`,
      ),
    ),
    ...(await findMissingObjects(db, expected)),
    ...everybodyFindings(held, expected),
    ...roles.flatMap((role) => roleFindings(role, held, expected)),
  ];
}

const parseRights = (lines: readonly string[]): Right[] =>
  lines.flatMap((line) => {
    const [, role = '', privileges = '', object = ''] = /^(\S+): (.*?) on (.*)$/.exec(line) ?? [];
    return { role, object, privileges: new Set(privileges.split(', ')) };
  });

/** The rights of a role by object, its own and those of `public`. */
function rightsOf(role: string, rights: readonly Right[]): Map<string, Set<string>> {
  const byObject = new Map<string, Set<string>>();
  for (const { role: holder, object, privileges } of rights) {
    if (holder === role || holder === 'public')
      byObject.set(object, privileges.union(byObject.get(object) ?? new Set()));
  }
  return byObject;
}

function roleFindings(role: string, held: readonly Right[], expected: readonly Right[]): CheckFinding[] {
  const expectedTables = new Set(expected.map(({ object }) => tableOf(object)));
  const [has, wants, publicHas] = [rightsOf(role, held), rightsOf(role, expected), rightsOf('public', held)];
  const lacks = (object: string, privilege: string): boolean =>
    !(has.get(object)?.has(privilege) || has.get(tableOf(object))?.has(privilege));
  const isExcess = (object: string, privilege: string): boolean => {
    if (wants.get(object)?.has(privilege) || publicHas.get(object)?.has(privilege)) return false;
    // Other objects of the installation are not checked, except that the api role may not write to any table.
    const isWriteOfApi = role === 'tankwatch_api' && object.startsWith('table ') && privilege !== 'select';
    return expectedTables.has(tableOf(object)) || isWriteOfApi || /^(role attributes|member of)/.test(object);
  };
  return [
    ...groupRights(wants, lacks).map(({ what, on }) =>
      finding(`${role} lacks ${what} on ${nameOf(on)}`, `as the owner: grant ${what} on ${inSql(on)} to ${role}`),
    ),
    ...groupRights(has, isExcess).map(({ what, on }) =>
      warning(
        `${role} has ${what} on ${nameOf(on)}, which it must not have`,
        on === 'role attributes'
          ? `as a superuser: alter role ${role} ${what.replaceAll(/\w+/g, 'no$&').replaceAll(',', '')}`
          : on.startsWith('member of ')
            ? `as a superuser: revoke ${on.slice('member of '.length)} from ${role}`
            : `as the owner: revoke ${what} on ${inSql(on)} from ${role}, public`,
      ),
    ),
  ];
}

/** Joins the rights on an object, such as `select, insert`, and on the columns of a table, such as `select (a, b)`. */
function groupRights(
  rights: ReadonlyMap<string, ReadonlySet<string>>,
  isReported: (object: string, privilege: string) => boolean,
): { what: string; on: string }[] {
  const found = new Map<string, { on: string; privilege: string; columns: string[] }[]>();
  for (const [object, privileges] of rights) {
    const on = tableOf(object);
    const column = object === on ? [] : [object.slice(on.length + 2, -1)];
    const group = found.get(on) ?? [];
    for (const privilege of [...privileges].filter((candidate) => isReported(object, candidate))) {
      const same = column.length === 0 ? undefined : group.find((existing) => existing.privilege === privilege);
      if (same) same.columns.push(...column);
      else group.push({ on, privilege, columns: column });
    }
    found.set(on, group);
  }
  return [...found].flatMap(([on, group]) => {
    const what = group.map(({ privilege, columns }) =>
      columns.length === 0 ? privilege : `${privilege} (${columns.join(', ')})`,
    );
    return what.length === 0 ? [] : { what: what.join(', '), on };
  });
}

const tableOf = (object: string): string => object.replace(/^(table \S+) \(.*\)$/, '$1');
const nameOf = (object: string): string => object.replace(/^(table|function) /, '');
const inSql = (object: string): string => object.replace(/^table /, '');

/** Finds excess rights of all roles. Objects that a role creates could shadow those of `security definer` functions. */
function everybodyFindings(held: readonly Right[], expected: readonly Right[]): CheckFinding[] {
  const [has, wants] = [held, expected].map((rights) => rightsOf('public', rights));
  return [...(has ?? [])].flatMap(([object, privileges]) =>
    [...privileges.difference(wants?.get(object) ?? new Set())].flatMap((privilege) => {
      if (object === 'database' && privilege === 'temporary')
        return warning(
          'every role may create temporary tables in this database',
          'run tankwatch migrate, which revokes the privilege',
        );
      if (object === 'schema public' && privilege === 'create')
        return warning(
          'every role may create tables in this database',
          'as the owner: revoke create on schema public from public',
        );
      return expected.some((right) => right.object === object)
        ? warning(
            `every role has ${privilege} on ${nameOf(object)}, which it must not have`,
            `as the owner: revoke ${privilege} on ${inSql(object)} from public`,
          )
        : [];
    }),
  );
}

async function findMissingObjects(db: Db, expected: readonly Right[]): Promise<CheckFinding[]> {
  const objects = [...new Set(expected.map(({ object }) => tableOf(object)))].filter((object) =>
    /^(table|function) /.test(object),
  );
  const { rows } = await db.query<{ object: string }>(
    `select object from unnest($1::text[]) as object, split_part(object, ' ', 2) as name
     where name not in (
       select case n.nspname when 'public' then '' else n.nspname || '.' end || o.name
       from (select relnamespace as schema, relname as name from pg_class
             union all select pronamespace, proname from pg_proc) as o
       join pg_namespace n on n.oid = o.schema
     )`,
    [objects],
  );
  return rows.map(({ object }) => finding(`the ${object} is missing`, 'restore it from a backup'));
}

import { onlyRow } from './only_row.ts';
import type { Db } from './pool.ts';

/** The parts of Tankwatch that have a database role of their own, named tankwatch_<part>. */
export const DATABASE_ROLES = ['api', 'gateway', 'writer', 'worker', 'operator', 'manager'] as const;
export type DatabaseRole = (typeof DATABASE_ROLES)[number];

/** Returns the setting with the database address and login of a role. The manager is the second login of the api. */
export const databaseSettingOf = (role: DatabaseRole): string =>
  role === 'manager' ? 'MANAGE_DATABASE_URL' : `${role.toUpperCase()}_DATABASE_URL`;

/**
 * Lists the rights of a login beyond those of its role, because an attacker who takes over a part has all rights of its login.
 * Without `login`, checks the login of this connection. The list is empty if the login does not exist.
 */
export async function excessRights(db: Db, role: DatabaseRole, login: string | null = null): Promise<string[]> {
  const { rows } = await db.query<LoginRights>(
    `select coalesce(bool_or(rolsuper), false) as is_superuser, coalesce(bool_or(rolcreaterole), false) as creates_roles,
            coalesce(bool_or(exists (
              select from pg_class where relnamespace = 'public'::regnamespace and pg_has_role(login.oid, relowner, 'member')
            )), false) as is_owner,
            array(
              select other.rolname::text from pg_roles other
              where other.rolname = any ($2) and pg_has_role(coalesce($1, session_user)::name, other.oid, 'member')
              order by 1
            ) as other_roles
     from pg_roles login where rolname = coalesce($1, session_user)`,
    [login, DATABASE_ROLES.filter((other) => other !== role).map((other) => `tankwatch_${other}`)],
  );
  const rights = onlyRow(rows);
  // A superuser owns everything, and an owner administers the roles it created, so one reason is enough.
  if (rights.is_superuser) return ['it is a superuser'];
  if (rights.is_owner) return ['it owns the tables'];
  return [
    ...rights.other_roles.map((name) => `it is a member of ${name}`),
    ...(rights.creates_roles ? ['it can create roles'] : []),
  ];
}

interface LoginRights {
  is_superuser: boolean;
  creates_roles: boolean;
  is_owner: boolean;
  other_roles: string[];
}

/** Returns the instruction to replace a login that has too many rights. */
export const loginRemedy = (role: DatabaseRole): string =>
  `create a login whose only role is tankwatch_${role}, as in deploy/logins.sql, and set ${databaseSettingOf(role)} to it`;

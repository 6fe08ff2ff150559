import { UserError } from '../values/user_error.ts';
import { DATABASE_ROLES } from './login_rights.ts';
import { onlyRow } from './only_row.ts';
import type { Db } from './pool.ts';

const ROLES = DATABASE_ROLES.map((role) => `tankwatch_${role}`);

/** Throws UserError if the login cannot create the database roles or the tables. */
export async function assertMayMigrate(db: Db, roles: readonly string[] = ROLES): Promise<void> {
  const { rows } = await db.query<{
    login: string;
    database: string;
    may_create_roles: boolean;
    may_create_tables: boolean;
  }>(
    `select current_user as login, current_database() as database,
            has_database_privilege(current_database(), 'create')
              and coalesce(has_schema_privilege(to_regnamespace('public'), 'create'), true) as may_create_tables,
            (select rolsuper or rolcreaterole from pg_roles where rolname = current_user)
              or (select count(*) from pg_roles where rolname = any ($1)) = cardinality($1) as may_create_roles`,
    [roles],
  );
  const { login, database, may_create_roles, may_create_tables } = onlyRow(rows);
  if (!may_create_roles) {
    throw new UserError(
      `the login ${login} cannot create the database roles; as a superuser, run: alter role "${login}" createrole;`,
    );
  }
  if (!may_create_tables) {
    throw new UserError(
      `the login ${login} cannot create tables; as a superuser, run: alter database "${database}" owner to "${login}";`,
    );
  }
}

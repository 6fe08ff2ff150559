import { DATABASE_ROLES, type DatabaseRole, excessRights, loginRemedy } from '../db/login_rights.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { type CheckFinding, warning } from './finding.ts';

/** Checks the logins of all parts that are connected now, this command included. */
export async function checkLogins(db: Db): Promise<CheckFinding[]> {
  const { rows: own } = await db.query<{ login: string }>('select session_user as login');
  // Any login may see the name of a connection and its user. Parts name their connections "tankwatch <role> ...".
  const { rows: connected } = await db.query<{ role: string; login: string }>(
    `select distinct split_part(application_name, ' ', 2) as role, usename as login from pg_stat_activity
     where datname = current_database() and application_name like 'tankwatch %' order by role, login`,
  );
  const logins = [
    { role: 'operator' as const, login: onlyRow(own).login },
    ...connected.flatMap(({ role: name, login }) => {
      const role = DATABASE_ROLES.find((candidate) => candidate === name && candidate !== 'operator');
      return role === undefined ? [] : [{ role, login }];
    }),
  ];
  const findings = await Promise.all(logins.map((login) => checkLogin(db, login)));
  return findings.flat();
}

async function checkLogin(db: Db, { role, login }: { role: DatabaseRole; login: string }): Promise<CheckFinding[]> {
  const reasons = await excessRights(db, role, login);
  if (reasons.length === 0) return [];
  return [
    warning(
      `the login ${login} of the ${role} has more rights than it needs: ${reasons.join(', ')}`,
      loginRemedy(role),
    ),
  ];
}

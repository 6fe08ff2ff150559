import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { Client, type ClientBase, escapeIdentifier, escapeLiteral } from 'pg';
import { DATABASE_ROLES, type DatabaseRole } from '../db/login_rights.ts';
import { onlyRow } from '../db/only_row.ts';
import { connectionConfig } from '../db/pool.ts';
import { errorCode } from '../values/error_code.ts';
import { UserError } from '../values/user_error.ts';

/** These names are the same as in deploy/owner.sh and deploy/logins.sql. */
export const OWNER_ROLE = 'tankwatch_owner';
export const DATABASE_NAME = 'tankwatch';
export const loginOf = (role: DatabaseRole): string => `tw_${role}`;

/**
 * Creates the owner of the tables and its database, as deploy/owner.sh does, if they do not exist. The owner may create roles,
 * which migrations need, and is not a superuser.
 */
export async function createOwner(admin: ClientBase, password: string): Promise<string[]> {
  const { rows } = await admin.query<{ has_owner: boolean; has_database: boolean; is_superuser: boolean }>(
    `select exists (select from pg_roles where rolname = $1) as has_owner,
            exists (select from pg_database where datname = $2) as has_database,
            (select rolsuper from pg_roles where rolname = current_user) as is_superuser`,
    [OWNER_ROLE, DATABASE_NAME],
  );
  const { has_owner, has_database, is_superuser } = onlyRow(rows);
  const created: string[] = [];
  if (!has_owner) {
    await admin.query(`create role ${OWNER_ROLE} login createrole password ${escapeLiteral(scramVerifier(password))}`);
    created.push(`the role ${OWNER_ROLE}`);
  }
  if (!has_database) {
    // Only a member of a role can create a database for it.
    if (!is_superuser) await admin.query(`grant ${OWNER_ROLE} to current_user`);
    await admin.query(`create database ${DATABASE_NAME} owner ${OWNER_ROLE}`);
    created.push(`the database ${DATABASE_NAME}`);
  }
  return created;
}

/**
 * Creates a login for each role, as deploy/logins.sql does, if it does not exist. The password of an existing login stays: it
 * may belong to another installation on the same server.
 */
export async function createLogins(
  owner: ClientBase,
  urls: Readonly<Partial<Record<DatabaseRole, string>>>,
  settingsFile: string,
): Promise<string[]> {
  const created: string[] = [];
  for (const role of DATABASE_ROLES) {
    const url = urls[role];
    if (url === undefined) continue;
    const { username, password } = new URL(url);
    const login = decodeURIComponent(username);
    const { rows } = await owner.query('select from pg_roles where rolname = $1', [login]);
    if (rows.length === 0) {
      const verifier = escapeLiteral(scramVerifier(decodeURIComponent(password)));
      await owner.query(`create role ${escapeIdentifier(login)} login password ${verifier} in role tankwatch_${role}`);
      created.push(login);
    }
    await withClient(url, async () => {}).catch((error: unknown) => {
      if (errorCode(error) !== '28P01') throw error;
      throw new UserError(
        `the login ${login} exists and has another password than in ${settingsFile}; put its password into the file, or, if ` +
          `nothing else uses the login, run as a superuser: drop role ${login};`,
      );
    });
  }
  return created;
}

/** The verifier that the server stores instead of a password. A statement that contains it can be logged safely. */
export function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, 4_096, 32, 'sha256');
  const sign = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(sign('Client Key')).digest('base64');
  return `SCRAM-SHA-256$4096:${salt.toString('base64')}$${stored}:${sign('Server Key').toString('base64')}`;
}

export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(connectionConfig({ url, applicationName: 'tankwatch init' }));
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** The address of a database on the same server with another login. */
export function withLogin(url: string, database: string, user: string, password: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  changed.username = user;
  changed.password = password;
  return changed.href;
}

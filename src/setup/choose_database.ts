import { userInfo } from 'node:os';
import { Client } from 'pg';
import { explained } from '../db/database_errors.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Environment } from '../settings/setting_reader.ts';
import { urlCharacterProblem } from '../settings/url_characters.ts';
import { reasonOf } from '../values/error_reason.ts';
import { UserError } from '../values/user_error.ts';
import type { DatabasePlan } from './new_settings.ts';
import { findPostgres } from './own_servers.ts';
import { findUser } from './service_user.ts';

/** The values of --database: the local socket, a server that `tankwatch up` starts, or an address. */
export type DatabaseChoice = 'local' | 'start' | `postgres${string}`;

export interface ChosenDatabase {
  plan: DatabasePlan;
  /** A connection that may create roles and databases, unless the plan needs none. The caller ends it. */
  admin?: Client;
}

interface Options {
  environment: Environment;
  programsFolder: string;
  onStatus: (line: string) => void;
}

/**
 * Chooses the database. The default is the local server if it can be used, otherwise a server that `tankwatch up`
 * starts.
 */
export async function chooseDatabase(choice: DatabaseChoice | undefined, options: Options): Promise<ChosenDatabase> {
  if (choice === 'local' || choice === undefined) {
    const local = await openLocal(options.environment);
    if (!('problem' in local)) return local;
    if (choice === 'local') throw new UserError(local.problem);
  }
  if (choice === 'start' || choice === undefined)
    return { plan: { kind: 'start', binFolder: await findPostgres(options.programsFolder, options.onStatus) } };
  return openAddress(choice);
}

/** Whether `chooseDatabase` uses the local server by default, for the question of `init`. */
export async function hasLocalServer(environment: Environment): Promise<boolean> {
  const local = await openLocal(environment);
  if ('problem' in local) return false;
  await local.admin?.end();
  return true;
}

/** Opens the server behind the local socket: root as the superuser `postgres`, any other user as itself. */
async function openLocal(environment: Environment): Promise<ChosenDatabase | { problem: string }> {
  const host = environment['PGHOST']?.startsWith('/') ? environment['PGHOST'] : '/var/run/postgresql';
  const port = Number(environment['PGPORT'] || 5_432);
  const postgresUid = process.getuid?.() === 0 ? (await findUser('postgres'))?.uid : undefined;
  const user = postgresUid === undefined ? userInfo().username : 'postgres';
  const admin = new Client({ host, port, user, database: 'postgres', application_name: 'tankwatch init' });
  try {
    await (postgresUid === undefined ? admin.connect() : asUser(postgresUid, () => admin.connect()));
  } catch (error) {
    return {
      problem: `PostgreSQL cannot be used through ${host}/.s.PGSQL.${port} as ${user}: ${reasonOf(error)}. ${grantAdvice(user)}`,
    };
  }
  const { rows } = await admin.query<{ may_create: boolean }>(
    'select rolsuper or (rolcreaterole and rolcreatedb) as may_create from pg_roles where rolname = current_user',
  );
  // The address uses TCP, because the logins of the roles have passwords.
  if (onlyRow(rows).may_create) return { plan: { kind: 'create', serverUrl: `postgres://localhost:${port}/` }, admin };
  await admin.end();
  return { problem: `the login ${user} may not create roles and databases. ${grantAdvice(user)}` };
}

const grantAdvice = (user: string): string =>
  `Run: sudo -u postgres createuser --createrole --createdb ${user}, or use --database start.`;

/**
 * The kernel reports to the server which user has opened the socket. The system user `postgres` may log in as its superuser.
 * The socket is opened before `open` returns.
 */
async function asUser<T>(uid: number, open: () => Promise<T>): Promise<T> {
  process.seteuid?.(uid);
  let opening: Promise<T>;
  try {
    opening = open();
  } finally {
    process.seteuid?.(0);
  }
  return opening;
}

/**
 * Opens an address. An address without a database, or with the database `postgres`, has the login of an administrator;
 * any other address has the login of the owner.
 */
async function openAddress(address: string): Promise<ChosenDatabase> {
  const characterProblem = urlCharacterProblem(address);
  if (characterProblem !== undefined || !/^postgres(ql)?:\/\//.test(address) || !URL.canParse(address))
    throw new UserError(
      characterProblem === undefined
        ? '--database must be local, start, or an address such as postgres://postgres:password@host:5432/postgres'
        : `the address of --database ${characterProblem}`,
    );
  const database = new URL(address).pathname.slice(1);
  if (database !== '' && database !== 'postgres') return { plan: { kind: 'given', ownerUrl: address } };
  const url = new URL(address);
  url.pathname = '/postgres';
  const admin = new Client({ connectionString: url.href, application_name: 'tankwatch init' });
  await admin.connect().catch((error: unknown) => {
    throw explained(error, { url: url.href, setting: '--database', applicationName: 'tankwatch init' });
  });
  return { plan: { kind: 'create', serverUrl: address }, admin };
}

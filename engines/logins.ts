import { randomBytes } from 'node:crypto';
import type { Db } from '../src/db/pool.ts';
import type { PrivatePostgres } from './postgres.ts';

export type DatabaseRole = 'api' | 'writer' | 'operator';

/** Makes a login for each role, as an installation would, and tells the address each one uses. */
export async function createLogins(
  db: Db,
  postgres: PrivatePostgres,
  database: string,
): Promise<Record<DatabaseRole, string>> {
  const url = async (role: DatabaseRole): Promise<string> => {
    const login = { user: `${database}_${role}`, password: randomBytes(12).toString('hex') };
    await db.query(`create role ${login.user} login password '${login.password}' in role tankwatch_${role}`);
    return postgres.databaseUrl(database, login);
  };
  return { api: await url('api'), writer: await url('writer'), operator: await url('operator') };
}

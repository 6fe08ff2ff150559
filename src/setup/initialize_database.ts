import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { listOrganizations } from '../catalog/organizations.ts';
import { DATABASE_ROLES, type DatabaseRole, databaseSettingOf } from '../db/login_rights.ts';
import { migrate } from '../db/migrate.ts';
import { assertMayMigrate } from '../db/migrate_rights.ts';
import { withPool } from '../db/with_pool.ts';
import { readOperatorConfig } from '../settings/command_settings.ts';
import type { Environment } from '../settings/setting_reader.ts';
import { readUpConfig } from '../settings/up_settings.ts';
import { errorCode } from '../values/error_code.ts';
import { shellWord } from '../values/shell_word.ts';
import { UserError } from '../values/user_error.ts';
import type { InitOptions, InitReport } from './init_report.ts';
import { createFirstOrganization } from './organization.ts';
import { createPostgresFolder, ensureOwnPostgres } from './own_servers.ts';
import { createLogins, createOwner, withClient } from './prepare_database.ts';
import { findServerUser, SERVICE_USER } from './service_user.ts';

/**
 * Runs only the steps in the database, with the addresses of the environment. This is for a container, which has no
 * settings file.
 */
export async function initializeDatabase(environment: Environment, options: InitOptions): Promise<InitReport> {
  const variables = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const report: InitReport = { done: [], unchanged: [], notDone: [], settings: Object.fromEntries(variables) };
  await prepareDatabase(undefined, options, report);
  return report;
}

/** The steps of `init` in the database: server, owner, tables, logins, first organization. */
export async function prepareDatabase(
  admin: Client | undefined,
  options: InitOptions,
  report: InitReport,
): Promise<void> {
  const config = readUpConfig(report.settings);
  const { databaseUrl, postgres } = config;
  const password = decodeURIComponent(new URL(databaseUrl).password);
  await using running = new AsyncDisposableStack();
  if (admin !== undefined) report.done.push(...createdText(await createOwner(admin, password)));
  if (postgres !== undefined) {
    const superUrl = `postgres://postgres:${postgres.password}@127.0.0.1:${postgres.port}/postgres`;
    const isNew = !existsSync(join(postgres.folder, 'data'));
    if (isNew) {
      const user = await findServerUser();
      if (user.isNew) report.done.push(`created the system user ${SERVICE_USER}, which runs PostgreSQL`);
      await createPostgresFolder(postgres.folder, user);
    }
    running.use(await ensureOwnPostgres(postgres, options.onStatus));
    if (isNew) report.done.push(`created a PostgreSQL server in ${postgres.folder}`);
    report.done.push(...createdText(await withClient(superUrl, (client) => createOwner(client, password))));
  }
  await createTables(databaseUrl, config.cellNumber, options, report);
  await addLogins(databaseUrl, options, report);
  if (options.organization !== undefined) await addOrganization(options.organization, options.actor, report);
}

const createdText = (names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`created ${names.join(' and ')}`];

async function createTables(
  ownerUrl: string,
  cellNumber: number,
  { paths, onStatus }: InitOptions,
  report: InitReport,
): Promise<void> {
  const address = { url: ownerUrl, setting: '--database', applicationName: 'tankwatch init' };
  await withPool(address, async (owner) => {
    onStatus('creating the tables ...');
    await assertMayMigrate(owner).catch((error: unknown) => {
      if (errorCode(error) !== '28P01') throw error;
      const { username, host } = new URL(ownerUrl);
      throw new UserError(
        `the login ${username} of the server ${host} has another password than in ${paths.settingsFile}: it belongs to ` +
          'another installation, or the file is not the one with which it was created. Take that file, or remove the logins as in ' +
          'docs/operators/guide.md, "Uninstall".',
      );
    });
    let applied = 0;
    await migrate(owner, { cellNumber, onApplied: () => applied++ });
    if (applied > 0) report.done.push(`created the tables (${applied} migrations)`);
    else report.unchanged.push('the tables are up to date');
  });
}

async function addLogins(ownerUrl: string, { paths }: InitOptions, report: InitReport): Promise<void> {
  const found = DATABASE_ROLES.map((role) => [role, report.settings[databaseSettingOf(role)]] as const);
  const urls: Partial<Record<DatabaseRole, string>> = Object.fromEntries(found.filter(([, url]) => url));
  // A container may have no login for the manager. It works, but nothing can be changed over HTTP.
  if (DATABASE_ROLES.some((role) => role !== 'manager' && urls[role] === undefined)) {
    report.unchanged.push(`the logins, because ${paths.settingsFile} does not name one for each role`);
    return;
  }
  const created = await withClient(ownerUrl, (owner) => createLogins(owner, urls, paths.settingsFile));
  if (created.length > 0) report.done.push(`created the logins ${created.join(', ')}`);
  else report.unchanged.push('the logins of all roles exist');
}

async function addOrganization(
  organization: NonNullable<InitOptions['organization']>,
  actor: string,
  report: InitReport,
): Promise<void> {
  const { databaseUrl: url } = readOperatorConfig(report.settings);
  await withPool({ url, applicationName: 'tankwatch init' }, async (operator) => {
    const { code, name, isGiven } = organization;
    const existing = await listOrganizations(operator);
    const same = existing.find((candidate) => candidate.code === code);
    // A second run without --code finds the first organization and creates none.
    if (existing.length > 0 && same === undefined) {
      report.unchanged.push(`there is an organization: ${existing.map((candidate) => candidate.code).join(', ')}`);
      if (isGiven)
        report.notDone.push(
          `the organization ${code} was not created, because this is not the first one; to add it: ` +
            `tankwatch organizations create --name ${shellWord(name)}; to rename one: tankwatch organizations update CODE --name ...`,
        );
    } else if (isGiven && same !== undefined && same.name !== name) {
      report.unchanged.push(`the organization ${code} exists`);
      report.notDone.push(
        `the organization ${code} keeps its name ${same.name}; to rename it: ` +
          `tankwatch organizations update ${code} --name ${shellWord(name)}`,
      );
    } else if (await createFirstOrganization(operator, { ...organization, actor }))
      report.done.push(`created the organization ${code} (${name})`);
    else report.unchanged.push(`the organization ${code} exists`);
  });
}

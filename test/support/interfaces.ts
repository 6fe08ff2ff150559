import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './cli_in_process.ts';
import { SECRETS_KEY } from './events.ts';
import { organizationCodeOf } from './fleet.ts';
import { givenManagedOrganization, type ManageApi } from './manage.ts';
import type { TestDatabase } from './test.ts';

/** The ways to change the data of a new organization: HTTP, bulk, commands and files. */
export async function givenInterfaces(database: TestDatabase, manage: ManageApi) {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const code = await organizationCodeOf(database.owner, organizationNo);
  const environment = { DATABASE_URL: database.urls.operator, SECRETS_KEY };
  const run = (...args: string[]) => runCommand([...args, '--organization', code], environment);
  const call = (method: string, path: string, body?: object | string) =>
    manage.call(key, method, path, {
      body,
      ...(method === 'PATCH' || method === 'DELETE' ? { ifMatch: '*' } : {}),
    });
  return {
    key,
    organizationNo,
    call,
    run,
    /** The results of the lines. */
    bulk: async (path: string, ...lines: object[]) => {
      const { status, text } = await call('POST', path, lines.map((line) => JSON.stringify(line)).join('\n'));
      const results: { status: string; errors: { param: string; detail: string }[] }[] =
        status < 300
          ? text
              .trim()
              .split('\n')
              .slice(0, -1)
              .map((line) => JSON.parse(line))
          : [];
      return { status, results };
    },
    /** Imports one row of a file. */
    importRow: async (what: 'customers' | 'tanks', row: Record<string, string>, ...options: string[]) => {
      const folder = await mkdtemp(join(tmpdir(), 'tankwatch-interfaces-'));
      const file = join(folder, 'rows.csv');
      await writeFile(file, `${Object.keys(row).join(',')}\n${Object.values(row).join(',')}\n`);
      const finished = await run(what, 'import', file, ...options);
      await rm(folder, { recursive: true });
      return finished;
    },
    /** The latest entry of the audit log. */
    lastAudit: async () => {
      const { rows: entries } = await database.owner.query(
        `select object, action, array_to_string(fields, ' ') as fields from audit_log
         where organization_no = $1 order by no desc limit 1`,
        [organizationNo],
      );
      return entries[0];
    },
  };
}

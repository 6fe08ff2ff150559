import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { givenFolder } from '../support/folder.ts';
import { givenManagedOrganization, test } from '../support/manage.ts';

test('examples/changes.sh pushes, transfers, follows and deletes', async ({ database, manage }) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const script = fileURLToPath(new URL('../../examples/changes.sh', import.meta.url));
  const folder = await givenFolder();
  const run = () =>
    promisify(execFile)('bash', [script], {
      cwd: folder,
      env: { PATH: process.env['PATH'], TANKWATCH_URL: manage.url, TANKWATCH_KEY: key },
    });
  const { stdout } = await run();
  expect(stdout).toContain('{"summary":{"created":2,"updated":0,"unchanged":0,"refused":0}}');
  const { rows } = await database.owner.query(
    `select t.deleted_at is not null as is_deleted, o.external_key from tanks t join customers o on o.no = t.owner_no
     where t.organization_no = $1`,
    [organizationNo],
  );
  expect(rows).toEqual([{ is_deleted: true, external_key: 'C-2' }]);
  // The next run goes on at the saved position.
  const first = await readFile(join(folder, 'position'), 'utf8');
  expect(first).not.toBe('');
  await expect
    .poll(
      async () => {
        await run();
        return await readFile(join(folder, 'changes.json'), 'utf8');
      },
      { timeout: 30_000 },
    )
    .toContain('"kind":"tank"');
});

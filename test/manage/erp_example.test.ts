import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { givenManagedOrganization, test } from '../support/manage.ts';

const run = promisify(execFile);

test('the ERP of the examples pushes its catalog, changes 1 %, deletes 10, and changes nothing when it runs again', async ({
  database,
  manage,
}) => {
  const { key } = await givenManagedOrganization(database);
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-erp-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const erp = async (revision: string): Promise<string[]> => {
    const { stdout, stderr } = await run('node', ['examples/erp.ts', join(folder, 'copy.json'), '500', revision], {
      env: { ...process.env, TANKWATCH_URL: manage.url, TANKWATCH_KEY: key },
    });
    expect(stderr).toBe('');
    return stdout.trimEnd().split('\n');
  };
  const unchanged = (count: number): string[] => [
    `customers: 0 created, 0 updated, ${count} unchanged`,
    `tanks: 0 created, 0 updated, ${count} unchanged`,
  ];
  expect((await erp('1')).slice(0, 2)).toEqual([
    'customers: 500 created, 0 updated, 0 unchanged',
    'tanks: 500 created, 0 updated, 0 unchanged',
  ]);
  // The feed has a change as soon as no older transaction of the server is in progress.
  const again = (revision: string) => expect.poll(() => erp(revision), { timeout: 60_000 });
  await again('1').toEqual([...unchanged(500), 'deleted: 0; copy: 500 customers, 500 tanks']);
  const [customers, tanks, deleted] = await erp('2');
  expect([customers, tanks]).toEqual(['customers: 0 created, 5 updated, 485 unchanged', unchanged(490)[1]]);
  expect(deleted).toMatch(/^deleted: 10;/);
  await again('2').toEqual([...unchanged(490), 'deleted: 0; copy: 490 customers, 490 tanks']);
});

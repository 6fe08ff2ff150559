import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { findProgram } from '../../engines/programs.ts';
import { givenCustomer } from '../support/fleet.ts';
import { givenFolder } from '../support/folder.ts';
import { givenManagedOrganization, test } from '../support/manage.ts';

const run = promisify(execFile);

test.for([
  ['node', 'examples/erp.ts'],
  ['python3', 'examples/erp.py'],
] as const)(
  '%s %s sends only what has changed, and deletes at most 10 customers and only those that it has created',
  async ([program, example], { database, manage }) => {
    const { key, organizationNo } = await givenManagedOrganization(database);
    // This customer was not created by the ERP, which must not delete it.
    await givenCustomer(database.operator, organizationNo, { external_key: 'OFFICE-1' });
    const folder = await givenFolder();
    const start = (...options: string[]) =>
      run(program === 'python3' ? findProgram(program) : program, [example, join(folder, 'copy.json'), ...options], {
        env: { ...process.env, PYTHONPATH: 'packages/python', TANKWATCH_URL: manage.url, TANKWATCH_KEY: key },
      });
    const erp = async (revision: string, ...options: string[]): Promise<string[]> => {
      const { stdout, stderr } = await start('500', revision, ...options);
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
    await again('1').toEqual([...unchanged(500), 'deleted: 0; copy: 501 customers, 500 tanks']);
    expect(await erp('2', '--dry-run')).toEqual([
      'customers: 0 created, 5 updated, 485 unchanged',
      'would delete: 10; copy: 501 customers, 500 tanks',
    ]);
    // A table that is empty by mistake deletes nothing.
    await expect(start('0')).rejects.toMatchObject({
      code: 1,
      stderr: '500 customers are gone, and at most 10 are deleted at once.\n',
      stdout: expect.stringContaining('deleted: 0; copy: 501 customers, 500 tanks') as string,
    });
    const [customers, tanks, deleted] = await erp('2');
    expect([customers, tanks]).toEqual(['customers: 0 created, 5 updated, 485 unchanged', unchanged(490)[1]]);
    expect(deleted).toMatch(/^deleted: 10;/);
    await again('2').toEqual([...unchanged(490), 'deleted: 0; copy: 491 customers, 490 tanks']);
  },
);

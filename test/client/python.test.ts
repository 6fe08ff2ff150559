import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { findProgram } from '../../engines/programs.ts';
import { pythonTypesOf, readSchemas } from '../../packages/python/generate_types.ts';
import { givenManagedOrganization, test } from '../support/manage.ts';

test('the types for Python match openapi.json (if not: npm run openapi)', async () => {
  const committed = await readFile(new URL('../../packages/python/tankwatch/types.py', import.meta.url), 'utf8');
  expect(committed).toBe(pythonTypesOf(await readSchemas()));
});

test('the client for Python iterates, repeats a change with one idempotency key, divides bulks and has typed errors', async ({
  database,
  manage,
}) => {
  const { key } = await givenManagedOrganization(database);
  const { stdout } = await promisify(execFile)(findProgram('python3'), ['test/client/python_client.py'], {
    env: { ...process.env, PYTHONPATH: 'packages/python', TANKWATCH_URL: manage.url, TANKWATCH_KEY: key },
  });
  expect(stdout).toBe('all promises are kept\n');
});

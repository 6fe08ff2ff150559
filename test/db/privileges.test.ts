import { describe, expect } from 'vitest';
import { readExpectedPrivileges as expected } from '../../src/doctor/check_privileges.ts';
import { listPrivileges } from '../../src/doctor/list_privileges.ts';
import { type TestDatabase, test } from '../support/test.ts';

test('each role has exactly the rights that migrations/privileges.txt lists', async ({ database }) => {
  expect(await listPrivileges(database.owner)).toEqual(await expected());
});

describe('an additional grant is found:', () => {
  const grants: [grant: string, line: string][] = [
    ['grant update on telemetry to tankwatch_writer', 'tankwatch_writer: insert, select, update on table telemetry'],
    ['grant select (name) on api_keys to tankwatch_gateway', 'tankwatch_gateway: select on table api_keys (name)'],
    ['grant select on organizations to tankwatch_gateway', 'tankwatch_gateway: select on table organizations'],
    ['grant select on contacts to public', 'public: select on table contacts'],
    ['grant usage on sequence tanks_no_seq to tankwatch_writer', 'tankwatch_writer: usage on sequence tanks_no_seq'],
    [
      'grant execute on function record_key_use to tankwatch_gateway',
      'tankwatch_gateway: execute on function record_key_use',
    ],
    ['grant create on schema public to tankwatch_operator', 'tankwatch_operator: create on schema public'],
    [
      'grant usage on schema graphile_worker to tankwatch_gateway',
      'tankwatch_gateway: usage on schema graphile_worker',
    ],
    ['grant tankwatch_worker to tankwatch_gateway', 'tankwatch_gateway: member on member of tankwatch_worker'],
    ['alter role tankwatch_gateway createdb', 'tankwatch_gateway: createdb on role attributes'],
    [
      'grant execute on function pg_read_file(text) to tankwatch_gateway',
      'tankwatch_gateway: granted on other object pg_proc function pg_read_file(text)',
    ],
    [
      'create table notes (a int); alter table notes owner to tankwatch_worker',
      'tankwatch_worker: owner on other object pg_class table notes',
    ],
  ];
  for (const [grant, line] of grants) {
    test(grant, async ({ database }) => {
      const found = await listAfter(database, grant);
      expect(found).toContain(line);
      expect(found).not.toEqual(await expected());
    });
  }
});

/** The privileges after a statement, which is rolled back because other tests use the roles of the server. */
async function listAfter(database: TestDatabase, statement: string): Promise<string[]> {
  const tx = await database.owner.connect();
  try {
    await tx.query('begin');
    await tx.query(statement);
    return await listPrivileges(tx);
  } finally {
    await tx.query('rollback');
    tx.release();
  }
}

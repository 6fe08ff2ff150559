import { Registry } from 'prom-client';
import { expect, onTestFinished } from 'vitest';
import { readSequenceUse } from '../../src/db/sequence_use.ts';
import { silentLogger } from '../../src/health/outage.ts';
import { BacklogWatch } from '../../src/worker/backlog_watch.ts';
import { workerMetrics } from '../../src/worker/metrics.ts';
import { givenOrganization } from '../support/fleet.ts';
import { type TestDatabase, test } from '../support/test.ts';

const useOf = async ({ worker }: TestDatabase, name: string): Promise<number | undefined> =>
  (await readSequenceUse(worker)).find((one) => one.name === name)?.used_share;

test('the use of every sequence is known, also of those of the job queue', async ({ database }) => {
  const { rows } = await database.owner.query<{ n: number }>('select count(*) as n from pg_sequences');
  const names = (await readSequenceUse(database.operator)).map(({ name }) => name);
  expect(new Set(names).size).toBe(rows[0]?.n);
  expect(names).toEqual(expect.arrayContaining(['tanks.no', 'sessions.no', 'graphile_worker._private_jobs.id']));
});

test('a share is counted within the range of the cell, and within the type of the column', async ({ database }) => {
  const { owner } = database;
  // Cell 3 has the numbers from 120,000,001 to 160,000,000.
  await owner.query(
    `alter table webhook_endpoints alter column no
     set minvalue 120000001 set maxvalue 160000000 set start 120000001 restart`,
  );
  expect(await useOf(database, 'webhook_endpoints.no')).toBe(0);
  await owner.query(`select setval(pg_get_serial_sequence('webhook_endpoints', 'no'), 140000000)`);
  expect(await useOf(database, 'webhook_endpoints.no')).toBe(0.5);
  expect(await useOf(database, 'tanks.no')).toBe(0);
  // A column can be narrower than its sequence.
  await owner.query('create sequence narrow_seq; create table narrow (id int default nextval($$narrow_seq$$))');
  await owner.query(`alter sequence narrow_seq owned by narrow.id; select setval('narrow_seq', 2147483647)`);
  expect(await useOf(database, 'narrow.id')).toBe(1);
  await owner.query('drop table narrow');
});

test('a worker exports the share of each sequence', async ({ database }) => {
  await database.owner.query('alter table contacts alter column no set maxvalue 40000000');
  await database.owner.query(`select setval(pg_get_serial_sequence('contacts', 'no'), 30000000)`);
  const registry = new Registry();
  const watch = new BacklogWatch(database.worker, workerMetrics(registry), silentLogger);
  onTestFinished(() => watch.close());
  await expect
    .poll(() => registry.getSingleMetricAsString('tankwatch_sequence_used_ratio'))
    .toContain('tankwatch_sequence_used_ratio{sequence="contacts.no"} 0.75');
});

test('a session can have a number that no int holds, and is listed with an int of its own', async ({ database }) => {
  const { owner } = database;
  const organizationNo = await givenOrganization(owner);
  await owner.query(
    `insert into contacts (id, organization_no, email, types) values (gen_random_uuid(), $1, 'ops@example.com', '{}')`,
    [organizationNo],
  );
  await owner.query('alter table sessions alter column no restart with 2000000000');
  for (const prefix of ['a0first', 'a0second', 'a0third'])
    await owner.query(
      `insert into sessions (prefix, secret_sha256, contact_no, organization_no, requests_per_second, burst, expires_at)
       select $1, sha256('x'), no, organization_no, 1, 1, now() + interval '1 hour' from contacts limit 1`,
      [prefix],
    );
  await owner.query('alter table sessions alter column no restart with 60000000000007');
  await owner.query(
    `insert into sessions (prefix, secret_sha256, contact_no, organization_no, requests_per_second, burst, expires_at)
     select 'a0moved', sha256('x'), no, organization_no, 1, 1, now() + interval '1 hour' from contacts limit 1`,
  );
  const { rows } = await database.api.query('select prefix, no from session_credentials order by prefix');
  expect(rows).toEqual([
    { prefix: 'a0first', no: -2_000_000_000 },
    { prefix: 'a0moved', no: -7 },
    { prefix: 'a0second', no: -1 },
    { prefix: 'a0third', no: -2 },
  ]);
});

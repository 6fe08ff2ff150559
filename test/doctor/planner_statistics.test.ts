import type { Pool } from 'pg';
import { expect } from 'vitest';
import { onlyRow } from '../../src/db/only_row.ts';
import {
  checkPlannerStatistics,
  statisticsFindings,
  TABLES_OF_ORGANIZATIONS,
} from '../../src/doctor/planner_statistics.ts';
import { givenOrganization } from '../support/fleet.ts';
import { test } from '../support/test.ts';

/** Customers of a large organization and of 200 small ones, without triggers and autovacuum. */
async function givenSkewedCustomers(owner: Pool, organizationNo: number): Promise<void> {
  await owner.query('alter table customers disable trigger user, set (autovacuum_enabled = false)');
  await owner.query(
    `insert into organizations (code, name) select 'zz' || n, 'Small ' || n from generate_series(100, 299) n`,
  );
  await owner.query(
    `insert into customers (id, organization_no, email, name)
     select gen_random_uuid(), case when n % 10 < 3 then $1 else $1 + 1 + n % 200 end, 'c' || n || '@example.com', 'Customer ' || n
     from generate_series(1, 12000) n`,
    [organizationNo],
  );
}

test('the plan of a read, made once for all organizations, expects the rows of the largest organization', async ({
  database: { owner, operator },
}) => {
  await givenSkewedCustomers(owner, await givenOrganization(operator));
  await owner.query('alter table customers alter column organization_no reset (n_distinct)');
  await owner.query('analyze customers');
  expect(await expectedCustomers(owner)).toBeLessThan(100);
  await owner.query('alter table customers alter column organization_no set (n_distinct = 2)');
  expect(await checkPlannerStatistics(owner)).toMatchObject([
    { problem: 'reads of customers are planned for an organization of average size until it is analyzed' },
  ]);
  await owner.query('analyze customers');
  expect(await checkPlannerStatistics(owner)).toEqual([]);
  expect(await expectedCustomers(owner)).toBeGreaterThan(3_000);
  expect(await expectedCustomers(owner)).toBeLessThan(4_500);
});

/** The number of customers that PostgreSQL expects for any organization. */
async function expectedCustomers(owner: Pool): Promise<number> {
  const client = await owner.connect();
  try {
    await client.query('set plan_cache_mode = force_generic_plan');
    await client.query('prepare of_one (int) as select from customers where organization_no = $1');
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      'explain (format json) execute of_one (1)',
    );
    return onlyRow(rows)['QUERY PLAN'][0].Plan['Plan Rows'];
  } finally {
    client.release(true);
  }
}

test('doctor finds a table whose reads are planned for an organization of average size', async ({
  database: { owner, operator },
}) => {
  expect(await checkPlannerStatistics(operator)).toEqual([]);
  await owner.query('alter table mutes alter column organization_no reset (n_distinct)');
  expect(await checkPlannerStatistics(operator)).toMatchObject([
    {
      problem: expect.stringMatching(/^reads of mutes are planned for an organization of average size/),
      isWarning: true,
    },
  ]);
  await owner.query('alter table mutes alter column organization_no set (n_distinct = 2)');
});

test('doctor warns of a table of 10,000 rows that was never analyzed or has changed by half since', () => {
  const table = {
    table: 'customers',
    is_planned_for_largest: true,
    was_analyzed: true,
    organizations: 2,
    rows: 20_000,
    changed: 5_000,
  };
  expect(statisticsFindings([table])).toEqual([]);
  expect(statisticsFindings([{ ...table, was_analyzed: false }])).toMatchObject([
    { problem: 'PostgreSQL never counted the 20,000 rows of customers, and guesses how to read them' },
  ]);
  expect(statisticsFindings([{ ...table, changed: 12_000 }])).toMatchObject([
    { problem: '12,000 of 20,000 rows of customers have changed since PostgreSQL last analyzed them' },
  ]);
  expect(statisticsFindings([{ ...table, rows: 900, changed: 900 }])).toEqual([]);
});

test('the tables that doctor checks are those of the migration', async ({ database: { owner } }) => {
  const { rows } = await owner.query<{ table: string }>(
    `select attrelid::regclass::text as table from pg_attribute where 'n_distinct=2' = any (attoptions) order by 1`,
  );
  expect(rows.map(({ table }) => table)).toEqual(TABLES_OF_ORGANIZATIONS.toSorted());
});

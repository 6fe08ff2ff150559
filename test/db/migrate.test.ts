import { expect } from 'vitest';
import { databaseUrl } from '../../engines/logins.ts';
import { migrate, migrationState, readMigrations } from '../../src/db/migrate.ts';
import { openPool } from '../../src/db/pool.ts';
import { givenCustomer, givenOrganization, givenTank } from '../support/fleet.ts';
import { test } from '../support/test.ts';

test('two processes that migrate an empty database at once both succeed, and apply each file once', async ({
  database,
}) => {
  await database.owner.query(`create database ${database.name}_fresh`);
  const url = databaseUrl(database.ownerUrl, `${database.name}_fresh`);
  const pools = [openPool({ url, applicationName: 'one' }), openPool({ url, applicationName: 'two' })];
  const applied: string[] = [];
  await Promise.all(pools.map((pool) => migrate(pool, { onApplied: (name) => applied.push(name) })));
  const files = await readMigrations();
  expect(applied.toSorted()).toEqual(files.map((file) => file.name));
  await Promise.all(pools.map((pool) => pool.end()));
  await database.owner.query(`drop database ${database.name}_fresh with (force)`);
});

test('a second run changes nothing, and an applied file that was edited is refused', async ({ database }) => {
  const files = await readMigrations();
  expect((await migrationState(database.owner, files)).pending).toEqual([]);
  const edited = files.map((file, index) => (index === 1 ? Object.assign({}, file, { sha256: 'other' }) : file));
  await expect(migrationState(database.owner, edited)).rejects.toThrow(
    /0002_catalog.sql was changed after it was applied/,
  );
});

test('each cell has its own range of internal numbers, which cannot change once it is used', async ({ database }) => {
  await database.owner.query(`create database ${database.name}_cell`);
  const url = databaseUrl(database.ownerUrl, `${database.name}_cell`);
  const pool = openPool({ url, applicationName: 'cell 7' });
  await migrate(pool, { cellNumber: 7 });
  await migrate(pool, { cellNumber: 8 });
  await migrate(pool, { cellNumber: 7 });
  const organizationNo = await givenOrganization(pool);
  const owner = await givenCustomer(pool, organizationNo);
  const tank = await givenTank(pool, organizationNo, owner.no);
  expect([organizationNo, owner.no, tank.no]).toEqual([280_000_001, 280_000_001, 280_000_001]);
  await migrate(pool, { cellNumber: 7 });
  await expect(migrate(pool, { cellNumber: 8 })).rejects.toThrow('the number of a cell cannot change');
  await pool.end();
  await database.owner.query(`drop database ${database.name}_cell with (force)`);
});

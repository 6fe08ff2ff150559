import { readFile } from 'node:fs/promises';
import { MIGRATIONS_FOLDER } from '../db/migrate.ts';
import type { Db } from '../db/pool.ts';
import { type CheckFinding, finding } from './finding.ts';

/**
 * The triggers that the migrations create, each as `table trigger`. They maintain counters, assignments, change numbers and the audit log,
 * erase the data of deleted objects and record removals.
 */
export const readExpectedTriggers = async (): Promise<string[]> =>
  (await readFile(new URL('triggers.txt', MIGRATIONS_FOLDER), 'utf8')).trim().split('\n');

/** Rows written while a trigger was missing or disabled were not counted. */
const THEN_RECOUNT = 'then run tankwatch doctor --fix to count rows written in the meantime';

export async function checkTriggers(db: Db): Promise<CheckFinding[]> {
  const expected = (await readExpectedTriggers()).map((line) => {
    const [table = '', name = ''] = line.split(' ');
    return { table, name };
  });
  // PostgreSQL also enforces foreign keys by triggers, with generated names; the finding names the constraint instead.
  // 'O' (origin) and 'A' (always) fire here; 'R' (replica) does not.
  const { rows } = await db.query<{ table: string; name: string; is_foreign_key: boolean; is_enabled: boolean }>(
    `select tgrelid::regclass::text as table, coalesce(conname, tgname) as name,
            tgisinternal as is_foreign_key, bool_and(tgenabled in ('O', 'A')) as is_enabled
     from pg_trigger left join pg_constraint on tgisinternal and pg_constraint.oid = tgconstraint
     where tgrelid = any (array(select to_regclass(name) from unnest($1::text[]) as name))
     group by 1, 2, 3 order by 1, 2`,
    [expected.map(({ table }) => table)],
  );
  const existing = new Set(rows.map(({ table, name }) => `${table} ${name}`));
  const missing = expected
    .filter(({ table, name }) => !existing.has(`${table} ${name}`))
    .map(({ table, name }) =>
      finding(
        `the trigger ${name} on ${table} is missing`,
        `as the owner: create the trigger again as in the file of migrations/ that creates it; ${THEN_RECOUNT}`,
      ),
    );
  const disabled = rows
    .filter((row) => !row.is_enabled)
    .map(({ table, name, is_foreign_key }) =>
      is_foreign_key
        ? finding(
            `the constraint ${name} is not enforced on ${table}: its triggers are disabled`,
            `as a superuser: alter table ${table} enable trigger all; ${THEN_RECOUNT}`,
          )
        : finding(
            `the trigger ${name} on ${table} is disabled`,
            `as the owner: alter table ${table} enable trigger ${name}; ${THEN_RECOUNT}`,
          ),
    );
  return [...missing, ...disabled];
}

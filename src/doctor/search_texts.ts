import type { Db } from '../db/pool.ts';
import { checkDrift } from './drift.ts';
import type { CheckContext, CheckFinding } from './finding.ts';

interface TextTable {
  table: 'tank_texts' | 'customer_texts';
  columns: readonly string[];
  what: 'tank' | 'customer';
  /** The rows that must exist, with the same columns. */
  expected: string;
  restore: string;
}

const TABLES: readonly TextTable[] = [
  {
    table: 'customer_texts',
    columns: ['organization_no', 'text', 'sort_name'],
    what: 'customer',
    expected: `select no, organization_no, customer_sort_name(name) as sort_name,
        customer_text(name, email, phone, external_key) || coalesce(other_phone_texts(other_phones), '') as text
      from customers where deleted_at is null`,
    restore: 'select write_customer_texts($1)',
  },
  {
    table: 'tank_texts',
    columns: ['organization_no', 'text'],
    what: 'tank',
    expected: `select t.no, t.organization_no, tank_text(t, c) as text
      from tanks t join customers c on c.no = t.owner_no where t.deleted_at is null`,
    restore: 'select write_tank_texts($1)',
  },
];

/** The words of all organizations, counted from the catalog. */
const EXPECTED_WORDS = `select organization_no, word, count(*)::int as n
  from (
    select organization_no, name as text from customers where deleted_at is null
    union all select organization_no, words_of_tank(t) from tanks t where deleted_at is null
  ) as named cross join lateral words_of_text(text) as word group by organization_no, word`;

/** Finds organizations with wrong words for the correction of searches, and counts the words again with `--fix`. */
const checkSearchWords = (context: CheckContext): Promise<CheckFinding[]> =>
  checkDrift(context, {
    what: 'organization',
    findDrift: (db) =>
      readNos(
        db,
        `select distinct organization_no as no from (${EXPECTED_WORDS}) as e full join search_words s using (organization_no, word)
         where e.n is distinct from s.n order by no`,
      ),
    sentence: ({ no }) => `searches of organization ${no} are corrected by other words than the catalog has`,
    remedy: 'run tankwatch doctor --fix, which counts the words again',
    restore: (tx, [no]) => tx.query('select recount_search_words($1)', [no]),
    batchSize: 1,
  });

/** Finds the tanks or customers that a search misses or finds by words they do not have, and restores them with `--fix`. */
const checkTable = (context: CheckContext, { table, columns, what, expected, restore }: TextTable) =>
  checkDrift(context, {
    what,
    findDrift: (db) =>
      readNos(
        db,
        `select no from (${expected}) as e full join ${table} x using (no)
         where ${columns.map((column) => `e.${column} is distinct from x.${column}`).join(' or ')} order by no`,
      ),
    sentence: ({ no }) => `the search has other words of ${what} ${no} than the catalog`,
    remedy: 'run tankwatch doctor --fix, which writes the words again',
    async restore(tx, nos) {
      await tx.query(`delete from ${table} where no = any ($1)`, [nos]);
      await tx.query(restore, [nos]);
    },
  });

const readNos = async (db: Db, sql: string): Promise<{ no: number }[]> => (await db.query<{ no: number }>(sql)).rows;

export async function checkSearchTexts(context: CheckContext): Promise<CheckFinding[]> {
  const findings = await checkSearchWords(context);
  for (const table of TABLES) findings.push(...(await checkTable(context, table)));
  return findings;
}

import { transaction } from '../db/pool.ts';
import { type CheckContext, type CheckFinding, firstOfMany } from './finding.ts';

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

/** The number of texts that are written in one transaction. */
const BATCH = 1_000;

/** The words of all organizations, counted from the catalog. */
const EXPECTED_WORDS = `select organization_no, word, count(*)::int as n
  from (
    select organization_no, name as text from customers where deleted_at is null
    union all select organization_no, words_of_tank(t) from tanks t where deleted_at is null
  ) as named cross join lateral words_of_text(text) as word group by organization_no, word`;

/** Finds organizations with wrong words for the correction of searches, and counts the words again with `--fix`. */
async function checkSearchWords({ pool, fix, progress }: CheckContext): Promise<CheckFinding[]> {
  const findDrift = async (): Promise<number[]> => {
    const { rows } = await pool.query<{ organization_no: number }>(
      `select distinct organization_no from (${EXPECTED_WORDS}) as e full join search_words s using (organization_no, word)
       where e.n is distinct from s.n order by organization_no`,
    );
    return rows.map(({ organization_no: no }) => no);
  };
  const found = await findDrift();
  if (found.length === 0) return [];
  if (fix)
    for (const [index, no] of found.entries()) {
      progress(`counting the words of organization ${index + 1} of ${found.length}`);
      await pool.query('select recount_search_words($1)', [no]);
    }
  const problem = `searches of organization ${found[0]} are corrected by other words than the catalog has`;
  return [
    {
      problem: firstOfMany(problem, found.length),
      remedy: 'run tankwatch doctor --fix, which counts the words again',
      fixed: fix && (await findDrift()).length === 0,
    },
  ];
}

/** Finds the tanks and customers that a search misses or finds by words they do not have, and restores them with `--fix`. */
export async function checkSearchTexts(context: CheckContext): Promise<CheckFinding[]> {
  const { pool, fix, progress } = context;
  const findings: CheckFinding[] = await checkSearchWords(context);
  for (const { table, columns, what, expected, restore } of TABLES) {
    const findDrift = async (): Promise<number[]> => {
      const { rows } = await pool.query<{ no: number }>(
        `select no from (${expected}) as e full join ${table} x using (no)
         where ${columns.map((column) => `e.${column} is distinct from x.${column}`).join(' or ')} order by no`,
      );
      return rows.map(({ no }) => no);
    };
    const found = await findDrift();
    if (found.length === 0) continue;
    if (fix) {
      for (let start = 0; start < found.length; start += BATCH) {
        progress(`fixing text ${start + 1} of ${found.length}`);
        const nos = found.slice(start, start + BATCH);
        await transaction(pool, async (tx) => {
          await tx.query(`delete from ${table} where no = any ($1)`, [nos]);
          await tx.query(restore, [nos]);
        });
      }
    }
    const fixed = fix && (await findDrift()).length === 0;
    findings.push({
      problem: firstOfMany(`the search has other words of ${what} ${found[0]} than the catalog`, found.length),
      remedy: 'run tankwatch doctor --fix, which writes the words again',
      fixed,
    });
  }
  return findings;
}

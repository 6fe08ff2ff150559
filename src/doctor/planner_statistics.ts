import type { Db } from '../db/pool.ts';
import { type CheckFinding, warning } from './finding.ts';

/** Tables that reads filter by organization. */
export const TABLES_OF_ORGANIZATIONS = [
  'fleet_tanks',
  'fleet_levels',
  'tanks',
  'customers',
  'tank_texts',
  'customer_texts',
  'events',
  'acknowledgements',
  'mutes',
  'estimated_tanks',
  'rounds',
  'delivery_notes',
  'ledger_entries',
] as const;

/** Any plan is fast for a smaller table. */
const MIN_ROWS = 10_000;
/** Autovacuum analyzes a table when a tenth of it has changed. */
const MAX_CHANGED_SHARE = 0.5;

export interface TableStatistics {
  table: string;
  is_planned_for_largest: boolean;
  was_analyzed: boolean;
  /**
   * The number of organizations that the planner assumes. Null if it is unknown, or if this login may not read the
   * table.
   */
  organizations: number | null;
  rows: number;
  /** The number of rows changed since the last analyze. */
  changed: number;
}

/**
 * Reads have one plan for all organizations, and the statistics decide which. They can be missing after a restore,
 * after a table was created again, or if autovacuum does not keep up. A page of a large organization then takes
 * seconds.
 */
export async function checkPlannerStatistics(db: Db): Promise<CheckFinding[]> {
  const { rows } = await db.query<TableStatistics>(
    `select c.relname as table, coalesce('n_distinct=2' = any (a.attoptions), false) as is_planned_for_largest,
            c.reltuples >= 0 as was_analyzed, s.n_distinct::float8 as organizations,
            greatest(t.n_live_tup, c.reltuples)::float8 as rows, t.n_mod_since_analyze::float8 as changed
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_no'
     join pg_stat_user_tables t on t.relid = c.oid
     left join pg_stats s on s.schemaname = t.schemaname and s.tablename = t.relname and s.attname = a.attname
     where c.oid = any ($1::regclass[]) order by c.relname`,
    [TABLES_OF_ORGANIZATIONS],
  );
  return statisticsFindings(rows);
}

export function statisticsFindings(tables: readonly TableStatistics[]): CheckFinding[] {
  const unset = tables.filter((statistics) => !statistics.is_planned_for_largest).map(({ table }) => table);
  const findings = tables
    .filter(({ table, rows }) => !unset.includes(table) && rows >= MIN_ROWS)
    .flatMap((statistics) => {
      const problem = problemOf(statistics);
      const remedy = `as the owner of the tables: analyze ${statistics.table}; if it happens again, check that autovacuum keeps up`;
      return problem === undefined ? [] : [warning(problem, remedy)];
    });
  if (unset.length === 0) return findings;
  const forAverage = warning(
    `reads of ${unset.join(', ')} are planned for an organization of average size, so a large one may wait for seconds`,
    'as the owner of the tables, for each: alter table ... alter column organization_no set (n_distinct = 2), then analyze it',
  );
  return [forAverage, ...findings];
}

function problemOf({ table, was_analyzed, organizations, rows, changed }: TableStatistics): string | undefined {
  const rowText = `${rows.toLocaleString('en')} rows of ${table}`;
  if (!was_analyzed) return `PostgreSQL never counted the ${rowText}, and guesses how to read them`;
  if (organizations !== null && organizations !== 2)
    return `reads of ${table} are planned for an organization of average size until it is analyzed`;
  if (changed > MAX_CHANGED_SHARE * rows)
    return `${changed.toLocaleString('en')} of ${rowText} have changed since PostgreSQL last analyzed them`;
  return undefined;
}

import type { Pool } from 'pg';
import { type Db, type Tx, transaction } from '../db/pool.ts';
import { amount } from '../values/text_format.ts';
import { type CheckContext, type CheckFinding, firstOfMany, monthName } from './finding.ts';

/** The lists of 0003_catalog_counters.sql: the table of their items, and the scope. */
const LISTS = [
  { list: 'organization_customers', items: 'customers', scope: 'organization_no', whose: 'organization' },
  { list: 'organization_tanks', items: 'tanks', scope: 'organization_no', whose: 'organization' },
  { list: 'owner_tanks', items: 'tanks', scope: 'owner_no', whose: 'customer' },
] as const;
type List = (typeof LISTS)[number];

/** The number of months that are counted again under one lock, which takes about 0.1 s. */
const BATCH_MONTHS = 1_000;

/** A month of a list with a wrong counter or a bucket of the wrong size. */
interface Drift {
  kind: 'month' | 'bucket' | 'size';
  scope_no: number;
  /** The organization that a writer of this list locks. Null if the scope does not exist, so that it has no writers. */
  organization_no: number | null;
  month: string;
  starts_at: string;
  /** The value of the counter. */
  counted: number;
  /** The real number of items. */
  n: number;
  max_items: number;
}

export async function checkCatalogCounters({ pool, fix, progress }: CheckContext): Promise<CheckFinding[]> {
  const findings: CheckFinding[] = [];
  for (const list of LISTS) {
    progress(`counting ${list.list}`);
    const found = await findDrift(pool, list);
    if (fix) await fixDrift(pool, list, found, progress);
    const left = fix && found.length > 0 ? await findDrift(pool, list) : found;
    for (const [kind, drifts] of Map.groupBy(found, (drift) => drift.kind)) {
      const [first] = drifts.map((drift) => DESCRIPTIONS[kind](list, drift));
      findings.push({
        problem: firstOfMany(first ?? '', drifts.length),
        remedy: 'run tankwatch doctor --fix, which counts again; then look for a disabled trigger',
        fixed: fix && !left.some((drift) => drift.kind === kind),
      });
    }
  }
  return findings;
}

const DESCRIPTIONS: Readonly<Record<Drift['kind'], (list: List, drift: Drift) => string>> = {
  month: ({ whose, items }, { scope_no, month, counted, n }) =>
    `${whose} ${scope_no} has ${amount(n, items)} created in ${monthName(month)}, but catalog_month_counters says ${counted}`,
  bucket: ({ whose, items }, { scope_no, starts_at, counted, n }) =>
    `${whose} ${scope_no} has ${amount(n, items)} in the bucket from ${starts_at}, but catalog_buckets says ${counted}`,
  size: ({ whose, items }, { scope_no, starts_at, n, max_items }) =>
    `${whose} ${scope_no} has ${amount(n, items)} from ${starts_at} that are not all in buckets of at most ${amount(max_items, 'items')}`,
};

/**
 * Finds drift in one statement and so in one snapshot: items and counters are committed together, so every difference
 * is an error and not a change in progress.
 */
async function findDrift(db: Db, { list, items, scope }: List): Promise<Drift[]> {
  const { rows } = await db.query<Drift>(
    `with truth as (
       select ${scope} as scope_no, utc_month(created_at) as month, count(*) as n
       from ${items} where deleted_at is null group by 1, 2
     ), months as materialized (
       select scope_no, month, coalesce(m.n, 0) as counted, coalesce(truth.n, 0) as n
       from truth full join (select * from catalog_month_counters where list = '${list}') as m using (scope_no, month)
       where m.n is distinct from truth.n or truth.n > max_bucket_items()
     ), buckets as materialized (
       select *, count_catalog_items('${list}', scope_no, starts_at, starts_no, ends_at, ends_no) as n
       from (
         select scope_no, utc_month(starts_at) as month, starts_at, starts_no, b.n as counted,
                lead(starts_at, 1, next_utc_month(starts_at)) over in_order as ends_at,
                lead(starts_no, 1, 0) over in_order as ends_no
         from catalog_buckets b where list = '${list}'
         window in_order as (partition by scope_no, utc_month(starts_at) order by starts_at, starts_no)
       ) as bucket
     ), drift as (
       select 'month' as kind, scope_no, month, month as starts_at, counted, n from months where counted <> n
       union all
       select 'bucket', scope_no, month, starts_at, counted, n from buckets where counted <> n
       union all
       select 'size', scope_no, month, starts_at, counted, n from buckets where n > max_bucket_items()
       union all
       -- a busy month without buckets, or without a bucket that begins with the month
       select 'size', scope_no, month, month, 0, coalesce(busy.n, split.n)
       from (select scope_no, month, n from months where n > max_bucket_items()) as busy
       full join (
         select scope_no, month, sum(n) as n, bool_or(starts_at = month and starts_no = 0) as is_whole
         from buckets group by 1, 2
       ) as split using (scope_no, month)
       where is_whole is not true
     )
     select kind, scope_no, month, starts_at, counted, n, max_bucket_items() as max_items,
            ${scope === 'owner_no' ? '(select organization_no from customers where no = scope_no)' : 'scope_no'} as organization_no
     from drift order by scope_no, month, starts_at`,
  );
  return rows;
}

/** Fixes some months of one organization at a time, so that its writers do not wait long. */
async function fixDrift(
  pool: Pool,
  list: List,
  drifts: readonly Drift[],
  progress: CheckContext['progress'],
): Promise<void> {
  let done = 0;
  for (const [organizationNo, ofOrganization] of Map.groupBy(drifts, (drift) => drift.organization_no)) {
    for (let start = 0; start < ofOrganization.length; start += BATCH_MONTHS) {
      progress(`fixing ${list.list}, ${done} of ${drifts.length}`);
      const batch = ofOrganization.slice(start, start + BATCH_MONTHS);
      await transaction(pool, (tx) => recount(tx, list, organizationNo, batch));
      done += batch.length;
    }
  }
}

/** Counts the months and their buckets again, under the lock that writers of this organization take. */
async function recount(tx: Tx, { list }: List, organizationNo: number | null, drifts: readonly Drift[]): Promise<void> {
  await tx.query('select from organizations where no = $1 for no key update', [organizationNo]);
  const months = [drifts.map((drift) => drift.scope_no), drifts.map((drift) => drift.month)];
  const drifted = `(select distinct * from unnest($1::int[], $2::timestamptz[]) as t (scope_no, month)) as drifted`;

  await tx.query(
    `insert into catalog_month_counters (list, scope_no, month, n)
     select '${list}', scope_no, month, count_catalog_items('${list}', scope_no, month, 0, next_utc_month(month), 0)
     from ${drifted}
     on conflict (list, scope_no, month) do update set n = excluded.n`,
    months,
  );
  // The first bucket of a month begins with the month. An empty bucket is harmless; operators cannot delete buckets.
  await tx.query(
    `insert into catalog_buckets (list, scope_no, starts_at, starts_no, n)
     select '${list}', scope_no, month, 0, 0
     from ${drifted} join catalog_month_counters m using (scope_no, month)
     where m.list = '${list}' and (m.n > max_bucket_items() or exists (
       select from catalog_buckets b where b.list = '${list}' and b.scope_no = m.scope_no
         and b.starts_at >= month and b.starts_at < next_utc_month(month)
     ))
     on conflict do nothing`,
    months,
  );
  await tx.query(
    `update catalog_buckets b
     set n = count_catalog_items('${list}', b.scope_no, b.starts_at, b.starts_no, own.ends_at, own.ends_no)
     from (
       select scope_no, starts_at, starts_no,
              lead(starts_at, 1, next_utc_month(month)) over in_order as ends_at,
              lead(starts_no, 1, 0) over in_order as ends_no
       from ${drifted} join catalog_buckets c using (scope_no)
       where c.list = '${list}' and starts_at >= month and starts_at < next_utc_month(month)
       window in_order as (partition by scope_no, month order by starts_at, starts_no)
     ) as own
     where b.list = '${list}' and b.scope_no = own.scope_no
       and b.starts_at = own.starts_at and b.starts_no = own.starts_no`,
    months,
  );
  await tx.query(
    `select split_catalog_bucket('${list}', scope_no, starts_at, starts_no)
     from ${drifted} join catalog_buckets b using (scope_no)
     where b.list = '${list}' and b.n > max_bucket_items() and starts_at >= month and starts_at < next_utc_month(month)`,
    months,
  );
}

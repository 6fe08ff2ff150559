import type { Pool } from 'pg';
import { type Db, type Tx, transaction } from '../db/pool.ts';
import { amount, type CheckContext, type Fault, firstOfMany, monthName } from './finding.ts';

/** The three lists as 0004 has them: their items, and whose they are. */
const LISTS = [
  { list: 'organization_customers', items: 'customers', scope: 'organization_no', whose: 'organization' },
  { list: 'organization_tanks', items: 'tanks', scope: 'organization_no', whose: 'organization' },
  { list: 'owner_tanks', items: 'tanks', scope: 'owner_no', whose: 'customer' },
] as const;
type List = (typeof LISTS)[number];

/** How many months are counted again under one lock: some 0.1 s. */
const BATCH_MONTHS = 1_000;

/** A month of a list where a counter does not say what is there. */
interface Drift {
  kind: 'month' | 'part' | 'cut';
  scope_no: number;
  /** Whose lock a writer of this list takes; null where the scope does not exist, and so nobody writes. */
  organization_no: number | null;
  month: string;
  starts_at: string;
  counted: number;
  n: number;
}

export async function checkCatalogCounters({ pool, fix, progress }: CheckContext): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const list of LISTS) {
    progress(`counting ${list.list}`);
    const found = await findDrift(pool, list);
    if (fix) await mend(pool, list, found, progress);
    const left = fix && found.length > 0 ? await findDrift(pool, list) : found;
    for (const [kind, drifts] of Map.groupBy(found, (drift) => drift.kind)) {
      const [first] = drifts.map((drift) => SENTENCES[kind](list, drift));
      faults.push({
        problem: firstOfMany(first ?? '', drifts.length),
        remedy:
          'run tankwatch doctor --fix, which counts again; then look for a disabled trigger, or a writer that avoids it',
        fixed: fix && !left.some((drift) => drift.kind === kind),
      });
    }
  }
  return faults;
}

const SENTENCES: Readonly<Record<Drift['kind'], (list: List, drift: Drift) => string>> = {
  month: ({ whose, items }, { scope_no, month, counted, n }) =>
    `${whose} ${scope_no} has ${amount(n, items)} created in ${monthName(month)}, but catalog_month_counters says ${counted}`,
  part: ({ whose, items }, { scope_no, starts_at, counted, n }) =>
    `${whose} ${scope_no} has ${amount(n, items)} in its part from ${starts_at}, but catalog_buckets says ${counted}`,
  cut: ({ whose, items }, { scope_no, starts_at, n }) =>
    `${whose} ${scope_no} has ${amount(n, items)} from ${starts_at} that are not all in parts of at most 2,000`,
};

/**
 * One statement and so one snapshot: items and counters are committed together, so what it finds is wrong and not
 * merely in motion. Months cost one pass over the items; parts, of which a busy month has one per 1,500 or so, an
 * index scan each.
 */
async function findDrift(db: Db, { list, items, scope }: List): Promise<Drift[]> {
  const { rows } = await db.query<Drift>(
    `with truth as (
       select ${scope} as scope_no, utc_month(created_at) as month, count(*) as n
       from ${items} where deleted_at is null group by 1, 2
     ), months as materialized (
       select scope_no, month, coalesce(m.n, 0) as counted, coalesce(truth.n, 0) as n
       from truth full join (select * from catalog_month_counters where list = '${list}') as m using (scope_no, month)
       where m.n is distinct from truth.n or truth.n > 2000
     ), parts as materialized (
       select *, count_catalog_items('${list}', scope_no, starts_at, starts_no, ends_at, ends_no) as n
       from (
         select scope_no, utc_month(starts_at) as month, starts_at, starts_no, p.n as counted,
                lead(starts_at, 1, next_utc_month(starts_at)) over in_order as ends_at,
                lead(starts_no, 1, 0) over in_order as ends_no
         from catalog_buckets p where list = '${list}'
         window in_order as (partition by scope_no, utc_month(starts_at) order by starts_at, starts_no)
       ) as part
     ), drift as (
       select 'month' as kind, scope_no, month, month as starts_at, counted, n from months where counted <> n
       union all
       select 'part', scope_no, month, starts_at, counted, n from parts where counted <> n
       union all
       select 'cut', scope_no, month, starts_at, counted, n from parts where n > 2000
       union all
       -- a busy month without parts, or parts of which none begins with the month
       select 'cut', scope_no, month, month, 0, coalesce(busy.n, cut.n)
       from (select scope_no, month, n from months where n > 2000) as busy
       full join (
         select scope_no, month, sum(n) as n, bool_or(starts_at = month and starts_no = 0) as is_whole
         from parts group by 1, 2
       ) as cut using (scope_no, month)
       where is_whole is not true
     )
     select kind, scope_no, month, starts_at, counted, n,
            ${scope === 'owner_no' ? '(select organization_no from customers where no = scope_no)' : 'scope_no'} as organization_no
     from drift order by scope_no, month, starts_at`,
  );
  return rows;
}

/** One organization at a time and some months of it, so that its writers never wait long. */
async function mend(
  pool: Pool,
  list: List,
  drifts: readonly Drift[],
  progress: CheckContext['progress'],
): Promise<void> {
  let mended = 0;
  for (const [organizationNo, ofOne] of Map.groupBy(drifts, (drift) => drift.organization_no)) {
    for (let at = 0; at < ofOne.length; at += BATCH_MONTHS) {
      progress(`mending ${list.list}, ${mended} of ${drifts.length}`);
      const batch = ofOne.slice(at, at + BATCH_MONTHS);
      await transaction(pool, (tx) => recount(tx, list, organizationNo, batch));
      mended += batch.length;
    }
  }
}

/** Counts the named months again, parts and all, while no writer of this organization can. */
async function recount(tx: Tx, { list }: List, organizationNo: number | null, drifts: readonly Drift[]): Promise<void> {
  await tx.query('select from organizations where no = $1 for no key update', [organizationNo]);
  const months = [drifts.map((drift) => drift.scope_no), drifts.map((drift) => drift.month)];
  const wrong = `(select distinct * from unnest($1::int[], $2::timestamptz[]) as t (scope_no, month)) as wrong`;

  await tx.query(
    `insert into catalog_month_counters (list, scope_no, month, n)
     select '${list}', scope_no, month, count_catalog_items('${list}', scope_no, month, 0, next_utc_month(month), 0)
     from ${wrong}
     on conflict (list, scope_no, month) do update set n = excluded.n`,
    months,
  );
  // A month's first part begins with the month. One that is empty is in nobody's way, and operators delete no parts.
  await tx.query(
    `insert into catalog_buckets (list, scope_no, starts_at, starts_no, n)
     select '${list}', scope_no, month, 0, 0
     from ${wrong} join catalog_month_counters m using (scope_no, month)
     where m.list = '${list}' and (m.n > 2000 or exists (
       select from catalog_buckets p where p.list = '${list}' and p.scope_no = m.scope_no
         and p.starts_at >= month and p.starts_at < next_utc_month(month)
     ))
     on conflict do nothing`,
    months,
  );
  await tx.query(
    `update catalog_buckets p
     set n = count_catalog_items('${list}', p.scope_no, p.starts_at, p.starts_no, own.ends_at, own.ends_no)
     from (
       select scope_no, starts_at, starts_no,
              lead(starts_at, 1, next_utc_month(month)) over in_order as ends_at,
              lead(starts_no, 1, 0) over in_order as ends_no
       from ${wrong} join catalog_buckets c using (scope_no)
       where c.list = '${list}' and starts_at >= month and starts_at < next_utc_month(month)
       window in_order as (partition by scope_no, month order by starts_at, starts_no)
     ) as own
     where p.list = '${list}' and p.scope_no = own.scope_no
       and p.starts_at = own.starts_at and p.starts_no = own.starts_no`,
    months,
  );
  await tx.query(
    `select split_catalog_bucket('${list}', scope_no, starts_at, starts_no)
     from ${wrong} join catalog_buckets p using (scope_no)
     where p.list = '${list}' and p.n > 2000 and starts_at >= month and starts_at < next_utc_month(month)`,
    months,
  );
}

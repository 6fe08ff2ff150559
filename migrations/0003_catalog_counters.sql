-- Exact counters of counted lists, so that the total and any page of a list cost the same at any depth.
--
-- A list is ordered by (created_at, no). Its items are counted per UTC month. A month with more than max_bucket_items()
-- is split into buckets of neighbouring items: a bucket begins at (starts_at, starts_no) and ends where the next begins,
-- and the first bucket of a month begins with the month. Adding up the months from the newest on, and then the buckets
-- of one month, finds any offset; only inside one bucket are items skipped one by one. Buckets follow the items and not
-- the clock, because an import may put a million tanks into one hour, or into one timestamp.

-- The size of a bucket. A larger one is split.
create function max_bucket_items() returns int immutable parallel safe language sql as $$ select 2000 $$;

-- The size of the new buckets after a split. It is smaller, so that a bucket can grow before it is split again.
create function split_bucket_items() returns int immutable parallel safe language sql as $$ select 1500 $$;

create type catalog_list as enum ('organization_customers', 'organization_tanks', 'owner_tanks');

create table catalog_month_counters (
  list     catalog_list not null,
  scope_no int not null,  -- the no of the organization or of the owner
  month    timestamptz(3) not null,
  n        int not null check (n >= 0),
  primary key (list, scope_no, month)
) with (fillfactor = 70);  -- leaves room on each page for HOT updates

create table catalog_buckets (
  list      catalog_list not null,
  scope_no  int not null,
  starts_at timestamptz(3) not null,
  starts_no int not null,
  n         int not null check (n >= 0),
  primary key (list, scope_no, starts_at, starts_no)
) with (fillfactor = 70);

create function utc_month(at timestamptz) returns timestamptz immutable language sql as $$
  select date_trunc('month', at at time zone 'UTC') at time zone 'UTC'
$$;
create function next_utc_month(at timestamptz) returns timestamptz immutable language sql as $$
  select (date_trunc('month', at at time zone 'UTC') + interval '1 month') at time zone 'UTC'
$$;

-- The table of a list and its scope column, for the dynamic statements below.
create function catalog_table(list catalog_list) returns text immutable language sql as $$
  select case list when 'organization_customers' then 'customers' else 'tanks' end
$$;
create function catalog_scope_column(list catalog_list) returns text immutable language sql as $$
  select case list when 'owner_tanks' then 'owner_no' else 'organization_no' end
$$;

----------------------------------------------------------------------------------------------------- reading

-- Counts the items from one key (inclusive) to another (exclusive) one by one.
create function count_catalog_items(
  list catalog_list, scope_no int, from_at timestamptz, from_no int, to_at timestamptz, to_no int
) returns int stable language plpgsql as $$
declare
  n int;
begin
  execute format('select count(*) from %I where %I = $1 and deleted_at is null
                  and (created_at, no) >= ($2, $3) and (created_at, no) < ($4, $5)',
                 catalog_table(list), catalog_scope_column(list))
  into n using scope_no, from_at, from_no, to_at, to_no;
  return n;
end
$$;

-- The buckets of one month that overlap a time range within that month, each limited to the range. A bucket inside the
-- range keeps its counter; the items of the at most two buckets at its ends are counted. No rows if the month has no
-- buckets.
create function catalog_buckets_in_range(in_list catalog_list, in_scope_no int, range_from timestamptz, range_to timestamptz)
returns table (from_at timestamptz, from_no int, to_at timestamptz, to_no int, n int) stable language sql as $$
  select clipped.from_at, clipped.from_no, clipped.to_at, clipped.to_no,
         case when is_whole then clipped.n
              else count_catalog_items(in_list, in_scope_no, clipped.from_at, clipped.from_no, clipped.to_at, clipped.to_no) end
  from (
    select case when starts_in then starts_at else range_from end as from_at,
           case when starts_in then starts_no else 0 end as from_no,
           case when ends_in then ends_at else range_to end as to_at,
           case when ends_in then ends_no else 0 end as to_no,
           starts_in and ends_in as is_whole, bucket.n
    from (
      select starts_at, starts_no, ends_at, ends_no, b.n,
             (starts_at, starts_no) >= (range_from, 0) as starts_in, (ends_at, ends_no) <= (range_to, 0) as ends_in
      from (
        select starts_at, starts_no, c.n,
               lead(starts_at, 1, next_utc_month(range_from)) over in_order as ends_at,
               lead(starts_no, 1, 0) over in_order as ends_no
        from catalog_buckets c
        where list = in_list and scope_no = in_scope_no
          and starts_at >= utc_month(range_from) and starts_at < next_utc_month(range_from)
        window in_order as (order by starts_at, starts_no)
      ) as b
    ) as bucket
    where (ends_at, ends_no) > (range_from, 0) and starts_at < range_to
  ) as clipped
$$;

-- The number of items of a list in a time range within one month.
create function count_catalog_range(list catalog_list, scope_no int, from_at timestamptz, to_at timestamptz) returns int
stable language plpgsql as $$
begin
  return coalesce(
    (select sum(n) from catalog_buckets_in_range(list, scope_no, from_at, to_at)),
    count_catalog_items(list, scope_no, from_at, 0, to_at, 0)
  );
end
$$;

-- The key below which a page begins that skips the newest `skip` items of a time range within one month.
create function catalog_page_start(
  list catalog_list, scope_no int, from_at timestamptz, to_at timestamptz, skip bigint,
  out before_at timestamptz, out before_no int
) stable language plpgsql as $$
declare
  bucket record;
  direction text := 'desc';
begin
  if skip = 0 then
    before_at := to_at;
    before_no := 0;
    return;
  end if;
  select b.from_at, b.from_no, b.to_at, b.to_no, b.n, skip - b.newer as skip into bucket
  from (
    select c.*, sum(c.n) over (order by c.from_at desc, c.from_no desc) - c.n as newer
    from catalog_buckets_in_range(list, scope_no, catalog_page_start.from_at, catalog_page_start.to_at) c
  ) as b
  where b.newer + b.n > skip
  order by b.newer limit 1;
  if not found then
    -- The number of items is not known if a filter cuts the month.
    select from_at, 0 as from_no, to_at, 0 as to_no, skip, (
      select c.n from catalog_month_counters c
      where c.list = catalog_page_start.list and c.scope_no = catalog_page_start.scope_no and c.month = from_at
        and to_at >= next_utc_month(from_at)
    ) as n into bucket;
  end if;

  -- From the nearer end: the items on the way are up to eight pages of the index.
  if bucket.skip > bucket.n / 2 then
    direction := 'asc';
    bucket.skip := bucket.n - bucket.skip - 1;
  end if;
  execute format('select created_at, no + 1 from %I where %I = $1 and deleted_at is null
                  and (created_at, no) >= ($2, $3) and (created_at, no) < ($4, $5)
                  order by created_at %s, no %3$s offset $6 limit 1',
                 catalog_table(list), catalog_scope_column(list), direction)
  into before_at, before_no using scope_no, bucket.from_at, bucket.from_no, bucket.to_at, bucket.to_no, bucket.skip;
end
$$;

----------------------------------------------------------------------------------------------------- counting

-- Splits one bucket, or a month that has no buckets yet. It fills buckets from the oldest item on, so that the newest
-- one, which receives most new items, has the most room. It counts the items, so it also corrects a wrong counter.
create function split_catalog_bucket(in_list catalog_list, in_scope_no int, at timestamptz, at_no int) returns void
language plpgsql as $$
declare
  next_at timestamptz;
  next_no int;
begin
  select starts_at, starts_no into next_at, next_no from catalog_buckets
  where list = in_list and scope_no = in_scope_no
    and (starts_at, starts_no) > (at, at_no) and starts_at < next_utc_month(at)
  order by starts_at, starts_no limit 1;

  execute format($sql$
    insert into catalog_buckets (list, scope_no, starts_at, starts_no, n)
    select $1, $2,
           case bucket when 0 then $3 else (array_agg(created_at order by rank))[1] end,
           case bucket when 0 then $4 else (array_agg(no order by rank))[1] end,
           count(*)
    from (
      select created_at, no, rank, rank / split_bucket_items() as bucket
      from (
        select created_at, no, row_number() over (order by created_at, no) - 1 as rank
        from %I
        where %I = $2 and deleted_at is null
          and (created_at, no) >= ($3, $4) and (created_at, no) < ($5, $6)
      ) as ranked
    ) as split
    group by bucket
    on conflict (list, scope_no, starts_at, starts_no) do update set n = excluded.n
  $sql$, catalog_table(in_list), catalog_scope_column(in_list))
  using in_list, in_scope_no, at, at_no, coalesce(next_at, next_utc_month(at)), coalesce(next_no, 0);
end
$$;

-- Adds items to (delta 1) or removes them from (-1) the counters of their buckets and months. The arrays are parallel,
-- one element an item.
create function add_to_catalog_counters(
  in_list catalog_list, scope_nos int[], created_ats timestamptz[], nos int[], deltas int[]
) returns void language plpgsql
-- A session keeps its plans. It may begin with empty counters and import a million tanks, and a plan for an empty table
-- would read the whole table for each row of a batch (measured: 3 ms a row). So sequential scans are off and no join
-- order is left to the planner: increases are upserted, and decreases, which are rare, are updated one by one.
set enable_seqscan = off
as $$
declare
  change record;
begin
  -- Buckets first: a month without buckets has none to change and is counted when it is split below. Most owners have a
  -- few tanks, so usually there is no bucket at all.
  for change in
    select i.scope_no, own.starts_at, own.starts_no, sum(i.delta) as n
    from unnest(scope_nos, created_ats, nos, deltas) as i (scope_no, created_at, no, delta)
    cross join lateral (
      select starts_at, starts_no from catalog_buckets
      where list = in_list and scope_no = i.scope_no
        and (starts_at, starts_no) <= (i.created_at, i.no) and starts_at >= utc_month(i.created_at)
      order by starts_at desc, starts_no desc limit 1
    ) as own
    where exists (select from catalog_buckets where list = in_list)
    group by i.scope_no, own.starts_at, own.starts_no
  loop
    update catalog_buckets b set n = b.n + change.n
    where list = in_list and scope_no = change.scope_no
      and starts_at = change.starts_at and starts_no = change.starts_no
    returning b.n into change.n;
    if change.n > max_bucket_items() then
      perform split_catalog_bucket(in_list, change.scope_no, change.starts_at, change.starts_no);
    end if;
  end loop;

  -- For the speed of imports, rows are in index order and only months that may need a split are returned.
  for change in
    with counted as (
      insert into catalog_month_counters as m (list, scope_no, month, n)
      select in_list, i.scope_no, utc_month(i.created_at), sum(i.delta)
      from unnest(scope_nos, created_ats, deltas) as i (scope_no, created_at, delta)
      group by 2, 3
      having sum(i.delta) > 0
      order by 2, 3
      on conflict (list, scope_no, month) do update set n = m.n + excluded.n
      returning m.scope_no, m.month, m.n
    )
    select scope_no, month from counted where n > max_bucket_items() and not exists (
      select from catalog_buckets b where b.list = in_list and b.scope_no = counted.scope_no and b.starts_at = counted.month
    )
  loop
    perform split_catalog_bucket(in_list, change.scope_no, change.month, 0);
  end loop;

  for change in
    select i.scope_no, utc_month(i.created_at) as month, sum(i.delta) as n
    from unnest(scope_nos, created_ats, deltas) as i (scope_no, created_at, delta)
    group by 1, 2
    having sum(i.delta) < 0
  loop
    update catalog_month_counters m set n = m.n + change.n
    where list = in_list and scope_no = change.scope_no and month = change.month;
  end loop;
end
$$;

-- A statement-level trigger, so that counters stay exact for every writer, including a person at psql. Its arguments are
-- the lists to count. An update removes its old rows and adds its new ones; rows that did not move cancel out.
create function count_catalog_change() returns trigger language plpgsql as $$
declare
  counted_list catalog_list;
  live_rows text := case tg_op
    when 'INSERT' then 'select 1 as delta, * from new_rows'
    when 'DELETE' then 'select -1 as delta, * from old_rows'
    else 'select 1 as delta, * from new_rows union all select -1, * from old_rows'
  end;
  organization_nos int[]; scope_nos int[]; created_ats timestamptz[]; nos int[]; deltas int[];
begin
  foreach counted_list in array tg_argv loop
    execute format($sql$
      select array_agg(organization_no), array_agg(scope_no), array_agg(created_at), array_agg(no), array_agg(delta)
      from (
        select organization_no, %I as scope_no, created_at, no, sum(delta)::int as delta
        from (%s) as live_rows
        where deleted_at is null
        group by 1, 2, 3, 4
        having sum(delta) <> 0
      ) as moved
    $sql$, catalog_scope_column(counted_list), live_rows)
    into organization_nos, scope_nos, created_ats, nos, deltas;

    if nos is not null then
      -- One writer per organization from here to its commit. Otherwise an item could be counted in a bucket that another
      -- transaction is splitting. Imports commit every few thousand rows, so the wait is short.
      perform from organizations where no = any (organization_nos) order by no for no key update;
      perform add_to_catalog_counters(counted_list, scope_nos, created_ats, nos, deltas);
    end if;
  end loop;
  return null;
end
$$;

create trigger count_new_customers after insert on customers referencing new table as new_rows
for each statement execute function count_catalog_change('organization_customers');
create trigger count_changed_customers after update on customers referencing old table as old_rows new table as new_rows
for each statement execute function count_catalog_change('organization_customers');
create trigger count_deleted_customers after delete on customers referencing old table as old_rows
for each statement execute function count_catalog_change('organization_customers');

create trigger count_new_tanks after insert on tanks referencing new table as new_rows
for each statement execute function count_catalog_change('organization_tanks', 'owner_tanks');
create trigger count_changed_tanks after update on tanks referencing old table as old_rows new table as new_rows
for each statement execute function count_catalog_change('organization_tanks', 'owner_tanks');
create trigger count_deleted_tanks after delete on tanks referencing old table as old_rows
for each statement execute function count_catalog_change('organization_tanks', 'owner_tanks');

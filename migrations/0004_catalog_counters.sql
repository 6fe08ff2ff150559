-- Exact counters, so that a list's total and any page of it cost the same at any depth.
--
-- A list is ordered by (created_at, no). Its items are counted per UTC month. A month of more than 2,000 is cut into
-- parts of neighbours, each of at most 2,000: a part begins at (starts_at, starts_no) and ends where the next begins,
-- and a month's first part begins with the month. Summing months newest first, then the parts of one month, finds any
-- offset; only inside one part are items skipped one by one. Parts are cut where they grow and not by the clock: an
-- import may put a million tanks into one hour, or into one timestamp.
create type catalog_list as enum ('organization_customers', 'organization_tanks', 'owner_tanks');

create table catalog_month_counters (
  list     catalog_list not null,
  scope_no int not null,  -- the organization's or the owner's no
  month    timestamptz(3) not null,
  n        int not null check (n >= 0),
  primary key (list, scope_no, month)
) with (fillfactor = 70);  -- room on the page for HOT updates

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

-- The live items of a list, for the dynamic statements below: a table and the column that holds the scope.
create function catalog_items(list catalog_list) returns text immutable language sql as $$
  select case list when 'organization_customers' then 'customers' else 'tanks' end
$$;
create function catalog_scope(list catalog_list) returns text immutable language sql as $$
  select case list when 'owner_tanks' then 'owner_no' else 'organization_no' end
$$;

----------------------------------------------------------------------------------------------------- reading

-- Items from one key up to but without another, counted one by one.
create function count_catalog_items(
  list catalog_list, scope_no int, from_at timestamptz, from_no int, to_at timestamptz, to_no int
) returns int stable language plpgsql as $$
declare
  n int;
begin
  execute format('select count(*) from %I where %I = $1 and deleted_at is null
                  and (created_at, no) >= ($2, $3) and (created_at, no) < ($4, $5)',
                 catalog_items(list), catalog_scope(list))
  into n using scope_no, from_at, from_no, to_at, to_no;
  return n;
end
$$;

-- The parts of one month, cut to a range of time within it. Whole parts have their counter, the at most two that the
-- range cuts are counted. No rows where the month has no parts.
create function catalog_buckets_in_range(the_list catalog_list, the_scope_no int, range_from timestamptz, range_to timestamptz)
returns table (from_at timestamptz, from_no int, to_at timestamptz, to_no int, n int) stable language sql as $$
  select cut.from_at, cut.from_no, cut.to_at, cut.to_no,
         case when is_whole then cut.n
              else count_catalog_items(the_list, the_scope_no, cut.from_at, cut.from_no, cut.to_at, cut.to_no) end
  from (
    select case when starts_in then starts_at else range_from end as from_at,
           case when starts_in then starts_no else 0 end as from_no,
           case when ends_in then ends_at else range_to end as to_at,
           case when ends_in then ends_no else 0 end as to_no,
           starts_in and ends_in as is_whole, part.n
    from (
      select starts_at, starts_no, ends_at, ends_no, p.n,
             (starts_at, starts_no) >= (range_from, 0) as starts_in, (ends_at, ends_no) <= (range_to, 0) as ends_in
      from (
        select starts_at, starts_no, c.n,
               lead(starts_at, 1, next_utc_month(range_from)) over in_order as ends_at,
               lead(starts_no, 1, 0) over in_order as ends_no
        from catalog_buckets c
        where list = the_list and scope_no = the_scope_no
          and starts_at >= utc_month(range_from) and starts_at < next_utc_month(range_from)
        window in_order as (order by starts_at, starts_no)
      ) as p
    ) as part
    where (ends_at, ends_no) > (range_from, 0) and starts_at < range_to
  ) as cut
$$;

-- How many items of a list lie in a range of time within one month.
create function count_catalog_range(list catalog_list, scope_no int, from_at timestamptz, to_at timestamptz) returns int
stable language plpgsql as $$
begin
  return coalesce(
    (select sum(n) from catalog_buckets_in_range(list, scope_no, from_at, to_at)),
    count_catalog_items(list, scope_no, from_at, 0, to_at, 0)
  );
end
$$;

-- The key below which a page begins that skips so many of the newest items in a range of time within one month.
create function catalog_page_start(
  list catalog_list, scope_no int, from_at timestamptz, to_at timestamptz, skip bigint,
  out before_at timestamptz, out before_no int
) stable language plpgsql as $$
declare
  part record;
begin
  if skip = 0 then
    before_at := to_at;
    before_no := 0;
    return;
  end if;
  select p.from_at, p.from_no, p.to_at, p.to_no, skip - p.newer as skip into part
  from (
    select c.*, sum(c.n) over (order by c.from_at desc, c.from_no desc) - c.n as newer
    from catalog_buckets_in_range(list, scope_no, catalog_page_start.from_at, catalog_page_start.to_at) c
  ) as p
  where p.newer + p.n > skip
  order by p.newer limit 1;
  if not found then
    select from_at, 0 as from_no, to_at, 0 as to_no, skip into part;
  end if;

  execute format('select created_at, no + 1 from %I where %I = $1 and deleted_at is null
                  and (created_at, no) >= ($2, $3) and (created_at, no) < ($4, $5)
                  order by created_at desc, no desc offset $6 limit 1',
                 catalog_items(list), catalog_scope(list))
  into before_at, before_no using scope_no, part.from_at, part.from_no, part.to_at, part.to_no, part.skip;
end
$$;

----------------------------------------------------------------------------------------------------- counting

-- Cuts a month that has no parts yet, or one part, into pieces of 1,500, oldest first: the newest piece, where most
-- items arrive, has room for more. It counts the items themselves, so it also mends a part that is wrong.
create function split_catalog_bucket(the_list catalog_list, the_scope_no int, at timestamptz, at_no int) returns void
language plpgsql as $$
declare
  next_at timestamptz;
  next_no int;
begin
  select starts_at, starts_no into next_at, next_no from catalog_buckets
  where list = the_list and scope_no = the_scope_no
    and (starts_at, starts_no) > (at, at_no) and starts_at < next_utc_month(at)
  order by starts_at, starts_no limit 1;

  execute format($sql$
    insert into catalog_buckets (list, scope_no, starts_at, starts_no, n)
    select $1, $2,
           case piece when 0 then $3 else (array_agg(created_at order by rank))[1] end,
           case piece when 0 then $4 else (array_agg(no order by rank))[1] end,
           count(*)
    from (
      select created_at, no, rank, rank / 1500 as piece
      from (
        select created_at, no, row_number() over (order by created_at, no) - 1 as rank
        from %I
        where %I = $2 and deleted_at is null
          and (created_at, no) >= ($3, $4) and (created_at, no) < ($5, $6)
      ) as ranked
    ) as cut
    group by piece
    on conflict (list, scope_no, starts_at, starts_no) do update set n = excluded.n
  $sql$, catalog_items(the_list), catalog_scope(the_list))
  using the_list, the_scope_no, at, at_no, coalesce(next_at, next_utc_month(at)), coalesce(next_no, 0);
end
$$;

-- Adds items to the parts and months they lie in (delta 1), or takes them out (-1). Parallel arrays, an element each.
create function count_catalog_delta(
  the_list catalog_list, scope_nos int[], created_ats timestamptz[], nos int[], deltas int[]
) returns void language plpgsql
-- Plans are kept for a session that may begin with empty counters and import a million tanks. Planned for an empty
-- table, each row of a batch would read all of it (measured: 3 ms a row). So: indexes always, and no joins to reorder;
-- what grows is upserted, what shrinks, being rare, is updated one by one.
set enable_seqscan = off
as $$
declare
  change record;
begin
  -- Parts first: a month without parts has none to change, and is counted afresh where it is cut below. Most owners
  -- have a handful of tanks, so there is mostly no part at all to look for.
  for change in
    select i.scope_no, own.starts_at, own.starts_no, sum(i.delta) as n
    from unnest(scope_nos, created_ats, nos, deltas) as i (scope_no, created_at, no, delta)
    cross join lateral (
      select starts_at, starts_no from catalog_buckets
      where list = the_list and scope_no = i.scope_no
        and (starts_at, starts_no) <= (i.created_at, i.no) and starts_at >= utc_month(i.created_at)
      order by starts_at desc, starts_no desc limit 1
    ) as own
    where exists (select from catalog_buckets where list = the_list)
    group by i.scope_no, own.starts_at, own.starts_no
  loop
    update catalog_buckets p set n = p.n + change.n
    where list = the_list and scope_no = change.scope_no
      and starts_at = change.starts_at and starts_no = change.starts_no
    returning p.n into change.n;
    if change.n > 2000 then
      perform split_catalog_bucket(the_list, change.scope_no, change.starts_at, change.starts_no);
    end if;
  end loop;

  -- In the order of the index, and only those that may have to be cut come back: both for the speed of imports.
  for change in
    with counted as (
      insert into catalog_month_counters as m (list, scope_no, month, n)
      select the_list, i.scope_no, utc_month(i.created_at), sum(i.delta)
      from unnest(scope_nos, created_ats, deltas) as i (scope_no, created_at, delta)
      group by 2, 3
      having sum(i.delta) > 0
      order by 2, 3
      on conflict (list, scope_no, month) do update set n = m.n + excluded.n
      returning m.scope_no, m.month, m.n
    )
    select scope_no, month from counted where n > 2000 and not exists (
      select from catalog_buckets p where p.list = the_list and p.scope_no = counted.scope_no and p.starts_at = counted.month
    )
  loop
    perform split_catalog_bucket(the_list, change.scope_no, change.month, 0);
  end loop;

  for change in
    select i.scope_no, utc_month(i.created_at) as month, sum(i.delta) as n
    from unnest(scope_nos, created_ats, deltas) as i (scope_no, created_at, delta)
    group by 1, 2
    having sum(i.delta) < 0
  loop
    update catalog_month_counters m set n = m.n + change.n
    where list = the_list and scope_no = change.scope_no and month = change.month;
  end loop;
end
$$;

-- Statement-level, so that every writer is exact, a person at psql included. Its arguments are the lists to keep.
-- An update takes its old rows out and puts its new ones in; what did not move cancels out.
create function count_catalog_change() returns trigger language plpgsql as $$
declare
  the_list catalog_list;
  live_rows text := case tg_op
    when 'INSERT' then 'select 1 as delta, * from new_rows'
    when 'DELETE' then 'select -1 as delta, * from old_rows'
    else 'select 1 as delta, * from new_rows union all select -1, * from old_rows'
  end;
  organization_nos int[]; scope_nos int[]; created_ats timestamptz[]; nos int[]; deltas int[];
begin
  foreach the_list in array tg_argv loop
    execute format($sql$
      select array_agg(organization_no), array_agg(scope_no), array_agg(created_at), array_agg(no), array_agg(delta)
      from (
        select organization_no, %I as scope_no, created_at, no, sum(delta)::int as delta
        from (%s) as live_rows
        where deleted_at is null
        group by 1, 2, 3, 4
        having sum(delta) <> 0
      ) as moved
    $sql$, catalog_scope(the_list), live_rows)
    into organization_nos, scope_nos, created_ats, nos, deltas;

    if nos is not null then
      -- One writer per organization from here to its commit: otherwise an item could be counted in a part that
      -- another transaction is splitting. Imports commit every few thousand rows, so nobody waits long.
      perform from organizations where no = any (organization_nos) order by no for no key update;
      perform count_catalog_delta(the_list, scope_nos, created_ats, nos, deltas);
    end if;
  end loop;
  return null;
end
$$;

create trigger count_new_customers after insert on customers referencing new table as new_rows
for each statement execute function count_catalog_change('organization_customers');
create trigger count_changed_customers after update on customers referencing old table as old_rows new table as new_rows
for each statement execute function count_catalog_change('organization_customers');
create trigger count_gone_customers after delete on customers referencing old table as old_rows
for each statement execute function count_catalog_change('organization_customers');

create trigger count_new_tanks after insert on tanks referencing new table as new_rows
for each statement execute function count_catalog_change('organization_tanks', 'owner_tanks');
create trigger count_changed_tanks after update on tanks referencing old table as old_rows new table as new_rows
for each statement execute function count_catalog_change('organization_tanks', 'owner_tanks');
create trigger count_gone_tanks after delete on tanks referencing old table as old_rows
for each statement execute function count_catalog_change('organization_tanks', 'owner_tanks');

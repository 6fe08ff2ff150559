-- Exact counters, so that a list's total and any page of it cost the same at any depth.
--
-- A list is ordered by (created_at, no). Its items are cut into buckets of neighbours, each of at most 4,000. A bucket
-- begins at (starts_at, starts_no) and ends where the next one begins; the first of a list begins at -infinity.
-- Summing `n` newest first finds the bucket that holds any offset, and only inside it are items skipped one by one.
--
-- Buckets are split where they grow and not by the calendar: an import may put a million tanks into one hour, or
-- into one timestamp.
create type catalog_list as enum ('organization_customers', 'organization_tanks', 'owner_tanks');

create table catalog_buckets (
  list      catalog_list not null,
  scope_no  int not null,  -- the organization's or the owner's no
  starts_at timestamptz(3) not null,
  starts_no int not null,
  n         int not null check (n >= 0),
  primary key (list, scope_no, starts_at, starts_no)
) with (fillfactor = 70);  -- room on the page for HOT updates

-- The table a list reads its items from, and the column that holds its scope.
create function catalog_items(list catalog_list) returns text immutable language sql as $$
  select case list when 'organization_customers' then 'customers' else 'tanks' end
$$;
create function catalog_scope(list catalog_list) returns text immutable language sql as $$
  select case list when 'owner_tanks' then 'owner_no' else 'organization_no' end
$$;

-- Cuts one bucket into pieces of 3,000, oldest first: the newest piece, where most items arrive, has room for more.
-- It counts the items themselves, so it also mends a bucket that is wrong.
create function split_catalog_bucket(the_list catalog_list, the_scope_no int, at timestamptz, at_no int) returns void
language plpgsql as $$
declare
  next_at timestamptz;
  next_no int;
begin
  select starts_at, starts_no into next_at, next_no from catalog_buckets
  where list = the_list and scope_no = the_scope_no and (starts_at, starts_no) > (at, at_no)
  order by starts_at, starts_no limit 1;

  execute format($sql$
    insert into catalog_buckets (list, scope_no, starts_at, starts_no, n)
    select $1, $2,
           case piece when 0 then $3 else (array_agg(created_at order by rank))[1] end,
           case piece when 0 then $4 else (array_agg(no order by rank))[1] end,
           count(*)
    from (
      select created_at, no, rank, rank / 3000 as piece
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
  using the_list, the_scope_no, at, at_no, coalesce(next_at, 'infinity'), coalesce(next_no, 0);
end
$$;

-- Adds items to the buckets they lie in (delta 1), or takes them out (-1). Parallel arrays, one element per item.
create function count_catalog_items(
  the_list catalog_list, scope_nos int[], created_ats timestamptz[], nos int[], deltas int[]
) returns void language plpgsql as $$
declare
  grown record;
begin
  insert into catalog_buckets (list, scope_no, starts_at, starts_no, n)
  select distinct the_list, scope_no, '-infinity'::timestamptz, 0, 0 from unnest(scope_nos) as s (scope_no)
  on conflict do nothing;

  for grown in
    update catalog_buckets b set n = b.n + change.n
    from (
      select i.scope_no, own.starts_at, own.starts_no, sum(i.delta) as n
      from unnest(scope_nos, created_ats, nos, deltas) as i (scope_no, created_at, no, delta)
      cross join lateral (
        select starts_at, starts_no from catalog_buckets
        where list = the_list and scope_no = i.scope_no and (starts_at, starts_no) <= (i.created_at, i.no)
        order by starts_at desc, starts_no desc limit 1
      ) as own
      group by i.scope_no, own.starts_at, own.starts_no
    ) as change
    where b.list = the_list and b.scope_no = change.scope_no
      and b.starts_at = change.starts_at and b.starts_no = change.starts_no
    returning b.scope_no, b.starts_at, b.starts_no, b.n
  loop
    if grown.n > 4000 then
      perform split_catalog_bucket(the_list, grown.scope_no, grown.starts_at, grown.starts_no);
    end if;
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
      -- One writer per organization from here to its commit: otherwise an item could be counted in a bucket that
      -- another transaction is splitting. Imports commit every few thousand rows, so nobody waits long.
      perform from organizations where no = any (organization_nos) order by no for no key update;
      perform count_catalog_items(the_list, scope_nos, created_ats, nos, deltas);
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

-- Counts `added` more of `what`. Returns null if the organization may have them, otherwise its quota; the caller then
-- rolls back. Customers and tanks are counted by their triggers already, so this compares the sum of up to some hundred
-- counters; `added` are those that no trigger has counted, because a dry run has rolled them back.
create or replace function exceeded_quota(in_organization_no int, in_what text, in_added bigint, in_default bigint)
returns double precision
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  used bigint;
  quota bigint;
begin
  select coalesce(case in_what when 'customers' then max_customers when 'tanks' then max_tanks
                               when 'rounds' then max_rounds_per_day when 'delivery_notes' then max_notes_per_day end, in_default)
  into quota from organizations where no = in_organization_no;
  if in_what in ('customers', 'tanks') then
    select sum(n) + in_added into used from catalog_month_counters
    where list = ('organization_' || in_what)::catalog_list and scope_no = in_organization_no;
  else
    insert into daily_uses as u (organization_no, what, n) values (in_organization_no, in_what, in_added)
    on conflict (organization_no, day, what) do update set n = u.n + excluded.n
    returning n into used;
  end if;
  return case when used > quota then quota end;
end
$$;

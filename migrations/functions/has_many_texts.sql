-- True if the organization has more than a third of all texts. It is in plpgsql, which keeps its plan; PostgreSQL 15
-- plans a function in SQL at each call.
create or replace function has_many_texts(in_list text, in_organization_no int) returns boolean stable language plpgsql as $$
begin
  return coalesce(sum(n), 0) * 3 > (
    select reltuples from pg_class
    where oid = case in_list when 'tanks' then 'tank_texts'::regclass else 'customer_texts'::regclass end
  )
  from catalog_month_counters where list = ('organization_' || in_list)::catalog_list and scope_no = in_organization_no;
end
$$;

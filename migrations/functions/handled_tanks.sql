-- The tanks of an organization with a handled condition. A device that somebody has taken on does not count.
create or replace function handled_tanks(in_organization_no int) returns table (tank_no int, bits int)
stable rows 100 language plpgsql as $$
#variable_conflict use_column
begin
  return query select h.tank_no, bit_or(condition_bit(h.condition)) from handled_conditions h
    where h.organization_no = in_organization_no and h.condition <> 'device' group by h.tank_no;
end
$$;

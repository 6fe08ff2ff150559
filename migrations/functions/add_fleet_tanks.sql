-- Adds the rows of the fleet, the search texts and the words of new tanks.
create or replace function add_fleet_tanks() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into fleet_tanks (tank_no, organization_no, owner_no, city, use_case)
  select no, organization_no, owner_no, coalesce(city, ''), coalesce(use_case, '')
  from new_rows where deleted_at is null order by no;
  insert into fleet_levels (tank_no, organization_no)
  select no, organization_no from new_rows where deleted_at is null order by no;
  perform write_tank_texts(array(select no from new_rows where deleted_at is null));
  perform count_search_words(array_agg(organization_no), array_agg(words_of_tank(t)), array_agg(1))
  from new_rows t where deleted_at is null;
  return null;
end
$$;

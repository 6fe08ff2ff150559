-- Keeps the rows of the fleet, the search texts and the words equal to the changed tanks.
create or replace function follow_changed_tanks() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  changed int[] := array(
    select n.no from old_rows o join new_rows n using (no)
    where (o.owner_no, o.city, o.use_case, o.deleted_at) is distinct from (n.owner_no, n.city, n.use_case, n.deleted_at)
  );
  reworded int[] := array(
    select n.no from old_rows o join new_rows n using (no)
    where (o.owner_no, o.name, o.custom_id, o.assigned_device_id, o.street, o.street_number, o.district, o.city, o.postal_code,
           o.deleted_at)
      is distinct from
          (n.owner_no, n.name, n.custom_id, n.assigned_device_id, n.street, n.street_number, n.district, n.city, n.postal_code,
           n.deleted_at)
  );
begin
  if cardinality(changed) > 0 then
    -- Writers lock these rows in the order of tank_no too, so that they cannot deadlock.
    perform from fleet_levels l join new_rows n on n.no = l.tank_no
    where l.tank_no = any (changed) and n.deleted_at is not null order by l.tank_no for update of l;
    delete from fleet_levels l using new_rows n
    where l.tank_no = n.no and n.no = any (changed) and n.deleted_at is not null;
    perform from fleet_tanks where tank_no = any (changed) order by tank_no for update;
    delete from fleet_tanks f using new_rows n
    where f.tank_no = n.no and n.no = any (changed) and n.deleted_at is not null;
    update fleet_tanks f set owner_no = n.owner_no, city = coalesce(n.city, ''), use_case = coalesce(n.use_case, '')
    from new_rows n where f.tank_no = n.no and n.no = any (changed) and n.deleted_at is null;
  end if;
  if cardinality(reworded) > 0 then
    perform write_tank_texts(reworded);
    perform count_search_words(array_agg(organization_no), array_agg(words), array_agg(delta))
    from (
      select organization_no, words_of_tank(o) as words, -1 as delta from old_rows o where no = any (reworded) and deleted_at is null
      union all
      select organization_no, words_of_tank(n), 1 from new_rows n where no = any (reworded) and deleted_at is null
    ) as changed_words;
  end if;
  return null;
end
$$;

-- Keeps the search texts and the words equal to new and changed customers, and the texts of their tanks.
create or replace function write_texts_of_customers() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  reworded int[];
begin
  if tg_op = 'INSERT' then
    perform write_customer_texts(array(select no from new_rows));
    perform count_search_words(array_agg(organization_no), array_agg(name), array_agg(1)) from new_rows where deleted_at is null;
    return null;
  end if;
  reworded := array(
    select n.no from old_rows o join new_rows n using (no)
    where (o.name, o.email, o.phone, o.other_phones, o.external_key, o.deleted_at)
      is distinct from (n.name, n.email, n.phone, n.other_phones, n.external_key, n.deleted_at)
  );
  if cardinality(reworded) > 0 then
    perform write_customer_texts(reworded);
    perform write_tank_texts(array(select no from tanks where owner_no = any (reworded) and deleted_at is null));
    perform count_search_words(array_agg(organization_no), array_agg(name), array_agg(delta))
    from (
      select organization_no, name, -1 as delta from old_rows where no = any (reworded) and deleted_at is null
      union all
      select organization_no, name, 1 from new_rows where no = any (reworded) and deleted_at is null
    ) as changed_words;
  end if;
  return null;
end
$$;

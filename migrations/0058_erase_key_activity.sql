-- The addresses from which a key was used are erased with the key of a deleted organization, and with the customer to whom the key
-- was narrowed. It only adds: 0.2.0 works with it. The lock of api_keys lasts for milliseconds.
create function erase_key_activity() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from key_activity where key_no = old.no;
  return null;
end
$$;

create trigger erase_activity_of_deleted_key after delete on api_keys for each row execute function erase_key_activity();
-- erase_customer gives the keys of the customer this name.
create trigger erase_activity_of_customer after update of name on api_keys for each row
when (new.name = 'deleted customer' and old.name is distinct from new.name) execute function erase_key_activity();

-- The organization's own number of a tank, unique in the whole organization and not only for one owner. It only adds: 0.3.0 works with it.
-- 0176 has the index.
alter table tanks add column external_key text;

-- Of a deleted object nothing is left, also if a program of 0.3.0 deletes it.
create function erase_external_key() returns trigger language plpgsql as $$
begin
  new.external_key := null;
  return new;
end
$$;
create trigger erase_external_key before update on tanks for each row
when (new.deleted_at is not null and new.external_key is not null) execute function erase_external_key();
-- The change feed shows it. `updated_at` does not change, because /v1 does not have the field.
create trigger number_changed_external_key before update on tanks for each row
when (old.external_key is distinct from new.external_key) execute function set_change_number();

grant update (external_key) on tanks to tankwatch_manager;

-- Several phones of a customer, of which `phone` stays the one to call first, and mappings of imports. It only adds: 0.3.0 works with it.
alter table customers
  -- Whose the phone to call first is, or when to call it.
  add column phone_whose text check (length(phone_whose) between 1 and 100),
  -- Whether people text it when a tank loses gas.
  add column is_phone_texted boolean not null default false,
  -- The others, in the order in which they are called: [{"number", "whose", "text_for_loss"}]. Null: none.
  add column other_phones jsonb check (jsonb_typeof(other_phones) = 'array');

-- Of a deleted customer nothing is left, also if a program of 0.3.0 deletes it.
create function erase_phones() returns trigger language plpgsql as $$
begin
  new.phone_whose := null;
  new.is_phone_texted := false;
  new.other_phones := null;
  return new;
end
$$;
create trigger erase_phones before update on customers for each row when (new.deleted_at is not null) execute function erase_phones();
create trigger set_phones_updated_at before update on customers for each row
when ((old.phone_whose, old.is_phone_texted, old.other_phones) is distinct from (new.phone_whose, new.is_phone_texted, new.other_phones))
execute function set_updated_at();
create trigger number_changed_phones before update on customers for each row
when ((old.phone_whose, old.is_phone_texted, old.other_phones) is distinct from (new.phone_whose, new.is_phone_texted, new.other_phones))
execute function set_change_number();

-- All phones of a customer, the one to call first first.
create function phones_of(phone text, whose text, is_texted boolean, others jsonb) returns jsonb
immutable parallel safe language sql as $$
  select case when phone is null then '[]'
    else jsonb_build_array(jsonb_build_object('number', phone, 'whose', whose, 'text_for_loss', is_texted)) end
    || coalesce(others, '[]')
$$;

grant update (phone_whose, is_phone_texted, other_phones) on customers to tankwatch_manager;

-- How an import read its file, so that the next file with the same headings is read as this one.
alter table imports
  add column headings text,  -- a hash
  add column mapping jsonb;

-- Deleting a contact or a tank note erases the stored responses of /manage/v1 that have its data, also when a command
-- deletes it. Until now only /manage/v1 did so. It only adds: 0.3.0 works with it.
create function erase_stored_answers() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update idempotency_keys set answer = null where object = tg_argv[0] and object_no = new.no;
  return null;
end
$$;
create trigger erase_stored_answers after update on contacts for each row
when (old.deleted_at is null and new.deleted_at is not null) execute function erase_stored_answers('contact');
create trigger erase_stored_answers after update on tank_notes for each row
when (old.deleted_at is null and new.deleted_at is not null) execute function erase_stored_answers('note');

-- Commands read a webhook as /manage/v1 does, with its last test.
grant select on webhook_tests to tankwatch_operator;

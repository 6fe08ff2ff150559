-- Notes on tanks: what a driver or a technician must know, such as a gate code or a dog. It only adds: 0.2.0 works with it.
create table tank_notes (
  no              int generated always as identity primary key,
  id              uuid not null unique,
  organization_no int not null,
  tank_no         int not null,  -- no foreign key, as in device_assignments: erase_tank deletes the notes with the tank
  text            text check (length(text) between 1 and 2000),
  prints          boolean not null,  -- whether it is printed with the round
  written_by      text not null default current_actor(),
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  deleted_at      timestamptz(3),
  constraint deleted_note_is_empty check ((deleted_at is null) = (text is not null))
);
create index tank_notes_of_tank on tank_notes (tank_no, no) where deleted_at is null;

create trigger audit_new_notes after insert on tank_notes referencing new table as new_rows
for each statement execute function audit_creation('note', 'organization_no');
create trigger audit_changed_notes after update on tank_notes referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('note', 'organization_no');

-- As in 0027, and the notes.
create or replace function erase_tank() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from rejected_readings r using device_assignments a
  where a.tank_no = new.no and r.organization_no = a.organization_no and r.device_id = a.device_id
    and r.received_at >= a.from_at and r.received_at < a.to_at;
  -- Closes the open assignment as record_moved_assignments does, which fires later and finds none.
  delete from device_assignments where tank_no = new.no and from_at >= now()::timestamptz(3);
  update device_assignments set tank_no = null, to_at = least(to_at, now()) where tank_no = new.no;
  update idempotency_keys set answer = null
  where object = 'note' and object_no in (select no from tank_notes where tank_no = new.no);
  delete from tank_notes where tank_no = new.no;
  update idempotency_keys set answer = null where object = 'tank' and object_no = new.no;
  return null;
end
$$;

-- For `tankwatch audit`.
grant select (no, id) on tank_notes to tankwatch_operator;
grant select, insert on tank_notes to tankwatch_manager;
grant update (text, prints, updated_at, deleted_at) on tank_notes to tankwatch_manager;

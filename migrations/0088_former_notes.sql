-- What a delivery note said before it was corrected or withdrawn. The audit log names the changed fields only, without values.
create table former_notes (
  no           bigint generated always as identity primary key,
  -- With the note go its former values, also if its customer is erased.
  note_no      bigint not null references delivery_notes on delete cascade,
  at           timestamptz(3) not null,
  precision    text not null,
  volume       double precision not null,
  unit         text not null,
  is_cancelled boolean not null,
  changed_at   timestamptz(3) not null default now(),
  changed_by   text not null default current_actor()
);
create index former_notes_of_note on former_notes (note_no, no);

-- One statement can change thousands of notes, as an import does.
create function keep_former_notes() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into former_notes (note_no, at, precision, volume, unit, is_cancelled)
  select o.no, o.at, o.precision, o.volume, o.unit, o.is_cancelled
  from old_rows o join new_rows n on n.no = o.no
  where (o.at, o.volume, o.unit, o.is_cancelled) is distinct from (n.at, n.volume, n.unit, n.is_cancelled)
  order by o.no;
  -- The last 100 of each note: a program that sends two values in turn must not fill the disk.
  delete from former_notes f using new_rows n
  where f.note_no = n.no
    and f.no <= (select k.no from former_notes k where k.note_no = n.no order by k.no desc offset 100 limit 1);
  return null;
end
$$;
create trigger keep_former_notes after update on delivery_notes referencing old table as old_rows new table as new_rows
for each statement execute function keep_former_notes();

grant select on former_notes to tankwatch_manager, tankwatch_operator;

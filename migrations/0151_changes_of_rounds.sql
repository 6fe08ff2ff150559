-- The change feed also has rounds, stops, delivery notes and verdicts. As in 0028 the rows themselves are the feed. It only adds: 0.3.0
-- works with it. 0153 adds the indexes.

-- Rows of rounds and ledgers are deleted for good, so what was deleted is stored apart, without personal data.
create table feed_removals (
  organization_no int not null,
  change_number   bigint not null,
  no              bigint generated always as identity,
  kind            text not null check (kind in ('stop', 'delivery_note', 'verdict')),
  id              text not null,
  primary key (organization_no, kind, change_number, no)
);
grant select on feed_removals to tankwatch_api;
grant select, delete on feed_removals to tankwatch_worker;  -- of deleted organizations

-- Of an organization that is being deleted, nobody reads.
create function record_feed_removals() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_argv[0] = 'stop' then
    insert into feed_removals (organization_no, change_number, kind, id)
    select s.organization_no, next_change_number(), 'stop', r.id || '/' || s.number
    from old_rows s join rounds r on r.no = s.round_no
    join organizations o on o.no = s.organization_no and o.deleted_at is null;
  else
    insert into feed_removals (organization_no, change_number, kind, id)
    select d.organization_no, next_change_number(), tg_argv[0], d.id
    from old_rows d join organizations o on o.no = d.organization_no and o.deleted_at is null;
  end if;
  return null;
end
$$;

revoke execute on function record_feed_removals from public;

alter table rounds add column change_number bigint not null default 0;
create trigger number_new_round before insert on rounds for each row execute function set_change_number();
create trigger number_changed_round before update on rounds for each row
when (old.* is distinct from new.*) execute function set_change_number();

-- After set_stop_openness, by their names: a stop also changes when its round ends.
alter table round_stops add column change_number bigint not null default 0;
create trigger take_number_new_stop before insert on round_stops for each row execute function set_change_number();
create trigger take_number_changed_stop before update on round_stops for each row
when (old.* is distinct from new.*) execute function set_change_number();
create trigger record_removed_stops after delete on round_stops referencing old table as old_rows
for each statement execute function record_feed_removals('stop');

-- Stops have the truck of their round.
create function follow_changed_truck() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update round_stops set change_number = next_change_number() where round_no = new.no;
  return null;
end
$$;
revoke execute on function follow_changed_truck from public;
create trigger follow_changed_truck after update on rounds for each row
when (old.truck_no is distinct from new.truck_no) execute function follow_changed_truck();

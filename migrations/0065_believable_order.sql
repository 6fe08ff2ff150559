-- Of two entries of a driver, the later one by the time that can be believed counts. Stop outcomes, pins and tests of webhooks are in
-- the audit log. It replaces functions, and 0.3.0 works with it. It locks driver_entries, round_stops and note_pins for a moment.

-- What is looked up by its text is stored in the form NFC of Unicode from now on, in which an accent is part of its letter. A row in
-- another form would not be found any more. Few rows have one, and ASCII is skipped fast. A text that another row already has in this
-- form stays: two rows were two things until now. First, so that the scans hold none of the locks below.
update customers t set external_key = n.value
from (
  select distinct on (organization_no, value) no, organization_no, value
  from (
    select no, organization_no, normalize(external_key, nfc) as value from customers
    where octet_length(external_key) > char_length(external_key) and external_key is not nfc normalized
  ) as other_form
  order by organization_no, value, no
) as n
where t.no = n.no and not exists (select from customers o where o.organization_no = n.organization_no and o.external_key = n.value);
update tanks t set custom_id = n.value
from (
  select distinct on (owner_no, value) no, owner_no, value
  from (
    select no, owner_no, normalize(custom_id, nfc) as value from tanks
    where octet_length(custom_id) > char_length(custom_id) and custom_id is not nfc normalized
  ) as other_form
  order by owner_no, value, no
) as n
where t.no = n.no and not exists (select from tanks o where o.owner_no = n.owner_no and o.custom_id = n.value);
update tanks set city = normalize(city, nfc) where octet_length(city) > char_length(city) and city is not nfc normalized;
update trucks t set name = n.value
from (
  select distinct on (organization_no, lower(value)) no, organization_no, value
  from (
    select no, organization_no, normalize(name, nfc) as value from trucks
    where name is not nfc normalized
  ) as other_form
  order by organization_no, lower(value), no
) as n
where t.no = n.no and not exists (select from trucks o where o.organization_no = n.organization_no and lower(o.name) = lower(n.value));
update drivers t set name = n.value
from (
  select distinct on (organization_no, lower(value)) no, organization_no, value
  from (
    select no, organization_no, normalize(name, nfc) as value from drivers
    where name is not nfc normalized
  ) as other_form
  order by organization_no, lower(value), no
) as n
where t.no = n.no and not exists (select from drivers o where o.organization_no = n.organization_no and lower(o.name) = lower(n.value));

-- 0064 has made (round_no, id) unique.
alter table driver_entries drop constraint driver_entries_id_key;

-- Stores an entry, once, and makes it the word of the driver. Returns what happened: `stored`, `same` (this entry is stored already),
-- `other` (another entry of the round has this id), `ended` (no such link) or `full` (the round has 2,000 entries: a person does not
-- make them). An entry for a stop that is not on the round any more is stored too: gas was delivered, whatever the plan says now.
-- The round is locked, so that of two entries the newer one counts.
--
-- An entry changes the word at the stop and the notes only if it is the newest of its stop, by time_of_driver_entry. A clock that
-- says 9999 is therefore corrected by the next entry, and what the office said instead of an entry stays when an older one arrives.
create or replace function record_driver_word(
  of_round uuid, of_generation int, of_id uuid, of_stop int, of_tank uuid, of_kind text, of_volume double precision,
  of_unit text, of_reason text, of_comment text, of_at timestamptz, of_series text, of_number text, of_filled_to real
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  the_round record;
  the_tank  int;
  known     driver_entries;
  entry     driver_entries;
  newest    driver_entries;
  happened  timestamptz;
begin
  perform set_config('tankwatch.actor', 'link of a driver', true);
  select r.no, r.organization_no, r.truck_no, r.driver_no into the_round
  from rounds r join organizations o on o.no = r.organization_no and o.deleted_at is null
  where r.id = of_round and r.link_generation = of_generation
  for no key update of r;
  if not found then
    return 'ended';
  end if;
  select * into known from driver_entries where round_no = the_round.no and id = of_id;
  if found then
    return case when (known.stop_number, known.kind, known.volume, known.volume_unit, known.reason, known.at,
                      known.note_series, known.note_number, known.filled_to)
                     is not distinct from
                     (of_stop, of_kind, of_volume, of_unit, of_reason, of_at::timestamptz(3), of_series, of_number, of_filled_to)
                -- Erased with its tank.
                and (known.comment is not distinct from of_comment or known.tank_no is null) then 'same' else 'other' end;
  end if;
  if (select count(*) from driver_entries where round_no = the_round.no) >= 2000 then
    return 'full';
  end if;
  -- The tank must be or have been on the round: a driver knows the ids of tanks of earlier rounds. Else the entry is stored without
  -- a tank, and makes neither a note nor a dip.
  select t.no into the_tank from tanks t
  where t.id = of_tank and t.organization_no = the_round.organization_no and t.deleted_at is null
    and (exists (select from round_stops s where s.round_no = the_round.no and s.tank_no = t.no)
      or exists (select from former_stops f where f.round_no = the_round.no and f.tank_no = t.no));
  insert into driver_entries (id, organization_no, round_no, stop_number, tank_no, kind, volume, volume_unit, reason, comment, at,
                              note_series, note_number, filled_to)
  values (of_id, the_round.organization_no, the_round.no, of_stop, the_tank, of_kind, of_volume, of_unit, of_reason,
          case when the_tank is not null then of_comment end, of_at, of_series, of_number, of_filled_to)
  returning * into entry;
  happened := time_of_driver_entry(entry);

  -- The clock of a phone may be wrong by years and still tell the order of its entries, where their believable times are the same.
  select * into newest from driver_entries e
  where e.round_no = the_round.no and e.stop_number = of_stop and e.tank_no is not distinct from the_tank
  order by time_of_driver_entry(e) desc, e.at desc, e.no desc limit 1;

  if newest.no = entry.no then
    begin
      update round_stops
      set said = case of_kind when 'reopened' then null else of_kind end,
          said_reason = of_reason,
          said_litres = of_volume * case of_unit when 'gallons' then 3.785411784 else 1 end,
          said_at = case of_kind when 'reopened' then null else happened end,
          said_as = case of_kind when 'reopened' then null else 'driver' end,
          said_by = case of_kind when 'reopened' then null else current_actor() end,
          said_filled_to = of_filled_to
      where round_no = the_round.no and (tank_no = the_tank or (tank_no is null and number = of_stop));
    exception when unique_violation then
      null;  -- taken back, and another round has the tank now: the stop stays closed here
    end;
  end if;
  -- A note that an import or a person has written stays as it is. It has an id of its own: the phone could choose that of a note
  -- of somebody else.
  if of_number is not null and the_tank is not null then
    insert into delivery_notes as n (id, organization_no, series, number, customer_no, tank_no, truck_no, driver_no, at, precision,
                                     volume, unit, filled_to, is_cancelled, source)
    select gen_random_uuid(), the_round.organization_no, of_series, of_number, t.owner_no, the_tank, the_round.truck_no,
           the_round.driver_no, happened, 'minute', of_volume, of_unit, of_filled_to, newest.no <> entry.no, 'driver'
    from tanks t where t.no = the_tank
    on conflict (organization_no, series, number) do update
    set volume = excluded.volume, unit = excluded.unit, at = excluded.at, filled_to = excluded.filled_to
    where n.source = 'driver' and n.tank_no = excluded.tank_no and newest.no = entry.no;
  end if;
  -- What the driver took back, or wrote again with another number, counts nowhere.
  if newest.no = entry.no then
    update delivery_notes n set is_cancelled = not is_cancelled
    from (
      select distinct note_series, note_number from driver_entries
      where round_no = the_round.no and stop_number = of_stop and tank_no = the_tank and note_number is not null
    ) as e
    where n.organization_no = the_round.organization_no and n.series = e.note_series and n.number = e.note_number
      and n.source = 'driver' and n.tank_no = the_tank
      and n.is_cancelled <> ((n.series, n.number) is distinct from (of_series, of_number));
  end if;
  insert into waiting_dips (organization_no, tank_no, at, fill_percentage)
  select e.organization_no, e.tank_no, happened, of_filled_to
  from estimated_tanks e
  where e.tank_no = the_tank and e.manual_to = 'infinity' and of_filled_to is not null
    and happened between e.manual_from and now() and happened >= '2000-01-01T00:00:00Z'
    and of_number is null;  -- else follow_notes_of_estimated_tanks does it
  update rounds set state = 'under_way', started_at = coalesce(started_at, happened), updated_at = now()
  where no = the_round.no and state = 'planned';
  return 'stored';
end
$$;
-- Only the function above has used it. A later release removes it.
comment on function record_driver_entry is 'not used since 0.4.0';

-- The office can say something else than the driver. It needs to know which entry is the newest.
grant execute on function time_of_driver_entry to tankwatch_manager;

----------------------------------------------------------------------------------------------------- audit

-- The outcome of a stop is part of its round. A row has the number of the stop beside the name of the field.
create function audit_stop_outcome() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  values (current_actor(), new.organization_no, 'round', 'update', array['stop_outcome', new.number::text], array[new.round_no]);
  return null;
end
$$;
revoke execute on function audit_stop_outcome from public;
create trigger audit_stop_outcome after update on round_stops for each row
when ((old.said, old.said_reason, old.said_litres, old.said_as, old.said_at)
      is distinct from (new.said, new.said_reason, new.said_litres, new.said_as, new.said_at))
execute function audit_stop_outcome();

-- Pins are part of their note. A note that is being deleted has no row any more.
create function audit_pins() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  select current_actor(), n.organization_no, 'delivery_note', 'update', array['pins'], array_agg(distinct n.no)
  from changed_rows p join delivery_notes n on n.no = p.note_no
  group by n.organization_no;
  return null;
end
$$;
revoke execute on function audit_pins from public;
create trigger audit_new_pins after insert on note_pins referencing new table as changed_rows
for each statement execute function audit_pins();
create trigger audit_changed_pins after update on note_pins referencing new table as changed_rows
for each statement execute function audit_pins();
create trigger audit_removed_pins after delete on note_pins referencing old table as changed_rows
for each statement execute function audit_pins();

-- A test of a webhook changes no row of its endpoint, so no trigger records who sent it.
create function record_webhook_test(of_endpoint int) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into audit_log (actor, organization_no, object, action, fields, object_nos)
  select current_actor(), organization_no, 'webhook', 'update', array['last_test'], array[no]
  from webhook_endpoints where no = of_endpoint
$$;
revoke execute on function record_webhook_test from public;
grant execute on function record_webhook_test to tankwatch_manager, tankwatch_operator;

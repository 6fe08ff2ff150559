-- The later of two entries of a driver counts, by their plausible times. Stop outcomes, pins and tests of webhooks are
-- in the audit log. 0.3.0 works with it. It locks driver_entries, round_stops and note_pins for a moment.

-- Texts that are used for lookups are stored in the form NFC of Unicode from now on, in which an accent is part of its
-- letter. A row in another form would no longer be found. Few rows have one, and ASCII is skipped fast. A text that
-- another row already has in this form stays, because the two rows were different until now. This comes first, so that
-- the scans hold none of the locks below.
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

-- Only record_driver_word used it, and no longer does. A later release removes it.
comment on function record_driver_entry is 'not used since 0.4.0';

-- The office can report another outcome than the driver. It needs to know which entry is the newest.
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

-- Pins are part of their note. A note that is being deleted no longer has a row.
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

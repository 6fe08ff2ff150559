-- What a change of a tank or a truck means for delivery notes. It only adds: 0.2.0 works with it. The triggers lock tanks and
-- trucks for a moment.

-- Notes that name a tank go with it to its next owner, as its readings do. Notes of a deleted tank stay with their customer and
-- keep its number: without it, the next ledger would look for their refills on other tanks.
create function follow_tank_in_ledger() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.deleted_at is not null then
    delete from seen_refills where tank_no = new.no;
    delete from note_pins where tank_no = new.no;
  elsif old.owner_no <> new.owner_no then
    delete from note_pins p using delivery_notes n where p.tank_no = new.no and n.no = p.note_no and n.tank_no is null;
    update delivery_notes set customer_no = new.owner_no where tank_no = new.no;
  end if;
  insert into ledger_marks (organization_no, customer_no)
  select new.organization_no, owner_no from (values (old.owner_no), (new.owner_no)) as owners (owner_no) group by owner_no;
  return null;
end
$$;
create trigger follow_tank_in_ledger after update on tanks for each row
when ((old.owner_no, old.assigned_device_id, old.capacity, old.capacity_unit, old.deleted_at)
  is distinct from (new.owner_no, new.assigned_device_id, new.capacity, new.capacity_unit, new.deleted_at))
execute function follow_tank_in_ledger();

create function mark_ledgers_of_truck() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into ledger_marks (organization_no, customer_no)
  select distinct organization_no, customer_no from delivery_notes
  where organization_no = new.organization_no and truck_no = new.no and is_compensated is null;
  return null;
end
$$;
create trigger mark_ledgers_of_truck after update on trucks for each row
when (old.is_compensated is distinct from new.is_compensated) execute function mark_ledgers_of_truck();

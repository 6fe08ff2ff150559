-- A refill, its correction and its retraction change the ledger of a customer, and so does a gauge that comes into question. It
-- only adds: 0.2.0 works with it. The triggers lock events for a moment.
create function mark_ledgers_of_events() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into ledger_marks (organization_no, customer_no)
  select distinct t.organization_no, t.owner_no from new_rows e join tanks t on t.no = e.tank_no
  where e.type in ('tank.refilled', 'tank.gauge_unreliable', 'tank.gauge_reliable') and t.deleted_at is null;
  return null;
end
$$;
create trigger mark_ledgers_of_new_events after insert on events referencing new table as new_rows
for each statement execute function mark_ledgers_of_events();
create trigger mark_ledgers_of_changed_events after update on events referencing new table as new_rows
for each statement execute function mark_ledgers_of_events();

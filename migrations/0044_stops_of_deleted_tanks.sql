-- What a deleted tank leaves in rounds. It only adds: 0.2.0 works with it. The trigger locks tanks for a moment.

-- A deleted tank is on no round that is still driven. What was done stays without the tank, for the totals of its truck.
create function erase_stops_of_tank() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from delivery_days where tank_no = new.no;
  delete from round_stops where tank_no = new.no and is_open;
  update round_stops set tank_no = null, chance = null where tank_no = new.no;
  return null;
end
$$;
create trigger erase_stops_of_tank after update on tanks for each row
when (old.deleted_at is null and new.deleted_at is not null) execute function erase_stops_of_tank();

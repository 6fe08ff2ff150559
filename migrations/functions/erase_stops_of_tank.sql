-- A deleted tank is on no round that is still driven. What was done stays without the tank, for the totals of its truck.
create or replace function erase_stops_of_tank() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from delivery_days where tank_no = new.no;
  -- Nobody opens or closes them between the next two statements. New stops of the tank wait for the lock of its row.
  perform from round_stops where tank_no = new.no order by no for update;
  delete from round_stops where tank_no = new.no and is_open;
  update round_stops
  set tank_no = null, chance = null, planned_fill_percentage = null, block_read_since = null, block_read_at = null
  where tank_no = new.no;
  return null;
end
$$;

-- What a deleted tank leaves in the entries of drivers: the litres, for the totals of a truck. It only adds: 0.2.0 works with it.
-- The trigger locks tanks for a moment.
create function erase_comments_of_tank() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update driver_entries set tank_no = null, comment = null where tank_no = new.no;
  return null;
end
$$;
create trigger erase_comments_of_tank after update on tanks for each row
when (old.deleted_at is null and new.deleted_at is not null) execute function erase_comments_of_tank();

-- Ends the sessions of a deleted organization, and removes its issuers, its gauges and its connectors.
create or replace function end_sessions_of_organization() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update sessions set ended_at = now() where organization_no = new.no and ended_at is null;
  delete from issuers where organization_no = new.no;
  delete from profile_assignments where organization_no = new.no;
  delete from gauge_profiles where organization_no = new.no;
  delete from connectors where organization_no = new.no;
  return null;
end
$$;

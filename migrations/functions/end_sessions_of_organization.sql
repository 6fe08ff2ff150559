-- Ends the sessions of a deleted organization, and removes its issuers, its gauges, its connectors, and who is told how of losses.
create or replace function end_sessions_of_organization() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update sessions set ended_at = now() where organization_no = new.no and ended_at is null;
  delete from issuers where organization_no = new.no;
  delete from profile_assignments where organization_no = new.no;
  delete from gauge_profiles where organization_no = new.no;
  delete from connectors where organization_no = new.no;
  delete from duty_plans where organization_no = new.no;
  delete from text_channels where organization_no = new.no;
  delete from contact_reach where organization_no = new.no;
  delete from texts where organization_no = new.no;
  delete from push_subscriptions where organization_no = new.no;
  delete from pushes where organization_no = new.no;
  delete from escalations where organization_no = new.no;
  return null;
end
$$;

-- An issuer that is removed takes its identities, sessions and notifications in browsers along. `issuers update` changes neither: the issuer identifier of
-- a row never changes.
create or replace function end_sessions_of_issuer() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update sessions set ended_at = now() where issuer_no = new.no and ended_at is null;
  delete from identities where issuer_no = new.no;
  delete from push_subscriptions where issuer_no = new.no;
  return null;
end
$$;

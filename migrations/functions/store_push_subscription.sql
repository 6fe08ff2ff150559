-- Stores the browser of a session. The secret of a known browser must be the same: who only knows its address cannot take it over.
-- A person has at most ten browsers; the oldest of the others goes. Returns null if the session is not that of a person, or has ended.
create or replace function store_push_subscription(of_prefix text, new_endpoint text, new_p256dh bytea, new_auth bytea, new_name text)
returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  holder sessions;
  stored push_subscriptions;
begin
  -- What ends the session or the access at the same time either sees the new browser and removes it, or is seen here. An import can
  -- hold these locks for long. The contact is first, as in its trigger.
  perform set_config('lock_timeout', '2s', true);
  perform from contacts c join sessions n on n.contact_no = c.no where n.prefix = of_prefix for share of c;
  select * into holder from sessions
  where prefix = of_prefix and contact_no is not null and ended_at is null and expires_at > now() for share;
  if not found then
    return null;
  end if;
  insert into push_subscriptions as s (organization_no, contact_no, session_prefix, issuer_no, endpoint, p256dh, auth, name)
  values (holder.organization_no, holder.contact_no, of_prefix, holder.issuer_no, new_endpoint, new_p256dh, new_auth, new_name)
  on conflict (endpoint) do update
  set organization_no = excluded.organization_no, contact_no = excluded.contact_no, session_prefix = excluded.session_prefix,
      issuer_no = excluded.issuer_no, proven_at = now(), p256dh = excluded.p256dh, name = excluded.name
  where s.auth = excluded.auth
  returning * into stored;
  if not found then
    raise unique_violation using message = 'another browser has this address';
  end if;
  delete from push_subscriptions where no in (
    select no from push_subscriptions where contact_no = stored.contact_no and no <> stored.no order by no desc offset 9
  );
  return stored.id;
end
$$;

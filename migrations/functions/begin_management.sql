-- Checks that the caller may change something, at the beginning of the transaction. The session and the contact stay
-- locked until its end, so that a revoked role takes effect after the last change that was made with it.
create or replace function begin_management(of_prefix text, of_secret_sha256 bytea, of_request_id text)
returns table (organization_no int, caller text, roles text[])
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  key record;
  person record;
begin
  select k.no, k.prefix, k.organization_no into key from api_keys k
  where k.prefix = of_prefix and k.secret_sha256 = of_secret_sha256 and 'manage' = any (k.scopes)
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  for share;
  if key.no is not null then
    perform set_config('tankwatch.actor', 'key ' || key.prefix, true), set_config('tankwatch.request_id', of_request_id, true);
    return query select key.organization_no, 'key ' || key.no, array['key'];
    return;
  end if;
  -- The session of a key belongs to no person and only reads. The rows are locked in the order of `from`: the contact before its
  -- sessions, like a change of the contact.
  select s.organization_no, c.no, c.id, c.roles into person
  from contacts c join sessions s on s.contact_no = c.no and s.organization_no = c.organization_no
  where s.prefix = of_prefix and s.secret_sha256 = of_secret_sha256 and s.key_no is null
    and s.ended_at is null and s.expires_at > now() and c.deleted_at is null
  for share;
  if person.no is not null then
    perform set_config('tankwatch.actor', 'contact ' || person.id, true), set_config('tankwatch.request_id', of_request_id, true);
    return query select person.organization_no, 'contact ' || person.no, person.roles;
  end if;
end
$$;

-- The session with this prefix, and whether the secret is right.
create or replace function find_session(of_prefix text, of_secret_sha256 bytea)
returns table (no int, prefix text, organization_no int, customer_no int, scopes text[], requests_per_second int, burst int,
               expires_at timestamptz, revoked_at timestamptz, contact_no int, roles text[], is_right boolean)
stable language sql security definer set search_path = public, pg_temp as $$
  select c.no, c.prefix, c.organization_no, c.customer_no, c.scopes, c.requests_per_second, c.burst, c.expires_at, c.revoked_at,
         c.contact_no, c.roles, s.secret_sha256 = of_secret_sha256
  from session_changes c join sessions s using (prefix) where c.prefix = of_prefix
$$;

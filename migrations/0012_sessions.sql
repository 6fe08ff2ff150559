-- Sessions of the console: a browser sends a cookie instead of an API key, so that no script can read the key.

-- The cookie has the form of an API key (src/keys/key_format.ts) and is verified in the same way: only the hash of its
-- secret is stored, and running processes poll for changes.
create table sessions (
  no                  int generated always as identity primary key,
  prefix              text not null unique,
  secret_sha256       bytea not null check (octet_length(secret_sha256) = 32),
  key_no              int not null references api_keys on delete cascade,
  organization_no     int not null,
  customer_no         int,
  requests_per_second int not null,
  burst               int not null,
  created_at          timestamptz(3) not null default now(),
  expires_at          timestamptz(3) not null,
  ended_at            timestamptz(3),
  changed_xid         xid8 not null default pg_current_xact_id()  -- as in api_keys
);
create index sessions_of_key on sessions (key_no);
create index sessions_by_change on sessions (changed_xid);
create index sessions_by_expiry on sessions (expires_at);

-- A session in the columns of a key. It has the number of its key, so that both share one rate limit and one last use.
create view session_credentials as
select key_no as no, prefix, secret_sha256, organization_no, customer_no, array['read'] as scopes, requests_per_second,
       burst, expires_at, ended_at as revoked_at, changed_xid
from sessions;

-- A session ends 12 hours after its last use, and 7 days after its beginning.
create function session_expiry(created_at timestamptz) returns timestamptz stable language sql as $$
  select least(now() + interval '12 hours', created_at + interval '7 days')
$$;

-- The caller has verified the key. Returns false if the key has ended meanwhile, or may not read.
create function create_session(new_prefix text, new_secret_sha256 bytea, of_key_no int) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- Old sessions leave with new ones, so that no job is needed. Not before an hour: every process must have seen their end.
  delete from sessions where no in (
    select no from sessions where expires_at < now() - interval '1 hour' order by expires_at limit 10 for update skip locked
  );
  insert into sessions (prefix, secret_sha256, key_no, organization_no, customer_no, requests_per_second, burst, expires_at)
  select new_prefix, new_secret_sha256, no, organization_no, customer_no, requests_per_second, burst,
         least(session_expiry(now()), expires_at)
  from api_keys
  where no = of_key_no and 'read' = any (scopes) and revoked_at is null and (expires_at is null or expires_at > now());
  if not found then
    return false;
  end if;
  -- A key that signs in again and again keeps its newest sessions.
  update sessions set ended_at = now(), expires_at = now(), changed_xid = pg_current_xact_id()
  where ended_at is null and no in (select no from sessions where key_no = of_key_no order by no desc offset 100);
  return true;
end
$$;
revoke execute on function create_session from public;

create function extend_session(of_prefix text) returns void
language sql security definer set search_path = public, pg_temp as $$
  update sessions s set expires_at = least(session_expiry(s.created_at), k.expires_at), changed_xid = pg_current_xact_id()
  from api_keys k
  where s.prefix = of_prefix and k.no = s.key_no and s.ended_at is null and s.expires_at > now() and k.revoked_at is null
$$;
revoke execute on function extend_session from public;

create function end_session(of_prefix text) returns void
language sql security definer set search_path = public, pg_temp as $$
  update sessions set ended_at = now(), expires_at = least(expires_at, now()), changed_xid = pg_current_xact_id()
  where prefix = of_prefix and ended_at is null
$$;
revoke execute on function end_session from public;

-- A session ends with its key, in the same transaction.
create function end_sessions_of_key() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update sessions
  set ended_at = coalesce(ended_at, new.revoked_at), expires_at = least(expires_at, new.expires_at, new.revoked_at),
      changed_xid = pg_current_xact_id()
  where key_no = new.no;
  return null;
end
$$;
create trigger end_sessions_of_key after update on api_keys for each row
when ((old.revoked_at, old.expires_at, old.scopes) is distinct from (new.revoked_at, new.expires_at, new.scopes))
execute function end_sessions_of_key();

grant select on session_credentials to tankwatch_api;
grant execute on function create_session, extend_session, end_session to tankwatch_api;
-- What a person sees after signing in.
grant select (no, name, language, time_zone, phone) on organizations to tankwatch_api;

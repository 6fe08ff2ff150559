-- Keys. The secret is never stored: 32 random bytes need no slow hash, so SHA-256 of them is enough.
create table api_keys (
  no                  int generated always as identity primary key,
  prefix              text not null unique,
  secret_sha256       bytea not null check (octet_length(secret_sha256) = 32),
  organization_no     int not null references organizations,
  customer_no         int,  -- null: the whole organization
  name                text not null check (length(name) between 1 and 200),
  scopes              text[] not null check (cardinality(scopes) > 0 and scopes <@ array['read', 'ingest']),
  requests_per_second int not null default 100 check (requests_per_second > 0),
  burst               int not null default 1000 check (burst > 0),
  created_at          timestamptz(3) not null default now(),
  expires_at          timestamptz(3),
  revoked_at          timestamptz(3),
  last_used_at        timestamptz(3),
  -- The transaction that last changed what verification depends on. Running processes ask for everything at or after
  -- the oldest transaction that was still open when they last asked. A clock or a sequence would miss a transaction
  -- that took its number early and committed late; this cannot.
  changed_xid         xid8 not null default pg_current_xact_id(),
  foreign key (organization_no, customer_no) references customers (organization_no, no)
);

create index api_keys_by_change on api_keys (changed_xid);
create index api_keys_by_customer on api_keys (customer_no) where customer_no is not null;

create function stamp_key_change() returns trigger language plpgsql as $$
begin
  new.changed_xid := pg_current_xact_id();
  return new;
end
$$;

create trigger key_changed before update on api_keys for each row
when ((old.secret_sha256, old.organization_no, old.customer_no, old.scopes, old.requests_per_second, old.burst,
       old.expires_at, old.revoked_at)
  is distinct from
      (new.secret_sha256, new.organization_no, new.customer_no, new.scopes, new.requests_per_second, new.burst,
       new.expires_at, new.revoked_at))
execute function stamp_key_change();

-- The one thing the api role may write: when keys were used, many at a time. A narrowed key's use is its customer's
-- activity, kept to the minute. It runs with its owner's rights because the caller has none on these tables.
create function record_key_use(key_nos int[], used_ats timestamptz[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- Processes report the same keys in different orders; one at a time, they cannot deadlock.
  perform pg_advisory_xact_lock(hashtext('record_key_use'));

  with used as (
    update api_keys k set last_used_at = u.used_at
    from (select key_no, least(used_at, now()) as used_at from unnest(key_nos, used_ats) as t (key_no, used_at)) u
    where k.no = u.key_no and (k.last_used_at is null or k.last_used_at < u.used_at)
    returning k.customer_no, date_trunc('minute', u.used_at) as seen_at
  ), seen as (
    select customer_no, max(seen_at) as seen_at from used where customer_no is not null group by customer_no
  )
  update customers c set last_seen_at = seen.seen_at
  from seen
  where c.no = seen.customer_no and c.deleted_at is null
    and (c.last_seen_at is null or c.last_seen_at < seen.seen_at);
end
$$;
revoke execute on function record_key_use from public;

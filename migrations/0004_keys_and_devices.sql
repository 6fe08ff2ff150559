-- API keys, the credentials of devices, and the secrets of organizations that came from another cell.

-- The secret of a key is never stored, only its SHA-256. A slow hash is not needed for 32 random bytes.
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
  -- The transaction that last changed a column that verification depends on. A running process polls for rows changed at
  -- or after the oldest transaction that was open at its last poll. A clock or a sequence would miss a transaction that
  -- took its number early and committed late.
  changed_xid         xid8 not null default pg_current_xact_id(),
  foreign key (organization_no, customer_no) references customers (organization_no, no)
);

create index api_keys_by_change on api_keys (changed_xid);
create index api_keys_by_customer on api_keys (customer_no) where customer_no is not null;

create function record_change_xid() returns trigger language plpgsql as $$
begin
  new.changed_xid := pg_current_xact_id();
  return new;
end
$$;

create trigger record_key_change before update on api_keys for each row
when ((old.secret_sha256, old.organization_no, old.customer_no, old.scopes, old.requests_per_second, old.burst,
       old.expires_at, old.revoked_at)
  is distinct from
      (new.secret_sha256, new.organization_no, new.customer_no, new.scopes, new.requests_per_second, new.burst,
       new.expires_at, new.revoked_at))
execute function record_change_xid();

-- Records when keys were last used, many at a time. This is the only thing that the api role can write. Using a narrowed
-- key is the activity of its customer, recorded to the minute. Runs with the rights of its owner because the caller has
-- none on these tables.
create function record_key_use(key_nos int[], used_ats timestamptz[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- Processes report the same keys in different orders. One at a time, they cannot deadlock.
  perform pg_advisory_xact_lock(hashtext('record_key_use'));

  with used as (
    update api_keys k set last_used_at = u.used_at
    from (select key_no, least(used_at, now()) as used_at from unnest(key_nos, used_ats) as t (key_no, used_at)) u
    where k.no = u.key_no and k.revoked_at is null and (k.last_used_at is null or k.last_used_at < u.used_at)
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

----------------------------------------------------------------------------------------------------- devices

-- The generation of a device's password. The password itself is derived from the installation's secret, the organization,
-- the device and the generation, so that a gateway can verify it while the database is down. A device without a row has
-- generation 1 and is not revoked.
create table device_credentials (
  no              int generated always as identity primary key,
  organization_no int not null references organizations,
  device_id       text not null check (length(device_id) between 1 and 64),
  generation      int not null check (generation > 0),
  revoked_at      timestamptz(3),
  changed_xid     xid8 not null default pg_current_xact_id(),  -- as in api_keys
  unique (organization_no, device_id)
);
create index device_credentials_by_change on device_credentials (changed_xid);

create trigger record_credential_change before update on device_credentials for each row
when ((old.generation, old.revoked_at) is distinct from (new.generation, new.revoked_at))
execute function record_change_xid();

-- When the password of a device was last shown to an operator. A separate table, because a gateway reads every row of
-- device_credentials into its memory, and most devices have none.
create table device_password_issues (
  organization_no int not null references organizations,
  device_id       text not null check (length(device_id) between 1 and 64),
  issued_at       timestamptz(3) not null default now(),
  primary key (organization_no, device_id)
);

-- Secrets of organizations that came from another cell, encrypted with SECRETS_KEY. All other organizations have no row:
-- their secrets are derived from DEVICE_SECRET and LINK_SECRET.
create table organization_secrets (
  organization_no      int primary key references organizations,
  sealed_device_secret text not null,
  sealed_link_secret   text not null
);

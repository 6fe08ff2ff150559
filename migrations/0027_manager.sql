-- The write interface (/manage/v1): a database role of its own, keys with the scope `manage`, who changes something by which
-- request, and the answers to requests that may be sent again. It only adds: 0.2.0 works with it.

-- As in 0001. The api has a second login for it, so that its reads keep their rights.
do $$
begin
  if not exists (select from pg_roles where rolname = 'tankwatch_manager') then
    create role tankwatch_manager nologin;
  end if;
exception when duplicate_object or unique_violation then null;
end
$$;
grant usage on schema public to tankwatch_manager;

----------------------------------------------------------------------------------------------------- keys

-- Both are validated at once: an installation has a few thousand keys, and the lock is held for milliseconds.
alter table api_keys drop constraint api_keys_scopes_check;
-- squawk-ignore constraint-missing-not-valid
alter table api_keys add constraint api_keys_scopes_check
check (cardinality(scopes) > 0 and scopes <@ array['read', 'ingest', 'manage']);
-- A key that is narrowed to a customer is given to that customer.
-- squawk-ignore constraint-missing-not-valid
alter table api_keys add constraint narrowed_key_manages_nothing check (customer_no is null or not 'manage' = any (scopes));

----------------------------------------------------------------------------------------------------- requests

-- By which request of /manage/v1 a change was made. Null: by a command, or by psql.
alter table audit_log add column request_id text;
alter table audit_log alter column request_id set default nullif(current_setting('tankwatch.request_id', true), '');

-- Begins a change over HTTP: verifies the key, and says under which name and request the audit log records what follows in
-- this transaction. No row: the key has ended, or may not change anything. The key is locked until the end of the
-- transaction: when `tankwatch keys revoke` returns, the last change with it is over.
create function begin_management(of_prefix text, of_secret_sha256 bytea, of_request_id text)
returns table (organization_no int, caller text, roles text[])
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  key record;
begin
  select k.no, k.prefix, k.organization_no into key from api_keys k
  where k.prefix = of_prefix and k.secret_sha256 = of_secret_sha256 and 'manage' = any (k.scopes)
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  for share;
  if key.no is null then
    return;
  end if;
  perform set_config('tankwatch.actor', 'key ' || key.prefix, true), set_config('tankwatch.request_id', of_request_id, true);
  return query select key.organization_no, 'key ' || key.no, array['key'];
end
$$;
revoke execute on function begin_management from public;

-- Every change to the catalog of an organization takes this lock first. A function, because `for no key update` needs the right
-- to update organizations.
create function lock_organization(in_organization_no int) returns text
language sql security definer set search_path = public, pg_temp as $$
  select code from organizations where no = in_organization_no for no key update
$$;
revoke execute on function lock_organization from public;

-- The answers to requests with an Idempotency-Key, for 24 hours: a client that got no answer sends the request again and gets
-- the first answer, instead of a second customer. The row is inserted first and completed last, in the transaction of the change.
-- Not unlogged: after a crash it would be empty, which is when clients repeat.
create table idempotency_keys (
  organization_no int not null,
  caller          text not null,   -- a key or a contact: another caller's key replays nothing
  key             text not null check (length(key) between 1 and 255),
  fingerprint     bytea not null,  -- SHA-256 of method, target and body
  status          smallint,        -- null only inside the transaction
  -- Sealed with API_SECRETS_KEY, because it has personal data and sometimes a new secret. Null: the object was deleted.
  answer          text,
  object          text,
  object_no       int,
  created_at      timestamptz(3) not null default now(),
  primary key (organization_no, caller, key)
);
create index idempotency_keys_by_object on idempotency_keys (object, object_no) where object is not null;
create index idempotency_keys_by_time on idempotency_keys (created_at);

-- For the worker. Returns the number of rows.
create function delete_old_idempotency_keys() returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  deleted int;
begin
  delete from idempotency_keys where (organization_no, caller, key) in (
    select organization_no, caller, key from idempotency_keys
    where created_at < now() - interval '24 hours' order by created_at limit 10000
  );
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
revoke execute on function delete_old_idempotency_keys from public;

-- As in 0012, and the answers that have the data of the customer.
create or replace function erase_customer() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- The name of a narrowed key is often that of its customer.
  update api_keys set name = 'deleted customer', revoked_at = coalesce(revoked_at, now()), last_used_at = null
  where customer_no = new.no;
  delete from reminder_unsubscribes where customer_no = new.no;
  delete from event_mails where recipient = 'customer' and recipient_no = new.no;
  update idempotency_keys set answer = null where object = 'customer' and object_no = new.no;
  return null;
end
$$;

create or replace function erase_tank() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from rejected_readings r using device_assignments a
  where a.tank_no = new.no and r.organization_no = a.organization_no and r.device_id = a.device_id
    and r.received_at >= a.from_at and r.received_at < a.to_at;
  -- Closes the open assignment as record_moved_assignments does, which fires later and finds none.
  delete from device_assignments where tank_no = new.no and from_at >= now()::timestamptz(3);
  update device_assignments set tank_no = null, to_at = least(to_at, now()) where tank_no = new.no;
  update idempotency_keys set answer = null where object = 'tank' and object_no = new.no;
  return null;
end
$$;

----------------------------------------------------------------------------------------------------- rights

-- These triggers write tables that the manager role has no right on.
alter function count_catalog_change() security definer set search_path = public, pg_temp;
alter function record_new_assignments() security definer set search_path = public, pg_temp;
alter function record_moved_assignments() security definer set search_path = public, pg_temp;
alter function record_settings_change() security definer set search_path = public, pg_temp;

grant execute on function lock_organization to tankwatch_operator, tankwatch_manager;
grant execute on function begin_management to tankwatch_manager;
grant execute on function delete_old_idempotency_keys to tankwatch_worker;

-- manager: what /manage/v1 reads and changes. Rows are marked as deleted and not deleted.
grant select, insert on customers, tanks to tankwatch_manager;
grant update (external_key, email, name, phone, is_verified, verified_at, last_seen_at, deleted_at)
on customers to tankwatch_manager;
grant update (owner_no, assigned_device_id, capacity, capacity_unit, custom_id, min_fill_alert_percentage, name, use_case, city,
              country, district, latitude, longitude, postal_code, region, street, street_number, deleted_at)
on tanks to tankwatch_manager;
grant select on reminder_unsubscribes to tankwatch_manager;
grant select, insert, update on idempotency_keys to tankwatch_manager;

-- Erasing the data of deleted customers and tanks, the record of removals, and the deletion of expired rows.

----------------------------------------------------------------------------------------------------- erasure

-- What a deleted customer leaves in other tables. A trigger, so that a deletion is complete in the same transaction, however
-- it is made. It runs with the rights of its owner, because no role may delete from these tables itself.
create function erase_customer() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- The name of a narrowed key is often that of its customer.
  update api_keys set name = 'deleted customer', revoked_at = coalesce(revoked_at, now()), last_used_at = null
  where customer_no = new.no;
  delete from reminder_unsubscribes where customer_no = new.no;
  delete from event_mails where recipient = 'customer' and recipient_no = new.no;
  return null;
end
$$;
create trigger erase_customer after update on customers for each row
when (old.deleted_at is null and new.deleted_at is not null) execute function erase_customer();

-- The same for a tank. The payloads that its devices sent are deleted: they were rejected, and may hold anything. Its
-- assignments lose their tank: they no longer connect a device with the readings of a household. The rows stay, because a
-- late reading of this device must not be stored for the next tank of the device.
create function erase_tank() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from rejected_readings r using device_assignments a
  where a.tank_no = new.no and r.organization_no = a.organization_no and r.device_id = a.device_id
    and r.received_at >= a.from_at and r.received_at < a.to_at;
  -- Closes the open assignment as record_moved_assignments does, which fires later and finds none.
  delete from device_assignments where tank_no = new.no and from_at >= now()::timestamptz(3);
  update device_assignments set tank_no = null, to_at = least(to_at, now()) where tank_no = new.no;
  return null;
end
$$;
create trigger erase_tank after update on tanks for each row
when (old.deleted_at is null and new.deleted_at is not null) execute function erase_tank();

-- For the statements above. Imported assignments are open, so the second index costs an import nothing. The third stores
-- hashes, because the device id of a rejected payload may be of any length.
create index event_mails_of_customer on event_mails (recipient_no) where recipient = 'customer';
create index closed_assignments_by_tank on device_assignments (tank_no) where to_at < 'infinity';
create index rejected_readings_by_device on rejected_readings using hash (device_id);
create index deleted_tanks on tanks (no) where deleted_at is not null;

-- Deletes the readings and events of one deleted tank, which nobody can see any more. Returns the number of the tank, or null
-- if nothing is left to do. The worker calls it again and again, so that each transaction is short. Every tank with readings
-- has a row in tank_states. That row is the tank's lock and is deleted last, so that a tank is found until all is done.
create function erase_deleted_tank(after_no int) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  erased_no int;
begin
  select s.tank_no into erased_no
  from tanks t join tank_states s on s.tank_no = t.no
  where t.deleted_at is not null and t.no > after_no
  order by t.no limit 1 for no key update of s;
  if erased_no is null then
    return null;
  end if;
  delete from telemetry where tank_no = erased_no;
  delete from packed_telemetry where tank_no = erased_no;
  delete from telemetry_month_counters where tank_no = erased_no;
  delete from telemetry_buckets where tank_no = erased_no;
  delete from tank_checkpoints where tank_no = erased_no;
  delete from tank_settings_history where tank_no = erased_no;
  delete from reevaluations where tank_no = erased_no;
  -- Receivers still learn of the last events: those wait until all their deliveries have ended.
  perform delete_events(array(select no from events where tank_no = erased_no));
  if not exists (select from events where tank_no = erased_no) then
    delete from tank_states where tank_no = erased_no;
  else
    update tank_states set encoded_state = null, timer_at = null, reevaluate_from = null where tank_no = erased_no;
  end if;
  return erased_no;
end
$$;
revoke execute on function erase_deleted_tank from public;

-- Deletes events with their deliveries and mails, except for events with a delivery that is still attempted.
create function delete_events(event_nos bigint[]) returns int
language plpgsql as $$
declare
  deleted int;
  finished bigint[] := array(
    select given.no from unnest(event_nos) as given (no)
    where not exists (select from webhook_deliveries d where d.event_no = given.no and d.status = 'pending')
  );
begin
  delete from webhook_deliveries where event_no = any (finished);
  delete from event_mails where event_no = any (finished);
  delete from events where no = any (finished);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
revoke execute on function delete_events from public;

-- Does the next step of erasing a deleted organization, in one short transaction, and returns true if another step can
-- follow at once. First its tanks and customers are marked as deleted, some at a time, which erases what describes people and
-- places. Then erase_deleted_tank deletes the readings and events of each tank. What is left are rows without any personal
-- value. They are deleted last, ten minutes after the deletion at the earliest, when no writer can still be storing a batch
-- that it began before. Nobody can ask for their ids any more, because all keys of the organization are revoked.
create function erase_deleted_organization(organization int) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  deleted timestamptz;
  nos int[];
begin
  -- A second worker has nothing to do meanwhile.
  select deleted_at into deleted from organizations
  where no = organization and deleted_at is not null and erased_at is null for no key update skip locked;
  if deleted is null then
    return false;
  end if;

  nos := array(select no from tanks where organization_no = organization and deleted_at is null order by no limit 200);
  if nos <> '{}' then
    update tanks set deleted_at = now(), assigned_device_id = null, custom_id = null, name = null, use_case = null,
      city = null, country = null, district = null, latitude = null, longitude = null, postal_code = null,
      region = null, street = null, street_number = null
    where no = any (nos);
    return true;
  end if;
  nos := array(select no from customers where organization_no = organization and deleted_at is null order by no limit 200);
  if nos <> '{}' then
    update customers set deleted_at = now(), email = null, name = null, phone = null, external_key = null,
      is_verified = false, verified_at = null, last_seen_at = null
    where no = any (nos);
    return true;
  end if;
  delete from rejected_readings where no in (
    select no from rejected_readings where organization_no = organization limit 2000
  );
  if found then
    return true;
  end if;

  if deleted > now() - interval '10 minutes' or exists (
    select from tanks t join tank_states s on s.tank_no = t.no where t.organization_no = organization
  ) then
    return false;
  end if;
  nos := array(select no from tanks where organization_no = organization order by no limit 2000);
  if nos <> '{}' then
    delete from tank_settings_history where tank_no = any (nos); -- of tanks that never had a reading
    delete from tanks where no = any (nos);
    return true;
  end if;
  delete from device_assignments where (organization_no, device_id, from_at) in (
    select organization_no, device_id, from_at from device_assignments where organization_no = organization limit 2000
  );
  if found then
    return true;
  end if;
  delete from api_keys where no in (select no from api_keys where organization_no = organization limit 2000);
  if found then
    return true;
  end if;
  nos := array(select no from customers where organization_no = organization order by no limit 2000);
  if nos <> '{}' then
    delete from customers where no = any (nos);
    delete from catalog_month_counters where list = 'owner_tanks' and scope_no = any (nos);
    delete from catalog_buckets where list = 'owner_tanks' and scope_no = any (nos);
    return true;
  end if;
  delete from webhook_deliveries where no in (
    select d.no from webhook_deliveries d join webhook_endpoints w on w.no = d.endpoint_no
    where w.organization_no = organization limit 2000
  );
  if found then
    return true;
  end if;
  delete from webhook_endpoints where organization_no = organization;
  delete from event_mails m using contacts c
  where c.organization_no = organization and m.recipient = 'contact' and m.recipient_no = c.no;
  delete from device_mails m using contacts c where c.organization_no = organization and m.contact_no = c.no;
  delete from contacts where organization_no = organization;
  delete from device_credentials where organization_no = organization;
  delete from device_password_issues where organization_no = organization;
  delete from organization_secrets where organization_no = organization;
  delete from reevaluations where organization_no = organization;
  delete from catalog_month_counters where list <> 'owner_tanks' and scope_no = organization;
  delete from catalog_buckets where list <> 'owner_tanks' and scope_no = organization;
  update organizations set erased_at = now() where no = organization;
  return false;
end
$$;
revoke execute on function erase_deleted_organization from public;

----------------------------------------------------------------------------------------------------- removals

-- An append-only record of what was deleted or revoked, without personal values. A restore from an older backup brings
-- deleted people and revoked keys back; `tankwatch restore finish` removes them again with a copy of this record that was
-- kept outside the database.
create table removals (
  id           uuid primary key default gen_random_uuid(),
  at           timestamptz(3) not null default clock_timestamp(),
  kind         text not null check (kind in (
                 'organization', 'customer', 'tank', 'contact', 'console', 'key', 'device', 'webhook', 'unsubscribe')),
  organization text not null,   -- its code
  -- The id of a customer, tank, contact (also of one who may not use the console any more) or webhook, the prefix of a key,
  -- a device id, a code.
  object       text not null,
  ended_at     timestamptz(3),  -- when it was or will be deleted or revoked; null: it is valid again
  generation   int,             -- of a device's password
  added_xid    xid8 not null default pg_current_xact_id()  -- as changed_xid in api_keys
);
create index removals_by_time on removals (at, id);
create index removals_by_xid on removals (added_xid);

-- Trigger arguments: the kind, and the column that identifies the object.
create function record_removal() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  changed jsonb := to_jsonb(new);
begin
  insert into removals (kind, organization, object, ended_at, generation)
  select tg_argv[0], code, changed ->> tg_argv[1],
         case tg_argv[0]
           when 'key' then least((changed ->> 'revoked_at')::timestamptz, (changed ->> 'expires_at')::timestamptz)
           when 'device' then (changed ->> 'revoked_at')::timestamptz
           when 'webhook' then (changed ->> 'disabled_at')::timestamptz
           when 'console' then case when not (changed ->> 'has_console')::boolean then now() end
           else (changed ->> 'deleted_at')::timestamptz
         end,
         (changed ->> 'generation')::int
  -- Of a deleted organization, one record is enough.
  from organizations where no = new.organization_no and deleted_at is null;
  return null;
end
$$;
create trigger record_removed_customer after update on customers for each row
when (old.deleted_at is distinct from new.deleted_at) execute function record_removal('customer', 'id');
create trigger record_removed_tank after update on tanks for each row
when (old.deleted_at is distinct from new.deleted_at) execute function record_removal('tank', 'id');
create trigger record_removed_contact after update on contacts for each row
when (old.deleted_at is distinct from new.deleted_at) execute function record_removal('contact', 'id');
create trigger record_changed_console after update on contacts for each row
when (old.has_console is distinct from new.has_console and new.deleted_at is null)
execute function record_removal('console', 'id');
create trigger record_ended_key after update on api_keys for each row
when ((old.revoked_at, old.expires_at) is distinct from (new.revoked_at, new.expires_at))
execute function record_removal('key', 'prefix');
create trigger record_new_credential after insert on device_credentials for each row
execute function record_removal('device', 'device_id');
create trigger record_changed_credential after update on device_credentials for each row
when ((old.generation, old.revoked_at) is distinct from (new.generation, new.revoked_at))
execute function record_removal('device', 'device_id');
-- An endpoint that Tankwatch disabled because it failed is no removal.
create trigger record_disabled_webhook after update on webhook_endpoints for each row
when (old.disabled_at is distinct from new.disabled_at and 'operator' in (old.disabled_because, new.disabled_because))
execute function record_removal('webhook', 'id');

create function record_deleted_organization() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into removals (kind, organization, object, ended_at) values ('organization', new.code, new.code, new.deleted_at);
  return null;
end
$$;
create trigger record_deleted_organization after update on organizations for each row
when (old.deleted_at is distinct from new.deleted_at) execute function record_deleted_organization();

create function record_unsubscribe() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into removals (kind, organization, object, ended_at)
  select 'unsubscribe', o.code, c.id, new.at
  from customers c join organizations o on o.no = c.organization_no where c.no = new.customer_no;
  return null;
end
$$;
create trigger record_unsubscribe after insert on reminder_unsubscribes for each row execute function record_unsubscribe();

----------------------------------------------------------------------------------------------------- retention

-- Deletes rows that have expired, of at most `batch_rows` rows after the number `after_no`. Returns the last number that it
-- has looked at, or null when it has reached rows that are younger. Numbers rise with time, so no index on time is needed.
-- Runs with the rights of its owner: the worker has no right to delete a row that has not expired. Not even a worker that an
-- attacker has taken over can empty the audit log of the last 30 days.
create function delete_expired_rows(table_name text, before timestamptz, after_no bigint, batch_rows int,
                                    out deleted int, out last_no bigint)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  nos bigint[];
  is_done boolean;
begin
  if before > now() - (case table_name when 'audit_log' then interval '30 days' else interval '1 day' end) then
    raise exception 'rows of % that are so young cannot be deleted', table_name;
  end if;
  case table_name
    when 'rejected_readings' then
      select array_agg(no) filter (where received_at < before), bool_or(received_at >= before), max(no)
      into nos, is_done, last_no
      from (select no, received_at from rejected_readings where no > after_no order by no limit batch_rows) as looked_at;
      delete from rejected_readings where no = any (nos);
    when 'webhook_deliveries' then
      select array_agg(no) filter (where finished_at < before), bool_or(created_at >= before), max(no)
      into nos, is_done, last_no
      from (
        select no, created_at, finished_at from webhook_deliveries where no > after_no order by no limit batch_rows
      ) as looked_at;
      delete from webhook_deliveries where no = any (nos);
    when 'event_mails' then
      select array_agg(no) filter (where sent_at < before), bool_or(sent_at >= before), max(no) into nos, is_done, last_no
      from (select no, sent_at from event_mails where no > after_no order by no limit batch_rows) as looked_at;
      delete from event_mails where no = any (nos);
    when 'events' then
      -- The newest event of each type of a tank stays: without it, a re-evaluation would record and notify of it again.
      select array_agg(no) filter (where recorded_at < before and exists (
               select from events newer
               where newer.tank_no = looked_at.tank_no and newer.type = looked_at.type
                 and newer.occurred_at > looked_at.occurred_at
             )), bool_or(recorded_at >= before), max(no)
      into nos, is_done, last_no
      from (
        select no, tank_no, type, occurred_at, recorded_at from events where no > after_no order by no limit batch_rows
      ) as looked_at;
      deleted := delete_events(nos);
    when 'audit_log' then
      select array_agg(no) filter (where at < before), bool_or(at >= before), max(no) into nos, is_done, last_no
      from (select no, at from audit_log where no > after_no order by no limit batch_rows) as looked_at;
      delete from audit_log where no = any (nos);
  end case;
  if table_name <> 'events' then
    get diagnostics deleted = row_count;
  end if;
  if is_done then
    last_no := null;
  end if;
end
$$;
revoke execute on function delete_expired_rows from public;

-- Locks the next tanks of an organization that have readings of months before `before`, and returns from which month on each
-- keeps its readings. A tank keeps the month of its latest reading however old it is. Tanks that wait for a re-evaluation
-- are left for the next run: it may need the old readings.
create function lock_expired_telemetry(organization int, before timestamptz, after_no int, max_tanks int)
returns table (tank_no int, kept_from timestamptz, readings int)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return query
  with locked as materialized (
    select s.tank_no, least(utc_month(before), utc_month(s.latest_at)) as kept_from
    from tanks t join tank_states s on s.tank_no = t.no
    where t.organization_no = organization and t.no > after_no and t.deleted_at is null
      and s.reevaluate_from is null and not exists (select from reevaluations r where r.tank_no = t.no)
      and exists (
        select from telemetry_month_counters c
        where c.tank_no = t.no and c.month < least(utc_month(before), utc_month(s.latest_at))
      )
    order by t.no limit max_tanks for no key update of s skip locked
  )
  select locked.tank_no, next_utc_month(expired.month), expired.total
  from locked cross join lateral (
    -- As many months as fit into memory, and at least one. The next run continues.
    select m.month, m.total::int
    from (
      select c.month, sum(c.n) over (order by c.month) as total, row_number() over (order by c.month) as position
      from telemetry_month_counters c where c.tank_no = locked.tank_no and c.month < locked.kept_from
    ) as m
    where m.total <= 500000 or m.position = 1
    order by m.month desc limit 1
  ) as expired
  order by locked.tank_no;
end
$$;
revoke execute on function lock_expired_telemetry from public;

-- Drops the readings of whole months of tanks with their counters, and saves the states from which evaluation begins then.
-- The caller has locked the tanks with lock_expired_telemetry in the same transaction. Returns the number of readings.
create function drop_expired_telemetry(
  tank_nos int[], kept_from timestamptz[], base_at timestamptz[], base_states text[]
) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  dropped bigint;
begin
  if exists (select from unnest(kept_from) as k (at) where k.at > now() - interval '60 days' or k.at <> utc_month(k.at)) then
    raise exception 'readings that are so young cannot be dropped';
  end if;
  insert into tank_checkpoints (tank_no, week_index, at, encoded_state)
  select b.tank_no, 4, b.at, b.state from unnest(tank_nos, base_at, base_states) as b (tank_no, at, state)
  order by b.tank_no
  on conflict (tank_no, week_index) do update set at = excluded.at, encoded_state = excluded.encoded_state;

  delete from packed_telemetry p using unnest(tank_nos, kept_from) as k (tank_no, at)
  where p.tank_no = k.tank_no and p.starts_at < k.at and p.starts_at < (select max(m.at) from unnest(kept_from) as m (at));
  -- Of plain months, and what packing has left in partitions that are not dropped yet.
  delete from telemetry t using unnest(tank_nos, kept_from) as k (tank_no, at)
  where t.tank_no = k.tank_no and t.created_at < k.at and t.created_at < (select max(m.at) from unnest(kept_from) as m (at));
  delete from telemetry_buckets b using unnest(tank_nos, kept_from) as k (tank_no, at)
  where b.tank_no = k.tank_no and b.starts_at < k.at;
  with deleted as (
    delete from telemetry_month_counters c using unnest(tank_nos, kept_from) as k (tank_no, at)
    where c.tank_no = k.tank_no and c.month < k.at
    returning c.n
  )
  select coalesce(sum(n), 0) into dropped from deleted;
  return dropped;
end
$$;
revoke execute on function drop_expired_telemetry from public;

-- The worker evaluates the readings once more before it drops them, and writes them to the archive.
grant select on telemetry, packed_telemetry, telemetry_month_counters, tank_checkpoints, tank_settings, tank_settings_history
to tankwatch_worker;
grant execute on function lock_expired_telemetry, drop_expired_telemetry to tankwatch_worker;

----------------------------------------------------------------------------------------------------- continuous check

-- How far the worker has come with counting the readings of all tanks again, tank by tank, and what it found. One row.
create table counter_check (
  is_only_row    boolean primary key default true check (is_only_row),
  began_at       timestamptz(3) not null default now(),  -- of this round
  checked_at     timestamptz(3) not null default now(),  -- the last batch
  last_tank_no   int not null default 0,
  checked_tanks  int not null default 0,
  wrong_counters int not null default 0,
  example        text,
  -- The round before.
  ended_at       timestamptz(3),
  ended_tanks    int,
  ended_wrong    int not null default 0,
  ended_example  text
);
insert into counter_check default values;
grant select, update on counter_check to tankwatch_worker;
grant select on counter_check to tankwatch_operator;
grant select on telemetry_buckets to tankwatch_worker;

grant select on removals to tankwatch_worker, tankwatch_operator;
grant execute on function erase_deleted_tank, erase_deleted_organization, delete_expired_rows to tankwatch_worker;
grant execute on function unsubscribe_customer_of_link to tankwatch_operator;

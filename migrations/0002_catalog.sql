-- The catalog: organizations, their customers, tanks and device assignments. At most tens of millions of rows.
--
-- Every row has an internal number `no` beside the public uuid: four bytes instead of sixteen in every index that refers
-- to it, and a unique column that orders rows with equal creation times.
-- Times have millisecond precision because /v1 shows milliseconds. With microseconds in the table, a time that /v1
-- returned would not find its own row when it is used as an inclusive filter.

create table organizations (
  no         int generated always as identity primary key,
  code       text not null unique check (code ~ '^[a-z0-9]{3,16}$'),  -- begins with its slot, two characters
  name       text not null check (name <> ''),
  -- Mails to its customers and contacts: the language with a region, such as es-MX, which decides how numbers and times are
  -- written; the time zone, such as America/Mexico_City; where replies go; and the number to call.
  language   text not null default 'en' check (language ~ '^(en|es)(-([A-Z]{2}|[0-9]{3}))?$'),
  time_zone  text not null default 'UTC' check (length(time_zone) between 1 and 64),
  reply_to   text check (length(reply_to) between 1 and 320),
  phone      text check (length(phone) between 1 and 50),
  readings_per_second int check (readings_per_second > 0),  -- its quota at a gateway; null: the gateway's default
  -- For how many days its readings are kept; 0: forever; null: the default of the worker.
  telemetry_days      int check (telemetry_days = 0 or telemetry_days >= 90),
  created_at timestamptz(3) not null default now(),
  -- The row of a deleted organization stays, so that its code is not used again: device passwords are derived from it.
  deleted_at timestamptz(3),
  erased_at  timestamptz(3),  -- when the worker had deleted everything else of it
  check (erased_at is null or deleted_at is not null)
);

create table customers (
  no              int generated always as identity primary key,
  id              uuid not null unique,
  organization_no int not null references organizations,
  external_key    text check (external_key <> ''),  -- the operator's own number of the customer; never in /v1
  email           text check (length(email) between 1 and 320),
  name            text check (length(name) between 1 and 500),
  phone           text check (length(phone) between 1 and 50),
  is_verified     boolean not null default false,
  verified_at     timestamptz(3),
  last_seen_at    timestamptz(3),
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  deleted_at      timestamptz(3),
  unique (organization_no, no),  -- tanks and keys refer to both columns, so they cannot name another organization's customer
  check (is_verified or verified_at is null),
  constraint live_customer_is_complete check (deleted_at is not null or (email is not null and name is not null)),
  constraint deleted_customer_is_empty check (
    deleted_at is null
    or coalesce(email, name, phone, external_key) is null and coalesce(verified_at, last_seen_at) is null
  )
);

create unique index customers_external_key on customers (organization_no, external_key);
create index customers_in_order on customers (organization_no, created_at, no) where deleted_at is null;
create index customers_by_email on customers (organization_no, email, created_at, no) where deleted_at is null;

create table tanks (
  no                        int generated always as identity primary key,
  id                        uuid not null unique,
  organization_no           int not null,
  owner_no                  int not null,
  assigned_device_id        text check (length(assigned_device_id) between 1 and 64),
  capacity                  double precision not null check (capacity > 0 and capacity < 'infinity'),
  capacity_unit             text not null check (capacity_unit in ('liters', 'gallons')),
  custom_id                 text check (length(custom_id) between 1 and 200),
  min_fill_alert_percentage smallint not null check (min_fill_alert_percentage between 0 and 100),
  name                      text check (length(name) between 1 and 500),
  use_case                  text check (use_case in ('residential', 'commercial', 'industrial')),
  city                      text,
  country                   text,
  district                  text,
  latitude                  double precision check (latitude between -90 and 90),
  longitude                 double precision check (longitude between -180 and 180),
  postal_code               text,
  region                    text,
  street                    text,
  street_number             text,
  created_at                timestamptz(3) not null default now(),
  updated_at                timestamptz(3) not null default now(),
  settings_changed_at       timestamptz(3),  -- the last change of an alert setting; null: never changed
  deleted_at                timestamptz(3),
  foreign key (organization_no, owner_no) references customers (organization_no, no),
  -- Deferrable, so that PostgreSQL checks it at the end of a statement and one update can swap the devices of two tanks.
  constraint one_tank_per_device unique (organization_no, assigned_device_id) deferrable initially immediate,
  constraint live_tank_is_complete check (
    deleted_at is not null or (name is not null and assigned_device_id is not null)
  ),
  constraint deleted_tank_is_empty check (
    deleted_at is null
    or coalesce(assigned_device_id, custom_id, name, use_case) is null
       and coalesce(city, country, district, postal_code, region, street, street_number) is null
       and coalesce(latitude, longitude) is null
  )
);

create unique index tanks_custom_id on tanks (owner_no, custom_id);
create index tanks_in_order on tanks (organization_no, created_at, no) where deleted_at is null;
create index tanks_of_owner_in_order on tanks (owner_no, created_at, no) where deleted_at is null;

----------------------------------------------------------------------------------------------------- updated_at

-- `updated_at` changes with the row's own fields only. Activity, counters and readings do not change it.
create function set_updated_at() returns trigger language plpgsql as $$
begin
  new.updated_at := now();
  return new;
end
$$;

create trigger set_customer_updated_at before update on customers for each row
when ((old.email, old.is_verified, old.name, old.phone, old.verified_at, old.created_at, old.deleted_at)
  is distinct from (new.email, new.is_verified, new.name, new.phone, new.verified_at, new.created_at, new.deleted_at))
execute function set_updated_at();

create trigger set_tank_updated_at before update on tanks for each row
when ((old.owner_no, old.assigned_device_id, old.capacity, old.capacity_unit, old.custom_id,
       old.min_fill_alert_percentage, old.name, old.use_case, old.created_at, old.deleted_at,
       old.city, old.country, old.district, old.latitude, old.longitude, old.postal_code, old.region,
       old.street, old.street_number)
  is distinct from
      (new.owner_no, new.assigned_device_id, new.capacity, new.capacity_unit, new.custom_id,
       new.min_fill_alert_percentage, new.name, new.use_case, new.created_at, new.deleted_at,
       new.city, new.country, new.district, new.latitude, new.longitude, new.postal_code, new.region,
       new.street, new.street_number))
execute function set_updated_at();

create function set_settings_changed_at() returns trigger language plpgsql as $$
begin
  new.settings_changed_at := now();
  return new;
end
$$;

create trigger set_settings_changed_at before update on tanks for each row
when ((old.min_fill_alert_percentage, old.capacity, old.capacity_unit)
  is distinct from (new.min_fill_alert_percentage, new.capacity, new.capacity_unit))
execute function set_settings_changed_at();

----------------------------------------------------------------------------------------------------- assignments

-- The period during which a device was on a tank. A reading belongs to the tank that its device was on at the time of the
-- reading. Triggers maintain this table from tanks.assigned_device_id, so that every writer is covered. There are no
-- foreign keys: only the triggers write here, tanks are never deleted, and each check would add 5 us a tank to an import.
create table device_assignments (
  organization_no int not null,
  tank_no         int,  -- null: the tank was deleted, and nothing says which it was
  device_id       text not null,
  from_at         timestamptz(3) not null,
  to_at           timestamptz(3) not null default 'infinity',
  primary key (organization_no, device_id, from_at),
  check (from_at < to_at)
);

create unique index one_open_assignment_per_tank on device_assignments (tank_no) where to_at = 'infinity';

-- The first assignment of a device begins at -infinity, so that history imported later finds its tank.
-- Sequential scans are off because one would also read every row that this statement has inserted so far.
create function open_assignments(organization_nos int[], device_ids text[], tank_nos int[]) returns void
language sql set enable_seqscan = off as $$
  insert into device_assignments (organization_no, device_id, tank_no, from_at)
  select organization_no, device_id, tank_no,
         case when exists (
           select from device_assignments a
           where a.organization_no = moved.organization_no and a.device_id = moved.device_id
         ) then now() else '-infinity' end
  from unnest(organization_nos, device_ids, tank_nos) as moved (organization_no, device_id, tank_no)
$$;

create function record_new_assignments() returns trigger language plpgsql as $$
begin
  perform open_assignments(array_agg(organization_no), array_agg(assigned_device_id), array_agg(no))
  from new_rows where assigned_device_id is not null;
  return null;
end
$$;

create function record_moved_assignments() returns trigger language plpgsql as $$
declare
  moved int[];
begin
  select array_agg(o.no) into moved
  from old_rows o join new_rows n using (no)
  where o.assigned_device_id is distinct from n.assigned_device_id;

  if moved is not null then
    -- An assignment that was opened in this same millisecond would end where it begins. It has no reading yet.
    delete from device_assignments where tank_no = any (moved) and to_at = 'infinity' and from_at >= now()::timestamptz(3);
    update device_assignments set to_at = now() where tank_no = any (moved) and to_at = 'infinity';
    perform open_assignments(array_agg(organization_no), array_agg(assigned_device_id), array_agg(no))
    from new_rows where no = any (moved) and assigned_device_id is not null;
  end if;
  return null;
end
$$;

create trigger record_new_assignments after insert on tanks
referencing new table as new_rows for each statement execute function record_new_assignments();
create trigger record_moved_assignments after update on tanks
referencing old table as old_rows new table as new_rows for each statement execute function record_moved_assignments();

-- Delivery notes, what people said about them, and the ledger: which notes and refills are the same delivery, and whether they
-- agree. It only adds: 0.2.0 works with it. The triggers lock organizations and customers for a moment.

-- A delivery note as it was written. Organization, series and number identify it.
create table delivery_notes (
  no              int generated always as identity primary key,
  id              uuid not null unique,
  organization_no int not null,
  series          text not null default '' check (length(series) <= 50),
  number          text not null check (length(number) between 1 and 100),
  -- No foreign keys, as in tank_notes: triggers delete and move notes with their customer and tank.
  customer_no     int not null,
  tank_no         int,                      -- null: the note names only the customer
  truck_no        int,
  driver_no       int,
  at              timestamptz(3) not null,  -- the beginning of the day, if only the day is known
  precision       text not null check (precision in ('minute', 'day')),
  volume          double precision not null check (volume > 0 and volume < 'infinity'),
  unit            text not null check (unit in ('liters', 'gallons')),
  -- Whether the truck's meter converted to the volume at 15.6 degrees Celsius. Null: as the truck says.
  is_compensated  boolean,
  product_celsius real check (product_celsius between -60 and 60),  -- as printed
  filled_to       real check (filled_to between 0 and 100),         -- percent, as the driver wrote
  is_cancelled    boolean not null default false,  -- it counts nowhere
  source          text not null check (source in ('api', 'console', 'import', 'driver')),
  written_by      text not null default current_actor(),
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  constraint one_note_per_number unique (organization_no, series, number)
);
create index delivery_notes_of_customer on delivery_notes (customer_no, at);
create index delivery_notes_of_tank on delivery_notes (tank_no, at) where tank_no is not null;
create index delivery_notes_by_time on delivery_notes (organization_no, at);

-- What a person said: this note and this refill are one delivery, or they are not. A refill is named by its tank and time:
-- events change when a tank is re-evaluated.
create table note_pins (
  no              int generated always as identity primary key,
  organization_no int not null,
  note_no         int not null references delivery_notes on delete cascade,
  tank_no         int not null,
  refill_at       timestamptz(3) not null,
  kind            text not null check (kind in ('together', 'apart')),
  pinned_by       text not null default current_actor(),
  created_at      timestamptz(3) not null default now(),
  constraint one_pin_per_refill unique (note_no, tank_no, refill_at)
);
create index note_pins_of_tank on note_pins (tank_no);

-- What is left of the notes of erased customers: how much each truck delivered, and nothing that says where or when.
create table erased_deliveries (
  organization_no int not null,
  truck_no        int not null,  -- 0: the notes named no truck
  notes           int not null,
  litres          double precision not null,
  primary key (organization_no, truck_no)
);

----------------------------------------------------------------------------------------------------- what is derived

-- Customers whose ledger must be made again. Each change adds a row and locks nothing, so that no writer waits for the worker. The
-- worker deletes the rows that it sees before it reads the notes and refills: a change that it does not see has its own row.
create table ledger_marks (
  no              bigint generated always as identity primary key,
  organization_no int not null,
  customer_no     int not null
);
create index ledger_marks_of_organization on ledger_marks (organization_no, no);
create index ledger_marks_of_customer on ledger_marks (customer_no);

-- What the ledgers of all customers of an organization share. It depends on their notes and refills only.
create table ledger_organizations (
  organization_no int primary key,
  version         smallint not null,          -- of the code that made the entries
  begins_at       timestamptz(3),             -- refills before the first note are nobody's business; null: there is no note
  clock_shifts    jsonb not null default '{}',  -- by how many milliseconds the clock of a truck is ahead, by its number
  between_tanks   real not null,
  within_tank     real not null,
  is_outdated     boolean not null default true,  -- ledgers have changed since it was learned
  learned_at      timestamptz(3) not null default 'epoch'
);

-- The refills that gauges have seen, with what was known of the gauge at that time. Retention deletes events; a refill stays as
-- long as its tank, or until it is retracted.
create table seen_refills (
  tank_no           int not null,
  at                timestamptz(3) not null,
  from_at           timestamptz(3) not null,  -- the last reading before
  to_at             timestamptz(3) not null,  -- the first reading after
  litres            double precision not null,
  before_percentage real not null,
  after_percentage  real not null,
  capacity_litres   double precision not null,
  noise_points      real not null,
  use_points        real not null,  -- a day
  cadence_ms        bigint not null,
  is_gauge_reliable boolean not null,
  primary key (tank_no, at)
);

-- How far the time of a note is from its refill, before any clock is corrected.
create table ledger_clock_samples (
  note_no         int primary key references delivery_notes on delete cascade,
  organization_no int not null,
  customer_no     int not null,
  truck_no        int not null,
  at              timestamptz(3) not null,
  shift_ms        bigint not null
);
create index ledger_clock_samples_of_customer on ledger_clock_samples (customer_no);
create index ledger_clock_samples_by_time on ledger_clock_samples (organization_no, at desc, note_no);

-- Each note that is not cancelled and each refill once, with a verdict.
create table ledger_entries (
  id               uuid primary key,  -- derived from the notes and refills of the entry
  organization_no  int not null,
  customer_no      int not null,
  at               timestamptz(3) not null,  -- of the first note; without a note, of the refill
  verdict          text not null check (verdict in ('consistent', 'not_consistent', 'cannot_be_told', 'waiting',
                                                     'note_without_refill', 'refill_without_note')),
  reason           text,
  is_unlike_earlier boolean not null,
  is_pinned        boolean not null,
  note_nos         int[] not null,
  refill_tank_nos  int[] not null,
  refill_ats       timestamptz(3)[] not null,
  tank_nos         int[] not null,  -- of the refills and of the notes
  truck_no         int,             -- null: none, or several
  driver_no        int,
  written_litres   double precision,  -- the sum of the notes, as written
  note_litres      double precision,  -- as pumped; null: it is not known whether the meter compensated
  gauge_litres     double precision,
  from_litres      double precision,
  to_litres        double precision,
  is_compared      boolean not null,  -- one note and one refill without a doubt: what trucks are compared by
  due_at           timestamptz(3),    -- of a waiting note: when its gauge must have reported
  made_at          timestamptz(3) not null default now()
);
create index ledger_entries_by_time on ledger_entries (organization_no, at desc, id desc);
create index ledger_entries_of_verdict on ledger_entries (organization_no, verdict, at desc, id desc);
create index ledger_entries_of_truck on ledger_entries (organization_no, truck_no, at desc, id desc);
create index ledger_entries_of_customer on ledger_entries (customer_no, at desc, id desc);
create index ledger_entries_waiting on ledger_entries (due_at) where verdict = 'waiting';
-- The truck comparison reads a year of them.
create index ledger_entries_compared on ledger_entries (organization_no, at desc, id desc) where is_compared;

----------------------------------------------------------------------------------------------------- changes

create function mark_ledgers_of_notes() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op <> 'DELETE' then
    insert into ledger_marks (organization_no, customer_no) select distinct organization_no, customer_no from new_rows;
  end if;
  if tg_op <> 'INSERT' then
    insert into ledger_marks (organization_no, customer_no) select distinct organization_no, customer_no from old_rows;
  end if;
  return null;
end
$$;
create trigger mark_new_notes after insert on delivery_notes referencing new table as new_rows
for each statement execute function mark_ledgers_of_notes();
create trigger mark_changed_notes after update on delivery_notes referencing old table as old_rows new table as new_rows
for each statement execute function mark_ledgers_of_notes();

create function mark_ledgers_of_pins() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into ledger_marks (organization_no, customer_no)
  select distinct n.organization_no, n.customer_no from changed_rows p join delivery_notes n on n.no = p.note_no;
  return null;
end
$$;
create trigger mark_new_pins after insert on note_pins referencing new table as changed_rows
for each statement execute function mark_ledgers_of_pins();
create trigger mark_changed_pins after update on note_pins referencing new table as changed_rows
for each statement execute function mark_ledgers_of_pins();
create trigger mark_deleted_pins after delete on note_pins referencing old table as changed_rows
for each statement execute function mark_ledgers_of_pins();

create trigger set_note_updated_at before update on delivery_notes for each row execute function set_updated_at();

create trigger audit_new_delivery_notes after insert on delivery_notes referencing new table as new_rows
for each statement execute function audit_creation('delivery_note', 'organization_no');
create trigger audit_changed_delivery_notes after update on delivery_notes
referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('delivery_note', 'organization_no');

----------------------------------------------------------------------------------------------------- erasure

-- What remains of a deleted customer: litres by truck.
create function erase_notes_of_customer() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into erased_deliveries as e (organization_no, truck_no, notes, litres)
  select new.organization_no, coalesce(truck_no, 0), count(*),
         sum(volume * case unit when 'gallons' then 3.785411784 else 1 end)
  from delivery_notes where customer_no = new.no and not is_cancelled
  group by coalesce(truck_no, 0) order by 2
  on conflict (organization_no, truck_no) do update set notes = e.notes + excluded.notes, litres = e.litres + excluded.litres;
  update idempotency_keys set answer = null
  where object = 'delivery_note' and object_no in (select no from delivery_notes where customer_no = new.no);
  delete from delivery_notes where customer_no = new.no;  -- with their pins and clock samples
  delete from ledger_entries where customer_no = new.no;
  delete from ledger_marks where customer_no = new.no;
  return null;
end
$$;
create trigger erase_notes_of_customer after update on customers for each row
when (old.deleted_at is null and new.deleted_at is not null) execute function erase_notes_of_customer();

-- Before delete_rounds, which deletes the trucks.
create function delete_ledger() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from delivery_notes where organization_no = new.no;
  delete from ledger_entries where organization_no = new.no;
  delete from ledger_organizations where organization_no = new.no;
  delete from erased_deliveries where organization_no = new.no;
  delete from ledger_marks where organization_no = new.no;
  return null;
end
$$;
create trigger delete_ledger after update on organizations for each row
when (old.erased_at is null and new.erased_at is not null) execute function delete_ledger();

----------------------------------------------------------------------------------------------------- rights

grant select on delivery_notes, ledger_entries to tankwatch_api, tankwatch_manager, tankwatch_worker, tankwatch_operator;
grant select on erased_deliveries to tankwatch_api, tankwatch_operator;
grant select on note_pins to tankwatch_api, tankwatch_manager, tankwatch_worker;
grant insert on delivery_notes to tankwatch_manager, tankwatch_operator;
grant update (customer_no, tank_no, truck_no, driver_no, at, precision, volume, unit, is_compensated, product_celsius, filled_to,
              is_cancelled)
on delivery_notes to tankwatch_manager, tankwatch_operator;
-- A note may say only the day, which begins by the clock of the organization.
grant select (no, time_zone) on organizations to tankwatch_manager;
-- People say what belongs together in the console, or by a program.
grant select on seen_refills to tankwatch_manager;
grant insert, delete on note_pins to tankwatch_manager;
grant update (kind, pinned_by, created_at) on note_pins to tankwatch_manager;

grant select, insert, delete on ledger_marks to tankwatch_worker;
grant select, insert, update, delete on ledger_entries, seen_refills, ledger_clock_samples to tankwatch_worker;
grant select, insert, update on ledger_organizations to tankwatch_worker;

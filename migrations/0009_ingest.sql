-- What a writer must know of a tank to store a reading, and nothing that says whose it is or where.
create view tank_settings as
select no as tank_no, organization_no, capacity, capacity_unit, deleted_at is not null as is_deleted from tanks;

-- Readings that were not stored, each with its reason and as it was sent: for an operator to look at, to try again
-- after the cause is mended, or to discard. A message may be delivered more than once; its id and the place in it
-- keep a rejection from being listed twice.
create table rejected_readings (
  no              bigint generated always as identity primary key,
  organization_no int,   -- null, as the device, where what arrived did not even say that
  device_id       text,
  code            text not null,
  detail          text not null,
  raw             bytea not null,
  format          text not null,  -- how `raw` is to be read, as its source declared
  received_at     timestamptz(3) not null,
  message_id      uuid not null,
  place           int not null,
  settled_at      timestamptz(3),
  settlement      text check (settlement in ('replayed', 'discarded')),
  settled_by      text,
  unique (message_id, place),
  check ((settled_at is null) = (settlement is null) and (settled_at is null) = (settled_by is null))
);
create index rejected_readings_open on rejected_readings (organization_no, no) where settled_at is null;

grant select on tank_settings to tankwatch_writer, tankwatch_operator;
grant select, insert on rejected_readings to tankwatch_writer;
grant select, insert, update on rejected_readings to tankwatch_operator;

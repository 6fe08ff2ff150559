-- What devices say about themselves beside their readings: battery, signal, temperature, faults. It only adds: 0.3.0 works with it.

-- One row for each device on a tank; a device on four tanks has one. The writer keeps it current. The lists of days are short, so
-- that no second table has to be partitioned, packed and expired.
create table device_health (
  organization_no   int not null,
  device_id         text not null check (length(device_id) <= 64),  -- without the channel
  tank_no           int not null,                 -- its first tank; no foreign key, which would lock tanks
  at                timestamptz(3) not null,      -- of the latest report that was written
  battery_v         real,
  battery_percent   real,
  celsius           real,
  rssi_dbm          real,
  snr_db            real,
  signal_percent    real,
  firmware          text,
  next_at           timestamptz(3),               -- when it will report again, as it says
  profile           text,
  fault             text,                         -- why it sends no level
  fault_since       timestamptz(3),
  low_from          timestamptz(3),               -- see DeviceHealth
  low_at            timestamptz(3),
  battery_low_since timestamptz(3),
  day               int not null,                 -- of the last items of the lists, in days since 1970
  battery_days      real[] not null,
  signal_days       real[] not null,
  is_signal_weak    boolean not null,
  primary key (organization_no, device_id)
) with (fillfactor = 70);
create index device_health_of_tank on device_health (tank_no);
-- Few devices have a trouble. The list of devices finds them here.
create index device_troubles on device_health (organization_no, tank_no)
  where fault is not null or battery_low_since is not null or is_signal_weak;

grant select, insert, update on device_health to tankwatch_writer;
grant select on device_health to tankwatch_api;

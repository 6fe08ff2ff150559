-- What keeps notes from being judged one by one: all gauges together differ from the notes, or trucks or drivers differ from each
-- other. The columns have constant defaults, so no row is rewritten; release 0.3 does not know them.
alter table ledger_organizations
  add column common_offset        real not null default 0,        -- logarithm of gauge / note of all gauges together
  add column is_off               boolean not null default false, -- it is more than correct gauges may
  add column differing_truck_nos  int[] not null default '{}',
  add column differing_driver_nos int[] not null default '{}';

-- The ledger says what to check.
grant select (organization_no, common_offset, is_off) on ledger_organizations to tankwatch_api;

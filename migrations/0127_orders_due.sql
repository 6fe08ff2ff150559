-- Whether the tank is at or below its order threshold. With a constant default, PostgreSQL writes no row.
alter table fleet_tanks add column is_order_due boolean not null default false;

-- The worker counts devices in trouble for its metrics.
grant select on device_health to tankwatch_worker;

-- Before a customer or tank is deleted, the console says how many readings are erased with it.
grant select on telemetry_month_counters to tankwatch_manager;

-- Creates the partitions of readings and of their counters for the month of this time, if they are missing.
create or replace function ensure_telemetry_month(at timestamptz) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  part record;
begin
  perform ensure_counter_years(at);
  if not exists (select from missing_telemetry_partitions(at)) then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtext('telemetry partitions'));
  for part in select * from missing_telemetry_partitions(at) loop
    execute format('create table %I (like telemetry including all)', part.name);
    execute format('alter table telemetry attach partition %I for values from (%L) to (%L)', part.name, part.from_at, part.to_at);
  end loop;
end
$$;

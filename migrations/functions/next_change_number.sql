-- Every change gets its number here, also those of writers of the previous release. The row is written only by the
-- first change after a promotion, a restore or an upgrade; others wait for that transaction.
--
-- If the timeline went back, the epoch becomes the one used before, so that the sum with any timeline is above it. A standby
-- that is promoted before it has received this row does the same with a higher timeline, so both never use the same epoch.
create or replace function next_change_number() returns bigint volatile language plpgsql as $$
declare
  timeline constant int := ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int;
  epoch_now int;
  used int;
begin
  select epoch + timeline, used_epoch into strict epoch_now, used from change_epochs;
  if epoch_now <> used then
    update change_epochs
    set epoch = case when epoch + timeline < used_epoch then used_epoch else epoch end,
        used_epoch = timeline + case when epoch + timeline < used_epoch then used_epoch else epoch end
    returning used_epoch into strict used;
  end if;
  return (used::bigint << 44) + pg_current_xact_id()::text::bigint;
end
$$;

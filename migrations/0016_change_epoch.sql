-- pg_upgrade begins with timeline 1 again, and transaction ids continue. After a failover before it, new change numbers were
-- below those that readers of the event feed have seen. So the highest epoch that a change number has is stored with the
-- changes, in their transaction.

-- The epoch of the newest event: one look into the index events_by_change for each organization. It is above the used epoch
-- only if events were brought back without change_epochs.
create function newest_event_epoch() returns bigint stable language sql as $$
  select coalesce(max((select max(change_number) from events e where e.organization_no = o.no) >> 44), 0)
  from organizations o
$$;

alter table change_epochs add column used_epoch int not null default 0;
update change_epochs set used_epoch = newest_event_epoch();
grant update on change_epochs to tankwatch_writer;

-- Every change asks for its number here, also those of writers of the release before. The row is written only by the first
-- change after a promotion, a restore or an upgrade; others wait for that transaction.
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

-- Between pg_upgrade and the first change, all stored events are final: a running transaction gets a number above them.
create or replace function final_change_number(in_organization_no int) returns bigint stable language sql as $$
  select case
    when pg_is_in_recovery() then ((
      select change_number >> 44 from events where organization_no = in_organization_no
      order by change_number desc limit 1) << 44) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    when change_epoch() < used_epoch then (used_epoch::bigint + 1) << 44
    else (change_epoch() << 44) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint
  end
  from change_epochs
$$;

create or replace function raise_change_epoch() returns void language sql as $$
  update change_epochs
  set epoch = greatest(epoch, epoch + greatest(used_epoch, newest_event_epoch()) + 16 - change_epoch())
$$;

-- Changes up to this number are final: no running transaction can still add one. Between pg_upgrade and the first change, all stored
-- events are final, because a running transaction gets a number above them.
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

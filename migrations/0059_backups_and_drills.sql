-- When the newest backup was made, what restores on trial have shown, and when the database was restored. It only adds: 0.2.0 works
-- with it.

-- `tankwatch backup report` writes the one row. The worker exports the time, so that an alert sees a backup that is not made.
create table newest_backup (
  is_only     boolean primary key default true check (is_only),
  ended_at    timestamptz(3) not null,
  bytes       bigint,
  label       text not null,
  reported_at timestamptz(3) not null default now()
);
grant select, insert, update on newest_backup to tankwatch_operator;
grant select on newest_backup to tankwatch_worker;

-- One row for each `tankwatch restore drill`.
create table restore_drills (
  no           int generated always as identity primary key,
  started_at   timestamptz(3) not null,
  ended_at     timestamptz(3) not null default now(),
  backup_label text,
  rpo_seconds  double precision,
  rto_seconds  double precision,
  bytes        bigint,
  -- Empty: the restore was good enough.
  problems     text[] not null
);
grant select, insert on restore_drills to tankwatch_operator;
grant select on restore_drills to tankwatch_worker;

-- The history that readers of the change feed follow: when the last restore was finished, in seconds, or 0. Their cursors had the epoch,
-- which pg_upgrade raises too, although it loses nothing: every copy had to begin again.
alter table change_epochs add column history bigint not null default 0;

-- As in 0016, and begins another history.
create or replace function raise_change_epoch() returns void language sql as $$
  update change_epochs
  set epoch = greatest(epoch, epoch + greatest(used_epoch, newest_event_epoch()) + 16 - change_epoch()),
      history = extract(epoch from now())::bigint
$$;

-- When the newest backup was made, and what restores on trial have shown. It only adds: 0.2.0 works with it.

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

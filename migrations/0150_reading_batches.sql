-- The feed of new readings (GET /fleet/v1/readings): which readings each transaction stored, in the order of the change feed. It only
-- adds: 0.3.0 works with it, but what its writers store is not in the feed.
--
-- Telemetry has no number of a change: 8 bytes more and an index would double what each reading costs for years. A row here has up to
-- 100 readings of one transaction and one organization, 14 bytes each, and is deleted after 8 days.
create table reading_batches (
  organization_no int not null,
  change_number   bigint not null,  -- numbered as the events of the event feed: by the transaction
  no              bigint generated always as identity,
  stored_at       timestamptz(3) not null default now(),
  tank_nos        int[] not null,
  times           timestamptz(3)[] not null,  -- parallel to tank_nos, as the levels
  levels          smallint[] not null,        -- in hundredths of a percent
  primary key (organization_no, change_number, no)
);
-- For the deletion of old rows.
create index reading_batches_by_time on reading_batches (stored_at);

grant select on reading_batches to tankwatch_api;
grant insert on reading_batches to tankwatch_writer, tankwatch_operator;
grant select, delete on reading_batches to tankwatch_worker;

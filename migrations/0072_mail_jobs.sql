-- Mails wait in a table of their own. In graphile-worker's table, 200,000 waiting mails made every search for another
-- job read all of them (60 to 98 ms). It only adds a table: 0.3.0 works with it, and a worker of 0.3.0 continues with
-- the mails in graphile-worker's table. Workers of this release move the mails that wait there (src/mail/mail_jobs.ts).
create table mail_jobs (
  no              bigint generated always as identity primary key,
  organization_no int not null,  -- organizations take turns; 0: unknown
  task            text not null,
  payload         jsonb not null,  -- numbers of rows only, so that no queue holds personal data
  key             text not null unique,
  tries           smallint not null default 0,
  -- While an attempt is in progress, the end of its lease, which its worker extends.
  due_at          timestamptz(3) not null default now(),
  claimed_by      uuid,            -- the process with the lease
  due_again_at    timestamptz(3),  -- it was enqueued again during the attempt: then it is due at this time once more
  given_up_at     timestamptz(3),
  last_error      text,
  created_at      timestamptz(3) not null default now()
);
-- The next mail of each organization.
create index mail_jobs_of_organization on mail_jobs (organization_no, due_at) where given_up_at is null;
-- Whether any mail is due. If none is, no organization is searched.
create index mail_jobs_due on mail_jobs (due_at) where given_up_at is null;
-- The few mails that have been tried before, for metrics.
create index mail_jobs_tried on mail_jobs (created_at) where tries > 0;
grant select, insert, update, delete on mail_jobs to tankwatch_worker;

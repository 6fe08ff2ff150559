-- Notifications: webhooks, mails, and the jobs that send them.

----------------------------------------------------------------------------------------------------- webhooks

create table webhook_endpoints (
  no                    int generated always as identity primary key,
  id                    uuid not null unique,
  organization_no       int not null references organizations,
  url                   text not null check (length(url) between 1 and 2000),
  types                 text[] not null,  -- empty: every type, including types of later releases
  -- Encrypted with SECRETS_KEY (src/keys/sealed_secret.ts). A hash is not enough, because every request is signed with it.
  secret                text not null,
  -- After a rotation both secrets sign for a while, so that the receiver can switch at any time.
  previous_secret       text,
  previous_secret_until timestamptz(3),
  -- The first failure since the last success.
  failing_since         timestamptz(3),
  disabled_at           timestamptz(3),
  disabled_because      text check (disabled_because in ('operator', 'gone', 'failing')),
  created_at            timestamptz(3) not null default now(),
  check ((disabled_at is null) = (disabled_because is null)),
  check ((previous_secret is null) = (previous_secret_until is null))
);
create index webhook_endpoints_of_organization on webhook_endpoints (organization_no);

-- One event for one endpoint, attempted until it succeeds or is given up. The request body is not stored: it is created
-- for each attempt, so that no queue holds personal data. Workers select due deliveries from this table instead of using
-- a job for each, because an endpoint that hangs may have thousands of them and a search for other jobs would have to
-- skip all of those.
create table webhook_deliveries (
  no              bigint generated always as identity primary key,
  endpoint_no     int not null references webhook_endpoints,
  event_no        bigint not null references events,
  status          text not null default 'pending' check (status in ('pending', 'delivered', 'failed', 'canceled')),
  tries           smallint not null default 0,  -- attempts since it was enqueued; a replay starts again at 0
  attempts        jsonb not null default '[]',  -- all attempts: time, response and duration
  -- While an attempt is in progress, the end of its lease.
  next_attempt_at timestamptz(3) not null default now(),
  created_at      timestamptz(3) not null default now(),
  finished_at     timestamptz(3),
  unique (endpoint_no, event_no)
);
create index webhook_deliveries_due on webhook_deliveries (endpoint_no, next_attempt_at) where status = 'pending';
create index webhook_deliveries_by_event on webhook_deliveries (event_no);
create index webhook_deliveries_by_end on webhook_deliveries (finished_at) where finished_at is not null;

----------------------------------------------------------------------------------------------------- mails

-- People at the organization who receive mails, each about the event types they chose.
create table contacts (
  no              int generated always as identity primary key,
  id              uuid not null unique,
  organization_no int not null references organizations,
  email           text check (length(email) between 1 and 320),
  types           text[] not null,  -- the types of events that are mailed at once
  -- The time of the daily digest, in the time zone of the organization; null: no digest.
  digest_at       time(0),
  -- When the contact chose the digest. The first one is sent at the next digest_at after this time.
  digest_since    timestamptz(3),
  has_console     boolean not null default false,  -- may sign in to the console, and sees the whole organization
  last_seen_at    timestamptz(3),                  -- in the console
  created_at      timestamptz(3) not null default now(),
  deleted_at      timestamptz(3),
  unique (organization_no, email),
  check ((digest_at is null) = (digest_since is null)),
  constraint deleted_contact_is_empty check ((deleted_at is null) = (email is not null))
);

-- The mails about each event, so that nobody receives one twice. A reminder is about the same event.
create table event_mails (
  no           bigint generated always as identity primary key,
  event_no     bigint not null references events,
  recipient    text not null check (recipient in ('customer', 'contact')),
  recipient_no int not null,
  kind         text not null check (kind in ('alert', 'reminder')),
  sent_at      timestamptz(3) default now()  -- null: the event waits for a mail about several devices
);
create unique index one_alert_per_recipient on event_mails (event_no, recipient, recipient_no) where kind = 'alert';
create index event_mails_by_event on event_mails (event_no, recipient, recipient_no, sent_at);
create index event_mails_to_group on event_mails (recipient_no, no) where sent_at is null;
create index event_mails_to_remind on event_mails (sent_at) where kind = 'alert' and recipient = 'customer';

-- When a contact last received a mail about silent devices, or about devices that report again. Each type of mail is sent
-- at most once in ten minutes.
create table device_mails (
  contact_no int not null references contacts,
  type       text not null,
  sent_at    timestamptz(3) not null,
  primary key (contact_no, type)
);

-- The last digests of each contact. The key makes sure that each contact gets one digest a day. The row is inserted before
-- the mail is sent and committed after the mail server has accepted it: a second worker waits for the key meanwhile, and
-- if the first worker dies, PostgreSQL rolls back and the second one sends the digest.
create table digests (
  contact_no    int not null references contacts on delete cascade,
  day           date not null,  -- in the time zone of the organization
  outcome       text not null check (outcome in ('sent', 'empty', 'rejected')),
  -- The next digest begins with the events that were recorded after this time.
  covered_until timestamptz(3) not null,
  primary key (contact_no, day)
);

-- Customers who receive no reminders. They still receive the first mail of an alert.
create table reminder_unsubscribes (
  customer_no int primary key references customers,
  at          timestamptz(3) not null default now()
);

----------------------------------------------------------------------------------------------------- jobs

-- Jobs are in graphile-worker's own schema, which `tankwatch migrate` installs. These functions run with the rights of the
-- queue's owner and let other roles enqueue these jobs and no others.

-- Enqueues one job that notifies of all these events. It runs before any mail.
create function enqueue_events(event_nos bigint[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if cardinality(event_nos) > 0 then
    perform graphile_worker.add_job('notify_events', json_build_object('event_nos', event_nos), priority => -10);
  end if;
end
$$;
revoke execute on function enqueue_events from public;

-- Enqueues the mail that asks a customer to confirm the address.
create function enqueue_invitation(customer_no int) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform graphile_worker.add_job('mail_invitation', json_build_object('customer_no', customer_no),
                                  max_attempts => 10, job_key => 'invitation:' || customer_no);
end
$$;
revoke execute on function enqueue_invitation from public;

-- For `tankwatch doctor`: the jobs that have been due for more than ten minutes, the jobs that were given up, and
-- whether a worker runs. Each worker holds an advisory lock for each of its queues (src/worker/heartbeat.ts).
create function job_status()
returns table (overdue int, oldest_at timestamptz, given_up int, given_up_task text, has_worker boolean)
stable language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return query
    select (count(*) filter (where is_overdue))::int, min(j.run_at) filter (where is_overdue),
           (count(*) filter (where is_given_up))::int, min(j.task_identifier) filter (where is_given_up),
           exists (
             select from pg_locks
             where locktype = 'advisory' and granted and objsubid = 2
               and database = (select oid from pg_database where datname = current_database())
               and classid = (hashtext('tankwatch worker')::bigint & 4294967295)::oid
           )
    from graphile_worker.jobs j
    cross join lateral (
      select j.attempts >= j.max_attempts as is_given_up,
             j.attempts < j.max_attempts and j.locked_at is null and j.run_at < now() - interval '10 minutes' as is_overdue
    ) as s;
end
$$;
revoke execute on function job_status from public;

----------------------------------------------------------------------------------------------------- links in mails

-- For the pages that links in mails open. The api role itself cannot write and cannot read organizations. The caller has
-- verified the signature of the link, which covers the address.
create function customer_of_link(customer_id uuid)
returns table (email text, is_verified boolean, organization_code text, organization_name text, language text,
               sealed_link_secret text)
stable language sql security definer set search_path = public, pg_temp as $$
  select c.email, c.is_verified, o.code, o.name, o.language, s.sealed_link_secret
  from customers c
  join organizations o on o.no = c.organization_no
  left join organization_secrets s on s.organization_no = o.no
  where c.id = customer_id and c.deleted_at is null
$$;
revoke execute on function customer_of_link from public;

-- Does nothing if the address has changed: the link proves only the address it was sent to.
create function verify_customer_of_link(customer_id uuid, address text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform set_config('tankwatch.actor', 'link in a mail', true);
  -- Every change to the catalog of an organization takes this lock first.
  perform from organizations where no = (select organization_no from customers where id = customer_id)
  for no key update;
  update customers set is_verified = true, verified_at = coalesce(verified_at, now())
  where id = customer_id and email = address and deleted_at is null;
  return found;
end
$$;
revoke execute on function verify_customer_of_link from public;

create function unsubscribe_customer_of_link(customer_id uuid) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into reminder_unsubscribes (customer_no)
  select no from customers where id = customer_id and deleted_at is null
  on conflict do nothing;
  return exists (select from customers where id = customer_id and deleted_at is null);
end
$$;
revoke execute on function unsubscribe_customer_of_link from public;

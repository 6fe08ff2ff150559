-- What readings meant, and who is told of it: events, webhooks, mails. Jobs are graphile-worker's, in a schema of its own
-- that `tankwatch migrate` installs beside this one.

-- As in 0001: roles are the whole server's, so another database's migration may have made it already.
do $$
begin
  create role tankwatch_worker nologin;
exception when duplicate_object or unique_violation then null;
end
$$;
grant usage on schema public to tankwatch_worker;

-- The language in which an organization's customers and contacts are written to.
alter table organizations add column language text not null default 'en' check (language in ('en', 'es'));

----------------------------------------------------------------------------------------------------- events

-- One row for each thing that happened to a tank, with the readings that caused it. What happened is known by tank, type
-- and time, so that whoever works it out again records it once. Like telemetry it has no foreign keys: it is written by
-- the batch, and a deleted tank's row stays for its number.
create table events (
  no              bigint generated always as identity primary key,
  id              uuid not null unique,
  organization_no int not null,
  tank_no         int not null,
  type            text not null check (type ~ '^tank\.[a-z_]+$'),
  occurred_at     timestamptz(3) not null,
  recorded_at     timestamptz(3) not null default now(),
  data            jsonb not null,
  readings        jsonb not null,
  notify          boolean not null,
  -- A reading that came late showed that it never happened. Kept, because somebody may have been told.
  retracted_at    timestamptz(3),
  unique (tank_no, type, occurred_at)
);
create index events_of_organization on events (organization_no, occurred_at, no);

----------------------------------------------------------------------------------------------------- webhooks

create table webhook_endpoints (
  no                    int generated always as identity primary key,
  id                    uuid not null unique,
  organization_no       int not null references organizations,
  url                   text not null check (length(url) between 1 and 2000),
  types                 text[] not null,  -- empty: every type, those of later releases too
  -- As it is and not hashed, because every message is signed with it.
  secret                text not null,
  -- Signs beside the new one for a while after a rotation, so that a receiver need not switch at a stroke.
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

-- One event for one endpoint, tried until it is taken. The body is not kept: it is made anew for each attempt, so that
-- personal data lies in no queue. Workers take what is due straight from here and not by a job for each: of an endpoint
-- that hangs thousands may be due, and whoever looks for a job would have to look past all of them.
create table webhook_deliveries (
  no              bigint generated always as identity primary key,
  endpoint_no     int not null references webhook_endpoints,
  event_no        bigint not null references events,
  state           text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'canceled')),
  tries           smallint not null default 0,  -- since it was last put into the queue; a replay begins again
  attempts        jsonb not null default '[]',  -- all of them: when, what came back, after how long
  -- While an attempt is under way, when it is to be taken for dead.
  next_attempt_at timestamptz(3) not null default now(),
  created_at      timestamptz(3) not null default now(),
  finished_at     timestamptz(3),
  unique (endpoint_no, event_no)
);
create index webhook_deliveries_due on webhook_deliveries (endpoint_no, next_attempt_at) where state = 'pending';
create index webhook_deliveries_by_event on webhook_deliveries (event_no);
create index webhook_deliveries_by_end on webhook_deliveries (finished_at) where finished_at is not null;

----------------------------------------------------------------------------------------------------- mails

-- People at the organization who want to know, each of the types of events they chose.
create table contacts (
  no              int generated always as identity primary key,
  id              uuid not null unique,
  organization_no int not null references organizations,
  email           text check (length(email) between 1 and 320),
  types           text[] not null,
  created_at      timestamptz(3) not null default now(),
  deleted_at      timestamptz(3),
  unique (organization_no, email),
  constraint deleted_contact_is_empty check ((deleted_at is null) = (email is not null))
);

-- Who was written to about which event, so that nobody is twice. A reminder is of the same event, later.
create table event_mails (
  no           bigint generated always as identity primary key,
  event_no     bigint not null references events,
  recipient    text not null check (recipient in ('customer', 'contact')),
  recipient_no int not null,
  kind         text not null check (kind in ('alert', 'reminder')),
  sent_at      timestamptz(3) not null default now()
);
create unique index one_alert_per_recipient on event_mails (event_no, recipient, recipient_no) where kind = 'alert';
create index event_mails_by_event on event_mails (event_no, recipient, recipient_no, sent_at);
create index event_mails_to_follow on event_mails (sent_at) where kind = 'alert' and recipient = 'customer';

-- Customers who want no reminders. They still get the alert itself: it is what the threshold of their tank is for.
create table reminder_unsubscribes (
  customer_no int primary key references customers,
  at          timestamptz(3) not null default now()
);

----------------------------------------------------------------------------------------------------- jobs

-- These put jobs into the queue for those who have no right to it, and only these jobs. The queue belongs to the same
-- owner as they do.

-- These events are to be told to whoever wants to know. One job for all of them, and before any mail.
create function enqueue_events(event_nos bigint[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if cardinality(event_nos) > 0 then
    perform graphile_worker.add_job('notify_events', json_build_object('event_nos', event_nos), priority => -10);
  end if;
end
$$;
revoke execute on function enqueue_events from public;

-- A customer is asked to confirm the address.
create function enqueue_invitation(customer_no int) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform graphile_worker.add_job('mail_invitation', json_build_object('customer_no', customer_no),
                                  max_attempts => 10, job_key => 'invitation:' || customer_no);
end
$$;
revoke execute on function enqueue_invitation from public;

-- For diagnosis: what should have been done ten minutes ago and was not.
create function overdue_jobs() returns int
stable language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return (
    select count(*) from graphile_worker.jobs
    where run_at < now() - interval '10 minutes' and locked_at is null and attempts < max_attempts
  );
end
$$;
revoke execute on function overdue_jobs from public;

----------------------------------------------------------------------------------------------------- links in mails

-- What the pages behind the links of mails need, for the api role, which cannot write and sees no organizations. The
-- caller has checked the link's signature, which covers the address.
create function customer_of_link(customer_id uuid)
returns table (email text, is_verified boolean, organization_name text, language text)
stable language sql security definer set search_path = public, pg_temp as $$
  select c.email, c.is_verified, o.name, o.language
  from customers c join organizations o on o.no = c.organization_no
  where c.id = customer_id and c.deleted_at is null
$$;
revoke execute on function customer_of_link from public;

-- Not if the address was changed meanwhile: the link proves only the one it was sent to.
create function verify_customer_of_link(customer_id uuid, address text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform set_config('tankwatch.actor', 'link in a mail', true);
  -- The lock that every change to an organization's catalog begins with.
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

----------------------------------------------------------------------------------------------------- audit, grants

-- As in 0007, and blind to an endpoint's health, which the worker keeps.
create or replace function audit_update() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  execute format($sql$
    insert into audit_log (actor, organization_no, object, action, fields, object_nos)
    select current_actor(), organization_no, %2$L,
           case when 'deleted_at' = any (fields) then 'delete' else 'update' end, fields, array_agg(no)
    from (
      select n.%1$I as organization_no, n.no, array(
        select key from jsonb_each(to_jsonb(o)) as before (key, value) join jsonb_each(to_jsonb(n)) as after (key, value)
        using (key)
        where before.value <> after.value
          and key not in ('updated_at', 'last_seen_at', 'last_used_at', 'changed_xid', 'failing_since')
        order by key
      ) as fields
      from old_rows o join new_rows n using (no)
    ) as changed
    where fields <> '{}'
    group by organization_no, fields
  $sql$, tg_argv[1], tg_argv[0]);
  return null;
end
$$;

create trigger audit_new_endpoints after insert on webhook_endpoints referencing new table as new_rows
for each statement execute function audit_creation('webhook', 'organization_no');
create trigger audit_changed_endpoints after update on webhook_endpoints
referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('webhook', 'organization_no');

create trigger audit_new_contacts after insert on contacts referencing new table as new_rows
for each statement execute function audit_creation('contact', 'organization_no');
create trigger audit_changed_contacts after update on contacts referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('contact', 'organization_no');

grant select, insert, update on events to tankwatch_writer, tankwatch_operator;
grant execute on function enqueue_events to tankwatch_writer, tankwatch_operator;

grant select, insert, update on webhook_endpoints, webhook_deliveries, contacts to tankwatch_operator;
grant select on event_mails, reminder_unsubscribes to tankwatch_operator;
grant execute on function enqueue_invitation, overdue_jobs to tankwatch_operator;

grant execute on function customer_of_link, verify_customer_of_link, unsubscribe_customer_of_link to tankwatch_api;

grant select on organizations, customers, tanks, tank_states, catalog_month_counters, events, contacts, reminder_unsubscribes
to tankwatch_worker;
grant select, update on webhook_endpoints to tankwatch_worker;
grant select, insert, update, delete on webhook_deliveries to tankwatch_worker;
grant select, insert on event_mails to tankwatch_worker;
grant execute on function ensure_telemetry_month to tankwatch_worker;

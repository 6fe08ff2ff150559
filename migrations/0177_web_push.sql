-- Notifications in browsers (web push). It only adds: 0.3.0 works with it.

-- The key pair with which the installation names itself to push services. A browser accepts messages of the pair for which it has
-- subscribed only, so it is made once, by the first worker, and kept also if SECRETS_KEY changes.
create table push_keys (
  no                 int primary key default 1 check (no = 1),
  id                 uuid not null default gen_random_uuid(),
  public_key         text not null,
  sealed_private_key text not null  -- sealed with SECRETS_KEY
);

-- The browsers in which people want notifications. A session ends after a week, and a phone must ring after it too: only signing
-- out removes the browser, and what ends all sessions of the person.
create table push_subscriptions (
  no              int generated always as identity primary key,
  id              uuid not null unique default gen_random_uuid(),
  organization_no int not null references organizations,
  contact_no      int not null references contacts on delete cascade,
  session_prefix  text not null,
  endpoint        text not null unique check (length(endpoint) <= 2000),
  p256dh          bytea not null check (octet_length(p256dh) = 65),
  auth            bytea not null check (octet_length(auth) = 16),
  name            text not null check (length(name) <= 100),  -- such as Chrome, Android
  created_at      timestamptz(3) not null default now()
);
create index push_subscriptions_of_contact on push_subscriptions (contact_no, no);
create index push_subscriptions_of_session on push_subscriptions (session_prefix);

-- Each message to a browser, without its words: those are read when it is sent.
create table pushes (
  no              bigint generated always as identity primary key,
  organization_no int not null,
  contact_no      int not null,
  subscription_no int not null,  -- no foreign key: what was sent stays
  event_no        bigint,        -- null: a test
  step            int not null default 0,  -- 0: at once; from 1 on: a step of an escalation; -1: a false alarm
  status          text not null default 'waiting' check (status in ('waiting', 'sent', 'failed', 'canceled')),
  error           text,
  created_at      timestamptz(3) not null default now(),
  finished_at     timestamptz(3)
);
-- A browser gets one message for each step.
create unique index one_push_per_step on pushes (event_no, subscription_no, step) where event_no is not null;
create index pushes_by_time on pushes (created_at);  -- retention

-- The queue of these messages, as that of mails.
create table push_jobs (like mail_jobs including all);

-- Stores the browser of a session. The secret of a known browser must be the same: who only knows its address cannot take it over.
-- A person has at most ten browsers; the oldest goes. Returns null if the session is not that of a person, or has ended.
create function store_push_subscription(of_prefix text, new_endpoint text, new_p256dh bytea, new_auth bytea, new_name text) returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  stored push_subscriptions;
begin
  insert into push_subscriptions as s (organization_no, contact_no, session_prefix, endpoint, p256dh, auth, name)
  select n.organization_no, n.contact_no, n.prefix, new_endpoint, new_p256dh, new_auth, new_name
  from sessions n where n.prefix = of_prefix and n.contact_no is not null and n.expires_at > now()
  on conflict (endpoint) do update
  set organization_no = excluded.organization_no, contact_no = excluded.contact_no, session_prefix = excluded.session_prefix,
      p256dh = excluded.p256dh, name = excluded.name
  where s.auth = excluded.auth
  returning * into stored;
  delete from push_subscriptions where contact_no = stored.contact_no and no in (
    select no from push_subscriptions where contact_no = stored.contact_no order by no desc offset 10
  );
  return stored.id;
end
$$;

create function remove_push_subscription(of_contact int, of_id uuid) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from push_subscriptions where contact_no = of_contact and id = of_id;
  return found;
end
$$;

-- Sends a test to a browser, at most ten to a person in a day. Returns null if the person has no such browser.
create function test_push(of_contact int, of_id uuid) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  tested push_subscriptions;
  test_no bigint;
begin
  select * into tested from push_subscriptions where contact_no = of_contact and id = of_id for update;
  if not found then
    return null;
  end if;
  if (select count(*) from pushes where event_no is null and contact_no = of_contact and created_at > now() - interval '1 day') >= 10 then
    return false;
  end if;
  insert into pushes (organization_no, contact_no, subscription_no) values (tested.organization_no, of_contact, tested.no)
  returning no into test_no;
  insert into push_jobs (organization_no, task, key, payload)
  values (tested.organization_no, 'send_push', 'push:' || test_no, jsonb_build_object('push_no', test_no));
  return true;
end
$$;
create index test_pushes on pushes (contact_no, created_at) where event_no is null;

revoke execute on function store_push_subscription, remove_push_subscription, test_push from public;
grant execute on function store_push_subscription, remove_push_subscription, test_push to tankwatch_api;
grant select (public_key) on push_keys to tankwatch_api;
grant select (id, contact_no, name, created_at) on push_subscriptions to tankwatch_api;

grant select, insert on push_keys to tankwatch_worker;
grant select on push_keys to tankwatch_operator;
grant update (sealed_private_key) on push_keys to tankwatch_operator;
grant select, delete on push_subscriptions to tankwatch_worker;
grant select, insert, update, delete on pushes, push_jobs to tankwatch_worker;

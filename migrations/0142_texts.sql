-- Text messages to people. It only adds: 0.3.0 works with it.

-- Through which provider the texts of an organization are sent.
create table text_channels (
  no              int generated always as identity primary key,
  id              uuid not null unique,  -- in the address to which the provider reports deliveries
  organization_no int not null references organizations,
  provider        text not null check (provider in ('twilio', 'vonage', 'messagebird', 'gateway')),
  settings        jsonb not null check (octet_length(settings::text) <= 4096),  -- checked by the program
  sealed_secret   text,  -- sealed with the key of the api, which checks the signatures of reports
  daily_limit     int not null check (daily_limit between 1 and 100000),
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  deleted_at      timestamptz(3),
  check ((deleted_at is null) = (sealed_secret is not null))
);
create unique index one_text_channel on text_channels (organization_no) where deleted_at is null;
create trigger audit_new_text_channels after insert on text_channels referencing new table as new_rows
for each statement execute function audit_creation('text_channel', 'organization_no');
create trigger audit_changed_text_channels after update on text_channels referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('text_channel', 'organization_no');

-- How a person is reached. Its number is that of the contact, so that the audit log names the person.
create table contact_reach (
  no              int primary key references contacts on delete cascade,
  organization_no int not null references organizations,
  phone           text check (phone ~ '^\+[1-9][0-9]{6,14}$'),  -- E.164
  verified_at     timestamptz(3),
  code_at         timestamptz(3),  -- when a code was sent; the code follows from it and from the key of the api
  code_tries      smallint not null default 0,
  by_text         boolean not null default true,
  by_mail         boolean not null default true,
  quiet_from      time,
  quiet_to        time,
  updated_at      timestamptz(3) not null default now(),
  check (verified_at is null or phone is not null),
  check ((quiet_from is null) = (quiet_to is null))
);
create index contact_reach_of_organization on contact_reach (organization_no);
-- A row is inserted empty and then changed, because a person is not added by it.
create trigger audit_changed_contact_reach after update on contact_reach referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('contact', 'organization_no');

create function erase_contact_reach() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from contact_reach where no = new.no;
  return null;
end
$$;
create trigger erase_contact_reach after update of deleted_at on contacts
for each row when (new.deleted_at is not null and old.deleted_at is null) execute function erase_contact_reach();

-- Each text, without its words and its number: those are read when it is sent.
create table texts (
  no              bigint generated always as identity primary key,
  id              uuid not null unique default gen_random_uuid(),  -- the provider gets it as a reference
  organization_no int not null,
  contact_no      int not null,
  purpose         text not null check (purpose in ('alert', 'code', 'test')),
  escalation_no   bigint,
  step            int,
  status          text not null default 'waiting' check (status in ('waiting', 'sent', 'delivered', 'failed', 'canceled')),
  provider_id     text check (length(provider_id) <= 200),
  asked_at        timestamptz(3),  -- a request is under way, or its worker died meanwhile
  unknown         smallint not null default 0,  -- requests of which nobody knows whether the provider accepted them
  error           text,
  created_at      timestamptz(3) not null default now(),
  sent_at         timestamptz(3),
  finished_at     timestamptz(3)
);
-- A person gets one text for each step.
create unique index one_text_per_step on texts (escalation_no, contact_no, step) where escalation_no is not null;
create index texts_by_time on texts (created_at);  -- retention
create index texts_of_provider on texts (organization_no, provider_id) where provider_id is not null;  -- reports
create index texts_of_contact on texts (contact_no, no);

-- How many requests were sent to the provider on a day (UTC). One row is locked for each, so that the limit is never exceeded.
create table text_usage (
  organization_no int not null,
  day             date not null,
  requests        int not null,
  primary key (organization_no, day)
);

-- The queue of texts, as that of mails.
create table text_jobs (like mail_jobs including all);

-- What the api needs to check the signature of a report, without a right to read secrets of others.
create function text_channel_of_report(channel uuid)
returns table (provider text, sealed_secret text)
stable rows 1 language sql security definer set search_path = public, pg_temp as $$
  select provider, sealed_secret from text_channels where id = channel and deleted_at is null
$$;

-- A provider reports whether a text has arrived. The first final report counts: a repeated or later one changes nothing.
create function record_text_report(channel uuid, reference uuid, id_of_provider text, is_delivered boolean, reason text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if reference is null then
    select t.id into reference from texts t join text_channels c on c.id = channel and c.organization_no = t.organization_no
    where t.provider_id = id_of_provider and t.created_at > now() - interval '7 days'
    order by t.no desc limit 1;
  end if;
  update texts t
  set status = case when is_delivered then 'delivered' else 'failed' end, finished_at = now(), asked_at = null,
      error = case when is_delivered then null else left(reason, 200) end,
      sent_at = coalesce(t.sent_at, now()), provider_id = coalesce(t.provider_id, id_of_provider)
  from text_channels c
  where c.id = channel and t.organization_no = c.organization_no and t.status in ('waiting', 'sent') and t.id = reference;
  return found;
end
$$;
revoke execute on function text_channel_of_report, record_text_report, erase_contact_reach from public;
grant execute on function text_channel_of_report, record_text_report to tankwatch_api;

-- The manager stores secrets and never reads one.
grant insert, select (no, id, organization_no, provider, settings, daily_limit, created_at, updated_at, deleted_at) on text_channels
  to tankwatch_manager;
grant select, insert on text_channels to tankwatch_operator;
grant select, insert on contact_reach, texts to tankwatch_manager, tankwatch_operator;
grant update (provider, settings, sealed_secret, daily_limit, updated_at, deleted_at) on text_channels to tankwatch_manager, tankwatch_operator;
grant update (phone, verified_at, code_at, code_tries, by_text, by_mail, quiet_from, quiet_to, updated_at) on contact_reach
  to tankwatch_manager, tankwatch_operator;
grant insert on text_jobs to tankwatch_manager, tankwatch_operator;
grant select on text_channels, contact_reach to tankwatch_worker;
grant select, insert, update, delete on texts, text_usage, text_jobs to tankwatch_worker;
grant select on text_usage to tankwatch_manager, tankwatch_operator;

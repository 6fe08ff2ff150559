-- Sign-in with OpenID Connect: the issuers of an organization, and which person at an issuer is which contact. It only adds:
-- 0.2.0 works with it, and knows nobody who signs in this way.

create table issuers (
  no                   int generated always as identity primary key,
  id                   uuid not null unique,
  organization_no      int not null references organizations,
  url                  text not null check (length(url) between 8 and 500),  -- the issuer identifier; tokens must have exactly it
  client_id            text not null check (length(client_id) between 1 and 500),
  sealed_client_secret text,  -- null: a public client
  label                text check (length(label) between 1 and 100),  -- of its button for everybody; null: no button
  domains              text[] not null default '{}',  -- of mail addresses: it is offered to them, and says who they are
  scopes               text[] not null default '{}',  -- beside openid, email and profile
  group_claim          text not null default 'groups' check (length(group_claim) between 1 and 200),
  group_roles          jsonb not null default '{}' check (jsonb_typeof(group_roles) = 'object'),  -- {"Dispatch": ["dispatcher"]}
  created_at           timestamptz(3) not null default now(),
  deleted_at           timestamptz(3),
  constraint deleted_issuer_has_no_secret check (deleted_at is null or sealed_client_secret is null)
);
create unique index issuers_of_organization on issuers (organization_no, url) where deleted_at is null;
create trigger audit_new_issuers after insert on issuers referencing new table as new_rows
for each statement execute function audit_creation('issuer', 'organization_no');
create trigger audit_changed_issuers after update on issuers referencing old table as old_rows new table as new_rows
for each statement execute function audit_update('issuer', 'organization_no');

-- A person is (issuer, subject), never an address: an issuer can give an address to somebody else.
create table identities (
  no         int generated always as identity primary key,
  issuer_no  int not null references issuers on delete cascade,
  subject    text not null check (length(subject) between 1 and 255),
  contact_no int not null references contacts on delete cascade,
  created_at timestamptz(3) not null default now(),
  unique (issuer_no, subject),
  unique (issuer_no, contact_no)
);
create index identities_of_contact on identities (contact_no);

-- A session that began with an issuer ends at `latest_end`, used or not: a person who was removed there has no later proof.
alter table sessions add column issuer_no int, add column latest_end timestamptz(3);

-- As in 0014, but no use extends a session beyond latest_end.
create or replace function record_session_use(used_prefixes text[], used_ats timestamptz[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- The lock of record_key_use, which also changes customers: one at a time, they cannot deadlock.
  perform pg_advisory_xact_lock(hashtext('record_key_use'));

  update sessions s set expires_at = used.extended_to
  from (
    select o.no,
           least(session_expiry(o.created_at, least(u.used_at, now()), is_owner), k.expires_at, o.latest_end) as extended_to,
           case when is_owner then interval '7 hours' else interval '7 minutes' end as least_gain
    from unnest(used_prefixes, used_ats) as u (prefix, used_at)
    join sessions o using (prefix)
    left join api_keys k on k.no = o.key_no
    cross join lateral (select coalesce(o.key_no, o.contact_no) is null as is_owner) as kind
    where o.ended_at is null and o.expires_at > now() and k.revoked_at is null
  ) as used
  where s.no = used.no and used.extended_to > s.expires_at + used.least_gain;

  update customers c set last_seen_at = date_trunc('minute', seen.at)
  from (
    select customer_no, max(least(used_at, now())) as at
    from unnest(used_prefixes, used_ats) as u (prefix, used_at) join sessions using (prefix)
    where coalesce(key_no, contact_no) is null group by customer_no
  ) as seen
  where c.no = seen.customer_no and c.deleted_at is null
    and (c.last_seen_at is null or c.last_seen_at < date_trunc('minute', seen.at));

  update contacts c set last_seen_at = date_trunc('minute', seen.at)
  from (
    select contact_no, max(least(used_at, now())) as at
    from unnest(used_prefixes, used_ats) as u (prefix, used_at) join sessions using (prefix)
    where contact_no is not null group by contact_no
  ) as seen
  where c.no = seen.contact_no and c.deleted_at is null
    and (c.last_seen_at is null or c.last_seen_at < date_trunc('minute', seen.at));
end
$$;

-- As in 0014, without contacts who have an identity: a removal at the issuer must count, so that a mail does not let them in.
create or replace view sign_in_identities as
select lower(c.email collate "C") as address, c.email, c.id, c.no as customer_no, null::int as contact_no, c.organization_no,
       c.name as customer_name
from customers c
where c.is_verified and c.deleted_at is null
union all
select lower(c.email collate "C"), c.email, c.id, null, c.no, c.organization_no, null
from contacts c
where c.has_console and c.deleted_at is null and not exists (select from identities i where i.contact_no = c.no);

-- What the api needs to know about an issuer.
create view sign_in_issuers as
select i.id, i.organization_no, i.url, i.client_id, i.sealed_client_secret, i.label, i.domains, i.scopes, i.group_claim,
       i.group_roles, left(o.code, 2) as slot, o.name as organization_name, o.language
from issuers i join organizations o on o.no = i.organization_no
where i.deleted_at is null and o.deleted_at is null;

create view session_issuers as
select s.prefix, i.id, i.label, i.url, s.latest_end
from sessions s join issuers i on i.no = s.issuer_no where i.deleted_at is null;

-- Begins the session of a person whom an issuer has named, in one transaction. The api has verified what the issuer says.
-- `given_roles` are those of the person's groups; null: the issuer does not set roles. The current session, if the browser has
-- one, ends. With `is_link` the person wants to be its contact. Returns `signed_in`, or why not.
create function sign_in_with_issuer(of_issuer uuid, of_subject text, of_email text, is_email_verified boolean, of_name text,
                                    given_roles text[], is_link boolean, current_prefix text, current_sha256 bytea,
                                    new_contact_id uuid, new_prefix text, new_secret_sha256 bytea, session_minutes int)
returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  issuer issuers;
  person contacts;
  address text := lower(of_email collate "C");
  is_new boolean;
  linking_no int;
begin
  perform set_config('lock_timeout', '2s', true);  -- an import can hold the lock of the organization for long
  -- A removal of the issuer at the same time either sees the new session, or is seen here.
  select i.* into issuer from issuers i join organizations o on o.no = i.organization_no
  where i.id = of_issuer and i.deleted_at is null and o.deleted_at is null for share of i;
  if issuer.no is null then
    return 'no_issuer';
  end if;
  perform set_config('tankwatch.actor', 'issuer ' || issuer.url, true);
  -- Two first sign-ins of one person at the same time make one contact.
  perform pg_advisory_xact_lock(hashtextextended(format('identity %s %s', issuer.no, of_subject), 0));

  select c.* into person from identities i join contacts c on c.no = i.contact_no
  where i.issuer_no = issuer.no and i.subject = of_subject for no key update of c;
  is_new := person.no is null;
  if is_link then
    select s.contact_no into linking_no from sessions s
    where s.prefix = current_prefix and s.secret_sha256 = current_sha256 and s.ended_at is null and s.expires_at > now();
    if is_new then
      select c.* into person from contacts c
      where c.no = linking_no and c.organization_no = issuer.organization_no and c.deleted_at is null
        and not exists (select from identities i where i.issuer_no = issuer.no and i.contact_no = c.no)
      for no key update;
    end if;
    if person.no is null or person.no is distinct from linking_no then
      return 'not_linked';  -- the session has ended, its contact has another identity there, or this person is another contact
    end if;
  elsif is_new and is_email_verified and split_part(address, '@', 2) = any (issuer.domains) then
    -- Without any identity: another issuer may have created the contact for an address that it did not verify.
    select c.* into person from contacts c
    where c.organization_no = issuer.organization_no and c.deleted_at is null and lower(c.email collate "C") = address
      and not exists (select from identities i where i.contact_no = c.no)
    order by c.email = of_email desc, c.no limit 1 for no key update;
  end if;
  if is_new and coalesce(given_roles, person.roles) = '{}' then
    return 'no_role';
  end if;
  if person.no is null then
    if given_roles is null then
      return 'unknown';
    end if;
    if of_email is null then
      return 'no_address';
    end if;
    if exists (
      select from contacts
      where organization_no = issuer.organization_no and deleted_at is null and lower(email collate "C") = address
    ) then
      return 'address_taken';
    end if;
    insert into contacts (id, organization_no, email, name, types, roles)
    values (new_contact_id, issuer.organization_no, of_email, of_name, '{}', given_roles) returning * into person;
  elsif given_roles is not null and person.roles <> given_roles then
    update contacts set roles = given_roles where no = person.no returning * into person;
  end if;
  if person.roles = '{}' then
    return 'no_role';
  end if;

  if is_new then
    insert into identities (issuer_no, subject, contact_no) values (issuer.no, of_subject, person.no);
    insert into audit_log (actor, organization_no, object, action, fields, object_nos)
    values (current_actor(), issuer.organization_no, 'contact', 'update', '{identity}', array[person.no]);
    -- From now on a removal at the issuer counts: sessions by mail last longer.
    update sessions set ended_at = now() where contact_no = person.no and issuer_no is null and ended_at is null;
  end if;
  insert into sessions (prefix, secret_sha256, contact_no, organization_no, requests_per_second, burst, issuer_no, expires_at,
                        latest_end)
  select new_prefix, new_secret_sha256, person.no, person.organization_no, 50, 500, issuer.no, ends_at, ends_at
  from (select now() + make_interval(mins => least(session_minutes, 1440)) as ends_at) as session;
  -- The cookie of the browser is replaced. Somebody who signs in again and again keeps the newest sessions.
  update sessions set ended_at = now()
  where ended_at is null and (
    prefix = current_prefix and secret_sha256 = current_sha256
    or no in (select no from sessions where key_no is null and contact_no = person.no order by no desc offset 20)
  );
  return 'signed_in';
end
$$;
revoke execute on function sign_in_with_issuer from public;

-- An issuer that is removed takes its identities and sessions along. `issuers update` changes neither: the issuer identifier of
-- a row never changes.
create function end_sessions_of_issuer() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update sessions set ended_at = now() where issuer_no = new.no and ended_at is null;
  delete from identities where issuer_no = new.no;
  return null;
end
$$;
create trigger end_sessions_of_issuer after update on issuers for each row
when (old.deleted_at is null and new.deleted_at is not null) execute function end_sessions_of_issuer();

-- As in 0014. A deleted contact has no identity any more: its subject is personal data.
create or replace function end_sign_ins() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  execute format('update sessions set ended_at = now() where %I = $1 and key_no is null and ended_at is null', tg_argv[0])
  using new.no;
  delete from sign_ins where address = lower(old.email collate "C");
  if tg_argv[0] = 'contact_no' and new.deleted_at is not null then
    delete from identities where contact_no = new.no;
  end if;
  return null;
end
$$;

-- As in 0014, with its issuers.
create or replace function end_sessions_of_organization() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update sessions set ended_at = now() where organization_no = new.no and ended_at is null;
  delete from issuers where organization_no = new.no;
  return null;
end
$$;

grant select on sign_in_issuers, session_issuers to tankwatch_api;
grant execute on function sign_in_with_issuer to tankwatch_api;
grant select, insert, update on issuers to tankwatch_operator;
grant select on identities to tankwatch_operator;

-- Sessions of the console, and signing in by mail. A browser sends a cookie instead of an API key, so that no script can read
-- the key, and so that people without a key can look at their tanks.

-- The cookie has the form of an API key (src/keys/key_format.ts) and is verified in the same way: only the hash of its
-- secret is stored, and running processes poll for changes. A session begins with a key, or by mail: then its holder is the
-- contact, or the customer if there is no contact.
create table sessions (
  no                  int generated always as identity primary key,
  prefix              text not null unique,
  secret_sha256       bytea not null check (octet_length(secret_sha256) = 32),
  key_no              int references api_keys on delete cascade,
  contact_no          int references contacts on delete cascade,
  organization_no     int not null,
  customer_no         int,
  requests_per_second int not null,
  burst               int not null,
  created_at          timestamptz(3) not null default now(),
  expires_at          timestamptz(3) not null,
  ended_at            timestamptz(3),
  changed_xid         xid8 not null default pg_current_xact_id(),  -- as in api_keys
  foreign key (organization_no, customer_no) references customers (organization_no, no) on delete cascade,
  constraint session_has_holder check (
    num_nonnulls(key_no, contact_no) < 2 and coalesce(key_no, contact_no, customer_no) is not null
    and (contact_no is null or customer_no is null)
  )
);
create index sessions_of_key on sessions (key_no);
create index sessions_of_contact on sessions (contact_no);
create index sessions_of_customer on sessions (customer_no);
create index sessions_by_change on sessions (changed_xid);
create index sessions_by_expiry on sessions (expires_at);

-- Every update of a session ends or extends it. An ended session expires at once.
create function record_session_change() returns trigger language plpgsql as $$
begin
  new.changed_xid := pg_current_xact_id();
  new.expires_at := least(new.expires_at, new.ended_at);
  return new;
end
$$;
create trigger record_session_change before update on sessions for each row execute function record_session_change();

-- A session in the columns of a key. It has the number of its key, so that both share one rate limit and one last use. A
-- session by mail has a negative number, which no key has.
create view session_credentials as
select coalesce(key_no, -no) as no, prefix, secret_sha256, organization_no, customer_no, array['read'] as scopes,
       requests_per_second, burst, expires_at, ended_at as revoked_at, changed_xid
from sessions;

-- A session ends 12 hours after its last use, and 7 days after its beginning. That of an owner, who looks twice a month on a
-- phone of their own, ends after 30 and 180 days.
create function session_expiry(created_at timestamptz, used_at timestamptz, is_owner boolean) returns timestamptz
immutable language sql as $$
  select case when is_owner then least(used_at + interval '30 days', created_at + interval '180 days')
              else least(used_at + interval '12 hours', created_at + interval '7 days') end
$$;

-- The caller has verified the key. Returns false if the key has ended meanwhile, or may not read.
create function create_session(new_prefix text, new_secret_sha256 bytea, of_key_no int) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into sessions (prefix, secret_sha256, key_no, organization_no, customer_no, requests_per_second, burst, expires_at)
  select new_prefix, new_secret_sha256, no, organization_no, customer_no, requests_per_second, burst,
         least(session_expiry(now(), now(), false), expires_at)
  from api_keys
  where no = of_key_no and 'read' = any (scopes) and revoked_at is null and (expires_at is null or expires_at > now())
  for share;  -- a revocation at the same time either sees the new session, or is seen here
  if not found then
    return false;
  end if;
  -- A key that signs in again and again keeps its newest sessions.
  update sessions set ended_at = now()
  where ended_at is null and no in (select no from sessions where key_no = of_key_no order by no desc offset 100);
  return true;
end
$$;
revoke execute on function create_session from public;

-- Extends the sessions that were used, and records when customers and contacts were last seen, to the minute. An extension
-- of less than a hundredth of the idle time is left out: each one is a change that all processes poll.
create function record_session_use(used_prefixes text[], used_ats timestamptz[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- The lock of record_key_use, which also changes customers: one at a time, they cannot deadlock.
  perform pg_advisory_xact_lock(hashtext('record_key_use'));

  update sessions s set expires_at = used.extended_to
  from (
    select o.no, least(session_expiry(o.created_at, least(u.used_at, now()), is_owner), k.expires_at) as extended_to,
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
revoke execute on function record_session_use from public;

create function end_session(of_prefix text) returns void
language sql security definer set search_path = public, pg_temp as $$
  update sessions set ended_at = now() where prefix = of_prefix and ended_at is null
$$;
revoke execute on function end_session from public;

----------------------------------------------------------------------------------------------------- sign-in by mail

-- The people whom an address lets in: owners with a verified address, and contacts with the console. Only ASCII letters are
-- folded to lower case: another letter that folds to an ASCII one, such as the Kelvin sign, would be another mailbox.
create view sign_in_identities as
select lower(c.email collate "C") as address, c.email, c.id, c.no as customer_no, null::int as contact_no, c.organization_no,
       c.name as customer_name
from customers c
where c.is_verified and c.deleted_at is null
union all
select lower(c.email collate "C"), c.email, c.id, null, c.no, c.organization_no, null
from contacts c
where c.has_console and c.deleted_at is null;

create index verified_customers_by_address on customers (lower(email collate "C")) where is_verified and deleted_at is null;
create index console_contacts_by_address on contacts (lower(email collate "C")) where has_console and deleted_at is null;

-- One request for a mail with a link and a code. There is a row for every address that somebody asked for, known or not, so
-- that neither the answer nor its time shows which addresses are known. The worker finds out and mails.
create table sign_ins (
  no             bigint generated always as identity primary key,
  address        text collate "C" not null check (length(address) between 3 and 320),  -- in lower case
  -- Of the cookie of the browser that asked. Replaced when the sign-in is redeemed: by the browser that may choose.
  browser_sha256 bytea not null check (octet_length(browser_sha256) = 32),
  link_sha256    bytea unique check (octet_length(link_sha256) = 32),  -- null: not mailed
  -- Of browser_sha256 and the hash of the code. Who has read it can guess the six digits, and still needs the cookie.
  code_sha256    bytea check (octet_length(code_sha256) = 32),
  wrong_codes    smallint not null default 0,
  return_to      text not null default '/' check (return_to ~ '^/' and length(return_to) <= 500),  -- a page of the console
  created_at     timestamptz(3) not null default now(),
  expires_at     timestamptz(3) not null default now() + interval '15 minutes',
  redeemed_at    timestamptz(3),  -- when the link or the code was used
  chosen_at      timestamptz(3)   -- when the session began
);
create index sign_ins_by_address on sign_ins (address, created_at);
create index sign_ins_by_browser on sign_ins (browser_sha256);

-- At most three mails to an address in 15 minutes; further requests are ignored.
create function request_sign_in(of_address text, of_browser_sha256 bytea, in_return_to text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  folded text := lower(of_address collate "C");
  new_no bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('sign_in ' || folded, 0));
  if (select count(*) from sign_ins where address = folded and created_at > now() - interval '15 minutes') >= 3 then
    return;
  end if;
  insert into sign_ins (address, browser_sha256, return_to) values (folded, of_browser_sha256, in_return_to)
  returning no into new_no;
  -- Somebody waits for it, so it goes before other mails.
  perform graphile_worker.add_job('mail_sign_in', json_build_object('sign_in_no', new_no), max_attempts => 5, priority => -5);
end
$$;
revoke execute on function request_sign_in from public;

-- For the worker: stores the hashes of the link and the code that it is about to mail, and returns the address. Null: it is
-- too late for a mail. A repeated attempt replaces both.
create function begin_sign_in_mail(sign_in_no bigint, new_link_sha256 bytea, new_code_sha256 bytea) returns text
language sql security definer set search_path = public, pg_temp as $$
  update sign_ins set link_sha256 = new_link_sha256, code_sha256 = sha256(browser_sha256 || new_code_sha256)
  where no = sign_in_no and redeemed_at is null and expires_at > now()
  returning address
$$;
revoke execute on function begin_sign_in_mail from public;

-- For the page that the link opens. Changes nothing.
create function sign_in_of_link(of_link_sha256 bytea) returns table (organization_name text, language text)
stable language sql security definer set search_path = public, pg_temp as $$
  select distinct o.name, o.language
  from sign_ins s join sign_in_identities i using (address) join organizations o on o.no = i.organization_no
  where s.link_sha256 = of_link_sha256 and s.redeemed_at is null and s.expires_at > now() and o.deleted_at is null
  order by o.name
$$;
revoke execute on function sign_in_of_link from public;

-- Uses the sign-in, once. From now on the cookie `new_browser_sha256` may choose. All other requests for this address end:
-- somebody else may have made them.
create function redeem_sign_in(sign_in_no bigint, new_browser_sha256 bytea) returns text
language plpgsql as $$
declare
  redeemed sign_ins;
begin
  -- A change of the address deletes its sign-ins, and can be part of an import that takes long.
  perform set_config('lock_timeout', '2s', true);
  update sign_ins set redeemed_at = now(), browser_sha256 = new_browser_sha256
  where no = sign_in_no and redeemed_at is null and expires_at > now()
  returning * into redeemed;
  update sign_ins set expires_at = now()
  where address = redeemed.address and redeemed_at is null and expires_at > now();
  return redeemed.return_to;
end
$$;
revoke execute on function redeem_sign_in from public;

-- Returns the page to open; null if the link was used or has expired.
create function redeem_sign_in_link(of_link_sha256 bytea, new_browser_sha256 bytea) returns text
language sql security definer set search_path = public, pg_temp as $$
  select redeem_sign_in(no, new_browser_sha256) from sign_ins where link_sha256 = of_link_sha256
$$;
revoke execute on function redeem_sign_in_link from public;

-- A code is valid only in the browser that asked, which may have asked several times. Each request allows five wrong codes.
-- All requests for an address together allow 20 a day: who makes many requests to guess has a chance of 1 in 50,000.
create function redeem_sign_in_code(of_browser_sha256 bytea, of_code_sha256 bytea, new_browser_sha256 bytea,
                                    out outcome text, out codes_left int)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  waiting sign_ins[];
  found_no bigint;
begin
  perform set_config('lock_timeout', '2s', true);  -- as in redeem_sign_in
  waiting := array(
    select s from sign_ins s
    where browser_sha256 = of_browser_sha256 and redeemed_at is null and expires_at > now() and wrong_codes < 5
    order by no for update
  );
  if cardinality(waiting) = 0 then
    outcome := 'none';
    return;
  end if;
  if exists (
    select from sign_ins
    where address in (select address from unnest(waiting)) and created_at > now() - interval '1 day'
    group by address having sum(wrong_codes) >= 20
  ) then
    outcome := 'blocked';
    return;
  end if;
  select no into found_no from unnest(waiting) as w where w.code_sha256 = sha256(w.browser_sha256 || of_code_sha256) limit 1;
  if found_no is null then
    update sign_ins set wrong_codes = wrong_codes + 1 where no in (select no from unnest(waiting));
    outcome := 'wrong';
    codes_left := (select 4 - min(wrong_codes) from unnest(waiting));
    return;
  end if;
  perform redeem_sign_in(found_no, new_browser_sha256);
  outcome := 'redeemed';
end
$$;
revoke execute on function redeem_sign_in_code from public;

-- What a person may choose from after redeeming. Without a customer, it is the whole organization.
create function sign_in_choices(of_browser_sha256 bytea)
returns table (id uuid, slot text, organization_name text, customer_name text)
stable language sql security definer set search_path = public, pg_temp as $$
  select i.id, left(o.code, 2), o.name, i.customer_name
  from sign_ins s join sign_in_identities i using (address) join organizations o on o.no = i.organization_no
  where s.browser_sha256 = of_browser_sha256 and s.redeemed_at > now() - interval '15 minutes' and s.chosen_at is null
    and o.deleted_at is null
  order by i.customer_name is not null, o.name, i.customer_name, i.id
$$;
revoke execute on function sign_in_choices from public;

-- Begins a session. Returns whether it is that of an owner; null if there is nothing to choose any more.
create function choose_sign_in(of_browser_sha256 bytea, chosen_id uuid, new_prefix text, new_secret_sha256 bytea)
returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  chosen sign_in_identities;
begin
  -- A deletion at the same time either sees the new session, or is seen below. An import can hold these locks for long.
  perform set_config('lock_timeout', '2s', true);
  perform from customers where id = chosen_id for share;
  perform from contacts where id = chosen_id for share;
  if not exists (select from sign_in_choices(of_browser_sha256) as c where c.id = chosen_id) then
    return null;
  end if;
  update sign_ins s set chosen_at = now()
  where s.browser_sha256 = of_browser_sha256 and s.redeemed_at is not null and s.chosen_at is null;
  if not found then
    return null;  -- chosen by another request meanwhile
  end if;
  select i.* into strict chosen from sign_ins s join sign_in_identities i using (address)
  where s.browser_sha256 = of_browser_sha256 and i.id = chosen_id;
  insert into sessions (prefix, secret_sha256, contact_no, organization_no, customer_no, requests_per_second, burst, expires_at)
  values (new_prefix, new_secret_sha256, chosen.contact_no, chosen.organization_no, chosen.customer_no, 50, 500,
          session_expiry(now(), now(), chosen.contact_no is null));
  -- Somebody who signs in again and again keeps the newest sessions.
  update sessions set ended_at = now()
  where ended_at is null and no in (
    select no from sessions
    where key_no is null and contact_no is not distinct from chosen.contact_no
      and customer_no is not distinct from chosen.customer_no
    order by no desc offset 20
  );
  return chosen.contact_no is null;
end
$$;
revoke execute on function choose_sign_in from public;

----------------------------------------------------------------------------------------------------- the end of sessions

-- A session ends with its key or with the right of its key to read, in the same transaction.
create function end_sessions_of_key() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update sessions
  set ended_at = coalesce(ended_at, new.revoked_at, case when 'read' <> all (new.scopes) then now() end),
      expires_at = least(expires_at, new.expires_at)
  where key_no = new.no;
  return null;
end
$$;
create trigger end_sessions_of_key after update on api_keys for each row
when ((old.revoked_at, old.expires_at, old.scopes) is distinct from (new.revoked_at, new.expires_at, new.scopes))
execute function end_sessions_of_key();

-- A session by mail ends when its holder is deleted, has another address, or may not sign in any more. So do the requests for
-- that address, which are the only other place that has it. Trigger argument: the column of the holder in sessions.
create function end_sign_ins() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  execute format('update sessions set ended_at = now() where %I = $1 and key_no is null and ended_at is null', tg_argv[0])
  using new.no;
  delete from sign_ins where address = lower(old.email collate "C");
  return null;
end
$$;
create trigger end_sign_ins_of_customer after update on customers for each row
when (old.deleted_at is null
  and (old.email, old.is_verified, old.deleted_at) is distinct from (new.email, new.is_verified, new.deleted_at))
execute function end_sign_ins('customer_no');
create trigger end_sign_ins_of_contact after update on contacts for each row
when (old.deleted_at is null
  and (old.email, old.has_console, old.deleted_at) is distinct from (new.email, new.has_console, new.deleted_at))
execute function end_sign_ins('contact_no');

-- The customers of a deleted organization are erased some at a time, which can take minutes. Its sessions end at once.
create function end_sessions_of_organization() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update sessions set ended_at = now() where organization_no = new.no and ended_at is null;
  return null;
end
$$;
create trigger end_sessions_of_organization after update on organizations for each row
when (old.deleted_at is null and new.deleted_at is not null) execute function end_sessions_of_organization();

-- For `tankwatch restore finish`: a backup has sessions that were ended after it was made. Returns their number.
create function end_all_sessions() returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ended int;
begin
  update sessions set ended_at = now() where ended_at is null and expires_at > now();
  get diagnostics ended = row_count;
  delete from sign_ins;
  return ended;
end
$$;
revoke execute on function end_all_sessions from public;

-- Deletes what has ended: sessions an hour later, when every process has seen their end, and requests for mails a day later,
-- because wrong codes are counted for a day. Returns the number of rows.
create function delete_ended_sessions() returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ended int;
  asked int;
begin
  delete from sessions where no in (
    select no from sessions where expires_at < now() - interval '1 hour' order by expires_at limit 10000
  );
  get diagnostics ended = row_count;
  delete from sign_ins where no in (
    select no from sign_ins where created_at < now() - interval '1 day' order by no limit 10000
  );
  get diagnostics asked = row_count;
  return ended + asked;
end
$$;
revoke execute on function delete_ended_sessions from public;

grant select on session_credentials to tankwatch_api;
grant execute on function create_session, record_session_use, end_session, request_sign_in, sign_in_of_link, redeem_sign_in_link,
  redeem_sign_in_code, sign_in_choices, choose_sign_in to tankwatch_api;
-- What a person sees after signing in.
grant select (no, name, language, time_zone, phone) on organizations to tankwatch_api;
grant select on sign_in_identities to tankwatch_worker;
grant execute on function begin_sign_in_mail, delete_ended_sessions to tankwatch_worker;
grant execute on function end_all_sessions to tankwatch_operator;

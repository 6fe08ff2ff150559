-- Sign-in by mail that gives a guesser nothing, sessions that need a proof, and secrets of organizations that api and gateway
-- open without SECRETS_KEY. It only adds: 0.2.0 works with it. docs/upgrade.md lists what a later release removes.

----------------------------------------------------------------------------------------------------- sign-in by mail

-- `mail`: a request that gets a mail. `unmailed`: one beyond the limits, kept so that its browser gets the same answers. `choice`:
-- a redeemed sign-in; its browser_sha256 is that of the browser that may choose.
alter table sign_ins add column kind text not null default 'mail';

-- At most three mails to an address in 15 minutes, and ten a day.
create or replace function request_sign_in(of_address text, of_browser_sha256 bytea, in_return_to text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  folded text := lower(of_address collate "C");
  is_mailed boolean;
  new_no bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('sign_in ' || folded, 0));
  select count(*) < 10 and count(*) filter (where created_at > now() - interval '15 minutes') < 3 into is_mailed
  from sign_ins where address = folded and kind = 'mail' and created_at > now() - interval '1 day';
  -- A browser that has a request for this address keeps it: the code of its mail is still valid.
  if not is_mailed and exists (
    select from sign_ins
    where browser_sha256 = of_browser_sha256 and address = folded and kind <> 'choice' and created_at > now() - interval '15 minutes'
  ) then
    return;
  end if;
  insert into sign_ins (address, browser_sha256, return_to, kind)
  values (folded, of_browser_sha256, in_return_to, case when is_mailed then 'mail' else 'unmailed' end)
  returning no into new_no;
  if is_mailed then
    -- Somebody waits for it, so it goes before other mails.
    perform graphile_worker.add_job('mail_sign_in', json_build_object('sign_in_no', new_no), max_attempts => 5, priority => -5);
  end if;
end
$$;

-- Uses the sign-in, once. From now on the cookie `new_browser_sha256` may choose, by a row of its own: the browser that asked
-- keeps its row, so that a wrong code gets the same answer as before. All other requests for this address end.
create or replace function redeem_sign_in(sign_in_no bigint, new_browser_sha256 bytea) returns text
language plpgsql as $$
declare
  redeemed sign_ins;
begin
  -- A change of the address deletes its sign-ins, and can be part of an import that takes long.
  perform set_config('lock_timeout', '2s', true);
  update sign_ins set redeemed_at = now(), chosen_at = now()
  where no = sign_in_no and redeemed_at is null and expires_at > now()
  returning * into redeemed;
  if redeemed.no is null then
    return null;
  end if;
  insert into sign_ins (address, browser_sha256, return_to, redeemed_at, kind)
  values (redeemed.address, new_browser_sha256, redeemed.return_to, now(), 'choice');
  update sign_ins set expires_at = now()
  where address = redeemed.address and redeemed_at is null and expires_at > now();
  return redeemed.return_to;
end
$$;

-- A code is valid only in the browser that asked, and only for its newest request: a code that were tested against several
-- requests would be guessed several times as easily. Each request allows five wrong codes, and all requests for an address
-- together 20 a day: with eight digits, a chance of 1 in 5,000,000. A request that has ended, because somebody signed in with
-- another one, counts and answers like one that waits.
create or replace function redeem_sign_in_code(of_browser_sha256 bytea, of_code_sha256 bytea, new_browser_sha256 bytea,
                                               out outcome text, out codes_left int)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  asked sign_ins;
begin
  perform set_config('lock_timeout', '2s', true);  -- as in redeem_sign_in
  select * into asked from sign_ins
  where browser_sha256 = of_browser_sha256 and kind <> 'choice' and created_at > now() - interval '15 minutes'
  order by kind = 'mail' desc, no desc limit 1
  for update;
  if asked.no is null or asked.wrong_codes >= 5 then
    outcome := 'none';
    return;
  end if;
  if (select sum(wrong_codes) from sign_ins where address = asked.address and created_at > now() - interval '1 day') >= 20 then
    outcome := 'blocked';
    return;
  end if;
  if asked.redeemed_at is null and asked.expires_at > now()
    and asked.code_sha256 = sha256(asked.browser_sha256 || of_code_sha256) then
    perform redeem_sign_in(asked.no, new_browser_sha256);
    outcome := 'redeemed';
    return;
  end if;
  update sign_ins set wrong_codes = wrong_codes + 1 where no = asked.no;
  outcome := 'wrong';
  codes_left := 4 - asked.wrong_codes;
end
$$;

-- Begins a session. Returns whether it is that of an owner; null if there is nothing to choose any more.
create or replace function choose_sign_in(of_browser_sha256 bytea, chosen_id uuid, new_prefix text, new_secret_sha256 bytea)
returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  chosen_address text;
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
  where s.browser_sha256 = of_browser_sha256 and s.redeemed_at is not null and s.chosen_at is null
  returning s.address into chosen_address;
  if not found then
    return null;  -- chosen by another request meanwhile
  end if;
  -- By its address: the same browser may have asked for another mail meanwhile.
  select i.* into strict chosen from sign_in_identities i where i.address = chosen_address and i.id = chosen_id;
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

----------------------------------------------------------------------------------------------------- a proof for each session

-- The api verifies keys and sessions with these functions. They compare the hash that the api was given, and return none: a
-- hash that the api could read would be the proof that begin_session asks for.
create function find_key(of_prefix text, of_secret_sha256 bytea)
returns table (no int, prefix text, organization_no int, customer_no int, scopes text[], requests_per_second int, burst int,
               expires_at timestamptz, revoked_at timestamptz, is_right boolean)
stable language sql security definer set search_path = public, pg_temp as $$
  select no, prefix, organization_no, customer_no, scopes, requests_per_second, burst, expires_at, revoked_at,
         secret_sha256 = of_secret_sha256
  from api_keys where prefix = of_prefix
$$;
revoke execute on function find_key from public;

create function find_session(of_prefix text, of_secret_sha256 bytea)
returns table (no int, prefix text, organization_no int, customer_no int, scopes text[], requests_per_second int, burst int,
               expires_at timestamptz, revoked_at timestamptz, is_right boolean)
stable language sql security definer set search_path = public, pg_temp as $$
  select no, prefix, organization_no, customer_no, scopes, requests_per_second, burst, expires_at, revoked_at,
         secret_sha256 = of_secret_sha256
  from session_credentials where prefix = of_prefix
$$;
revoke execute on function find_session from public;

-- The api polls it for ended sessions.
create view session_changes as
select no, prefix, organization_no, customer_no, scopes, requests_per_second, burst, expires_at, revoked_at, changed_xid
from session_credentials;

-- Begins a session with a key. Returns false if the hash is not that of the key, the key has ended, or may not read.
create function begin_session(of_prefix text, of_secret_sha256 bytea, new_prefix text, new_secret_sha256 bytea) returns boolean
language sql security definer set search_path = public, pg_temp as $$
  select coalesce(
    (select create_session(new_prefix, new_secret_sha256, no) from api_keys
     where prefix = of_prefix and secret_sha256 = of_secret_sha256),
    false)
$$;
revoke execute on function begin_session from public;

grant select on session_changes to tankwatch_api;
grant execute on function find_key, find_session, begin_session to tankwatch_api;

----------------------------------------------------------------------------------------------------- secrets of organizations

-- The same secrets encrypted with DEVICE_SECRET and with LINK_SECRET. Gateway and api have these anyway, so they do not need
-- SECRETS_KEY, which also opens the secrets of all webhooks. Null: `tankwatch secrets reseal` did not run yet.
alter table organization_secrets add column wrapped_device_secret text, add column wrapped_link_secret text;

create function wrapped_link_secret_of(customer_id uuid) returns text
stable language sql security definer set search_path = public, pg_temp as $$
  select s.wrapped_link_secret from customers c join organization_secrets s using (organization_no) where c.id = customer_id
$$;
revoke execute on function wrapped_link_secret_of from public;

grant select (wrapped_device_secret) on organization_secrets to tankwatch_gateway;
grant select (wrapped_link_secret) on organization_secrets to tankwatch_worker;
grant update on organization_secrets to tankwatch_operator;
grant execute on function wrapped_link_secret_of to tankwatch_api;

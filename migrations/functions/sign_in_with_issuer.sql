-- Begins the session of a person whom an issuer has named, in one transaction. The api has verified what the issuer says.
-- `given_roles` are those of the person's groups; null: the issuer does not set roles. The current session, if the browser has
-- one, ends. With `is_link` the person wants to be its contact. Returns `signed_in`, or why not.
create or replace function sign_in_with_issuer(of_issuer uuid, of_subject text, of_email text, is_email_verified boolean, of_name text,
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
  -- The function locks the issuer, then the contact, then its sessions, and never the organization. A change of the issuer or of the
  -- contact can hold these locks for long.
  perform set_config('lock_timeout', '2s', true);
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
    -- From now on a removal at the issuer counts: sessions by mail, and notifications in their browsers, last longer.
    update sessions set ended_at = now() where contact_no = person.no and issuer_no is null and ended_at is null;
    delete from push_subscriptions where contact_no = person.no and issuer_no is null;
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

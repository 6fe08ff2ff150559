-- People: their language, and invitations, which are sign-ins that an administrator has asked for. It only adds: a worker of 0.3.0
-- sends the mail of an invitation as that of any other sign-in.
alter table contacts
  -- Null: that of the organization. The region, which decides how numbers and times are written, is always that of the organization.
  add column language text constraint known_language check (language in ('en', 'es')),
  add column invited_at timestamptz(3);

create or replace view contact_settings as
select organization_no, no, id, email, types, to_char(digest_at, 'HH24:MI') as digest_at, has_console, roles, name, language
from contacts
where deleted_at is null;

grant select (language, invited_at), update (language) on contacts to tankwatch_manager;

-- The contact whom an invitation is for; `kind` is then `invitation`. Its address may also be that of a contact elsewhere. Without a
-- foreign key, which would lock both tables: a row is deleted within eight days.
alter table sign_ins add column contact_no int;

-- Invites a person: ends the earlier invitation, and asks the worker for a mail with a new link, which is valid for a week. Returns
-- false if there were too many: five to a person and 100 of an organization in a day. Mails to people who have been removed
-- meanwhile count too.
create function invite_contact(of_organization_no int, of_contact_no int) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  new_no bigint;
begin
  if (
    select count(*) >= 100 or count(*) filter (where s.contact_no = of_contact_no) >= 5
    from contacts c join sign_ins s on s.contact_no = c.no
    where c.organization_no = of_organization_no and s.kind = 'invitation' and s.created_at > now() - interval '1 day'
  ) then
    return false;
  end if;
  update sign_ins set expires_at = now()
  where contact_no = of_contact_no and redeemed_at is null and expires_at > now();
  -- No browser has the cookie of this hash, so that only the link signs in.
  insert into sign_ins (address, browser_sha256, kind, contact_no, expires_at)
  select lower(email collate "C"), sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'invitation', no,
         now() + interval '7 days'
  from contacts where no = of_contact_no and organization_no = of_organization_no and has_console and deleted_at is null
  returning no into strict new_no;
  update contacts set invited_at = now() where no = of_contact_no;
  -- Ten attempts take six hours, as those of the mails about events.
  perform graphile_worker.add_job('mail_sign_in', json_build_object('sign_in_no', new_no), max_attempts => 10, priority => -5);
  return true;
end
$$;
revoke execute on function invite_contact from public;
grant execute on function invite_contact to tankwatch_manager, tankwatch_operator;

-- For the worker: whom a sign-in invites, and the name of the sign-in service that the person uses instead of a link. No row: it is
-- not an invitation.
create function invitation_of_sign_in(sign_in_no bigint) returns table (contact_no int, issuer_label text)
stable language sql security definer set search_path = public, pg_temp as $$
  select c.no, (
    select coalesce(i.label, o.name) from issuers i join organizations o on o.no = i.organization_no
    where i.organization_no = c.organization_no and i.deleted_at is null and split_part(s.address, '@', 2) = any (i.domains)
    order by i.no limit 1
  )
  from sign_ins s join contacts c on c.no = s.contact_no
  where s.no = sign_in_no
$$;
revoke execute on function invitation_of_sign_in from public;
grant execute on function invitation_of_sign_in to tankwatch_worker;

-- What followed events that begin a condition of a tank: who took it on, when gas was delivered, and when the condition was over. The
-- api cannot read acknowledgements of the past. Up to the end of the condition, or its next beginning.
create function follow_ups_of(event_nos bigint[]) returns table (event_no bigint, followed json)
stable language sql security definer set search_path = public, pg_temp as $$
  select e.no, json_build_object(
    'handled', coalesce((
      select json_agg(json_build_object(
        'name', coalesce(c.name, c.email), 'comment', a.comment,
        'since', to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      ) order by a.no)
      from acknowledgements a
      left join contacts c on c.organization_no = e.organization_no
        and c.id = case when a.acknowledged_by ~ '^contact [0-9a-f-]{36}$' then substr(a.acknowledged_by, 9)::uuid end
      where a.tank_no = e.tank_no and a.condition = begins.condition and a.created_at >= e.occurred_at
        and a.created_at < least(over.at, again.at, 'infinity')
    ), '[]'),
    'refilled_at', (
      select to_char(min(r.occurred_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') from events r
      where r.tank_no = e.tank_no and r.type = 'tank.refilled' and r.retracted_at is null and begins.condition = 'low'
        and r.occurred_at > e.occurred_at and r.occurred_at <= least(over.at, again.at, 'infinity')
    ),
    'ended_at', to_char(over.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  )
  from unnest(event_nos) as asked (no)
  join events e on e.no = asked.no
  join (values
    ('tank.low_fill', 'low', 'tank.fill_recovered'),
    ('tank.rapid_loss', 'losing', null),
    ('tank.device_silent', 'silent', 'tank.device_reporting'),
    ('tank.gauge_unreliable', 'gauge_unreliable', 'tank.gauge_reliable')
  ) as begins (type, condition, end_type) on begins.type = e.type
  cross join lateral (
    select min(n.occurred_at) as at from events n
    where n.tank_no = e.tank_no and n.type = begins.end_type and n.retracted_at is null and n.occurred_at > e.occurred_at
  ) as over
  cross join lateral (
    select min(n.occurred_at) as at from events n
    where n.tank_no = e.tank_no and n.type = e.type and n.retracted_at is null and n.occurred_at > e.occurred_at
  ) as again
$$;
revoke execute on function follow_ups_of from public;
grant execute on function follow_ups_of to tankwatch_api;

-- Console roles: what a contact may do in the console. And owners turn reminders on again. It only adds for 0.2.0, which knows
-- `has_console`.

-- A contact without a role cannot sign in. `viewer` reads; src/keys/console_roles.ts lists the rights of the others.
alter table contacts
  add column roles text[] not null default '{}'
    constraint known_roles check (roles <@ array['viewer', 'dispatcher', 'technician', 'administrator']),
  add column name text constraint short_name check (length(name) between 1 and 200);

-- Who could see everything and change nothing still can: an upgrade adds no right. There are some contacts in an organization,
-- so that the update is short.
update contacts set roles = '{viewer}' where has_console and deleted_at is null;

-- 0.2.0 writes has_console, later releases write roles. The column that a statement changes decides.
create function keep_console_roles() returns trigger language plpgsql as $$
begin
  if new.deleted_at is not null then
    new.name := null;
  end if;
  -- In one order, and each once: the same roles are the same value.
  new.roles := array(
    select role from unnest(array['viewer', 'dispatcher', 'technician', 'administrator']) with ordinality as known (role, at)
    where role = any (new.roles) order by at
  ) || array(select unnest(new.roles) except select unnest(array['viewer', 'dispatcher', 'technician', 'administrator']));
  if tg_op = 'UPDATE' and new.roles is not distinct from old.roles and new.has_console <> old.has_console then
    new.roles := case when new.has_console then array['viewer'] else array[]::text[] end;
  elsif tg_op = 'INSERT' and new.has_console and new.roles = '{}' then
    new.roles := array['viewer'];
  end if;
  new.has_console := new.roles <> '{}';
  return new;
end
$$;
create trigger keep_console_roles before insert or update on contacts for each row execute function keep_console_roles();

-- Running processes poll the sessions that have changed, and see the new roles within a second. If none is left, the trigger
-- end_sign_ins_of_contact has ended them.
create function touch_sessions_of_contact() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update sessions set ended_at = ended_at where contact_no = new.no and ended_at is null;
  return null;
end
$$;
create trigger touch_sessions_of_contact after update on contacts for each row
when (old.roles is distinct from new.roles) execute function touch_sessions_of_contact();

-- A session by key is that of a program or of whoever has the key, not of a person with a role: it reads, as a viewer. That of an
-- owner has no role: it reads what belongs to the customer.
create or replace view session_changes as
select coalesce(s.key_no, -(1 + (s.no - 1) % 2000000000)::int) as no, s.prefix, s.organization_no, s.customer_no,
       array['read'] as scopes, s.requests_per_second, s.burst, s.expires_at, s.ended_at as revoked_at, s.changed_xid, s.contact_no,
       case when s.key_no is not null then array['viewer'] else coalesce(c.roles, '{}') end as roles
from sessions s left join contacts c on c.no = s.contact_no;

-- No release has used the function of 0017, so that its columns may change.
drop function find_session(text, bytea);
create function find_session(of_prefix text, of_secret_sha256 bytea)
returns table (no int, prefix text, organization_no int, customer_no int, scopes text[], requests_per_second int, burst int,
               expires_at timestamptz, revoked_at timestamptz, contact_no int, roles text[], is_right boolean)
stable language sql security definer set search_path = public, pg_temp as $$
  select c.no, c.prefix, c.organization_no, c.customer_no, c.scopes, c.requests_per_second, c.burst, c.expires_at, c.revoked_at,
         c.contact_no, c.roles, s.secret_sha256 = of_secret_sha256
  from session_changes c join sessions s using (prefix) where c.prefix = of_prefix
$$;
revoke execute on function find_session from public;
grant execute on function find_session to tankwatch_api;

create or replace view contact_settings as
select organization_no, no, id, email, types, to_char(digest_at, 'HH24:MI') as digest_at, has_console, roles, name from contacts
where deleted_at is null;

----------------------------------------------------------------------------------------------------- reminders

-- An owner who ended the reminders gets them again. Returns false if there is no such customer. A restore from an older backup
-- must not end them again, so the removal is recorded as over.
create function resubscribe_customer(customer_id uuid) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from reminder_unsubscribes where customer_no = (select no from customers where id = customer_id and deleted_at is null);
  if found then
    insert into removals (kind, organization, object, ended_at)
    select 'unsubscribe', o.code, c.id, null
    from customers c join organizations o on o.no = c.organization_no where c.id = customer_id;
  end if;
  return exists (select from customers where id = customer_id and deleted_at is null);
end
$$;
revoke execute on function resubscribe_customer from public;
grant execute on function resubscribe_customer to tankwatch_api, tankwatch_operator;
-- So that owners and dispatchers see since when there are no reminders.
grant select on reminder_unsubscribes to tankwatch_api;

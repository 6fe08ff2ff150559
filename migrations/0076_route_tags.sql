-- A route tag for each organization: four characters that are in its new keys and sessions, after the slot. It only adds: 0.3.0
-- works with it, accepts such keys, and makes such sessions, because it puts what these functions return before random letters.
--
-- A router can later send one organization to another cell by the first six characters, instead of all of its slot. The
-- formats in programs of customers cannot change later, so the tag is added before it is needed.

-- The first character is 0 or 1. Earlier keys have neither of them after the slot, so no earlier key looks like one with a tag. The tag
-- is random: it says nothing about the organization, and stays when the organization moves.
alter table organizations add column route_tag text;
-- squawk-ignore constraint-missing-not-valid
alter table organizations add constraint route_tag_has_its_form check (route_tag ~ '^[01][a-km-np-z2-9]{3}$');
-- A tag that no organization of the slot has. There are 65,536.
create function unused_route_tag(slot text) returns text
volatile language plpgsql security definer set search_path = public, pg_temp as $$
declare
  tag text;
begin
  loop
    select string_agg(substr(case at when 1 then '01' else 'abcdefghijkmnpqrstuvwxyz23456789' end,
                             1 + floor(random() * case at when 1 then 2 else 32 end)::int, 1), '' order by at)
    into tag from generate_series(1, 4) as at;
    if not exists (select from organizations o where left(o.code, 2) = slot and o.route_tag = tag) then
      return tag;
    end if;
  end loop;
end
$$;
revoke execute on function unused_route_tag from public;

create function set_route_tag() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.route_tag := unused_route_tag(left(new.code, 2));
  return new;
end
$$;
revoke execute on function set_route_tag from public;
create trigger set_route_tag before insert on organizations for each row when (new.route_tag is null)
execute function set_route_tag();

-- Sets the tags of existing organizations. It is not a change by a person, so the audit log does not record it.
alter table organizations disable trigger audit_changed_organizations;
-- One statement, because the table is locked. 40503 is odd, so the numbers of a slot are distinct modulo 65,536, in a
-- random order.
update organizations o
set route_tag = substr('01', 1 + n / 32768, 1) || substr(letters, 1 + n / 1024 % 32, 1) || substr(letters, 1 + n / 32 % 32, 1)
                || substr(letters, 1 + n % 32, 1)
from (
  select no, 'abcdefghijkmnpqrstuvwxyz23456789' as letters,
         (row_number() over (partition by left(code, 2) order by random()) * 40503 % 65536)::int as n
  from organizations
) as t
where t.no = o.no;
alter table organizations enable trigger audit_changed_organizations;
-- squawk-ignore require-concurrent-index-creation
create unique index one_organization_per_route_tag on organizations (left(code, 2), route_tag);

-- The beginning of the keys and sessions of an organization: its slot and its route tag.
create function key_beginning(of_organization_no int) returns text
stable language sql security definer set search_path = public, pg_temp as $$
  select left(code, 2) || route_tag from organizations where no = of_organization_no
$$;
revoke execute on function key_beginning from public;
grant execute on function key_beginning to tankwatch_api, tankwatch_operator;

-- The view of 0030 with the new beginning.
create or replace view sign_in_issuers as
select i.id, i.organization_no, i.url, i.client_id, i.sealed_client_secret, i.label, i.domains, i.scopes, i.group_claim,
       i.group_roles, left(o.code, 2) || o.route_tag as slot, o.name as organization_name, o.language
from issuers i join organizations o on o.no = i.organization_no
where i.deleted_at is null and o.deleted_at is null;

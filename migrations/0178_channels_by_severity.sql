-- Which channels a person chose for what is no loss and no empty tank. It only adds: 0.3.0 works with it.

-- Losses and empty tanks have by_text, by_mail and by_push. Mails about everything else are those that the person chose by type.
alter table contact_reach
  add column by_push  boolean not null default true,
  add column low_by   text[] not null default '{}' check (low_by <@ array['text', 'push']),    -- a tank is low
  add column other_by text[] not null default '{}' check (other_by <@ array['text', 'push']);  -- the types that the person chose for mails
grant update (by_push, low_by, other_by) on contact_reach to tankwatch_manager, tankwatch_operator;
grant select (contact_no) on push_subscriptions to tankwatch_manager, tankwatch_operator;

-- A text about an event that no escalation tells of.
alter table texts add column event_no bigint;

-- Until when the quiet hours of a person last that are now. Null: there are none now. Times are those of a clock of the organization.
create function quiet_until(contact int) returns timestamptz
stable language sql as $$
  select (case when clock.at::time < r.quiet_to then clock.at::date else clock.at::date + 1 end + r.quiet_to) at time zone o.time_zone
  from contact_reach r join organizations o on o.no = r.organization_no
  cross join lateral (select now() at time zone o.time_zone as at) as clock
  where r.no = contact and case when r.quiet_from < r.quiet_to
    then clock.at::time >= r.quiet_from and clock.at::time < r.quiet_to
    else clock.at::time >= r.quiet_from or clock.at::time < r.quiet_to end
$$;
revoke execute on function quiet_until from public;
grant execute on function quiet_until to tankwatch_worker;

-- A person chooses the own channels. The audit log names the person.
create function choose_channels(of_contact int, new_by_push boolean, new_low_by text[], new_other_by text[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform set_config('tankwatch.actor', 'contact ' || id, true) from contacts where no = of_contact;
  insert into contact_reach (no, organization_no) select no, organization_no from contacts where no = of_contact and deleted_at is null
  on conflict do nothing;
  update contact_reach set by_push = new_by_push, low_by = new_low_by, other_by = new_other_by, updated_at = now()
  where no = of_contact;
end
$$;
revoke execute on function choose_channels from public;
grant execute on function choose_channels to tankwatch_api;
grant select (no, by_push, low_by, other_by) on contact_reach to tankwatch_api;

-- Which organizations follow their readings (GET /fleet/v1/readings, and levels of the change feed): writers fill reading_batches for
-- these only, because it costs an eighth to a quarter of what storing costs. It only adds: 0.3.0 works with it.
create table reading_followers (
  organization_no int primary key,
  complete_from   bigint,  -- from this change number on, no reading is missing. Null: not known yet
  asked_at        timestamptz(3) not null default now()  -- of the last request, or up to an hour before. The worker deletes old rows
);

-- Records that an organization follows its readings. Returns the number from which they are complete, or null after the first call: a
-- transaction that began to store before the row was committed stores nothing for the feed. The number is that of a later
-- transaction, which sees the row. It must be called outside of a transaction.
create function follow_readings(in_organization_no int) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from reading_followers where organization_no = in_organization_no) then
    -- This transaction gets its number only now.
    update reading_followers set asked_at = now(), complete_from = coalesce(complete_from, next_change_number())
    where organization_no = in_organization_no and (complete_from is null or asked_at < now() - interval '1 hour');
  else
    insert into reading_followers (organization_no) values (in_organization_no) on conflict do nothing;
  end if;
  return (select complete_from from reading_followers where organization_no = in_organization_no);
end
$$;
revoke execute on function follow_readings from public;

grant select on reading_followers to tankwatch_api, tankwatch_writer, tankwatch_operator;
grant select, delete on reading_followers to tankwatch_worker;
grant execute on function follow_readings to tankwatch_api;

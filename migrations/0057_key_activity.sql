-- From where each key is used. It only adds: 0.2.0 works with it and records nothing.

-- One row for each key, day and address. Processes count in memory and write once a minute. A key has at most 50 addresses a day;
-- the requests from others are counted under 'other'. So 10,000 keys have at most 15 million rows in 30 days, and usually
-- one or two a day each. No foreign key: it would lock api_keys.
create table key_activity (
  key_no   int not null,
  day      date not null,    -- UTC
  address  text not null check (length(address) between 1 and 64),  -- IPv4, the first 64 bits of IPv6, or 'other'
  requests bigint not null,
  first_at timestamptz(3) not null,
  last_at  timestamptz(3) not null,
  primary key (key_no, day, address)
);
create index key_activity_by_day on key_activity (day);
grant select on key_activity to tankwatch_operator;

-- For api and gateway, which can write nothing else about keys. Rows of one call: a key, an address, and the requests since the last
-- call.
create function record_key_activity(key_nos int[], addresses text[], request_counts int[], first_ats timestamptz[], last_ats timestamptz[])
returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- Processes report the same keys in different orders. One at a time, they cannot deadlock, and they see each other's addresses.
  perform pg_advisory_xact_lock(hashtext('record_key_activity'));

  insert into key_activity as a (key_no, day, address, requests, first_at, last_at)
  select key_no, day, place, sum(requests), min(first_at), max(last_at)
  from (
    select g.key_no, g.day, g.requests, g.first_at, g.last_at,
           case when g.is_known or g.known_addresses + row_number() over (
                  partition by g.key_no, g.day, g.is_known order by g.address
                ) <= 50 then g.address else 'other' end as place
    from (
      select u.*, exists (
               select from key_activity k where k.key_no = u.key_no and k.day = u.day and k.address = u.address
             ) as is_known,
             (select count(*) from key_activity k where k.key_no = u.key_no and k.day = u.day) as known_addresses
      from (
        select t.key_no, (least(t.last_at, now()) at time zone 'UTC')::date as day, t.address, sum(t.requests) as requests,
               min(least(t.first_at, now())) as first_at, max(least(t.last_at, now())) as last_at
        from unnest(key_nos, addresses, request_counts, first_ats, last_ats) as t (key_no, address, requests, first_at, last_at)
        join api_keys k on k.no = t.key_no
        group by 1, 2, 3
      ) as u
    ) as g
  ) as placed
  group by key_no, day, place
  on conflict (key_no, day, address) do update
  set requests = a.requests + excluded.requests, first_at = least(a.first_at, excluded.first_at),
      last_at = greatest(a.last_at, excluded.last_at);
end
$$;
revoke execute on function record_key_activity from public;
grant execute on function record_key_activity to tankwatch_api, tankwatch_gateway;

-- For the worker. Returns the number of rows.
create function delete_old_key_activity(kept_days int) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  deleted int;
begin
  delete from key_activity where (key_no, day, address) in (
    select key_no, day, address from key_activity
    where day < (now() at time zone 'UTC')::date - kept_days order by day limit 10000
  );
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
revoke execute on function delete_old_key_activity from public;
grant execute on function delete_old_key_activity to tankwatch_worker;

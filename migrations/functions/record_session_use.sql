-- Records the use of a session and extends it, but not beyond latest_end.
create or replace function record_session_use(used_prefixes text[], used_ats timestamptz[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- The lock of record_key_use: two at the same time would skip the rows of each other.
  perform pg_advisory_xact_lock(hashtext('record_key_use'));

  -- It waits for no row, because it locks many people and sessions: a change by one of them could wait for another. A skipped row
  -- belongs to a person or session that somebody changes, or that makes a change at this moment. The next request of the session
  -- records it; without one, the time of the request before stays.
  update customers c set last_seen_at = seen.at
  from (
    select o.no, used.at
    from (
      select customer_no, date_trunc('minute', max(least(used_at, now()))) as at
      from unnest(used_prefixes, used_ats) as u (prefix, used_at) join sessions using (prefix)
      where coalesce(key_no, contact_no) is null group by customer_no
    ) as used join customers o on o.no = used.customer_no
    where o.deleted_at is null and (o.last_seen_at is null or o.last_seen_at < used.at)
    for no key update of o skip locked
  ) as seen
  where c.no = seen.no;

  update contacts c set last_seen_at = seen.at
  from (
    select o.no, used.at
    from (
      select contact_no, date_trunc('minute', max(least(used_at, now()))) as at
      from unnest(used_prefixes, used_ats) as u (prefix, used_at) join sessions using (prefix)
      where contact_no is not null group by contact_no
    ) as used join contacts o on o.no = used.contact_no
    where o.deleted_at is null and (o.last_seen_at is null or o.last_seen_at < used.at)
    for no key update of o skip locked
  ) as seen
  where c.no = seen.no;

  update sessions s set expires_at = used.extended_to
  from (
    select o.no, extended_to
    from unnest(used_prefixes, used_ats) as u (prefix, used_at)
    join sessions o using (prefix)
    left join api_keys k on k.no = o.key_no
    cross join lateral (select coalesce(o.key_no, o.contact_no) is null as is_owner) as kind
    cross join lateral (
      select least(session_expiry(o.created_at, least(u.used_at, now()), is_owner), k.expires_at, o.latest_end) as extended_to
    ) as extended
    where o.ended_at is null and o.expires_at > now() and k.revoked_at is null
      and extended_to > o.expires_at + case when is_owner then interval '7 hours' else interval '7 minutes' end
    for no key update of o skip locked
  ) as used
  where s.no = used.no;
end
$$;

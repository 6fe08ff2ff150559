-- Records the use of a session and extends it, but not beyond latest_end.
create or replace function record_session_use(used_prefixes text[], used_ats timestamptz[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- The lock of record_key_use, which also changes customers: they run one at a time and cannot deadlock.
  perform pg_advisory_xact_lock(hashtext('record_key_use'));

  -- People before their sessions, like every change that ends sessions.
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

  update sessions s set expires_at = used.extended_to
  from (
    select o.no,
           least(session_expiry(o.created_at, least(u.used_at, now()), is_owner), k.expires_at, o.latest_end) as extended_to,
           case when is_owner then interval '7 hours' else interval '7 minutes' end as least_gain
    from unnest(used_prefixes, used_ats) as u (prefix, used_at)
    join sessions o using (prefix)
    left join api_keys k on k.no = o.key_no
    cross join lateral (select coalesce(o.key_no, o.contact_no) is null as is_owner) as kind
    where o.ended_at is null and o.expires_at > now() and k.revoked_at is null
  ) as used
  where s.no = used.no and used.extended_to > s.expires_at + used.least_gain;
end
$$;

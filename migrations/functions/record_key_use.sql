-- Records when keys were last used, many at a time. Using a narrowed key is the activity of its customer, recorded to the minute.
-- Runs with the rights of its owner because the caller has none on these tables.
create or replace function record_key_use(key_nos int[], used_ats timestamptz[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- Two at the same time would skip the rows of each other.
  perform pg_advisory_xact_lock(hashtext('record_key_use'));

  -- It waits for no row, like record_session_use: a deletion locks a customer before the keys, and a change locks its own key before
  -- those of others. The next request with a skipped key records it.
  with free as (
    select k.no, u.used_at
    from (select key_no, least(used_at, now()) as used_at from unnest(key_nos, used_ats) as t (key_no, used_at)) as u
    join api_keys k on k.no = u.key_no
    where k.revoked_at is null and (k.last_used_at is null or k.last_used_at < u.used_at)
    for no key update of k skip locked
  ), used as (
    update api_keys k set last_used_at = free.used_at from free where k.no = free.no
    returning k.customer_no, date_trunc('minute', free.used_at) as seen_at
  ), seen as (
    select customer_no, max(seen_at) as seen_at from used where customer_no is not null group by customer_no
  ), free_customers as (
    select c.no, seen.seen_at from seen join customers c on c.no = seen.customer_no
    where c.deleted_at is null and (c.last_seen_at is null or c.last_seen_at < seen.seen_at)
    for no key update of c skip locked
  )
  update customers c set last_seen_at = f.seen_at from free_customers f where c.no = f.no;
end
$$;

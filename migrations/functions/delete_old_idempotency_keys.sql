-- Deletes up to 10,000 idempotency keys older than 24 hours, with their stored responses, and the daily uses of earlier days. Returns
-- the number of deleted keys.
create or replace function delete_old_idempotency_keys() returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  deleted int;
begin
  delete from daily_uses where day < (now() at time zone 'UTC')::date;
  delete from idempotency_keys where (organization_no, caller, key) in (
    select organization_no, caller, key from idempotency_keys
    where created_at < now() - interval '24 hours' order by created_at limit 10000
  );
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

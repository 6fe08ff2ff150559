-- Deletes what has ended: sessions an hour later, when every process has seen their end, and requests for mails a day later, because
-- wrong codes are counted for a day. An invitation is kept until it has expired. Returns the number of rows.
create or replace function delete_ended_sessions() returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ended int;
  asked int;
begin
  delete from sessions where no in (
    select no from sessions where expires_at < now() - interval '1 hour' order by expires_at limit 10000
  );
  get diagnostics ended = row_count;
  delete from sign_ins where no in (
    select no from sign_ins where created_at < now() - interval '1 day' and (contact_no is null or expires_at < now())
    order by no limit 10000
  );
  get diagnostics asked = row_count;
  return ended + asked;
end
$$;

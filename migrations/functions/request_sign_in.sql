-- Requests a sign-in mail: at most three to an address in 15 minutes, and ten a day.
create or replace function request_sign_in(of_address text, of_browser_sha256 bytea, in_return_to text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  folded text := lower(of_address collate "C");
  is_mailed boolean;
  new_no bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('sign_in ' || folded, 0));
  select count(*) < 10 and count(*) filter (where created_at > now() - interval '15 minutes') < 3 into is_mailed
  from sign_ins where address = folded and kind = 'mail' and created_at > now() - interval '1 day';
  -- A browser that has a request for this address keeps it: the code of its mail is still valid.
  if not is_mailed and exists (
    select from sign_ins
    where browser_sha256 = of_browser_sha256 and address = folded and kind <> 'choice' and created_at > now() - interval '15 minutes'
  ) then
    return;
  end if;
  insert into sign_ins (address, browser_sha256, return_to, kind)
  values (folded, of_browser_sha256, in_return_to, case when is_mailed then 'mail' else 'unmailed' end)
  returning no into new_no;
  if is_mailed then
    -- A person waits for it, so it is sent before other mails.
    perform graphile_worker.add_job('mail_sign_in', json_build_object('sign_in_no', new_no), max_attempts => 5, priority => -5);
  end if;
end
$$;

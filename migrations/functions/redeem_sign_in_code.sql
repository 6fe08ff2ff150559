-- A code is valid only in the browser that asked, and only for its newest request: a code that is compared with several
-- requests would be several times as easy to guess. Each request allows five wrong codes, and all requests for an
-- address together 20 a day: with eight digits, a chance of 1 in 5,000,000. A request that has ended, because the
-- person signed in with another one, counts and responds like one that waits.
create or replace function redeem_sign_in_code(of_browser_sha256 bytea, of_code_sha256 bytea, new_browser_sha256 bytea,
                                               out outcome text, out codes_left int)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  asked sign_ins;
begin
  perform set_config('lock_timeout', '2s', true);  -- as in redeem_sign_in
  select * into asked from sign_ins
  where browser_sha256 = of_browser_sha256 and kind <> 'choice' and created_at > now() - interval '15 minutes'
  order by kind = 'mail' desc, no desc limit 1
  for update;
  if asked.no is null or asked.wrong_codes >= 5 then
    outcome := 'none';
    return;
  end if;
  if (select sum(wrong_codes) from sign_ins where address = asked.address and created_at > now() - interval '1 day') >= 20 then
    outcome := 'blocked';
    return;
  end if;
  if asked.redeemed_at is null and asked.expires_at > now()
    and asked.code_sha256 = sha256(asked.browser_sha256 || of_code_sha256) then
    perform redeem_sign_in(asked.no, new_browser_sha256);
    outcome := 'redeemed';
    return;
  end if;
  update sign_ins set wrong_codes = wrong_codes + 1 where no = asked.no;
  outcome := 'wrong';
  codes_left := 4 - asked.wrong_codes;
end
$$;

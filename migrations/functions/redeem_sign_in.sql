-- Uses a sign-in, once. Returns the page to return to, or null if the sign-in was used or has expired. A new row permits the
-- browser whose cookie has the hash `new_browser_sha256` to choose an organization or customer. The browser that asked keeps
-- its row, so that a wrong code gets the same response as before. All other sign-ins of this address end.
create or replace function redeem_sign_in(sign_in_no bigint, new_browser_sha256 bytea) returns text
language plpgsql as $$
declare
  redeemed sign_ins;
begin
  -- A change of the address deletes its sign-ins, and can be part of an import that takes long.
  perform set_config('lock_timeout', '2s', true);
  update sign_ins set redeemed_at = now(), chosen_at = now()
  where no = sign_in_no and redeemed_at is null and expires_at > now()
  returning * into redeemed;
  if redeemed.no is null then
    return null;
  end if;
  insert into sign_ins (address, browser_sha256, return_to, redeemed_at, kind, contact_no)
  values (redeemed.address, new_browser_sha256, redeemed.return_to, now(), 'choice', redeemed.contact_no);
  update sign_ins set expires_at = now()
  where address = redeemed.address and redeemed_at is null and expires_at > now();
  return redeemed.return_to;
end
$$;

-- Begins a session. Returns whether it is that of an owner; null if there is no choice left.
create or replace function choose_sign_in(of_browser_sha256 bytea, chosen_id uuid, new_prefix text, new_secret_sha256 bytea)
returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  chosen_address text;
  chosen sign_in_identities;
begin
  -- A deletion at the same time either sees the new session, or is seen below. An import can hold these locks for long.
  perform set_config('lock_timeout', '2s', true);
  perform from customers where id = chosen_id for share;
  perform from contacts where id = chosen_id for share;
  if not exists (select from sign_in_choices(of_browser_sha256) as c where c.id = chosen_id) then
    return null;
  end if;
  update sign_ins s set chosen_at = now()
  where s.browser_sha256 = of_browser_sha256 and s.redeemed_at is not null and s.chosen_at is null
  returning s.address into chosen_address;
  if not found then
    return null;  -- chosen by another request in the meantime
  end if;
  -- Selected by its address, because the same browser may have asked for another mail in the meantime.
  select i.* into strict chosen from sign_in_identities i where i.address = chosen_address and i.id = chosen_id;
  insert into sessions (prefix, secret_sha256, contact_no, organization_no, customer_no, requests_per_second, burst, expires_at)
  values (new_prefix, new_secret_sha256, chosen.contact_no, chosen.organization_no, chosen.customer_no, 50, 500,
          session_expiry(now(), now(), chosen.contact_no is null));
  -- A person who signs in again and again keeps the newest sessions.
  update sessions set ended_at = now()
  where ended_at is null and no in (
    select no from sessions
    where key_no is null and contact_no is not distinct from chosen.contact_no
      and customer_no is not distinct from chosen.customer_no
    order by no desc offset 20
  );
  return chosen.contact_no is null;
end
$$;

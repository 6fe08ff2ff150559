-- Ends the sign-ins of a changed or deleted contact, and the notifications in its browsers. Its identities are removed, because the
-- subject of an issuer is personal data.
create or replace function end_sign_ins() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  execute format('update sessions set ended_at = now() where %I = $1 and key_no is null and ended_at is null', tg_argv[0])
  using new.no;
  delete from sign_ins where address = lower(old.email collate "C") and contact_no is null;
  -- Invitations of this person end. They still count for the limits of the organization and of the address, of which only 32 bits
  -- of a hash are kept, for a day.
  if tg_argv[0] = 'contact_no' then
    update sign_ins set address = 'removed ' || hashtext(lower(old.email collate "C")), link_sha256 = null, expires_at = now()
    where contact_no = new.no;
    delete from push_subscriptions where contact_no = new.no;
  end if;
  if tg_argv[0] = 'contact_no' and new.deleted_at is not null then
    delete from identities where contact_no = new.no;
  end if;
  return null;
end
$$;

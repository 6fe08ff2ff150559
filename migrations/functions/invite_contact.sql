-- Invites a person: ends the earlier invitation, and asks the worker for a mail with a new link, which is valid for a week. Returns
-- false if there were too many in a day: 100 of an organization, five of an organization to one address, and ten to one address by
-- all organizations. Mails to people who have been removed meanwhile count too, also if they were added again.
create or replace function invite_contact(of_organization_no int, of_contact_no int) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  folded text;
  addresses text[];
  new_no bigint;
begin
  select lower(email collate "C") into strict folded
  from contacts where no = of_contact_no and organization_no = of_organization_no and has_console and deleted_at is null;
  addresses := array[folded, 'removed ' || hashtext(folded)];  -- as end_sign_ins writes it
  -- Two organizations that invite the same address at once count each other's mails.
  perform pg_advisory_xact_lock(hashtextextended('sign_in ' || folded, 0));
  if (
    select count(*) >= 100 or count(*) filter (where s.address = any (addresses)) >= 5
    from contacts c join sign_ins s on s.contact_no = c.no
    where c.organization_no = of_organization_no and s.kind = 'invitation' and s.created_at > now() - interval '1 day'
  ) or (
    select count(*) >= 10 from sign_ins
    where address = any (addresses) and kind = 'invitation' and created_at > now() - interval '1 day'
  ) then
    return false;
  end if;
  update sign_ins set expires_at = now()
  where contact_no = of_contact_no and redeemed_at is null and expires_at > now();
  -- No browser has the cookie of this hash, so that only the link signs in.
  insert into sign_ins (address, browser_sha256, kind, contact_no, expires_at)
  values (folded, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'invitation', of_contact_no,
          now() + interval '7 days')
  returning no into new_no;
  update contacts set invited_at = now() where no = of_contact_no;
  -- Ten attempts take six hours, as those of the mails about events.
  perform graphile_worker.add_job('mail_sign_in', json_build_object('sign_in_no', new_no), max_attempts => 10, priority => -5);
  return true;
end
$$;

-- An owner may send a dip of the own tank, and change nothing else. It only adds: 0.2.0 works with it. The trigger
-- locks organizations for a moment.

-- Begins a change by the session of an owner, as begin_management does for keys and contacts. A session that a narrowed key began is
-- nobody's: it only reads. The session is locked until the end of the transaction.
create function begin_owner_change(of_prefix text, of_secret_sha256 bytea, of_request_id text)
returns table (organization_no int, customer_no int)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  owner record;
begin
  select s.organization_no, c.no, c.id into owner
  from sessions s join customers c on c.no = s.customer_no and c.organization_no = s.organization_no
  where s.prefix = of_prefix and s.secret_sha256 = of_secret_sha256 and s.key_no is null and s.contact_no is null
    and s.ended_at is null and s.expires_at > now() and c.deleted_at is null
  for share of s;
  if owner.no is not null then
    perform set_config('tankwatch.actor', 'customer ' || owner.id, true), set_config('tankwatch.request_id', of_request_id, true);
    return query select owner.organization_no, owner.no;
  end if;
end
$$;
revoke execute on function begin_owner_change from public;
grant execute on function begin_owner_change to tankwatch_manager;

-- A deleted organization keeps nothing of this.
create function delete_regional_rates() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from regional_rates where organization_no = new.no;
  delete from estimated_tanks where organization_no = new.no;
  delete from waiting_dips where organization_no = new.no;
  return null;
end
$$;
create trigger delete_regional_rates after update on organizations for each row
when (old.erased_at is null and new.erased_at is not null) execute function delete_regional_rates();

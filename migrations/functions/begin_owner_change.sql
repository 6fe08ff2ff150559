-- Begins a change by the session of an owner, as begin_management does for keys and contacts. A session that a narrowed key began is
-- nobody's: it only reads. The customer and the session stay locked until the end of the transaction.
create or replace function begin_owner_change(of_prefix text, of_secret_sha256 bytea, of_request_id text)
returns table (organization_no int, customer_no int)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  owner record;
begin
  -- The rows are locked in the order of `from`: the customer before its sessions, like a deletion of the customer.
  select s.organization_no, c.no, c.id into owner
  from customers c join sessions s on s.customer_no = c.no and s.organization_no = c.organization_no
  where s.prefix = of_prefix and s.secret_sha256 = of_secret_sha256 and s.key_no is null and s.contact_no is null
    and s.ended_at is null and s.expires_at > now() and c.deleted_at is null
  for share;
  if owner.no is not null then
    perform set_config('tankwatch.actor', 'customer ' || owner.id, true), set_config('tankwatch.request_id', of_request_id, true);
    return query select owner.organization_no, owner.no;
  end if;
end
$$;

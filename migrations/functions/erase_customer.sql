-- Erases the personal data of a deleted customer, also in stored responses.
create or replace function erase_customer() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- The name of a narrowed key is often that of its customer.
  update api_keys set name = 'deleted customer', revoked_at = coalesce(revoked_at, now()), last_used_at = null
  where customer_no = new.no;
  delete from reminder_unsubscribes where customer_no = new.no;
  delete from event_mails where recipient = 'customer' and recipient_no = new.no;
  delete from failed_mails where recipient = 'customer' and recipient_no = new.no;
  update idempotency_keys set answer = null where object = 'customer' and object_no = new.no;
  delete from imported_rows where object = 'customer' and object_no = new.no;
  return null;
end
$$;

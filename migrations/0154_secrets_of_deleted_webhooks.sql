-- A deleted webhook keeps no secret. A trigger, because who deletes a webhook cannot write its secret. 0.3.0 deletes none.
create function erase_webhook_secret() returns trigger language plpgsql as $$
begin
  new.secret := '';
  new.previous_secret := null;
  new.previous_secret_until := null;
  return new;
end
$$;
revoke execute on function erase_webhook_secret from public;
create trigger erase_webhook_secret before update on webhook_endpoints for each row
when (old.deleted_at is null and new.deleted_at is not null) execute function erase_webhook_secret();

-- What /manage/v1 needs to put a device on a tank and to show its password. The secrets are encrypted, with DEVICE_SECRET and
-- SECRETS_KEY: an api without DEVICE_SECRET opens none of them. It only adds rights: 0.2.0 works with it.
grant select (organization_no, device_id) on device_assignments to tankwatch_manager;
grant select, insert, update on device_credentials, device_password_issues to tankwatch_manager;
grant select (organization_no, sealed_device_secret, wrapped_device_secret) on organization_secrets to tankwatch_manager;
grant execute on function record_command to tankwatch_manager;

-- As in 0027: 0032 has replaced the function, and with it the rights that it runs with.
alter function record_settings_change() security definer set search_path = public, pg_temp;

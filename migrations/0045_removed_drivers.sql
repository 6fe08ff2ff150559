-- The record of removals has deleted drivers: a restore from an older backup brings their names back. It only adds: 0.2.0 works
-- with it. It locks removals for a moment. The rows of before have kinds of before, so that they need no check.
alter table removals drop constraint removals_kind_check;
alter table removals add constraint removals_kind_check check (kind in (
  'organization', 'customer', 'tank', 'contact', 'console', 'key', 'device', 'webhook', 'unsubscribe', 'driver')) not valid;

create trigger record_removed_driver after update on drivers for each row
when (old.deleted_at is distinct from new.deleted_at) execute function record_removal('driver', 'id');

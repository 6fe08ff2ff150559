-- The organization's own numbers of depots, trucks and drivers. It only adds: 0.3.0 works with it.
alter table depots add column external_key text;
alter table trucks add column external_key text;
alter table drivers add column external_key text;
create trigger erase_external_key before update on drivers for each row
when (new.deleted_at is not null and new.external_key is not null) execute function erase_external_key();

-- When the levels of stored readings were last computed again, for programs that keep a copy of them. It only adds: 0.3.0 works with it.
alter table tanks add column levels_changed_at timestamptz(3);  -- null: never

-- The change feed shows it. `updated_at` does not change, because /v1 does not have the field.
create trigger number_changed_levels before update on tanks for each row
when (old.levels_changed_at is distinct from new.levels_changed_at) execute function set_change_number();

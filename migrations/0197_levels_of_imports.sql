-- The level that an import brought to a new tank, so that undoing it deletes the tank only if it has no other. It only adds.
alter table imported_rows add column level_at timestamptz(3), add column level_percentage real;
grant update (level_at, level_percentage) on imported_rows to tankwatch_manager, tankwatch_operator;
-- The level may still wait for a writer.
grant select (at, fill_percentage) on waiting_dips to tankwatch_manager, tankwatch_operator;

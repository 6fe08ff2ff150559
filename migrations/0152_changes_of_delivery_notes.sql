-- The change feed, as in 0151, for delivery notes and their verdicts. It only adds: 0.3.0 works with it.
alter table delivery_notes add column change_number bigint not null default 0;
create trigger number_new_note before insert on delivery_notes for each row execute function set_change_number();
create trigger number_changed_note before update on delivery_notes for each row
when (old.* is distinct from new.*) execute function set_change_number();
create trigger record_removed_notes after delete on delivery_notes referencing old table as old_rows
for each statement execute function record_feed_removals('delivery_note');

alter table ledger_entries add column change_number bigint not null default 0;
create trigger number_new_entry before insert on ledger_entries for each row execute function set_change_number();
create trigger number_changed_entry before update on ledger_entries for each row
when (old.* is distinct from new.*) execute function set_change_number();
create trigger record_removed_entries after delete on ledger_entries referencing old table as old_rows
for each statement execute function record_feed_removals('verdict');

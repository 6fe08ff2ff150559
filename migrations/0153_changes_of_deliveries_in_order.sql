-- without transaction
-- The order of the change feed.
create index concurrently rounds_by_change on rounds (organization_no, change_number, no);
create index concurrently round_stops_by_change on round_stops (organization_no, change_number, no);
create index concurrently delivery_notes_by_change on delivery_notes (organization_no, change_number, no);
create index concurrently ledger_entries_by_change on ledger_entries (organization_no, change_number, id);

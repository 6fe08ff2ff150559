-- without transaction
create unique index concurrently tanks_external_key on tanks (organization_no, external_key)
where external_key is not null;
create unique index concurrently depots_external_key on depots (organization_no, external_key)
where external_key is not null;
create unique index concurrently trucks_external_key on trucks (organization_no, external_key)
where external_key is not null;
create unique index concurrently drivers_external_key on drivers (organization_no, external_key)
where external_key is not null;
create index concurrently delivery_notes_by_reference on delivery_notes (organization_no, reference)
where reference is not null;
-- For the deletion of old rows.
create index concurrently feed_removals_by_time on feed_removals (removed_at);

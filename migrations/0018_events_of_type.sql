-- without transaction
-- The events of one type, in the order of the feed and in the order of time. Along the indexes of all events, a rare type
-- was found after reading every event of the organization.
create index concurrently events_of_type_by_change on events (organization_no, type, change_number, no);
create index concurrently events_of_type_by_time on events (organization_no, type, occurred_at, no);

-- without transaction
-- The order of the change feed.
create index concurrently customers_by_change on customers (organization_no, change_number, no);
create index concurrently tanks_by_change on tanks (organization_no, change_number, no);

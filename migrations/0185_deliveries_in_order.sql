-- without transaction
-- Each message once for an endpoint, and the list of its deliveries.
create unique index concurrently webhook_deliveries_by_message on webhook_deliveries (endpoint_no, message_id) where message_id is not null;
create index concurrently webhook_deliveries_of_endpoint on webhook_deliveries (endpoint_no, no);

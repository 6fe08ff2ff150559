-- without transaction
-- The tanks that are to be ordered, the most urgent first.
create index concurrently fleet_tanks_to_order on fleet_tanks (organization_no, threshold_on, empty_on, tank_no) where is_order_due;
-- Which products the tanks of an organization have. Most tanks name none.
create index concurrently tanks_by_product on tanks (organization_no, product) where product is not null and deleted_at is null;

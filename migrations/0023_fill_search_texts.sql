-- without transaction
-- The texts of the tanks and customers that exist, in batches, and the order of the list of customers.
call fill_search_texts();
create index concurrently customers_by_name on customers (organization_no, (customer_sort_name(name) collate "C"), no)
where deleted_at is null;

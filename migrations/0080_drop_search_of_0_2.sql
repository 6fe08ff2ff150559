-- without transaction
-- Only the search of 0.2 used these indexes: 0022 has those of today. Each new tank and customer was added to them too.
drop index concurrently tanks_by_text;
drop index concurrently customers_by_text;

-- without transaction
-- The texts of the tanks and customers that exist, in batches.
call fill_search_texts();

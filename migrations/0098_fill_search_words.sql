-- without transaction
-- The words of the tanks and customers that exist, an organization at a time.
call fill_search_words();

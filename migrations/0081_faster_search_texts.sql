-- The functions of the search of 0.2, whose indexes 0080 has dropped.
drop function tank_search_text(text, text, text, text, text);
drop function customer_search_text(text, text, text, text);

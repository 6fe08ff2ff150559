-- without transaction
-- A person gets one text about an event.
create unique index concurrently one_text_per_event on texts (event_no, contact_no) where event_no is not null;

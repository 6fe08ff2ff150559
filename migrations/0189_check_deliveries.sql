-- Looks at all rows, beside readers and writers: the check of 0183 was added without a look.
alter table webhook_deliveries validate constraint delivery_of_event_or_change;

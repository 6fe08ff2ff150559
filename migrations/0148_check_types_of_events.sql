-- Looks at all rows, beside readers and writers: the check of 0147 was added without a look.
alter table events validate constraint events_type_check;

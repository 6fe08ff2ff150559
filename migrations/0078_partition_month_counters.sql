-- without transaction
-- The month counters in partitions of a year. See 0077.
call partition_month_counters();

-- Lists of events of one type have one plan, by the number of types in the statistics. Where nearly all events were refills, that
-- was 1: PostgreSQL took any type for the usual one, walked along all events of the organization, and read 3,392 buffers for a
-- page of losses, where its index of types (0018) needs 400. Each analyze keeps this value.
set local lock_timeout = '10s';
alter table events alter column type set (n_distinct = 12);
analyze events;

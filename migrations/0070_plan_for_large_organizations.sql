-- Reads have one plan for all organizations. PostgreSQL planned it for an organization of average size: among 20,000 organizations,
-- of which one had 300,000 of 700,000 tanks, its page by level read 145,366 buffers, and 1,941 with this. With n_distinct = 2 the plan
-- is made for half of a table, or for the share of the largest organization if that is less. It suits small organizations too: they
-- use the same indexes, and end earlier. Each analyze keeps this value.
--
-- These locks stop neither reads nor writes, nor does waiting for them. An autovacuum that holds one gives way after a second.
set local lock_timeout = '10s';
alter table fleet_tanks alter column organization_no set (n_distinct = 2);
alter table fleet_levels alter column organization_no set (n_distinct = 2);
alter table tanks alter column organization_no set (n_distinct = 2);
alter table customers alter column organization_no set (n_distinct = 2);
alter table tank_texts alter column organization_no set (n_distinct = 2);
alter table customer_texts alter column organization_no set (n_distinct = 2);
alter table events alter column organization_no set (n_distinct = 2);
alter table acknowledgements alter column organization_no set (n_distinct = 2);
alter table mutes alter column organization_no set (n_distinct = 2);
alter table estimated_tanks alter column organization_no set (n_distinct = 2);
alter table rounds alter column organization_no set (n_distinct = 2);
alter table delivery_notes alter column organization_no set (n_distinct = 2);
alter table ledger_entries alter column organization_no set (n_distinct = 2);

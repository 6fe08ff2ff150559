-- Makes 0070 count now. Autovacuum would do it only when a tenth of a table has changed, which takes months for customers.
-- It reads 30,000 pages of each table at most, and stops neither reads nor writes.
set local lock_timeout = '10s';
analyze fleet_tanks, fleet_levels, tanks, customers, tank_texts, customer_texts, events, acknowledgements, mutes, estimated_tanks,
  rounds, delivery_notes, ledger_entries;

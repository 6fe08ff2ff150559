-- without transaction
-- The id of an entry is unique in its round. A driver must not learn from a refused id which entries other rounds have.
create unique index concurrently driver_entries_by_round on driver_entries (round_no, id);

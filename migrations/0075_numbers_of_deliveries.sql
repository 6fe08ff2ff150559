-- Delivery notes, stops of rounds and entries of drivers have bigint numbers, and so has everything that refers to them. With 5
-- million tanks, their 40 million numbers of a cell last for 8 months.
--
-- The tables are rewritten under exclusive locks while they are small. A million rows take this many seconds of CPU:
-- delivery_notes 12, ledger_clock_samples 5, ledger_entries 10, round_stops 7, driver_entries 5, audit_log 4,
-- idempotency_keys 16. Changes by people and programs wait during that time. Readings do not wait, except those of
-- tanks without a sensor, whose estimate reads the notes.
--
-- 0.3.0 works with it: the driver gives it a bigint as a number, it passes these numbers only to parameters whose type follows the
-- column, and no statement that it keeps prepared returns one of these columns.

-- squawk-ignore changing-column-type
alter table delivery_notes alter column no type bigint;
-- squawk-ignore changing-column-type
alter table note_pins alter column note_no type bigint;
-- squawk-ignore changing-column-type
alter table ledger_clock_samples alter column note_no type bigint;
-- squawk-ignore changing-column-type
alter table ledger_entries alter column note_nos type bigint[];
-- squawk-ignore changing-column-type
alter table driver_entries alter column no type bigint;

-- The views name the number of a stop. They stay as in 0043.
do $$
declare
  outcomes text := pg_get_viewdef('round_stop_outcomes');
  states   text := pg_get_viewdef('round_states');
begin
  drop view round_states, round_stop_outcomes;
  alter table round_stops alter column no type bigint;
  execute 'create view round_stop_outcomes as ' || outcomes;
  execute 'create view round_states as ' || states;
end
$$;
grant select on round_stop_outcomes, round_states to tankwatch_api, tankwatch_manager, tankwatch_worker, tankwatch_operator;

-- The range of an int column stays with its sequence. `tankwatch migrate` sets that of the cell afterwards.
alter table delivery_notes alter column no set minvalue 1 set maxvalue 9223372036854775807;
alter table round_stops alter column no set minvalue 1 set maxvalue 9223372036854775807;
alter table driver_entries alter column no set minvalue 1 set maxvalue 9223372036854775807;

-- The numbers in the audit log, and those by which stored responses are erased.
-- squawk-ignore changing-column-type
alter table audit_log alter column object_nos type bigint[];
-- squawk-ignore changing-column-type
alter table idempotency_keys alter column object_no type bigint;

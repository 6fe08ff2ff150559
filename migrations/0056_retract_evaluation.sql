-- Evaluating tanks again because a release has evaluated them wrongly. It only adds: 0.2.0 works with it, but retracts without
-- the reason.

-- Why events that the re-evaluation does not find are retracted: `evaluation_fault`. Null: late readings have changed the history.
alter table reevaluations add column retract_because text;

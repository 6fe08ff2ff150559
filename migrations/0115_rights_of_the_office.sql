-- Rights for what the office does. It only adds: 0.3.0 works with it.

-- Undoing an import keeps a new tank about which people wrote something.
grant select (tank_no) on mutes, tank_notes to tankwatch_operator;
-- A file of tanks does not put a device back that was replaced on its tank.
grant select (tank_no, to_at) on device_assignments to tankwatch_manager;
-- Mails that failed are kept as long as mails that were sent.
grant delete on failed_mails to tankwatch_worker;

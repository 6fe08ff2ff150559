-- What the timeline of a tank and the list of devices show: mails that were not delivered, who changed a threshold, and who put a
-- device on a tank, and when. It only adds: 0.3.0 works with it.

-- Mails about events that did not reach the mailbox: the mail server rejected the recipient, or all attempts failed.
create table failed_mails (
  no           bigint generated always as identity primary key,
  event_no     bigint not null,  -- no foreign key, which would lock events: delete_events deletes these rows
  recipient    text not null check (recipient in ('customer', 'contact')),
  recipient_no int not null,
  kind         text not null check (kind in ('alert', 'reminder', 'retraction')),
  because      text not null check (because in ('rejected', 'given_up')),
  failed_at    timestamptz(3) not null default now()
);
create index failed_mails_of_event on failed_mails (event_no);
create index failed_mails_of_customer on failed_mails (recipient_no) where recipient = 'customer';
grant select, insert on failed_mails to tankwatch_worker;

-- Rows from before say neither. The audit log knows, but has no index by tank.
alter table tank_settings_history add column changed_by text;
alter table tank_settings_history alter column changed_by set default current_actor();

-- from_at is -infinity for the first tank of a device. Last, because every reading looks for its device here.
alter table device_assignments add column assigned_at timestamptz(3), add column assigned_by text;
alter table device_assignments
  alter column assigned_at set default now(),
  alter column assigned_by set default current_actor();

grant select (no, tank_no, condition, until, comment, acknowledged_by, created_at, ended_at, ended_because)
  on acknowledgements to tankwatch_api;
grant select (no, tank_no, until, reason, muted_by, created_at, ended_at, ended_because) on mutes to tankwatch_api;
grant select (no, event_no, recipient, recipient_no, kind, sent_at, retraction_sent_at) on event_mails to tankwatch_api;
grant select (no, event_no, recipient, recipient_no, kind, because, failed_at) on failed_mails to tankwatch_api;
grant select (tank_no, at, min_fill_alert_percentage, changed_by) on tank_settings_history to tankwatch_api;
grant select (tank_no, device_id, from_at, to_at, assigned_at, assigned_by) on device_assignments to tankwatch_api;

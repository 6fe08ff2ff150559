-- The reference of a delivery note in the organization's own system, and the time of removals of the change feed. It only adds: 0.3.0 works with it.
-- Such as the number of an order or an invoice. Several notes can have the same.
alter table delivery_notes add column reference text;
grant update (reference) on delivery_notes to tankwatch_manager, tankwatch_operator;

-- So that they can be deleted some day. What was removed before counts as removed now.
alter table feed_removals add column removed_at timestamptz(3) not null default now();

-- A delivery is also of a change that the change feed shows: a round, a stop, a delivery note, a verdict, a customer or a tank. It has the
-- id of the object and not its content, which is read for each attempt. It only adds: 0.3.0 leaves these deliveries alone.
-- 0.3.0 reads the number only to join the event.
-- squawk-ignore ban-drop-not-null
alter table webhook_deliveries alter column event_no drop not null;
alter table webhook_deliveries
  add column message_id  uuid,  -- of a change; that of an event is its own id
  add column change_kind text,
  add column change_id   text;
alter table webhook_deliveries add constraint delivery_of_event_or_change check (
  num_nulls(message_id, change_kind, change_id) = case when event_no is null then 0 else 3 end
) not valid;

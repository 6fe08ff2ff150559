-- Begins another history of changes, after a restore: numbers of the former history are refused.
create or replace function raise_change_epoch() returns void language sql as $$
  update change_epochs
  set epoch = greatest(epoch, epoch + greatest(used_epoch, newest_event_epoch()) + 16 - change_epoch()),
      history = extract(epoch from now())::bigint
$$;

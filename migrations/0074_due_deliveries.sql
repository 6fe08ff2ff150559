-- without transaction
-- Whether any delivery is due, for workers that have nothing to do: they look twice a second.
create index concurrently webhook_deliveries_due_by_time on webhook_deliveries (next_attempt_at) where status = 'pending';

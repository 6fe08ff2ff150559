-- without transaction
-- Workers and gateways poll several times a second for rows that are due, changed or deleted. With each of these
-- indexes, a poll that finds nothing is one lookup.

create index concurrently webhook_deliveries_due_by_time on webhook_deliveries (next_attempt_at) where status = 'pending';
create index concurrently acknowledgements_by_end on acknowledgements (until) where ended_at is null;
create index concurrently mutes_by_end on mutes (until) where ended_at is null;
create index concurrently organizations_deleted on organizations (code) where deleted_at is not null;
create index concurrently organization_secrets_by_change on organization_secrets (changed_xid);

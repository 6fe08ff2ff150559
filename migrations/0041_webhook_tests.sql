-- What the last test message to an endpoint led to. Not columns of webhook_endpoints: each test would be in the audit log as a
-- change of the endpoint.
create table webhook_tests (
  endpoint_no  int primary key references webhook_endpoints on delete cascade,
  requested_at timestamptz(3) not null default now(),
  -- Null: it was not sent yet.
  sent_at      timestamptz(3),
  status       int,     -- null: no response
  error        text,    -- why there was none, without addresses and secrets
  duration_ms  int
);

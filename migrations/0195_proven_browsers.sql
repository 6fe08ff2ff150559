-- A person who signs in with an issuer can be disabled there, and nobody tells us. So a browser of such a person gets notifications
-- only for some days after its last session (src/push/send_push.ts). It only adds: 0.3.0 works with it.
alter table push_subscriptions
  add column issuer_no int,  -- of the session that stored it last; no foreign key: the end of the issuer deletes the row
  add column proven_at timestamptz(3) not null default now();  -- when a session stored it last

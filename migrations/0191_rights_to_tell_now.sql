-- People make the next step of an escalation due, and see the texts about a tank in its timeline. It only adds rights.
grant update (stage, next_at) on escalations to tankwatch_manager, tankwatch_operator;
grant select (key, claimed_by, due_at, due_again_at, given_up_at), update (due_at, due_again_at) on escalation_jobs
  to tankwatch_manager, tankwatch_operator;
grant select (no, event_no) on escalations to tankwatch_api;
grant select (no, contact_no, escalation_no, step, status, error, created_at) on texts to tankwatch_api;

-- If no text of the last step can arrive any more, the next step is due at once. It is a trigger, because workers and reports of
-- providers both end texts. The first two steps only, if all were told: otherwise all would be told again and again.
create or replace function hasten_escalation() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (
    select from texts where escalation_no = new.escalation_no and step = new.step and status in ('waiting', 'sent', 'delivered')
  ) then
    update escalation_jobs j
    set due_at = case when claimed_by is null then least(due_at, now()) else due_at end,
        due_again_at = case when claimed_by is not null then now() else due_again_at end
    from escalations e
    where e.no = new.escalation_no and e.step = new.step and e.ended_at is null and (e.stage < 2 or e.step <= 2) and e.taken_at is null
      and j.key = 'escalation:' || e.no and j.given_up_at is null;
  end if;
  return null;
end
$$;

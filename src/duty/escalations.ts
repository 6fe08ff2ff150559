import type { Pool } from 'pg';
import { enqueueJobs } from '../db/job_tables.ts';
import { type Db, type Tx, transaction } from '../db/pool.ts';
import { enqueueMails } from '../mail/mail_jobs.ts';
import { enqueueStepPushes } from '../push/push_queue.ts';
import { enqueueText } from './text_queue.ts';

/** The people that a step notifies: the person on duty, the next person, or all. */
const STAGES = ['on_duty', 'next', 'all'] as const;
const ALL = 2;
/** The number of steps that notify all, after one for the person on duty and one for the next person. */
const MAX_STEPS_TO_ALL = 12;
/** The interval of checks while somebody handles the condition, or while everybody has quiet hours. */
const RECHECK_SECONDS = 60;

interface OpenEscalation {
  no: number;
  organization_no: number;
  tank_no: number;
  event_no: number;
  condition: 'losing' | 'low';
  stage: number;
  step: number;
  is_open: boolean;
  is_handled: boolean;
  is_early: boolean;
  next_minutes: number;
  all_minutes: number;
  repeat_minutes: number | null;
}

/** A person whom a step could notify, with the usable channels. */
interface Reachable {
  contact_no: number;
  /** False if the person has only turned on notifications in a browser. */
  is_listed: boolean;
  duty: 'on_duty' | 'next' | 'other';
  by_text: boolean;
  by_mail: boolean;
  by_push: boolean;
  is_quiet: boolean;
}

/**
 * Runs the due step of an escalation: notifies the people of its stage and plans the next step, in one transaction. If a worker dies
 * before the commit, the whole step is repeated. If it dies after the commit, its job runs again before the next step is due, and does
 * nothing. While somebody handles the condition, steps are postponed.
 */
export async function escalate(
  pool: Pool,
  escalationNo: number,
  { mails }: { mails: boolean },
): Promise<'sent' | 'skipped'> {
  return transaction(pool, async (tx) => {
    const open = await lockEscalation(tx, escalationNo);
    if (open === undefined) return 'skipped';
    if (!open.is_open) return end(tx, open, 'over');
    if (open.is_handled) return wait(tx, open, { isTaken: true });
    if (open.is_early) {
      await enqueueAgain(tx, escalationNo);
      return 'skipped';
    }
    const people = await readReachable(tx, open, mails);
    if (people.length === 0) return end(tx, open, 'unreachable');
    const awake = people.filter((person) => !person.is_quiet);
    const stage = firstStage(awake, open.stage);
    const notified = awake.filter(({ duty }) => stage === ALL || duty === STAGES[stage]);
    if (notified.length === 0) return wait(tx, open, { isTaken: false });
    const step = open.step + 1;
    const numbersOf = (isChosen: (person: Reachable) => boolean): number[] =>
      notified.filter(isChosen).map((person) => person.contact_no);
    const { organization_no: organizationNo, event_no: eventNo } = open;
    for (const contactNo of numbersOf((person) => person.by_text))
      await enqueueText(tx, { organizationNo, contactNo, purpose: 'alert', escalationNo, step });
    await enqueueStepPushes(tx, { eventNo, step, contactNos: numbersOf((person) => person.by_push) });
    const mailed = numbersOf((person) => person.by_mail && person.is_listed);
    await mailOnce(tx, open, mailed);
    await planNext(tx, open, stage, step);
    return 'sent';
  });
}

/** Returns the first stage from the given one on in which a person can be notified. */
function firstStage(people: readonly Reachable[], from: number): number {
  for (let stage = from; stage < ALL; stage++) if (people.some(({ duty }) => duty === STAGES[stage])) return stage;
  return ALL;
}

/**
 * Locks the row of an open escalation, so that two workers never run the same step, and then reads it: another statement sees what was
 * handled while this one waited for the lock.
 */
async function lockEscalation(tx: Tx, no: number): Promise<OpenEscalation | undefined> {
  await tx.query('select from escalations where no = $1 for update', [no]);
  const { rows } = await tx.query<OpenEscalation>(
    `select x.no, x.organization_no, x.tank_no, x.event_no, x.condition, x.stage, x.step,
            p.next_minutes, p.all_minutes, p.repeat_minutes,
            p.escalates and exists (select from tanks t where t.no = x.tank_no and t.deleted_at is null)
              and exists (select from tank_conditions c where c.tank_no = x.tank_no and c.condition = x.condition) as is_open,
            exists (select from handled_conditions h where h.tank_no = x.tank_no and h.condition = x.condition) as is_handled,
            -- hasten_escalation makes the step due early if all texts of the last step have failed
            x.next_at > now() and not (
              exists (select from texts s where s.escalation_no = x.no and s.step = x.step and s.status = 'failed')
              and not exists (
                select from texts s where s.escalation_no = x.no and s.step = x.step and s.status in ('waiting', 'sent', 'delivered')
              )
            ) as is_early
     from escalations x join duty_plans p on p.organization_no = x.organization_no
     where x.no = $1 and x.ended_at is null`,
    [no],
  );
  return rows[0];
}

/**
 * Reads all people who can be notified, and which of them are on duty now. A person is reached by mail if this worker
 * sends mails and the person did not turn them off, by text with a verified number if the person did not turn texts
 * off, and by push if the person turned on notifications in a browser. Quiet hours do not apply to a loss.
 */
async function readReachable(
  tx: Tx,
  { organization_no, condition }: OpenEscalation,
  mails: boolean,
): Promise<Reachable[]> {
  const { rows } = await tx.query<Reachable>(
    `select c.no as contact_no, listed.is_listed,
            case c.no when d.contact_no then 'on_duty' when d.next_contact_no then 'next' else 'other' end as duty,
            reached.by_text, reached.by_mail, reached.by_push,
            $2 <> 'losing' and quiet_until(c.no) is not null as is_quiet
     from contacts c
     left join contact_reach r on r.no = c.no
     left join on_duty($1, now()) d on true
     cross join lateral (
       select coalesce(r.verified_at is not null and r.by_text and exists (
                select from text_channels n where n.organization_no = $1 and n.deleted_at is null), false) as by_text,
              coalesce(r.by_mail, true) and $3::boolean as by_mail,
              coalesce(r.by_push, true) and exists (select from push_subscriptions s where s.contact_no = c.no) as by_push
     ) as reached
     -- Listed people set how they are reached, are on duty or next, or want mails about the event. Others get no mail.
     cross join lateral (
       select coalesce(r.no is not null or c.no in (d.contact_no, d.next_contact_no)
         or case $2 when 'losing' then 'tank.rapid_loss' else 'tank.low_fill' end = any (c.types), false) as is_listed
     ) as listed
     where c.organization_no = $1 and c.deleted_at is null
       and (reached.by_push or listed.is_listed and (reached.by_text or reached.by_mail))
     order by c.no`,
    [organization_no, condition, mails],
  );
  return rows;
}

/** Enqueues the mail about the event for people who did not get it yet: steps repeat texts and pushes, but not mails. */
const mailOnce = (
  tx: Tx,
  { organization_no, event_no }: OpenEscalation,
  contactNos: readonly number[],
): Promise<void> =>
  enqueueMails(
    tx,
    'mail_event',
    `select $1::int as organization_no, format('mail:%s:contact:%s', $2::bigint, c.no) as key,
            jsonb_build_object('event_no', $2::bigint, 'recipient', 'contact', 'recipient_no', c.no) as payload, now() as due_at
     from unnest($3::int[]) as c (no)
     where not exists (
       select from event_mails m where m.event_no = $2 and m.recipient = 'contact' and m.recipient_no = c.no and m.retraction_sent_at is null
     )`,
    [organization_no, event_no, contactNos],
    'keep_job',
  );

async function planNext(tx: Tx, open: OpenEscalation, stage: number, step: number): Promise<void> {
  const { next_minutes, all_minutes, repeat_minutes } = open;
  const minutes = stage === 0 ? next_minutes : stage === 1 ? all_minutes : repeat_minutes;
  // Steps that begin again after somebody gave the condition back reach all people before they end.
  const isLast = minutes === null || (stage === ALL && step >= MAX_STEPS_TO_ALL + ALL);
  const { rows } = await tx.query<{ is_ended: boolean }>(
    `update escalations set stage = $2, step = $3, taken_at = null,
       next_at = now() + make_interval(secs => $4::real * 60),
       ended_at = case when $5 then now() end, ended_because = case when $5 then 'told' end
     where no = $1 returning ended_at is not null as is_ended`,
    [open.no, Math.min(stage + 1, ALL), step, minutes, isLast],
  );
  if (rows[0]?.is_ended === false) await enqueueAgain(tx, open.no);
}

async function wait(tx: Tx, { no }: OpenEscalation, { isTaken }: { isTaken: boolean }): Promise<'skipped'> {
  await tx.query(
    `update escalations set next_at = now() + make_interval(secs => ${RECHECK_SECONDS}),
       taken_at = case when $2 then coalesce(taken_at, now()) else taken_at end,
       -- If nobody handles it any more, the steps begin again.
       stage = case when $2 then 0 else stage end
     where no = $1`,
    [no, isTaken],
  );
  await enqueueAgain(tx, no);
  return 'skipped';
}

async function end(tx: Tx, { no }: OpenEscalation, because: 'over' | 'unreachable'): Promise<'skipped'> {
  await tx.query(`update escalations set ended_at = now(), ended_because = $2, next_at = null where no = $1`, [
    no,
    because,
  ]);
  return 'skipped';
}

/** Ends an escalation after all attempts of a step failed, so that it does not block the next escalation of its tank. */
export async function giveUpEscalation(db: Db, no: number): Promise<void> {
  await db.query(
    `update escalations set ended_at = now(), ended_because = 'failed', next_at = null where no = $1 and ended_at is null`,
    [no],
  );
}

/** Makes the job of the escalation due again at the time of the next step. */
const enqueueAgain = (tx: Tx, no: number): Promise<void> =>
  enqueueJobs(
    tx,
    'escalation_jobs',
    'escalate',
    `select organization_no, 'escalation:' || no as key, jsonb_build_object('escalation_no', no) as payload, next_at as due_at
     from escalations where no = $1`,
    [no],
  );

import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { DUE_AT_SQL, wantsSql } from '../mail/wanted_channels.ts';
import { FALSE_ALARM_STEP } from '../values/false_alarm_step.ts';

interface NewText {
  organizationNo: number;
  contactNo: number;
  purpose: 'alert' | 'code' | 'test';
  escalationNo?: number;
  /** The step of the escalation, from 1 on, or FALSE_ALARM_STEP. */
  step?: number;
}

/** Stores a text and its job in the transaction of the caller, unless the person already has a text of the same step. */
export async function enqueueText(
  db: Db,
  { organizationNo, contactNo, purpose, escalationNo, step }: NewText,
  { isDryRun = false }: { isDryRun?: boolean } = {},
): Promise<void> {
  if (isDryRun) return;
  const { rows } = await db.query<{ no: number }>(
    `insert into texts (organization_no, contact_no, purpose, escalation_no, step) values ($1, $2, $3, $4, $5)
     on conflict (escalation_no, contact_no, step) where escalation_no is not null do nothing
     returning no`,
    [organizationNo, contactNo, purpose, escalationNo ?? null, step ?? null],
  );
  if (rows.length === 0) return;
  const { no } = onlyRow(rows);
  await db.query(`insert into text_jobs (organization_no, task, key, payload) values ($1, 'send_text', $2, $3)`, [
    organizationNo,
    `text:${no}`,
    JSON.stringify({ text_no: no }),
  ]);
}

/** Enqueues texts about events other than losses, due at once or after quiet hours. The function is idempotent. */
export async function enqueueEventTexts(db: Db, eventNos: readonly number[]): Promise<void> {
  await db.query(
    `with made as (
       insert into texts (organization_no, contact_no, purpose, event_no)
       select e.organization_no, c.no, 'alert', e.no
       from events e
       join contacts c on c.organization_no = e.organization_no and c.deleted_at is null
       join contact_reach r on r.no = c.no and r.verified_at is not null
       join text_channels n on n.organization_no = e.organization_no and n.deleted_at is null
       where e.no = any ($1) and e.retracted_at is null and ${wantsSql('text')}
       order by e.no, c.no
       on conflict (event_no, contact_no) where event_no is not null do nothing
       returning no, organization_no, contact_no, event_no
     )
     insert into text_jobs (organization_no, task, key, payload, due_at)
     select m.organization_no, 'send_text', 'text:' || m.no, jsonb_build_object('text_no', m.no), ${DUE_AT_SQL}
     from made m join events e on e.no = m.event_no`,
    [eventNos],
  );
}

/** Enqueues one text for each person who got, or may have got, a text about a loss that was retracted. */
export async function enqueueFalseAlarms(db: Db, eventNos: readonly number[]): Promise<void> {
  const { rows } = await db.query<{ organizationNo: number; contactNo: number; escalationNo: number }>(
    `select distinct t.organization_no as "organizationNo", t.contact_no as "contactNo", t.escalation_no as "escalationNo"
     from texts t join escalations x on x.no = t.escalation_no join events e on e.no = x.event_no
     where e.no = any ($1) and e.type = 'tank.rapid_loss' and e.retracted_at is not null
       and t.step <> ${FALSE_ALARM_STEP} and (t.status in ('sent', 'delivered') or t.asked_at is not null or t.unknown > 0)`,
    [eventNos],
  );
  for (const recipient of rows) await enqueueText(db, { ...recipient, purpose: 'alert', step: FALSE_ALARM_STEP });
}

import { onlyRow } from '../db/only_row.ts';
import { arrayLiteral, type Db, type Tx } from '../db/pool.ts';
import type { EventType, RetractionReason } from './pure/alerts/event_types.ts';

/** The tanks and the period that a faulty release evaluated. */
export interface WrongEvaluation {
  /** When the release began to evaluate. */
  since: string;
  /** Null for all organizations. */
  organizationNo: number | null;
  /**
   * True to evaluate all stored readings of all tanks again. Otherwise evaluation starts from the last checkpoint
   * before `since`, which may be wrong too if the release evaluated old readings again.
   */
  isFromFirstReading: boolean;
}

const RETRACTION_REASON = 'evaluation_fault' satisfies RetractionReason;

/**
 * Reads the next tanks that the release may have evaluated: those with a reading since then, or with an event that was
 * recorded or retracted since then. With `isFromFirstReading`, reads all tanks.
 */
export async function tanksEvaluatedSince(
  db: Db,
  { since, organizationNo, isFromFirstReading }: WrongEvaluation,
  afterTankNo: number,
  limit: number,
): Promise<number[]> {
  const { rows } = await db.query<{ tank_no: number }>(
    `select s.tank_no
     from tank_states s join tank_settings f on f.tank_no = s.tank_no
     where s.tank_no > $1 and not f.is_deleted and ($2::int is null or f.organization_no = $2)
       and ($3 or s.latest_at >= $4 or exists (
         select from events e where e.tank_no = s.tank_no and (e.recorded_at >= $4 or e.retracted_at >= $4)
       ))
     order by s.tank_no limit $5`,
    [afterTankNo, organizationNo, isFromFirstReading, since, limit],
  );
  return rows.map((row) => row.tank_no);
}

/**
 * Marks tanks, so that writers evaluate them again and retract the events that they do not find. Locks the tanks first
 * and adds them to the queue second, in the order of tank numbers, like every other transaction.
 */
export async function markWrongEvaluation(
  tx: Tx,
  { since, isFromFirstReading }: WrongEvaluation,
  tankNos: readonly number[],
): Promise<void> {
  const tanks = arrayLiteral(tankNos);
  await tx.query('select from tank_states where tank_no = any ($1::int[]) order by tank_no for no key update', [tanks]);
  await tx.query(
    `update tank_states set reevaluate_from = least(reevaluate_from, case when $2 then to_timestamp(0) else $3::timestamptz end)
     where tank_no = any ($1::int[])`,
    [tanks, isFromFirstReading, since],
  );
  await tx.query(
    `insert into reevaluations (tank_no, organization_no, retract_because)
     select f.tank_no, f.organization_no, '${RETRACTION_REASON}' from tank_settings f
     where f.tank_no = any ($1::int[]) and not f.is_deleted order by f.tank_no
     on conflict (tank_no) do update set retract_because = excluded.retract_because`,
    [tanks],
  );
}

/** Events that were recorded since a time. */
export interface RecordedSince {
  type: EventType;
  recorded: number;
  /** Events that are not retracted. */
  valid: number;
  /** Events that were sent to an endpoint at least once. */
  sent_to_webhooks: number;
  mailed: number;
}

/** Counts the events that were recorded since a time. It reads all events, because there is no index by recording time. */
export async function countRecordedSince(
  db: Db,
  { since, organizationNo }: Pick<WrongEvaluation, 'since' | 'organizationNo'>,
): Promise<RecordedSince[]> {
  const { rows } = await db.query<RecordedSince>(
    `select e.type, count(*) as recorded, count(*) filter (where e.retracted_at is null) as valid,
            count(*) filter (where exists (
              select from webhook_deliveries d where d.event_no = e.no and d.attempts <> '[]'
            )) as sent_to_webhooks,
            count(*) filter (where exists (
              select from event_mails m where m.event_no = e.no and m.kind = 'alert' and m.sent_at is not null
            )) as mailed
     from events e
     where e.recorded_at >= $1 and ($2::int is null or e.organization_no = $2)
     group by e.type order by e.type`,
    [since, organizationNo],
  );
  return rows;
}

/** The events that a re-evaluation has changed in this transaction. */
export interface ChangedEvents {
  type: EventType;
  retracted: number;
  added: number;
  /** Events with other data, or that were retracted and are valid again. */
  changed: number;
}

export async function countChangedEvents(tx: Tx, tankNos: readonly number[]): Promise<ChangedEvents[]> {
  const { rows } = await tx.query<ChangedEvents>(
    `select type, count(*) filter (where retracted_at is not null) as retracted,
            count(*) filter (where retracted_at is null and recorded_at = now()::timestamptz(3)) as added,
            count(*) filter (where retracted_at is null and recorded_at <> now()::timestamptz(3)) as changed
     from events where tank_no = any ($1::int[]) and change_number = next_change_number()
     group by type order by type`,
    [arrayLiteral(tankNos)],
  );
  return rows;
}

export interface EvaluationQueue {
  /** Tanks that wait for their re-evaluation. */
  waiting: number;
  /** The part of the waiting tanks that a faulty release evaluated. */
  wrongly_evaluated: number;
  /** Tanks that cannot be evaluated. */
  failing: number;
}

export async function readEvaluationQueue(db: Db): Promise<EvaluationQueue> {
  const { rows } = await db.query<EvaluationQueue>(
    `select count(*) as waiting, count(*) filter (where retract_because = '${RETRACTION_REASON}') as wrongly_evaluated,
            count(*) filter (where failing_since is not null) as failing
     from reevaluations`,
  );
  return onlyRow(rows);
}

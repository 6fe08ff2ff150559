import { insertRow } from '../db/insert_row.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { uuid7 } from '../values/uuid7.ts';
import { EVENT_READING_COLUMNS, type GaugeReadings, type LossReadings, lossOf } from './loss.ts';
import type { HandledCondition } from './sections.ts';

/** The largest number of acknowledgements that are listed. */
const MAX_LISTED_ACKNOWLEDGEMENTS = 200;

export type EndReason = 'resolved' | 'new_event' | 'worse' | 'expired' | 'withdrawn' | 'replaced';

/** A condition of a tank is being handled. */
export interface Acknowledgement {
  id: string;
  object: 'acknowledgement';
  tank_id: string;
  condition: HandledCondition;
  until: string;
  comment: string | null;
  returns_at_percentage: number | null;
  acknowledged_by: string;
  name: string | null;
  created_at: string;
  ended_at: string | null;
  ended_because: EndReason | null;
}

export interface StoredAcknowledgement {
  no: number;
  tankNo: number;
  object: Acknowledgement;
}

/**
 * An acknowledgement that has expired counts as ended even if the worker has not recorded it: `ended_at` is then null.
 */
const COLUMNS = `a.no, a.tank_no, a.id, 'acknowledgement' as object, t.id as tank_id, a.condition, a.until, a.comment,
  a.returns_at as returns_at_percentage, a.acknowledged_by, h.name, a.created_at, a.ended_at,
  coalesce(a.ended_because, case when h.acknowledgement_id is null then e.over_because end) as ended_because`;
const JOINS = `join tanks t on t.no = a.tank_no
  left join handled_conditions h on a.ended_at is null and h.tank_no = a.tank_no and h.acknowledgement_id = a.id
  left join acknowledgement_ends e on a.ended_at is null and e.no = a.no`;
type Row = Acknowledgement & { no: number; tank_no: number };

const stored = ({ no, tank_no, ...object }: Row): StoredAcknowledgement => ({ no, tankNo: tank_no, object });

export async function findAcknowledgement(
  db: Db,
  organizationNo: number,
  id: string,
): Promise<StoredAcknowledgement | undefined> {
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from acknowledgements a ${JOINS} where a.organization_no = $1 and a.id = $2`,
    [organizationNo, id],
  );
  return rows[0] && stored(rows[0]);
}

/** The acknowledgements of a tank, newest first. */
export async function listAcknowledgements(db: Db, tankNo: number): Promise<Acknowledgement[]> {
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from acknowledgements a ${JOINS} where a.tank_no = $1 order by a.no desc limit ${MAX_LISTED_ACKNOWLEDGEMENTS}`,
    [tankNo],
  );
  return rows.map((row) => stored(row).object);
}

/** The current conditions of a tank, read under its lock. */
export interface TankConditions {
  open: readonly HandledCondition[];
  /** The conditions that are handled by acknowledgements, not by a mute. */
  handled: readonly { no: number; id: string; condition: HandledCondition; who: string; until: string }[];
}

/**
 * Locks the rows of the tank, records expired acknowledgements, and reads the rest. It does not lock the organization,
 * so that an acknowledgement does not wait for an import.
 */
export async function lockConditions(tx: Tx, tankNo: number): Promise<TankConditions> {
  // The tank cannot be deleted until the commit.
  await tx.query('select from tanks where no = $1 for share', [tankNo]);
  await tx.query('select lock_handled_tank($1)', [tankNo]);
  await tx.query('select end_handling(array[$1::int])', [tankNo]);
  const { rows: open } = await tx.query<{ condition: HandledCondition }>(
    'select condition from tank_conditions where tank_no = $1',
    [tankNo],
  );
  const { rows: handled } = await tx.query<TankConditions['handled'][number]>(
    `select a.no, a.id, a.condition, coalesce(h.name, h.acknowledged_by) as who, a.until
     from acknowledgements a join handled_conditions h on h.tank_no = a.tank_no and h.acknowledgement_id = a.id
     where a.tank_no = $1 and a.ended_at is null order by a.no`,
    [tankNo],
  );
  return { open: open.map(({ condition }) => condition), handled };
}

export interface NewAcknowledgement {
  organizationNo: number;
  tankNo: number;
  conditions: readonly HandledCondition[];
  /** ISO 8601, UTC. */
  until: string;
  comment: string | null;
}

/** The points that a low tank may fall before it returns. Below `SMALL_FILL` it returns at half of its level. */
const POINTS_LOWER = 5;
const SMALL_FILL = 10;
export const returnsAt = (fill: number): number => (fill < SMALL_FILL ? fill / 2 : fill - POINTS_LOWER);

/** The fill in fleet_levels of a tank without a reading. It sorts after every level. */
const NO_READING_FILL = 101;

interface Facts extends LossReadings, GaugeReadings {
  fill: number;
  latest_at: string | null;
  latest_fill_percentage: number | null;
  loss_at: string;
}

const COLUMNS_OF_NEW = [
  'id',
  'organization_no',
  'tank_no',
  'condition',
  'until',
  'comment',
  'fill',
  'returns_at',
  'loss_at',
  'loss_per_hour',
  'loss_reading_at',
];

/**
 * Acknowledges conditions of a tank that are open, under the lock of `lockConditions`, and records the event. Returns the new
 * ids. In a dry run, which the caller rolls back, no number of a sequence is used.
 */
export async function acknowledge(
  tx: Tx,
  { organizationNo, tankNo, conditions, until, comment }: NewAcknowledgement,
  { isDryRun }: { isDryRun: boolean },
): Promise<string[]> {
  const facts = await readFacts(tx, tankNo);
  const fill = facts.fill === NO_READING_FILL ? null : facts.fill;
  const { latest_at, latest_fill_percentage } = facts;
  const latest =
    latest_at === null || latest_fill_percentage === null
      ? null
      : { created_at: latest_at, fill_percentage: latest_fill_percentage };
  const ids: string[] = [];
  for (const [at, condition] of conditions.entries()) {
    const isLosing = condition === 'losing';
    const id = uuid7();
    ids.push(id);
    await tx.query(insertRow('acknowledgements', COLUMNS_OF_NEW, { isDryRun, dryRunNo: -1 - at }), [
      id,
      organizationNo,
      tankNo,
      condition,
      until,
      comment,
      fill,
      condition === 'low' && fill !== null ? returnsAt(fill) : null,
      isLosing ? facts.loss_at : null,
      // The capacity does not matter to a rate in percentage points.
      isLosing ? (lossOf(facts, latest, 1)?.percentage_per_hour ?? 0) : null,
      isLosing ? latest_at : null,
    ]);
  }
  if (!isDryRun)
    await recordWorkEvent(tx, tankNo, 'tank.acknowledged', { acknowledgement_ids: ids, conditions, until });
  return ids;
}

async function readFacts(tx: Tx, tankNo: number): Promise<Facts> {
  const { rows } = await tx.query<Facts>(
    `select l.fill, s.latest_at, s.latest_fill_percentage, ${EVENT_READING_COLUMNS}, coalesce((
       select max(e.occurred_at) from events e
       where e.tank_no = f.tank_no and e.type = 'tank.rapid_loss' and e.retracted_at is null
     ), f.losing_seen_at) as loss_at
     from fleet_tanks f join fleet_levels l on l.tank_no = f.tank_no
     left join tank_states s on s.tank_no = f.tank_no and s.latest_at > '-infinity'
     where f.tank_no = $1`,
    [tankNo],
  );
  return onlyRow(rows);
}

/** Ends open acknowledgements of one tank, under the lock of `lockConditions`, and records the event. */
export async function endAcknowledgements(
  tx: Tx,
  tankNo: number,
  nos: readonly number[],
  because: 'withdrawn' | 'replaced',
  { isDryRun }: { isDryRun: boolean },
): Promise<void> {
  const { rows } = await tx.query<{ id: string; condition: HandledCondition }>(
    `update acknowledgements set ended_at = now(), ended_because = $3
     where tank_no = $1 and no = any ($2::int[]) and ended_at is null returning id, condition`,
    [tankNo, nos, because],
  );
  if (rows.length === 0 || isDryRun) return;
  const ended = rows.map(({ id, condition }) => ({ acknowledgement_id: id, condition, because }));
  await recordWorkEvent(tx, tankNo, 'tank.acknowledgement_ended', { ended });
}

export async function recordWorkEvent(
  tx: Tx,
  tankNo: number,
  type: 'tank.acknowledged' | 'tank.acknowledgement_ended' | 'tank.muted' | 'tank.unmuted',
  data: object,
): Promise<void> {
  await tx.query('select record_work_event($1, $2, $3)', [tankNo, type, JSON.stringify(data)]);
}

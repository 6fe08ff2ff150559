import type { ChangeContext } from '../catalog/change_context.ts';
import { liveTank } from '../catalog/tanks.ts';
import { insertRow } from '../db/insert_row.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Tx } from '../db/pool.ts';
import { ChangeRefusedError, NoSuchObjectError } from '../values/change_refusal.ts';
import { MAX_HANDLED_DAYS, MAX_LOSING_HOURS } from '../values/handling_limits.ts';
import { DAY_MS, HOUR_MS } from '../values/time.ts';
import { uuid7 } from '../values/uuid7.ts';
import { findAcknowledgement, type StoredAcknowledgement } from './acknowledgements.ts';
import { checkComment, checkUntil } from './check_handling.ts';
import { lockHandling, openConditions, recordHandlingEvent } from './lock_handling.ts';
import {
  EVENT_READING_COLUMNS,
  type GaugeReadings,
  type LatestColumns,
  type LossReadings,
  latestReading,
  lossOf,
} from './loss.ts';
import { ACKNOWLEDGED_CONDITIONS, type AcknowledgedCondition } from './sections.ts';

/** A low tank that is being handled returns to the list after it has fallen by this many points. */
const POINTS_LOWER = 5;
/** A tank below this level, in percent, returns at half of the level that it had when somebody began to handle it. */
const SMALL_FILL = 10;
export const returnsAt = (fill: number): number => (fill < SMALL_FILL ? fill / 2 : fill - POINTS_LOWER);

/** The fill in fleet_levels of a tank without a reading. It sorts after every level. */
const NO_READING_FILL = 101;

interface Facts extends LossReadings, GaugeReadings, LatestColumns {
  fill: number;
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

/** The conditions that a technician can handle. */
const DEVICE_CONDITIONS: ReadonlySet<AcknowledgedCondition> = new Set(['gauge_unreliable', 'silent', 'device']);

/** Throws if the caller is only a technician, and a condition does not concern a device. */
function checkCaller({ callerRoles }: ChangeContext, conditions: readonly AcknowledgedCondition[]): void {
  const isTechnician = callerRoles.every((role) => role === 'technician' || role === 'viewer');
  if (isTechnician && !conditions.every((condition) => DEVICE_CONDITIONS.has(condition)))
    throw new ChangeRefusedError(
      'device_conditions_only',
      'a technician takes care of devices and unreliable gauges only',
    );
}

export interface NewAcknowledgement {
  conditions: readonly AcknowledgedCondition[];
  /** ISO 8601. */
  until: string;
  comment: string | null;
  /** The ids of the acknowledgements that the caller has seen and replaces. */
  replaces: readonly string[];
}

/**
 * Records that the caller handles open conditions of a tank until a time. Locks the tank and not the organization, so that it does
 * not wait for an import. In a dry run, which the caller rolls back, no number of a sequence is used.
 */
export async function acknowledgeTank(
  change: ChangeContext,
  tankId: string,
  given: NewAcknowledgement,
): Promise<StoredAcknowledgement[]> {
  const { tx, organizationNo, isDryRun } = change;
  const conditions = ACKNOWLEDGED_CONDITIONS.filter((condition) => given.conditions.includes(condition));
  checkCaller(change, conditions);
  const maxMs = conditions.includes('losing') ? MAX_LOSING_HOURS * HOUR_MS : MAX_HANDLED_DAYS * DAY_MS;
  const until = checkUntil(given.until, maxMs);
  const comment = checkComment('comment', given.comment);
  const { no: tankNo } = await liveTank(tx, organizationNo, { id: tankId });
  await lockHandling(tx, tankNo);
  const open = await openConditions(tx, tankNo);
  const over = conditions.filter((condition) => !open.includes(condition));
  if (over.length > 0) throw new ChangeRefusedError('not_open', `these conditions have ended: ${over.join(', ')}`);
  const before = (await currentAcknowledgements(tx, tankNo)).filter(({ condition }) => conditions.includes(condition));
  const replaces = new Set(given.replaces.map((id) => id.toLowerCase()));
  const other = before.find(({ id }) => !replaces.has(id));
  if (other !== undefined) {
    const fact = `this (${other.condition}) is taken care of by ${other.who} until ${other.until}`;
    throw new ChangeRefusedError('handled_by_other', fact, other.id);
  }
  const replacedNos = before.map(({ no }) => no);
  await endAcknowledgements(tx, tankNo, replacedNos, 'replaced', { isDryRun });
  const ids = await insertAcknowledgements(tx, { organizationNo, tankNo, conditions, until, comment }, { isDryRun });
  const stored: StoredAcknowledgement[] = [];
  for (const id of ids) {
    const found = await findAcknowledgement(tx, organizationNo, id);
    if (found !== undefined) stored.push(found);
  }
  return stored;
}

async function currentAcknowledgements(
  tx: Tx,
  tankNo: number,
): Promise<{ no: number; id: string; condition: AcknowledgedCondition; who: string; until: string }[]> {
  const { rows } = await tx.query(
    `select a.no, a.id, a.condition, coalesce(h.name, h.acknowledged_by) as who, a.until
     from acknowledgements a join handled_conditions h on h.tank_no = a.tank_no and h.acknowledgement_id = a.id
     where a.tank_no = $1 and a.ended_at is null order by a.no`,
    [tankNo],
  );
  return rows;
}

/** Ends an acknowledgement. Its condition is open again at once, if it is still true. A second call changes nothing. */
export async function withdrawAcknowledgement(change: ChangeContext, id: string): Promise<void> {
  const { tx, organizationNo, isDryRun } = change;
  const current = await findAcknowledgement(tx, organizationNo, id);
  if (current === undefined) throw new NoSuchObjectError('acknowledgement');
  checkCaller(change, [current.object.condition]);
  const { tankNo, no } = current;
  // Records an acknowledgement that has already expired as expired, not as withdrawn.
  await lockHandling(tx, tankNo);
  await endAcknowledgements(tx, tankNo, [no], 'withdrawn', { isDryRun });
}

/** Stores one row for each condition, and records the event. Returns the new ids. */
async function insertAcknowledgements(
  tx: Tx,
  {
    organizationNo,
    tankNo,
    conditions,
    until,
    comment,
  }: Omit<NewAcknowledgement, 'replaces'> & { organizationNo: number; tankNo: number },
  { isDryRun }: { isDryRun: boolean },
): Promise<string[]> {
  const facts = await readFacts(tx, tankNo);
  const fill = facts.fill === NO_READING_FILL ? null : facts.fill;
  const latest = latestReading(facts);
  const ids: string[] = [];
  for (const condition of conditions) {
    const isLosing = condition === 'losing';
    const id = uuid7();
    ids.push(id);
    await tx.query(insertRow('acknowledgements', COLUMNS_OF_NEW, { isDryRun }), [
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
      isLosing ? facts.latest_at : null,
    ]);
  }
  if (!isDryRun)
    await recordHandlingEvent(tx, tankNo, 'tank.acknowledged', { acknowledgement_ids: ids, conditions, until });
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

/** Ends open acknowledgements of one tank, under the lock of `lockHandling`, and records the event. */
async function endAcknowledgements(
  tx: Tx,
  tankNo: number,
  nos: readonly number[],
  because: 'withdrawn' | 'replaced',
  { isDryRun }: { isDryRun: boolean },
): Promise<void> {
  const { rows } = await tx.query<{ id: string; condition: AcknowledgedCondition }>(
    `update acknowledgements set ended_at = now(), ended_because = $3
     where tank_no = $1 and no = any ($2::int[]) and ended_at is null returning id, condition`,
    [tankNo, nos, because],
  );
  if (rows.length === 0 || isDryRun) return;
  const ended = rows.map(({ id, condition }) => ({ acknowledgement_id: id, condition, because }));
  await recordHandlingEvent(tx, tankNo, 'tank.acknowledgement_ended', { ended });
}

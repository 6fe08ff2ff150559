import { readTimeZone } from '../catalog/organizations.ts';
import type { Db } from '../db/pool.ts';
import { readsOf } from '../db/readers.ts';
import { type CapacityUnit, fromLiters } from '../values/capacity_unit.ts';
import { NoSuchObjectError } from '../values/change_refusal.ts';
import { tenth } from '../values/tenth.ts';
import { isUuid } from '../values/uuid7.ts';
import { PLANNED_STOP_COLUMNS, STOP_JOINS, type StoredStop, withCurrentLevels } from './current_stops.ts';
import type { CurrentStop } from './pure/rounds/current_stop.ts';
import type { NotPossibleReason, OutcomeSource, RoundState, RoundTruck, StopOutcome } from './round.ts';

/** A stop as /manage/v1 shows it. Volumes are in the unit of the truck. */
export interface RoundStop extends CurrentStop {
  number: number;
  /** Null if the tank was deleted. */
  tank_id: string | null;
  outcome: StopOutcome;
  outcome_from: OutcomeSource | null;
  outcome_at: string | null;
  reason: NotPossibleReason | null;
  delivered_volume: number | null;
  seen_volume: number | null;
  contradiction: 'refill_seen' | 'no_refill_seen' | null;
}

export interface Round {
  id: string;
  object: 'round';
  date: string;
  truck_id: string;
  driver_id: string | null;
  state: RoundState;
  fill_to_percentage: number;
  chance_limit: number;
  volume_unit: CapacityUnit;
  /** The stops in their order. */
  stops: RoundStop[];
  created_at: string;
  updated_at: string;
}

export interface StoredRound {
  no: number;
  version: number;
  truckNo: number;
  /**
   * The state that a person set, regardless of the stops: a round whose stops are all closed is done, but may be
   * planned here.
   */
  decidedState: RoundState;
  object: Round;
}

interface RoundRow extends Omit<Round, 'stops'> {
  no: number;
  version: number;
  truck_no: number;
  decided_state: RoundState;
}

const ROUND_COLUMNS = `r.id, 'round' as object, r.date::text as date, t.id as truck_id, d.id as driver_id, x.state,
  r.fill_to_percentage, r.chance_limit, t.capacity_unit as volume_unit, r.created_at, r.updated_at`;

/** The columns of a stop with its outcome. Volumes are in liters. */
export const STOP_COLUMNS = `s.number, ${PLANNED_STOP_COLUMNS}, o.outcome_from,
  coalesce(s.said_at, o.seen_at) as outcome_at, s.said_reason as reason,
  case when o.outcome = 'delivered' then coalesce(s.said_litres, o.seen_litres) end as delivered_volume,
  o.seen_litres as seen_volume, o.contradiction`;
/** A row of these columns. */
export type StopRow = StoredStop & Omit<RoundStop, keyof CurrentStop>;

/**
 * Finds a round. Undefined if the organization has no such round. With `isLocked`, the round is locked until the end of
 * the transaction.
 */
export async function findRound(
  db: Db,
  organizationNo: number,
  id: string,
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<StoredRound | undefined> {
  if (!isUuid(id)) return undefined;
  // Lock first, then read in a second statement: a statement that waits for a lock still sees the stops as they were
  // before it waited.
  if (isLocked) await lockRounds(db, organizationNo, [id]);
  const { rows } = await db.query<RoundRow>(
    `select r.no, r.version, r.truck_no, r.state as decided_state, ${ROUND_COLUMNS}
     from rounds r join round_states x on x.round_no = r.no join trucks t on t.no = r.truck_no
     left join drivers d on d.no = r.driver_no
     where r.organization_no = $1 and r.id = $2`,
    [organizationNo, id],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { no, version, truck_no, decided_state, ...round } = row;
  const { rows: stops } = await db.query<StopRow>(
    `select ${STOP_COLUMNS} from round_stops s ${STOP_JOINS} where s.round_no = $1 order by s.position`,
    [no],
  );
  const plan = {
    fill_to_percentage: tenth(round.fill_to_percentage),
    chance_limit: shownShare(round.chance_limit),
  };
  const day = { organizationNo, date: round.date, timeZone: await readTimeZone(db, organizationNo) };
  const current = await withCurrentLevels(readsOf(db), { ...day, ...plan }, stops);
  const object = { ...round, ...plan, stops: current.map((stop) => inUnit(stop, round.volume_unit)) };
  return { no, version, truckNo: truck_no, decidedState: decided_state, object };
}

/**
 * Locks rounds until the end of the transaction. Each change of several rounds locks them in this order, so that two changes do
 * not deadlock.
 */
export async function lockRounds(db: Db, organizationNo: number, ids: readonly string[]): Promise<void> {
  await db.query(
    'select from rounds where organization_no = $1 and id = any ($2::uuid[]) order by no for no key update',
    [organizationNo, ids.filter(isUuid)],
  );
}

/** Finds a round as findRound does. Throws NoSuchObjectError if there is none. */
export async function existingRound(...lookup: Parameters<typeof findRound>): Promise<StoredRound> {
  const found = await findRound(...lookup);
  if (found === undefined) throw new NoSuchObjectError('round');
  return found;
}

type Volumes = CurrentStop & Pick<RoundStop, 'delivered_volume' | 'seen_volume'>;

/** Converts the volumes of a stop to the unit of its truck. */
export const inUnit = <Stop extends Volumes>(stop: Stop, unit: CapacityUnit): Stop => {
  const shown = (liters: number | null): number | null => (liters === null ? null : tenth(fromLiters(liters, unit)));
  return {
    ...stop,
    volume: shown(stop.volume) ?? 0,
    planned_volume: shown(stop.planned_volume) ?? 0,
    fill_percentage: stop.fill_percentage === null ? null : tenth(stop.fill_percentage),
    planned_fill_percentage: stop.planned_fill_percentage === null ? null : tenth(stop.planned_fill_percentage),
    delivered_volume: shown(stop.delivered_volume),
    seen_volume: shown(stop.seen_volume),
    chance: stop.chance === null ? null : shownShare(stop.chance),
  };
};

/** Rounds a share, which is stored in 4 bytes: 0.05 would be shown as 0.05000000074505806, and 1e-60 is refused. */
export const shownShare = (share: number): number => Math.round(share * 10_000) / 10_000;

/** The truck of a round, with its depot. */
export async function readRoundTruck(db: Db, truckNo: number): Promise<RoundTruck> {
  const { rows } = await db.query<Omit<RoundTruck, 'depot'> & { latitude: number; longitude: number }>(
    `select t.no, t.id, t.name, t.capacity, t.capacity_unit as "capacityUnit", t.product, d.latitude, d.longitude
     from trucks t join depots d on d.no = t.depot_no where t.no = $1`,
    [truckNo],
  );
  const [row] = rows;
  if (row === undefined) throw new NoSuchObjectError('truck');
  const { latitude, longitude, ...truck } = row;
  return { ...truck, depot: { latitude, longitude } };
}

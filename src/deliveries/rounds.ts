import type { Db, Tx } from '../db/pool.ts';
import { type CapacityUnit, fromLiters } from '../values/capacity_unit.ts';
import { tenth } from '../values/tenth.ts';
import { UserError } from '../values/user_error.ts';
import { isUuid, uuid7 } from '../values/uuid7.ts';
import type { NotPossibleReason, OutcomeSource, RoundState, RoundTruck, StopKind, StopOutcome } from './round.ts';
import { dayBounds, timeZoneOf } from './round_day.ts';

/** A stop as /manage/v1 shows it. Volumes are in the unit of the truck. */
export interface RoundStop {
  number: number;
  /** Null: the tank was deleted. */
  tank_id: string | null;
  kind: StopKind;
  volume: number;
  chance: number | null;
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
  /** In their order. */
  stops: RoundStop[];
  created_at: string;
  updated_at: string;
}

export interface StoredRound {
  no: number;
  version: number;
  truckNo: number;
  /** Without what the stops say: a round whose stops are all closed is done, and may be planned here. */
  decidedState: RoundState;
  object: Round;
}

interface RoundRow extends Omit<Round, 'stops'> {
  no: number;
  version: number;
  truck_no: number;
  decided_state: RoundState;
}

export const ROUND_COLUMNS = `r.id, 'round' as object, r.date::text as date, t.id as truck_id, d.id as driver_id, x.state,
  r.fill_to_percentage, r.chance_limit, t.capacity_unit as volume_unit, r.created_at, r.updated_at`;

/** The stops of rounds in their order, with what happened. Volumes are in litres. */
export const STOP_COLUMNS = `s.number, i.id as tank_id, s.kind, s.litres as volume, s.chance, o.outcome, o.outcome_from,
  coalesce(s.said_at, o.seen_at) as outcome_at, s.said_reason as reason,
  case when o.outcome = 'delivered' then coalesce(s.said_litres, o.seen_litres) end as delivered_volume,
  o.seen_litres as seen_volume, o.contradiction`;
export const STOP_JOINS = `join round_stop_outcomes o on o.stop_no = s.no left join tanks i on i.no = s.tank_no`;

/** Undefined: the organization has no such round. With `isLocked`, nobody else changes it until the end of the transaction. */
export async function findRound(
  db: Db,
  organizationNo: number,
  id: string,
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<StoredRound | undefined> {
  if (!isUuid(id)) return undefined;
  // First the lock, then the read: a statement that waits for a lock would see the stops of before.
  if (isLocked)
    await db.query('select from rounds where organization_no = $1 and id = $2 for no key update', [organizationNo, id]);
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
  const { rows: stops } = await db.query<RoundStop>(
    `select ${STOP_COLUMNS} from round_stops s ${STOP_JOINS} where s.round_no = $1 order by s.position`,
    [no],
  );
  const object = {
    ...round,
    fill_to_percentage: tenth(round.fill_to_percentage),
    chance_limit: shownShare(round.chance_limit),
    stops: stops.map((stop) => inUnit(stop, round.volume_unit)),
  };
  return { no, version, truckNo: truck_no, decidedState: decided_state, object };
}

type Volumes = Pick<RoundStop, 'volume' | 'delivered_volume' | 'seen_volume' | 'chance'>;

/** Litres of a stop in the unit of its truck. */
export const inUnit = <Stop extends Volumes>(stop: Stop, unit: CapacityUnit): Stop => {
  const shown = (litres: number | null): number | null => (litres === null ? null : tenth(fromLiters(litres, unit)));
  return {
    ...stop,
    volume: shown(stop.volume) ?? 0,
    delivered_volume: shown(stop.delivered_volume),
    seen_volume: shown(stop.seen_volume),
    chance: stop.chance === null ? null : shownShare(stop.chance),
  };
};

/** The table has four bytes: 0.05 would be shown as 0.05000000074505806, and 1e-60 is refused. */
export const shownShare = (share: number): number => Math.round(share * 10_000) / 10_000;

export interface RoundValues {
  date?: string;
  truckNo?: number;
  driverNo?: number | null;
  fillToPercentage?: number;
  chanceLimit?: number;
}

/** Returns the id. In a dry run, which the caller rolls back, the number is not one of the sequence. */
export async function createRound(
  tx: Tx,
  organizationNo: number,
  values: Required<RoundValues>,
  { isDryRun }: { isDryRun: boolean },
): Promise<string> {
  const { date, truckNo, driverNo, fillToPercentage, chanceLimit } = values;
  const { beginsAt, endsAt } = dayBounds(date, await timeZoneOf(tx, organizationNo));
  const id = uuid7();
  await tx.query(
    `insert into rounds (${isDryRun ? 'no, ' : ''}id, organization_no, date, day_begins_at, day_ends_at, truck_no, driver_no,
       fill_to_percentage, chance_limit)
     ${isDryRun ? 'overriding system value' : ''} values (${isDryRun ? '-1, ' : ''}$1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [id, organizationNo, date, beginsAt, endsAt, truckNo, driverNo, fillToPercentage, chanceLimit],
  );
  return id;
}

/** Changes the plan of a round that is not over. A change of nothing writes nothing. */
export async function updateRound(
  tx: Tx,
  organizationNo: number,
  { no, decidedState }: Pick<StoredRound, 'no' | 'decidedState'>,
  { date, truckNo, driverNo, fillToPercentage, chanceLimit }: RoundValues,
): Promise<void> {
  const day = date === undefined ? undefined : dayBounds(date, await timeZoneOf(tx, organizationNo));
  const given = Object.entries({
    date,
    day_begins_at: day?.beginsAt,
    day_ends_at: day?.endsAt,
    truck_no: truckNo,
    driver_no: driverNo,
    fill_to_percentage: fillToPercentage,
    chance_limit: chanceLimit,
  }).filter(([, value]) => value !== undefined);
  if (given.length === 0) return;
  refuseOver(decidedState);
  const types: Readonly<Record<string, string>> = { fill_to_percentage: '::real', chance_limit: '::real' };
  const column = ([name]: [string, unknown], at: number): [string, string] => [name, `$${at + 2}${types[name] ?? ''}`];
  const driverAt = given.findIndex(([name]) => name === 'driver_no');
  // The link of a driver who is replaced ends.
  const endLinks =
    driverAt < 0
      ? ''
      : `, link_generation = link_generation + (driver_no is not null and driver_no is distinct from $${driverAt + 2})::int`;
  await tx.query(
    `update rounds set ${given
      .map(column)
      .map(([name, value]) => `${name} = ${value}`)
      .join(', ')},
       version = version + 1, updated_at = now()${endLinks}
     where no = $1 and (${given
       .map(column)
       .map(([name, value]) => `${name} is distinct from ${value}`)
       .join(' or ')})`,
    [no, ...given.map(([, value]) => value)],
  );
}

/** What a person may decide. A round that is over stays so: late words of the driver correct its stops all the same. */
const NEXT_STATES: Readonly<Record<RoundState, readonly RoundState[]>> = {
  planned: ['under_way', 'done', 'cancelled'],
  under_way: ['done'],
  done: [],
  cancelled: [],
};

export async function changeRoundState(
  tx: Tx,
  { no, decidedState, object }: Pick<StoredRound, 'no' | 'decidedState' | 'object'>,
  state: RoundState,
): Promise<void> {
  if (state === object.state) return;
  if (!NEXT_STATES[decidedState].includes(state))
    throw new UserError(`a round that is ${STATE_WORDS[decidedState]} cannot be ${STATE_WORDS[state]}.`);
  await tx.query(
    `update rounds
     set state = $2, version = version + 1, updated_at = now(),
         started_at = case when $2 = 'under_way' then coalesce(started_at, now()) else started_at end,
         ended_at = case when $2 in ('done', 'cancelled') then now() end
     where no = $1`,
    [no, state],
  );
}

const STATE_WORDS: Readonly<Record<RoundState, string>> = {
  planned: 'planned',
  under_way: 'under way',
  done: 'done',
  cancelled: 'cancelled',
};

export function refuseOver(decidedState: RoundState): void {
  if (NEXT_STATES[decidedState].length === 0)
    throw new UserError(`the round is ${STATE_WORDS[decidedState]}, so its plan does not change any more.`);
}

/** The gauges of the last stops report late, and phones without network too: a round is open until 36 hours after its day. */
export async function endOldRounds(db: Db): Promise<number> {
  const { rowCount } = await db.query(
    `update rounds set state = 'done', ended_at = now(), updated_at = now()
     where state in ('planned', 'under_way') and day_ends_at < now() - interval '36 hours'`,
  );
  return rowCount ?? 0;
}

/** The truck of a round, with its depot. */
export async function readRoundTruck(db: Db, truckNo: number): Promise<RoundTruck> {
  const { rows } = await db.query<Omit<RoundTruck, 'depot'> & { latitude: number; longitude: number }>(
    `select t.no, t.id, t.name, t.capacity, t.capacity_unit as "capacityUnit", d.latitude, d.longitude
     from trucks t join depots d on d.no = t.depot_no where t.no = $1`,
    [truckNo],
  );
  const [row] = rows;
  if (row === undefined) throw new UserError('there is no such truck.');
  const { latitude, longitude, ...truck } = row;
  return { ...truck, depot: { latitude, longitude } };
}

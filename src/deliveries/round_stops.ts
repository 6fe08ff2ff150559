import { onlyRow } from '../db/only_row.ts';
import type { Tx } from '../db/pool.ts';
import { UserError } from '../values/user_error.ts';
import { MAX_STOPS, type StopKind } from './round.ts';
import { timeZoneOf } from './round_day.ts';
import { readRoundTanks, type SeenTank } from './round_tanks.ts';
import { refuseOver, type StoredRound, shownShare } from './rounds.ts';

/** A stop of a new order. What is not given stays; of a new stop, it is computed. */
export interface GivenStop {
  tankId: string;
  kind?: StopKind | undefined;
  litres?: number | undefined;
}

export class UnknownStop extends UserError {
  readonly tankId: string;
  constructor(tankId: string) {
    super(`there is no tank ${tankId} that a round can visit.`);
    this.tankId = tankId;
  }
}

/** Tanks that are on another round of the same day, with that round. */
export class TankOnOtherRound extends UserError {
  readonly roundId: string;
  constructor(tankId: string, roundId: string) {
    super(`the tank ${tankId} is on another round of this day.`);
    this.roundId = roundId;
  }
}

/**
 * Replaces the stops of a round: the given ones, in this order. Stops keep their numbers, and a number is not used again. A stop
 * that somebody has closed stays. The caller has locked the round.
 */
export async function putStops(
  tx: Tx,
  organizationNo: number,
  round: Pick<StoredRound, 'no' | 'decidedState' | 'object'>,
  given: readonly GivenStop[],
  { nowMs, isDryRun }: { nowMs: number; isDryRun: boolean },
): Promise<void> {
  refuseOver(round.decidedState);
  if (given.length > MAX_STOPS) throw new UserError(`a round has at most ${MAX_STOPS} stops.`);
  const known = new Map(round.object.stops.map((stop) => [stop.tank_id, stop]));
  const wanted = new Set(given.map(({ tankId }) => tankId));
  const lost = round.object.stops.find(
    (stop) => stop.outcome_from !== null && stop.outcome_from !== 'gauge' && !wanted.has(stop.tank_id ?? ''),
  );
  if (lost !== undefined)
    throw new UserError(`stop ${lost.number} is closed (${lost.outcome}), so it stays on the round.`);
  const added = given.map(({ tankId }) => tankId).filter((tankId) => !known.has(tankId));
  const tanks = await seeTanks(tx, organizationNo, round, added, nowMs);
  await refuseTanksOfOthers(tx, round, [...tanks.values()]);
  await writeStops(tx, organizationNo, round, given, tanks, isDryRun);
}

/** The tanks that are new on the round, with their forecasts of now. */
async function seeTanks(
  tx: Tx,
  organizationNo: number,
  { no, object: { date } }: Pick<StoredRound, 'no' | 'object'>,
  tankIds: readonly string[],
  nowMs: number,
): Promise<Map<string, SeenTank>> {
  if (tankIds.length === 0) return new Map();
  const timeZone = await timeZoneOf(tx, organizationNo);
  const tanks = await readRoundTanks(tx, { organizationNo, tankIds, date, timeZone, roundNo: no }, nowMs);
  const seen = new Map(tanks.map((tank) => [tank.id, tank]));
  const unknown = tankIds.find((tankId) => !seen.has(tankId));
  if (unknown !== undefined) throw new UnknownStop(unknown);
  return seen;
}

/** The unique index would refuse it too, without saying which tank and which round. */
async function refuseTanksOfOthers(
  tx: Tx,
  { no, object: { date } }: Pick<StoredRound, 'no' | 'object'>,
  tanks: readonly SeenTank[],
): Promise<void> {
  const { rows } = await tx.query<{ tank_id: string; round_id: string }>(
    `select i.id as tank_id, r.id as round_id
     from round_stops s join rounds r on r.no = s.round_no join tanks i on i.no = s.tank_no
     where s.tank_no = any ($1::int[]) and s.round_date = $2 and s.is_open and s.round_no <> $3 limit 1`,
    [tanks.map((tank) => tank.no), date, no],
  );
  if (rows[0] !== undefined) throw new TankOnOtherRound(rows[0].tank_id, rows[0].round_id);
}

/** Updates what stays, deletes what goes and inserts what comes, in three statements, and raises the version of the round. */
async function writeStops(
  tx: Tx,
  organizationNo: number,
  { no, object: { fill_to_percentage } }: Pick<StoredRound, 'no' | 'object'>,
  given: readonly GivenStop[],
  tanks: ReadonlyMap<string, SeenTank>,
  isDryRun: boolean,
): Promise<void> {
  const roomOf = ({ capacityLitres, fillPercentage }: SeenTank): number =>
    (Math.max(0, fill_to_percentage - (fillPercentage ?? 0)) / 100) * capacityLitres;
  const rows = given.map(({ tankId, kind, litres }, at) => {
    const tank = tanks.get(tankId);
    return {
      position: at + 1,
      tank_id: tankId,
      tank_no: tank?.no ?? null,
      kind: kind ?? null,
      litres: litres ?? null,
      room: tank === undefined ? null : roomOf(tank),
      chance: tank === undefined || tank.chance === null ? null : shownShare(tank.chance),
    };
  });
  const text = JSON.stringify(rows);
  await tx.query(
    `delete from round_stops s where s.round_no = $1 and s.tank_no is not null and not exists (
       select from json_to_recordset($2) as g (tank_id uuid) join tanks i on i.id = g.tank_id where i.no = s.tank_no
     )`,
    [no, text],
  );
  await tx.query(
    `update round_stops s
     set position = g.position, kind = coalesce(g.kind, s.kind), litres = coalesce(g.litres, s.litres)
     from json_to_recordset($2) as g (position int, tank_id uuid, kind text, litres double precision)
     join tanks i on i.id = g.tank_id
     where s.round_no = $1 and s.tank_no = i.no`,
    [no, text],
  );
  // Closed stops of deleted tanks come last.
  await tx.query(
    `update round_stops s set position = $2 + l.at
     from (select no, row_number() over (order by number)::int as at from round_stops
           where round_no = $1 and tank_no is null) as l
     where s.no = l.no`,
    [no, given.length],
  );
  const { rows: numbered } = await tx.query<{ last: number }>(
    `update rounds set version = version + 1, updated_at = now(), last_stop_number = last_stop_number + $2 where no = $1
     returning last_stop_number - $2 as last`,
    [no, tanks.size],
  );
  await tx.query(
    `insert into round_stops (${isDryRun ? 'no, ' : ''}organization_no, round_no, number, position, tank_no, litres, kind, chance)
     ${isDryRun ? 'overriding system value' : ''}
     select ${isDryRun ? '-(row_number() over ()), ' : ''}$1, $2, $4 + row_number() over (order by g.position), g.position, g.tank_no,
            coalesce(g.litres, g.room), coalesce(g.kind, 'added'), g.chance
     from json_to_recordset($3) as g (position int, tank_no int, kind text, litres double precision, room double precision, chance real)
     where g.tank_no is not null`,
    [organizationNo, no, text, onlyRow(numbered).last],
  );
}

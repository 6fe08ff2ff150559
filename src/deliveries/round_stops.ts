import type { ChangeContext } from '../catalog/change_context.ts';
import { readTimeZone } from '../catalog/organizations.ts';
import { dryRunNo } from '../db/insert_row.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Tx } from '../db/pool.ts';
import { readsOf } from '../db/readers.ts';
import { toLiters } from '../values/capacity_unit.ts';
import { ChangeRefusedError, type FieldProblem, refuseProblems } from '../values/change_refusal.ts';
import { fillToOf } from '../values/products.ts';
import { isUuid } from '../values/uuid7.ts';
import { levelOf, roomOf } from './pure/rounds/current_stop.ts';
import { MAX_STOPS, MAX_VOLUME, type StopKind } from './round.ts';
import { refuseOver } from './round_state.ts';
import { type RoundTankStatus, readRoundTanks } from './round_tanks.ts';
import { type RoundStop, type StoredRound, shownShare } from './rounds.ts';

/** A stop in a new list of stops. Fields that are not given stay; for a new stop they are computed. */
export interface GivenStop {
  tank_id: string;
  kind?: StopKind | undefined;
  /** Null for the volume that fits, even if a person has chosen another volume before. */
  volume?: number | null | undefined;
  /** True for a volume that a person chose on another round. Otherwise it counts as chosen if it differs from what fits. */
  isVolumeChosen?: boolean | undefined;
  /** True for a stop that stays, although its tank was filled meanwhile. */
  is_kept?: boolean | undefined;
}

/**
 * Replaces the stops of a round with the given stops, in this order. Stops keep their numbers, and a number is not used
 * again. A closed stop stays. The caller has locked the round.
 */
export async function replaceStops(
  change: ChangeContext,
  round: StoredRound,
  stops: readonly GivenStop[],
): Promise<void> {
  refuseOver(round);
  const given = stops.map((stop) => ({ ...stop, tank_id: stop.tank_id.toLowerCase() }));
  refuseProblems(stopProblems(given));
  const known = new Set(round.object.stops.map((stop) => stop.tank_id));
  const wanted = new Set<string | null>(given.map((stop) => stop.tank_id));
  const lost = round.object.stops.find(
    (stop) => stop.outcome_from !== null && stop.outcome_from !== 'gauge' && !wanted.has(stop.tank_id),
  );
  if (lost !== undefined) throw stopClosedError(lost);
  const tanks = await readNewTanks(
    change,
    round,
    given.map(({ tank_id }) => tank_id),
    known,
  );
  await refuseTanksOfOthers(change.tx, round, [...tanks.values()]);
  await writeStops(change, round, given, tanks);
}

export const stopClosedError = ({ number, outcome }: RoundStop): ChangeRefusedError =>
  new ChangeRefusedError('stop_closed', `stop ${number} is closed (${outcome}), so it stays on the round`);

function stopProblems(stops: readonly GivenStop[]): FieldProblem[] {
  if (stops.length > MAX_STOPS) return [{ field: 'stops', reason: `must be at most ${MAX_STOPS}` }];
  const seen = new Set<string>();
  return stops.flatMap(({ tank_id, volume }, index) => {
    const problem = (field: string, reason: string): FieldProblem => ({ field: `stops[${index}].${field}`, reason });
    const isAgain = seen.has(tank_id);
    seen.add(tank_id);
    return [
      ...(isUuid(tank_id) ? [] : [problem('tank_id', 'must be the ID of a tank')]),
      ...(isAgain ? [problem('tank_id', 'must be in the list only once')] : []),
      ...(volume === undefined || volume === null || (volume >= 0 && volume <= MAX_VOLUME)
        ? []
        : [problem('volume', `must be from 0 to ${MAX_VOLUME}`)]),
    ];
  });
}

/** Locks tanks until the end of the transaction, so that none is deleted before their stops are stored. */
export async function lockTanks(
  { tx, organizationNo }: ChangeContext,
  tankIds: readonly string[],
): Promise<{ is_batch_tank: boolean }[]> {
  const { rows } = await tx.query<{ is_batch_tank: boolean }>(
    `select is_batch_tank from tanks where organization_no = $1 and id = any ($2::uuid[]) and deleted_at is null
     order by no for share`,
    [organizationNo, tankIds],
  );
  return rows;
}

/** Locks and reads the tanks that are new on the round, with their current forecasts. */
async function readNewTanks(
  change: ChangeContext,
  { no, object: { date } }: StoredRound,
  wanted: readonly string[],
  known: ReadonlySet<string | null>,
): Promise<Map<string, RoundTankStatus>> {
  const tankIds = wanted.filter((id) => !known.has(id));
  if (tankIds.length === 0) return new Map();
  const { tx, organizationNo } = change;
  await lockTanks(change, tankIds);
  const timeZone = await readTimeZone(tx, organizationNo);
  const tanks = await readRoundTanks(readsOf(tx), { organizationNo, tankIds, date, timeZone, roundNo: no }, Date.now());
  const seen = new Map(tanks.map((tank) => [tank.id, tank]));
  refuseProblems(
    wanted.flatMap((id, index) =>
      known.has(id) || seen.has(id)
        ? []
        : [{ field: `stops[${index}].tank_id`, reason: 'must be a tank that a round can visit' }],
    ),
  );
  return seen;
}

/** Throws if a tank is on another round of the day. The unique index would refuse it too, but without the other round's id. */
async function refuseTanksOfOthers(
  tx: Tx,
  { no, object: { date } }: StoredRound,
  tanks: readonly RoundTankStatus[],
): Promise<void> {
  const { rows } = await tx.query<{ round_id: string }>(
    `select r.id as round_id from round_stops s join rounds r on r.no = s.round_no
     where s.tank_no = any ($1::int[]) and s.round_date = $2 and s.is_open and s.round_no <> $3 limit 1`,
    [tanks.map((tank) => tank.no), date, no],
  );
  if (rows[0] === undefined) return;
  const fact = 'a tank of this round is on another round of this day';
  throw new ChangeRefusedError('tank_on_other_round', fact, rows[0].round_id);
}

/**
 * Returns true if a person chose the volume: it differs from the volume that fits. Small differences do not count, because a
 * program may send back a volume that it read some time ago.
 */
const isChosen = (liters: number, fits: number): boolean => Math.abs(liters - fits) > Math.max(1, 0.01 * fits);

/** Deletes, updates and inserts stops, and raises the version of the round. */
async function writeStops(
  { tx, organizationNo, isDryRun }: ChangeContext,
  { no, object: { fill_to_percentage, volume_unit, stops } }: StoredRound,
  given: readonly GivenStop[],
  tanks: ReadonlyMap<string, RoundTankStatus>,
): Promise<void> {
  const shown = new Map(stops.map((stop) => [stop.tank_id, toLiters(stop.volume, volume_unit)]));
  const rows = given.map(({ tank_id, kind, volume, isVolumeChosen = false, is_kept }, index) => {
    const tank = tanks.get(tank_id);
    const fillTo = tank === undefined ? fill_to_percentage : fillToOf(tank.contents, fill_to_percentage);
    const room = tank === undefined ? null : roomOf(tank.capacityLiters, tank.fillPercentage ?? 0, fillTo);
    const liters = volume === undefined || volume === null ? null : toLiters(volume, volume_unit);
    const isTyped = liters !== null && (isVolumeChosen || isChosen(liters, room ?? shown.get(tank_id) ?? 0));
    return {
      position: index + 1,
      tank_id,
      tank_no: tank?.no ?? null,
      kind: kind ?? null,
      litres: isTyped ? liters : null,
      is_typed: isTyped || (volume === null ? false : null),
      is_kept: is_kept ?? null,
      room,
      level: tank === undefined ? null : levelOf(tank),
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
     set position = g.position, kind = coalesce(g.kind, s.kind), litres = coalesce(g.litres, s.litres),
         is_volume_typed = coalesce(g.is_typed, s.is_volume_typed), is_kept = coalesce(g.is_kept, s.is_kept)
     from json_to_recordset($2)
       as g (position int, tank_id uuid, kind text, litres double precision, is_typed boolean, is_kept boolean)
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
    `insert into round_stops (${isDryRun ? 'no, ' : ''}organization_no, round_no, number, position, tank_no, litres, kind, chance,
       is_volume_typed, is_kept, planned_fill_percentage)
     ${isDryRun ? 'overriding system value' : ''}
     select ${isDryRun ? `${dryRunNo()} - row_number() over (), ` : ''}$1, $2, $4 + row_number() over (order by g.position), g.position, g.tank_no,
            coalesce(g.litres, g.room), coalesce(g.kind, 'added'), g.chance, coalesce(g.is_typed, false), coalesce(g.is_kept, false),
            g.level
     from json_to_recordset($3) as g (position int, tank_no int, kind text, litres double precision, room double precision,
                                      chance real, is_typed boolean, is_kept boolean, level real)
     where g.tank_no is not null`,
    [organizationNo, no, text, onlyRow(numbered).last],
  );
}

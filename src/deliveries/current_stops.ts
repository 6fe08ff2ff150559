import { isoTimeSql } from '../db/iso_time.ts';
import type { Reads } from '../db/readers.ts';
import { type CurrentStop, currentStop, type PlannedStop } from './pure/rounds/current_stop.ts';
import type { RoundSummaryRow } from './round_summary.ts';
import { type RoundTankStatus, readRoundTanks } from './round_tanks.ts';

/** The planned part of a stop `s`, whose volumes are in liters. */
export const PLANNED_STOP_COLUMNS = `i.id as tank_id, s.kind, s.litres as volume, s.chance, o.outcome, s.is_volume_typed,
  s.planned_fill_percentage, s.is_kept,
  (select k.product from rounds q join trucks k on k.no = q.truck_no where q.no = s.round_no) as truck_product,
  case when o.outcome = 'open' and b.stop_no is not null
       then json_build_object('since', ${isoTimeSql('b.since')}, 'read_at', ${isoTimeSql('b.read_at')}) end as block`;
export const STOP_JOINS = `join round_stop_outcomes o on o.stop_no = s.no left join tanks i on i.no = s.tank_no
  left join round_stop_blocks b on b.stop_no = s.no`;

/** The fields of a round that its open stops depend on. */
export interface RoundOfStops {
  organizationNo: number;
  date: string;
  timeZone: string;
  fill_to_percentage: number;
  chance_limit: number;
}

export type StoredStop = PlannedStop & { tank_id: string | null };
export type StopWithLevel<Stop extends StoredStop> = Omit<Stop, 'is_volume_typed' | 'is_kept' | 'truck_product'> &
  CurrentStop;

/** The stops of a round, with the current levels of their tanks. Reads no tank if all stops are closed. */
export async function withCurrentLevels<Stop extends StoredStop>(
  readers: Reads,
  round: RoundOfStops,
  stops: readonly Stop[],
): Promise<StopWithLevel<Stop>[]> {
  const tanks = await readTanks(readers, round, stops);
  return stops.map((stop) => {
    const { is_volume_typed: _typed, is_kept: _kept, truck_product: _product, ...rest } = stop;
    return { ...rest, ...currentStop(stop, tanks.get(stop.tank_id), round) };
  });
}

async function readTanks(
  readers: Reads,
  { organizationNo, date, timeZone }: Pick<RoundOfStops, 'organizationNo' | 'date' | 'timeZone'>,
  stops: readonly StoredStop[],
): Promise<Map<string | null, RoundTankStatus>> {
  const tankIds = stops.flatMap(({ tank_id, outcome }) => (outcome === 'open' && tank_id !== null ? [tank_id] : []));
  if (tankIds.length === 0) return new Map();
  const selection = { organizationNo, tankIds, date, timeZone, withPlanned: false };
  const tanks = await readRoundTanks(readers, selection, Date.now());
  return new Map(tanks.map((tank) => [tank.id, tank]));
}

type LoadedRound = Pick<
  RoundSummaryRow,
  'no' | 'date' | 'state' | 'open' | 'load_litres' | 'fill_to_percentage' | 'chance_limit'
>;

/** How many liters the open stops of a round need beyond the planned volumes; negative if they need less. */
export const loadChange = (stops: readonly (CurrentStop & { outcome: PlannedStop['outcome'] })[]): number =>
  stops.reduce((sum, stop) => sum + (stop.outcome === 'open' ? stop.volume - stop.planned_volume : 0), 0);

/** The rounds, with the loads that their open stops need at the current levels. */
export async function withCurrentLoads<Round extends LoadedRound>(
  readers: Reads,
  { organizationNo, timeZone }: { organizationNo: number; timeZone: string },
  rounds: readonly Round[],
): Promise<Round[]> {
  const open = rounds.filter((round) => round.open > 0 && (round.state === 'planned' || round.state === 'under_way'));
  const [first] = open;
  if (first === undefined) return [...rounds];
  const stops = await readers.query<StoredStop & { round_no: number }>(
    {
      text: `select s.round_no, ${PLANNED_STOP_COLUMNS} from round_stops s ${STOP_JOINS}
     where s.round_no = any ($1::int[]) and s.is_open`,
    },
    [open.map(({ no }) => no)],
  );
  // The tanks of all rounds are read for the date of the first round: the date changes only the chance, which the load
  // does not need.
  const tanks = await readTanks(readers, { organizationNo, timeZone, date: first.date }, stops);
  return rounds.map((round) => {
    const own = stops.filter((stop) => stop.round_no === round.no);
    const current = own.map((stop) => ({ ...stop, ...currentStop(stop, tanks.get(stop.tank_id), round) }));
    return { ...round, load_litres: round.load_litres + loadChange(current) };
  });
}

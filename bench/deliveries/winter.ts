import type { RoundCandidate } from '../../src/deliveries/pure/rounds/round_candidates.ts';
import { planLoads } from '../../src/deliveries/pure/rounds/stop_order.ts';
import { evaluate } from '../../src/evaluation/pure/alerts/evaluate.ts';
import { type AlertSettings, INITIAL_STATE, type TankState } from '../../src/evaluation/pure/alerts/tank_state.ts';
import { Random } from '../../src/simulation/random.ts';
import { atOnce } from '../../src/values/slices.ts';
import type { DippedTank } from './dipped_tank.ts';
import {
  DEPOT,
  FILL_TO,
  LAST_DAY,
  type Region,
  type RegionTank,
  regionMs,
  SCORED_FROM,
  showLevel,
  useBetween,
} from './region.ts';

/** Two trucks, each loaded twice a day at most. */
export const TRUCK_LITERS = 9_000;
const MAX_LOADS_A_DAY = 4;
const MAX_STOPS_A_LOAD = 40;
const ROAD_FACTOR = 1.3;
const READING_HOURS = [0, 6, 12, 18];
const ROUND_HOUR = 12;

/** A tank in a winter: its true level, and what its device or its dips reported. */
export interface WinterTank extends RegionTank {
  settings: AlertSettings;
  state: TankState;
  fill: number;
  /** The tank is empty, and its customer has called. */
  isDry: boolean;
  /** Null for a tank with a sensor. */
  dipped: DippedTank | null;
}

/** Chooses the stops of a day. Those that must be visited are in the order of urgency. */
export type RoundRule = (day: number, tanks: readonly WinterTank[]) => WinterRound;

export interface WinterRound {
  must: RoundCandidate[];
  could: RoundCandidate[];
}

export interface WinterScore {
  runOuts: number;
  stops: number;
  liters: number;
  km: number;
  /** Run-outs of tanks without a sensor. */
  dippedRunOuts: number;
  dippedStops: number;
}

export interface WinterOptions {
  /** A tank has no sensor if this returns an estimator for it. */
  dippedOf?: (tank: RegionTank) => DippedTank | null;
  /** Called after the readings of each day. */
  endOfDay?: (day: number, tanks: readonly WinterTank[]) => void;
}

export function liveWinter(region: Region, rule: RoundRule, { dippedOf, endOfDay }: WinterOptions = {}): WinterScore {
  const tanks = region.tanks.map(
    (tank): WinterTank => ({
      ...tank,
      settings: { minFillAlertPercentage: 20, capacity: tank.capacityLiters, capacityUnit: 'liters' },
      state: INITIAL_STATE,
      fill: tank.firstFill,
      isDry: false,
      dipped: dippedOf?.(tank) ?? null,
    }),
  );
  const byId = new Map(tanks.map((tank) => [idOf(tank), tank]));
  const gauges = tanks.map(({ seed }) => new Random(seed + 7));
  const score: WinterScore = { runOuts: 0, stops: 0, liters: 0, km: 0, dippedRunOuts: 0, dippedStops: 0 };
  for (let day = 0; day <= LAST_DAY; day++) {
    const scored = day >= SCORED_FROM ? score : null;
    for (const hour of READING_HOURS) {
      const time = day + hour / 24;
      for (const tank of tanks) useUp(tank, time, scored);
      if (hour === ROUND_HOUR && day % 7 !== 6) driveRound(limitLoads(rule(day, tanks)), byId, time, scored);
      tanks.forEach((tank, index) => {
        const random = gauges[index];
        if (tank.dipped === null && random !== undefined) readGauge(tank, random, day, hour);
      });
    }
    for (const tank of tanks) tank.dipped?.endOfDay(day, tank.fill);
    endOfDay?.(day, tanks);
  }
  return score;
}

export const idOf = ({ number }: RegionTank): string => String(number).padStart(6, '0');

function useUp(tank: WinterTank, time: number, score: WinterScore | null): void {
  const use = useBetween(tank.use, time - 6 / 24, time);
  const isRunOut = tank.fill > 0 && tank.fill - use <= 0;
  tank.fill = Math.max(0, tank.fill - use);
  if (!isRunOut) return;
  tank.isDry = true;
  if (score === null) return;
  score.runOuts++;
  if (tank.dipped !== null) score.dippedRunOuts++;
}

function readGauge(tank: WinterTank, random: Random, day: number, hour: number): void {
  const fillPercentage = showLevel(random, tank.gauge, tank.fill, hour);
  const reading = { kind: 'reading', atMs: regionMs(day + hour / 24), fillPercentage } as const;
  tank.state = evaluate(tank.settings, tank.state, reading).state;
}

/**
 * Takes the musts in the order of urgency, and leaves out each one that needs more gas than the two trucks still have.
 * A smaller one after it may still fit. Other stops are not limited.
 */
function limitLoads({ must, could }: WinterRound): RoundCandidate[] {
  let liters = 0;
  const carried = must.filter((stop) => {
    if (liters + stop.liters > MAX_LOADS_A_DAY * TRUCK_LITERS) return false;
    liters += stop.liters;
    return true;
  });
  return [...carried, ...could];
}

function driveRound(
  stops: readonly RoundCandidate[],
  tanks: ReadonlyMap<string, WinterTank>,
  time: number,
  score: WinterScore | null,
): void {
  const placed = stops.flatMap((stop) => (stop.place === null ? [] : [{ ...stop, place: stop.place }]));
  const loads = atOnce(planLoads(DEPOT, placed, { truckLiters: TRUCK_LITERS, maxStops: MAX_STOPS_A_LOAD }));
  for (const { km } of loads) if (score !== null) score.km += ROAD_FACTOR * km;
  for (const { id } of placed) {
    const tank = tanks.get(id);
    if (tank === undefined) continue;
    const liters = (Math.max(0, FILL_TO - tank.fill) / 100) * tank.capacityLiters;
    tank.fill = Math.max(tank.fill, FILL_TO);
    tank.isDry = false;
    tank.dipped?.recordDelivery(time, liters);
    if (score === null) continue;
    score.stops++;
    score.liters += liters;
    if (tank.dipped !== null) score.dippedStops++;
  }
}

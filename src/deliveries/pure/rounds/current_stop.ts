import { toLiters } from '../../../values/capacity_unit.ts';
import { fillToOf, isDeliveredBy } from '../../../values/products.ts';
import type { RoundTank } from './round_candidates.ts';

type Kind = 'must' | 'could' | 'added';

/** A stop as it was planned, with its outcome. The volume is in liters. */
export interface PlannedStop {
  kind: Kind;
  volume: number;
  chance: number | null;
  outcome: 'open' | 'delivered' | 'not_possible' | 'not_done';
  /** True if a person chose the volume. */
  is_volume_typed: boolean;
  planned_fill_percentage: number | null;
  /** True if a person keeps the stop, although the tank was filled meanwhile. */
  is_kept: boolean;
  /** Not null while the tank loses gas. */
  block: StopBlock | null;
  /** The product that the truck of the round delivers, as people wrote it. */
  truck_product: string | null;
}

export interface StopBlock {
  since: string;
  /** When the driver read about the block; null if the driver has not. */
  read_at: string | null;
}

/** The tank of a stop, as it is now. */
export interface StopTank extends Pick<RoundTank, 'capacityLiters' | 'contents' | 'fillPercentage' | 'chance'> {
  reading: { fill_percentage: number } | null;
  isGaugeUnreliable: boolean;
}

export interface CurrentStop extends Pick<PlannedStop, 'kind' | 'chance' | 'planned_fill_percentage' | 'block'> {
  /** The volume to deliver: 0 if the stop is blocked or its tank was filled meanwhile. */
  volume: number;
  planned_volume: number;
  /** `plan`: the level is not known, or the stop is closed. */
  volume_from: 'level' | 'person' | 'plan';
  /** True if the volume differs from the planned volume by at least 5 % and 10 gallons. */
  is_volume_changed: boolean;
  /** The level that the volume is computed from; null if it is unknown or the stop is closed. */
  fill_percentage: number | null;
  is_filled_meanwhile: boolean;
  /** True if the truck delivers another product than the tank holds. False if the stop is closed. */
  is_other_product: boolean;
}

/**
 * A reading this many points above the estimate may be a delivery that is not confirmed yet. It counts as the level, so
 * that the tank is not overfilled.
 */
const DOUBTED_RISE_POINTS = 5;
/** A tank was filled meanwhile if its level has risen by at least 5 points and less than 5 points are free. */
const FILLED_RISE_POINTS = 5;
const FILLED_ROOM_POINTS = 5;
const SHOWN_CHANGE = { share: 0.05, liters: toLiters(10, 'gallons') };

/** Returns true if a volume differs enough from the planned or printed volume to be shown as changed. */
export function isShownChange(beforeLiters: number, liters: number): boolean {
  const change = Math.abs(liters - beforeLiters);
  return change >= SHOWN_CHANGE.liters && change >= SHOWN_CHANGE.share * beforeLiters;
}

/**
 * A stop with the current level of its tank. Until a stop is closed, its volume, chance and kind follow the level. A
 * volume that a person typed stays.
 */
export function currentStop(
  stop: PlannedStop,
  tank: StopTank | undefined,
  { fill_to_percentage, chance_limit: limit }: { fill_to_percentage: number; chance_limit: number },
): CurrentStop {
  const fillTo = tank === undefined ? fill_to_percentage : fillToOf(tank.contents, fill_to_percentage);
  const { volume: planned, planned_fill_percentage, is_volume_typed: isTyped } = stop;
  const isOpen = stop.outcome === 'open';
  const level = isOpen && tank !== undefined ? levelOf(tank) : null;
  const room = level === null || tank === undefined ? null : roomOf(tank.capacityLiters, level, fillTo);
  const isFilled =
    !stop.is_kept &&
    stop.block === null &&
    tank !== undefined &&
    level !== null &&
    isFilledNow(stop, tank, level, fillTo);
  const wanted = isTyped ? planned : (room ?? planned);
  const isServed = !isOpen || (stop.block === null && !isFilled);
  const chance = isOpen ? (tank?.chance ?? stop.chance) : stop.chance;
  return {
    kind: isOpen ? kindOf(stop, chance, limit) : stop.kind,
    volume: isServed ? wanted : 0,
    planned_volume: planned,
    volume_from: isTyped ? 'person' : room === null ? 'plan' : 'level',
    is_volume_changed: isServed && isShownChange(planned, wanted),
    chance,
    fill_percentage: level,
    planned_fill_percentage,
    is_filled_meanwhile: isFilled,
    block: isOpen ? stop.block : null,
    is_other_product: isOpen && tank !== undefined && !isDeliveredBy(stop.truck_product, tank.contents.product),
  };
}

/** The level from which the volume is computed. Null if it is unknown or if the gauge is unreliable. */
export function levelOf({ fillPercentage, reading, isGaugeUnreliable }: StopTank): number | null {
  if (fillPercentage === null || isGaugeUnreliable) return null;
  const read = reading?.fill_percentage ?? 0;
  return read - fillPercentage >= DOUBTED_RISE_POINTS ? read : fillPercentage;
}

/** The volume that fits up to a level, in liters. */
export const roomOf = (capacityLiters: number, fillPercentage: number, fillTo: number): number =>
  (Math.max(0, fillTo - fillPercentage) / 100) * capacityLiters;

function isFilledNow(stop: PlannedStop, { capacityLiters }: StopTank, level: number, fillTo: number): boolean {
  if (fillTo - level >= FILLED_ROOM_POINTS) return false;
  const before = stop.planned_fill_percentage ?? fillTo - (stop.volume / capacityLiters) * 100;
  return level - before >= FILLED_RISE_POINTS;
}

/**
 * A chance above the limit makes a stop a must. A must whose chance is no longer above the limit becomes a could,
 * unless it was a must for another reason: its customer called. A stop that a person added keeps its kind.
 */
function kindOf(stop: PlannedStop, chance: number | null, limit: number): Kind {
  if (stop.kind === 'added' || chance === null) return stop.kind;
  if (chance > limit) return 'must';
  return stop.kind === 'must' && stop.chance !== null && stop.chance > limit ? 'could' : stop.kind;
}

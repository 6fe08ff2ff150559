import { chanceOfEmpty } from '../../src/deliveries/pure/rounds/chance_of_empty.ts';
import { fitToTruck } from '../../src/deliveries/pure/rounds/fit_to_truck.ts';
import { daysToNextVisit } from '../../src/deliveries/pure/rounds/next_visit.ts';
import {
  listCandidates,
  type RoundCandidate,
  type RoundTank,
} from '../../src/deliveries/pure/rounds/round_candidates.ts';
import { type Forecast, forecast } from '../../src/evaluation/pure/estimator/forecast.ts';
import { DEFAULT_CONTENTS } from '../../src/values/products.ts';
import { atOnce } from '../../src/values/slices.ts';
import { DEPOT, FILL_TO, regionMs, type Town } from './region.ts';
import { idOf, type RoundRule, TRUCK_LITERS, type WinterTank } from './winter.ts';

/** The time of day, in days, at which the dispatcher plans the round at noon. */
const PLANNED_AT = 7 / 24;

const isVisited = ({ deliveryDays }: Town, day: number): boolean =>
  deliveryDays.some((weekday) => weekday === (day % 7) + 1);

const forecastTank = ({ settings, state }: WinterTank, day: number): Forecast | null =>
  forecast(settings, state, regionMs(day + PLANNED_AT), null);

const daysToVisit = ({ deliveryDays }: Town, day: number): number =>
  daysToNextVisit(
    regionMs(day + PLANNED_AT),
    { date: new Date(regionMs(day)).toISOString().slice(0, 10), timeZone: 'UTC' },
    deliveryDays,
  );

/** How tanks without a sensor are chosen: by the filter of Tankwatch, or by a K-factor with a reserve. */
export type DippedRule = { kind: 'chance'; limit: number } | { kind: 'k_factor'; reserve: number };

/** Chooses all tanks of today's towns at or below the threshold, and those without a sensor by a K-factor. */
export const thresholdRule =
  (threshold: number, reserve = 25): RoundRule =>
  (day, tanks) => {
    const must = tanks.flatMap((tank): (RoundCandidate & { days: number })[] => {
      if (tank.isDry) return [{ ...candidateOf(tank, 0), days: -1 }];
      if (!isVisited(tank.town, day)) return [];
      if (tank.dipped !== null) {
        const { kFactor } = tank.dipped;
        const isDue = kFactor.isDue(day, Math.floor(daysToVisit(tank.town, day)), reserve);
        return isDue ? [{ ...candidateOf(tank, kFactor.level(day)), days: 3 }] : [];
      }
      const seen = forecastTank(tank, day);
      if (seen === null || seen.fillPercentage > threshold) return [];
      return [{ ...candidateOf(tank, seen.fillPercentage), days: seen.daysToEmpty.likely ?? 730 }];
    });
    return { must: must.toSorted((a, b) => a.days - b.days), could: [] };
  };

const candidateOf = (tank: WinterTank, fill: number): RoundCandidate => ({
  id: idOf(tank),
  place: tank.place,
  liters: (Math.max(0, FILL_TO - Math.max(0, fill)) / 100) * tank.capacityLiters,
  chance: null,
});

/** Chooses by the chance that a tank is empty before the next visit. With `withCould`, adds tanks that also fit on the truck. */
export const chanceRule =
  (limit: number, { withCould = false, dipped }: { withCould?: boolean; dipped?: DippedRule } = {}): RoundRule =>
  (day, tanks) => {
    const daysOfTown = new Map<Town, number>();
    const roundTanks = tanks.flatMap((tank): RoundTank[] => {
      const isToday = isVisited(tank.town, day);
      if (!isToday && !tank.isDry) return [];
      const withinDays = daysOfTown.get(tank.town) ?? daysToVisit(tank.town, day);
      daysOfTown.set(tank.town, withinDays);
      const estimate = tank.isDry
        ? { fillPercentage: 0, chance: 1 }
        : estimateTank(tank, day, withinDays, limit, dipped);
      return [
        {
          id: idOf(tank),
          place: tank.place,
          capacityLiters: tank.capacityLiters,
          contents: DEFAULT_CONTENTS,
          isCalled: tank.isDry,
          ...estimate,
        },
      ];
    });
    const lists = listCandidates(roundTanks, { limit, fillToPercentage: FILL_TO });
    if (!withCould) return { must: lists.must, could: [] };
    return atOnce(fitToTruck(lists, { depot: DEPOT, truckLiters: TRUCK_LITERS }));
  };

function estimateTank(
  tank: WinterTank,
  day: number,
  withinDays: number,
  limit: number,
  dipped: DippedRule | undefined,
): Pick<RoundTank, 'fillPercentage' | 'chance'> {
  if (tank.dipped === null) {
    const seen = forecastTank(tank, day);
    if (seen === null) return { fillPercentage: null, chance: null };
    return { fillPercentage: seen.fillPercentage, chance: chanceOfEmpty(seen.daysToEmpty, withinDays) };
  }
  if (dipped?.kind === 'k_factor') {
    const { kFactor } = tank.dipped;
    const isDue = kFactor.isDue(day, Math.floor(withinDays), dipped.reserve);
    return { fillPercentage: Math.max(0, kFactor.level(day)), chance: isDue ? 0.5 : 0 };
  }
  const chance = tank.dipped.chanceOfEmpty(day, withinDays);
  // All chances are compared with `limit`. Scaling this one compares it with the limit of tanks without a sensor.
  const dippedLimit = dipped?.limit ?? limit;
  return { fillPercentage: tank.dipped.fillPercentage(day), chance: (chance * limit) / dippedLimit };
}

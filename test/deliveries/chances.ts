import {
  emptyAt,
  LAST_DAY,
  makeRegion,
  regionMs,
  SCORED_FROM,
  showLevel,
  useBetween,
} from '../../bench/deliveries/region.ts';
import { chanceOfEmpty } from '../../src/deliveries/pure/rounds/chance_of_empty.ts';
import { evaluate } from '../../src/evaluation/pure/alerts/evaluate.ts';
import { INITIAL_STATE, type TankState } from '../../src/evaluation/pure/alerts/tank_state.ts';
import { forecast } from '../../src/evaluation/pure/estimator/forecast.ts';
import { Random } from '../../src/simulation/random.ts';

/** On every third morning of a winter: the chance that each tank is empty within some days, and whether it is truly empty then. */
export function askChances(seed: number, tanks: number): { chance: number; isEmpty: boolean }[] {
  const region = makeRegion(seed, tanks);
  const chances: { chance: number; isEmpty: boolean }[] = [];
  for (const tank of region.tanks) {
    const random = new Random(tank.seed);
    const settings = { minFillAlertPercentage: 20, capacity: tank.capacityLiters, capacityUnit: 'liters' } as const;
    let state: TankState = INITIAL_STATE;
    let fill = tank.firstFill;
    let orderLevel = random.between(-2, 35);
    for (let time = 0; time <= LAST_DAY; time += 0.25) {
      const hour = (time % 1) * 24;
      fill = Math.max(0, fill - useBetween(tank.use, time - 0.25, time));
      if (hour === 12 && fill <= orderLevel) {
        fill = 80;
        orderLevel = random.between(-2, 35);
      }
      const fillPercentage = showLevel(random, tank.gauge, fill, hour);
      state = evaluate(settings, state, { kind: 'reading', atMs: regionMs(time), fillPercentage }).state;
      if (hour !== 6 || time < SCORED_FROM || Math.floor(time) % 3 !== 0 || fill <= 0.5) continue;
      const days = forecast(settings, state, regionMs(time), null)?.daysToEmpty;
      if (days === undefined) continue;
      const trueDays = emptyAt(tank.use, time, fill) - time;
      for (const within of [3.5, 4.5, 7.5])
        chances.push({ chance: chanceOfEmpty(days, within), isEmpty: trueDays < within });
    }
  }
  return chances;
}

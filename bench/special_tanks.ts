import { evaluate } from '../src/evaluation/pure/alerts/evaluate.ts';
import type { TankEvent } from '../src/evaluation/pure/alerts/tank_event.ts';
import { type AlertSettings, INITIAL_STATE, type TankState } from '../src/evaluation/pure/alerts/tank_state.ts';
import { Random } from '../src/simulation/random.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import { atLeast, atMost, type Check, figure } from './report.ts';

/** Tanks that the other fleets lack: gauges that report seldom or on change, tanks on vehicles, thefts and slow leaks of idle tanks. */
const SEED = 30_303;
const START_MS = Date.UTC(2025, 0, 6);
const SETTINGS: AlertSettings = { minFillAlertPercentage: 20, capacity: 1_000, capacityUnit: 'liters' };

interface Reading {
  atMs: number;
  fillPercentage: number;
}

function eventsOf(settings: AlertSettings, readings: readonly Reading[]): TankEvent[] {
  let state: TankState = INITIAL_STATE;
  return readings.flatMap((reading) => {
    const evaluated = evaluate(settings, state, { kind: 'reading', ...reading });
    state = evaluated.state;
    return evaluated.events;
  });
}

const countOf = (events: readonly TankEvent[], type: TankEvent['type']): number =>
  events.filter((event) => event.type === type).length;

const showLevel = (random: Random, fill: number, noise: number): number =>
  Math.round(10 * Math.min(100, Math.max(0, fill + noise * random.normal()))) / 10;

/** Makes a year of readings with gaps drawn by `gapDays`. The first day has five readings, as after an installation. */
function makeYear(random: Random, gapDays: () => number): Reading[] {
  const readings: Reading[] = [];
  const perDay = random.betweenLog(0.3, 2);
  let fill = 80;
  const show = (atMs: number, passedDays: number): void => {
    fill -= perDay * passedDays;
    if (fill < 22) fill = random.between(70, 90);
    readings.push({ atMs, fillPercentage: showLevel(random, fill, 0.3) });
  };
  for (let n = 0; n < 5; n++) show(START_MS + n * HOUR_MS, 0);
  for (let day = 1; day < 365; ) {
    const gap = gapDays();
    day += gap;
    show(START_MS + day * DAY_MS, gap);
  }
  return readings;
}

/** Counts reports of silence per tank in a year. All are false, because these devices never fail. */
function countFalseSilences(name: string, tanks: number, gapOf: (random: Random) => () => number): number {
  let silences = 0;
  for (let number = 0; number < tanks; number++) {
    const random = Random.named(SEED, `${name} ${number}`);
    silences += countOf(eventsOf(SETTINGS, makeYear(random, gapOf(random))), 'tank.device_silent');
  }
  return silences / tanks;
}

/** Makes two months of a tank on a vehicle. While it drives, its readings scatter with a standard deviation of 4 points. */
function makeMobileTank(random: Random, readingsPerDay: number): { readings: Reading[]; refills: number } {
  const readings: Reading[] = [];
  const perReading = random.between(5, 15) / readingsPerDay;
  let fill = 85;
  let refills = 0;
  for (let n = 0; n < 60 * readingsPerDay; n++) {
    fill -= perReading * random.between(0.5, 1.5);
    if (fill < 15 && random.chance(4 / readingsPerDay)) {
      fill = random.between(60, 95);
      refills++;
    }
    const hour = (24 * n) / readingsPerDay;
    const isDriving = hour % 24 > 7 && hour % 24 < 18;
    const atMs = START_MS + hour * HOUR_MS;
    readings.push({ atMs, fillPercentage: showLevel(random, Math.max(2, fill), isDriving ? 4 : 0.3) });
  }
  return { readings, refills };
}

/** Compares reported refills of tanks on vehicles with the true ones, and counts losses and unreliable gauges, which are all false. */
function mobileChecks(tanks: number): Check[] {
  const settings = { ...SETTINGS, isMobile: true };
  return [24, 288].flatMap((readingsPerDay) => {
    let [refills, reported, falseEvents] = [0, 0, 0];
    for (let number = 0; number < tanks; number++) {
      const tank = makeMobileTank(Random.named(SEED, `mobile ${readingsPerDay} ${number}`), readingsPerDay);
      const events = eventsOf(settings, tank.readings);
      refills += tank.refills;
      reported += countOf(events, 'tank.refilled');
      falseEvents += countOf(events, 'tank.rapid_loss') + countOf(events, 'tank.gauge_unreliable');
    }
    const title = `tanks on vehicles, ${readingsPerDay} a day`;
    return [
      atLeast(`${title}: reported refills as a share of the true ones`, reported / refills, 0.95),
      atMost(`${title}: reported refills as a share of the true ones`, reported / refills, 1.05),
      atMost(`${title}: losses and unreliable gauges`, falseEvents, 0),
    ];
  });
}

const IDLE_DAYS = 60;

/** Whether unusual use after two idle months is found within three days. */
function isUnusualFound(random: Random, readingsPerDay: number, lossOfDay: (day: number) => number): boolean {
  const isPropane = random.chance(0.2);
  const noise = isPropane ? random.between(0.3, 1) : random.betweenLog(0.05, 0.3);
  const wave = isPropane ? random.between(0.3, 2.5) : random.between(0.04, 0.1);
  const begins = IDLE_DAYS + random.next();
  const readings = Array.from({ length: (IDLE_DAYS + 5) * readingsPerDay }, (_, n) => {
    const day = n / readingsPerDay;
    const fill = 80 - (day > begins ? lossOfDay(day - begins) : 0) + wave * Math.cos(2 * Math.PI * (day - 0.6));
    return { atMs: START_MS + day * DAY_MS, fillPercentage: showLevel(random, fill, noise) };
  });
  return eventsOf(SETTINGS, readings).some(
    ({ type, atMs }) =>
      (type === 'tank.unusual_use' || type === 'tank.rapid_loss') &&
      atMs > START_MS + begins * DAY_MS &&
      // One interval more than three days: with one reading a day, the fourth one counts too.
      atMs <= START_MS + (begins + 3 + 1 / readingsPerDay) * DAY_MS,
  );
}

function unusualChecks(tanks: number): Check[] {
  const foundShare = (name: string, readingsPerDay: number, lossOfDay: (random: Random) => (day: number) => number) =>
    Array.from({ length: tanks }, (_, number) => {
      const random = Random.named(SEED, `${name} ${readingsPerDay} ${number}`);
      return isUnusualFound(random, readingsPerDay, lossOfDay(random));
    }).filter(Boolean).length / tanks;
  return [24, 4, 1].flatMap((readingsPerDay) => [
    atLeast(
      `idle tank, leak of 1 to 4 points a day, ${readingsPerDay} a day: found within three days`,
      foundShare('leak', readingsPerDay, (random) => {
        const perDay = random.between(1, 4);
        return (day) => perDay * day;
      }),
      0.8,
    ),
    figure(
      `idle tank, theft of a tenth, ${readingsPerDay} a day: found within three days`,
      foundShare('theft', readingsPerDay, () => () => 10),
    ),
  ]);
}

export function specialTankChecks(tanks: number): Check[] {
  return [
    atMost(
      'gauges that report once a week: false silences a year',
      countFalseSilences('weekly', tanks, (random) => () => 7 + random.between(-0.5, 0.5)),
      2,
    ),
    atMost(
      'gauges that report twice a week: false silences a year',
      countFalseSilences('twice weekly', tanks, (random) => () => random.pick([3, 4]) + random.between(-0.5, 0.5)),
      2,
    ),
    atMost(
      'gauges that report on change: false silences a year',
      countFalseSilences('on change', tanks, (random) => () => random.betweenLog(0.02, 5)),
      3,
    ),
    ...mobileChecks(Math.ceil(tanks / 4)),
    ...unusualChecks(tanks),
  ];
}

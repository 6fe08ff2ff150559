import { evaluate } from '../src/evaluation/pure/alerts/evaluate.ts';
import type { TankEvent } from '../src/evaluation/pure/alerts/tank_event.ts';
import { type AlertSettings, INITIAL_STATE, type TankState } from '../src/evaluation/pure/alerts/tank_state.ts';
import { Random } from '../src/simulation/random.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import { atLeast, atMost, type Check, figure } from './report.ts';

/** Tanks that no fleet has: gauges that report seldom or on change, tanks on vehicles, thefts and slow leaks of idle tanks. */
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

const shown = (random: Random, fill: number, noise: number): number =>
  Math.round(10 * Math.min(100, Math.max(0, fill + noise * random.normal()))) / 10;

/** A year of a device whose gaps between readings are drawn by `gapDays`. The first day has five readings, as at its installation. */
function yearOf(random: Random, gapDays: () => number): Reading[] {
  const readings: Reading[] = [];
  const perDay = random.betweenLog(0.3, 2);
  let fill = 80;
  const show = (atMs: number, passedDays: number): void => {
    fill -= perDay * passedDays;
    if (fill < 22) fill = random.between(70, 90);
    readings.push({ atMs, fillPercentage: shown(random, fill, 0.3) });
  };
  for (let n = 0; n < 5; n++) show(START_MS + n * HOUR_MS, 0);
  for (let day = 1; day < 365; ) {
    const gap = gapDays();
    day += gap;
    show(START_MS + day * DAY_MS, gap);
  }
  return readings;
}

/** False silences in a year: none of these devices ever fails. */
function falseSilences(name: string, tanks: number, gapOf: (random: Random) => () => number): number {
  let silences = 0;
  for (let number = 0; number < tanks; number++) {
    const random = Random.named(SEED, `${name} ${number}`);
    silences += countOf(eventsOf(SETTINGS, yearOf(random, gapOf(random))), 'tank.device_silent');
  }
  return silences / tanks;
}

/** Two months of a tank on a vehicle: while it drives, its content moves by 4 points. */
function mobileTank(random: Random, readingsPerDay: number): { readings: Reading[]; refills: number } {
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
    readings.push({ atMs, fillPercentage: shown(random, Math.max(2, fill), isDriving ? 4 : 0.3) });
  }
  return { readings, refills };
}

/** Reported refills as a share of the true ones, and losses, both of tanks on vehicles. */
function mobileChecks(tanks: number): Check[] {
  const settings = { ...SETTINGS, isMobile: true };
  return [24, 288].flatMap((readingsPerDay) => {
    let [refills, reported, others] = [0, 0, 0];
    for (let number = 0; number < tanks; number++) {
      const tank = mobileTank(Random.named(SEED, `mobile ${readingsPerDay} ${number}`), readingsPerDay);
      const events = eventsOf(settings, tank.readings);
      refills += tank.refills;
      reported += countOf(events, 'tank.refilled');
      others += countOf(events, 'tank.rapid_loss') + countOf(events, 'tank.gauge_unreliable');
    }
    const of = `tanks on vehicles, ${readingsPerDay} a day`;
    return [
      atLeast(`${of}: reported refills of the true ones`, reported / refills, 0.95),
      atMost(`${of}: reported refills of the true ones`, reported / refills, 1.05),
      atMost(`${of}: losses and unreliable gauges`, others, 0),
    ];
  });
}

const IDLE_DAYS = 60;

/** Whether unusual use is found within three days, after two idle months. */
function isUnusualFound(random: Random, readingsPerDay: number, lossOfDay: (day: number) => number): boolean {
  const isPropane = random.chance(0.2);
  const noise = isPropane ? random.between(0.3, 1) : random.betweenLog(0.05, 0.3);
  const wave = isPropane ? random.between(0.3, 2.5) : random.between(0.04, 0.1);
  const begins = IDLE_DAYS + random.next();
  const readings = Array.from({ length: (IDLE_DAYS + 5) * readingsPerDay }, (_, n) => {
    const day = n / readingsPerDay;
    const fill = 80 - (day > begins ? lossOfDay(day - begins) : 0) + wave * Math.cos(2 * Math.PI * (day - 0.6));
    return { atMs: START_MS + day * DAY_MS, fillPercentage: shown(random, fill, noise) };
  });
  return eventsOf(SETTINGS, readings).some(
    ({ type, atMs }) =>
      (type === 'tank.unusual_use' || type === 'tank.rapid_loss') &&
      atMs > START_MS + begins * DAY_MS &&
      // Three days of readings: with one a day, the third one comes up to a day later.
      atMs <= START_MS + (begins + 3 + 1 / readingsPerDay) * DAY_MS,
  );
}

function unusualChecks(tanks: number): Check[] {
  const found = (name: string, readingsPerDay: number, lossOfDay: (random: Random) => (day: number) => number) =>
    Array.from({ length: tanks }, (_, number) => {
      const random = Random.named(SEED, `${name} ${readingsPerDay} ${number}`);
      return isUnusualFound(random, readingsPerDay, lossOfDay(random));
    }).filter(Boolean).length / tanks;
  return [24, 4, 1].flatMap((readingsPerDay) => [
    atLeast(
      `idle tank, leak of 1 to 4 points a day, ${readingsPerDay} a day: found within three days`,
      found('leak', readingsPerDay, (random) => {
        const perDay = random.between(1, 4);
        return (day) => perDay * day;
      }),
      0.8,
    ),
    figure(
      `idle tank, theft of a tenth, ${readingsPerDay} a day: found within three days`,
      found('theft', readingsPerDay, () => () => 10),
    ),
  ]);
}

/** The checks of these tanks. */
export function specialTankChecks(tanks: number): Check[] {
  return [
    atMost(
      'gauges that report once a week: false silences a year',
      falseSilences('weekly', tanks, (random) => () => 7 + random.between(-0.5, 0.5)),
      2,
    ),
    atMost(
      'gauges that report twice a week: false silences a year',
      falseSilences('twice weekly', tanks, (random) => () => random.pick([3, 4]) + random.between(-0.5, 0.5)),
      2,
    ),
    atMost(
      'gauges that report on change: false silences a year',
      falseSilences('on change', tanks, (random) => () => random.betweenLog(0.02, 5)),
      3,
    ),
    ...mobileChecks(Math.ceil(tanks / 4)),
    ...unusualChecks(tanks),
  ];
}

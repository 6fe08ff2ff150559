import { insideShare, medianError, upperMedian } from './back_test.ts';
import {
  DAYS_AHEAD,
  type DaysAhead,
  type EventVerdict,
  SCORED_TYPES,
  type ScoredEvent,
  type ScoredForecast,
  type ScoredType,
  type TankScore,
} from './score_tank.ts';

export const GROUPED_BY = ['all', 'use', 'place', 'cadence'] as const;
export type GroupedBy = (typeof GROUPED_BY)[number];

export interface ForecastScore {
  days_ahead: DaysAhead;
  asked: number;
  /** The median error of the likely days, as a share of the true days. Null if no forecast was tested. */
  median_error: number | null;
  /** The share of the forecasts whose true days lie between earliest and latest. 80 % is the target. */
  inside: number | null;
  /** The share of the forecasts whose true days are not before earliest. */
  in_time: number | null;
}

export interface EventScore extends Record<EventVerdict, number> {
  type: ScoredType;
  raised: number;
  median_delay_hours: number | null;
}

/** The scores of a group of tanks, with the field names of the interface. */
export interface GroupScore {
  by: GroupedBy;
  /** Null for all tanks, and for tanks without a use case or a place. */
  name: string | null;
  tanks: number;
  forecasts: ForecastScore[];
  events: EventScore[];
}

export interface TankGroups {
  use: string | null;
  place: string | null;
}

/** At most this many groups of each kind are listed, the largest first. */
const MAX_GROUPS_PER_KIND = 50;

/** Sums the scores of tanks: of all tanks, and by use case, place and cadence. */
export class FleetScore {
  readonly #groups = new Map<string, Group>();

  add({ use, place }: TankGroups, score: TankScore): void {
    this.#group('all', null).add(score);
    this.#group('use', use).add(score);
    this.#group('place', place).add(score);
    this.#group('cadence', cadenceName(score.readingsPerDay)).add(score);
  }

  /** All tanks first, then each kind of group, the largest first. */
  groups(): GroupScore[] {
    const groups = [...this.#groups.values()];
    return GROUPED_BY.flatMap((by) =>
      groups
        .filter((group) => group.by === by)
        .toSorted((a, b) => b.tanks - a.tanks)
        .slice(0, MAX_GROUPS_PER_KIND)
        .map((group) => group.score()),
    );
  }

  #group(by: GroupedBy, name: string | null): Group {
    const key = JSON.stringify([by, name]);
    const group = this.#groups.get(key) ?? new Group(by, name);
    this.#groups.set(key, group);
    return group;
  }
}

class Group {
  readonly by: GroupedBy;
  readonly #name: string | null;
  readonly #events: ScoredEvent[] = [];
  readonly #forecasts: ScoredForecast[] = [];
  tanks = 0;

  constructor(by: GroupedBy, name: string | null) {
    this.by = by;
    this.#name = name;
  }

  add({ events, forecasts }: TankScore): void {
    this.tanks++;
    for (const event of events) this.#events.push(event);
    for (const forecast of forecasts) this.#forecasts.push(forecast);
  }

  score(): GroupScore {
    return {
      by: this.by,
      name: this.#name,
      tanks: this.tanks,
      forecasts: DAYS_AHEAD.map((daysAhead) => {
        const tests = this.#forecasts.filter((test) => test.daysAhead === daysAhead);
        return {
          days_ahead: daysAhead,
          asked: tests.length,
          median_error: rounded(medianError(tests)),
          inside: rounded(insideShare(tests)),
          in_time: rounded(tests.filter(({ isInTime }) => isInTime).length / tests.length),
        };
      }),
      events: SCORED_TYPES.map((type) => {
        const events = this.#events.filter((event) => event.type === type);
        const count = (verdict: EventVerdict): number => events.filter((event) => event.verdict === verdict).length;
        return {
          type,
          raised: events.length,
          right: count('right'),
          wrong: count('wrong'),
          retracted: count('retracted'),
          unknown: count('unknown'),
          median_delay_hours: rounded(upperMedian(events.map(({ delayHours }) => delayHours))),
        };
      }),
    };
  }
}

const rounded = (value: number): number | null => (Number.isNaN(value) ? null : Math.round(value * 1_000) / 1_000);

/** The usual number of readings a day: "24+", "8", "4", "2", "1" or "<1". */
function cadenceName(readingsPerDay: number): string {
  if (readingsPerDay >= 16) return '24+';
  return [8, 4, 2, 1].find((usual) => readingsPerDay >= usual * 0.7)?.toString() ?? '<1';
}

import { DAY_MS } from '../values/time.ts';
import type { EventType } from './pure/alerts/event_types.ts';
import { isStillCurrent, type Reevaluation } from './pure/alerts/reevaluate.ts';
import type { TankEvent } from './pure/alerts/tank_event.ts';
import type { TankState } from './pure/alerts/tank_state.ts';

export type EventDifferences = Pick<Reevaluation, 'added' | 'changed' | 'retracted'> & {
  /** Added events that nobody is notified of, because the release before has notified of the same. */
  known: ReadonlySet<TankEvent>;
};

/** Types that begin and end the same condition. The other types, refills and losses, have no end. */
const CONDITIONS: readonly ReadonlySet<EventType>[] = [
  new Set(['tank.low_fill', 'tank.fill_recovered']),
  new Set(['tank.device_silent', 'tank.device_reporting']),
  new Set(['tank.gauge_unreliable', 'tank.gauge_reliable']),
];

/**
 * The differences between the events of a changed estimator and those that the release before has recorded. Both may
 * find the same low fill or refill at different times. Nobody is notified of it twice, and the recorded event stays,
 * because its notification may be under way. An event before the first stored reading stays as well.
 */
export function differencesAfterUpgrade(
  { added, changed, retracted, state }: Pick<Reevaluation, 'added' | 'changed' | 'retracted' | 'state'>,
  recorded: readonly TankEvent[],
  { firstReadingMs, nowMs }: { firstReadingMs: number; nowMs: number },
): EventDifferences {
  const known = new Set<TankEvent>();
  const kept = new Set<TankEvent>();
  for (const event of currentEvents(added, state, nowMs)) {
    const same = sameBefore(event, recorded, retracted);
    if (same === undefined) continue;
    known.add(event);
    kept.add(same);
  }
  const isWrong = (event: TankEvent): boolean => event.atMs >= firstReadingMs && !kept.has(event);
  return { added, changed, retracted: retracted.filter(isWrong), known };
}

const currentEvents = (events: readonly TankEvent[], state: TankState, nowMs: number): TankEvent[] =>
  events.filter((event) => isStillCurrent(event, state, nowMs));

/** The recorded event that means the same: the open condition, or the refill or loss of about the same time. */
function sameBefore(
  { type, atMs }: TankEvent,
  recorded: readonly TankEvent[],
  retracted: readonly TankEvent[],
): TankEvent | undefined {
  const condition = CONDITIONS.find((types) => types.has(type));
  if (condition === undefined)
    return retracted.findLast((event) => event.type === type && Math.abs(event.atMs - atMs) <= DAY_MS);
  const latest = recorded.findLast((event) => condition.has(event.type));
  return latest?.type === type ? latest : undefined;
}

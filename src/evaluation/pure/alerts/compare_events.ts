import { isDeepStrictEqual } from 'node:util';
import { DAY_MS } from '../../../values/time.ts';
import type { EventType } from './event_types.ts';
import type { TankEvent } from './tank_event.ts';
import { latestReading, type TankState } from './tank_state.ts';

/** How the events of a re-evaluation differ from the recorded ones. */
export interface EventDifferences {
  /** Events that are not recorded yet. */
  added: readonly TankEvent[];
  /** Events that are recorded with other data or readings. */
  changed: readonly TankEvent[];
  /** Recorded events that did not happen. */
  retracted: readonly TankEvent[];
  /** Added events without a notification, because the previous release has notified of the same condition. */
  known: ReadonlySet<TankEvent>;
}

export function compareEvents(found: readonly TankEvent[], recorded: readonly TankEvent[]): EventDifferences {
  const recordedBy = new Map(recorded.map((event) => [identity(event), event]));
  const happened = new Set(found.map(identity));
  return {
    added: found.filter((event) => !recordedBy.has(identity(event))),
    changed: found.filter((event) => {
      const before = recordedBy.get(identity(event));
      return before !== undefined && !isDeepStrictEqual(before, event);
    }),
    retracted: recorded.filter((event) => !happened.has(identity(event))),
    known: new Set(),
  };
}

const identity = ({ type, atMs }: TankEvent): string => `${type} ${atMs}`;

/** An event that is older than this when it is found is recorded without a notification, so that imported history sends no mails. */
const NOTIFIED_WITHIN_MS = DAY_MS;

/** Whether to notify of an event that was just found. False if its condition has ended, or if the event is old. */
export function isStillCurrent(event: TankEvent, state: TankState, nowMs: number): boolean {
  if (nowMs - event.atMs > NOTIFIED_WITHIN_MS) return false;
  const { type, atMs } = event;
  if (type === 'tank.low_fill') return state.isLow && state.lowAtMs === atMs;
  if (type === 'tank.fill_recovered') return !state.isLow && state.recoveredAtMs === atMs;
  if (type === 'tank.order_due') return state.orderDueAtMs === atMs;
  if (type === 'tank.overfilled' && event.data.without_delivery === true) return state.overfilledAtMs === atMs;
  if (type === 'tank.device_silent') {
    return state.isSilent && latestReading(state)?.atMs === Date.parse(event.data.last_reading_at);
  }
  if (type === 'tank.device_reporting') return !state.isSilent;
  if (type === 'tank.gauge_unreliable') return state.gauge.fault !== null && state.gauge.changedAtMs === atMs;
  if (type === 'tank.gauge_reliable') return state.gauge.fault === null && state.gauge.changedAtMs === atMs;
  // A delivery or a loss does not end.
  return true;
}

/** Types that begin and end the same condition. For the other types, no event reports an end. */
const CONDITIONS: readonly ReadonlySet<EventType>[] = [
  new Set(['tank.low_fill', 'tank.fill_recovered']),
  new Set(['tank.device_silent', 'tank.device_reporting']),
  new Set(['tank.gauge_unreliable', 'tank.gauge_reliable']),
];

/**
 * Corrects the differences between the events of a changed estimator and those that the previous release has recorded.
 * Both may find the same low fill or refill at different times. No recipient is notified of it twice, and the recorded
 * event stays, because its notification may be under way. An event before the first stored reading stays as well.
 */
export function differencesAfterUpgrade(
  { added, changed, retracted }: Omit<EventDifferences, 'known'>,
  recorded: readonly TankEvent[],
  { state, firstReadingMs, nowMs }: { state: TankState; firstReadingMs: number; nowMs: number },
): EventDifferences {
  const known = new Set<TankEvent>();
  const kept = new Set<TankEvent>();
  for (const event of added.filter((found) => isStillCurrent(found, state, nowMs))) {
    const same = findSameRecorded(event, recorded, retracted);
    if (same === undefined) continue;
    known.add(event);
    kept.add(same);
  }
  const isWrong = (event: TankEvent): boolean => event.atMs >= firstReadingMs && !kept.has(event);
  return { added, changed, retracted: retracted.filter(isWrong), known };
}

/** The recorded event that means the same: the open condition, or the refill or loss of about the same time. */
function findSameRecorded(
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

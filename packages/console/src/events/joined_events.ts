interface Happening {
  id: string;
  type: string;
  occurred_at: string;
  retracted_at: string | null;
}

/** An event, and whether another one of the same moment says the same. */
export type Joined<Event> = Event & { isRecovery: boolean };

/**
 * A delivery refills a tank and ends that it is low, both with the same reading: one line. Only the refill is kept, which
 * says more.
 */
export function joinEvents<Event extends Happening>(
  events: readonly Event[],
  tankOf: (event: Event) => string = () => '',
): Joined<Event>[] {
  const momentOf = (event: Event): string => `${tankOf(event)} ${event.occurred_at} ${event.retracted_at === null}`;
  const of = (type: string): Set<string> => new Set(events.filter((event) => event.type === type).map(momentOf));
  const [refills, recoveries] = [of('tank.refilled'), of('tank.fill_recovered')];
  return events
    .filter((event) => event.type !== 'tank.fill_recovered' || !refills.has(momentOf(event)))
    .map((event) => ({ ...event, isRecovery: event.type === 'tank.refilled' && recoveries.has(momentOf(event)) }));
}

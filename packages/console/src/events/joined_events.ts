interface TankEvent {
  id: string;
  type: string;
  occurred_at: string;
  retracted_at: string | null;
}

/** An event. `isRecovery` is true for a refill that also ended a low level. */
type Joined<Event> = Event & { isRecovery: boolean };

/**
 * One reading can record a refill and the end of a low level. Only the refill is kept, because it has more information.
 */
export function joinEvents<Event extends TankEvent>(
  events: readonly Event[],
  tankOf: (event: Event) => string = () => '',
): Joined<Event>[] {
  const momentOf = (event: Event): string => `${tankOf(event)} ${event.occurred_at} ${event.retracted_at === null}`;
  const momentsOf = (type: string): Set<string> => new Set(events.filter((event) => event.type === type).map(momentOf));
  const [refills, recoveries] = [momentsOf('tank.refilled'), momentsOf('tank.fill_recovered')];
  return events
    .filter((event) => event.type !== 'tank.fill_recovered' || !refills.has(momentOf(event)))
    .map((event) => ({ ...event, isRecovery: event.type === 'tank.refilled' && recoveries.has(momentOf(event)) }));
}

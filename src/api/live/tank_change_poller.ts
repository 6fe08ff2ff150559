import { setImmediate } from 'node:timers/promises';
import type { Readers, Statement } from '../../db/readers.ts';
import type { Outage } from '../../health/outage.ts';
import { type UrgentEvent, UrgentEvents } from './urgent_events.ts';

export const POLL_MS = 1_000;
/**
 * The number of observers that are notified in one iteration of the event loop. 1,000 streams that send a heartbeat in
 * the same iteration take 50 ms of CPU time.
 */
const OBSERVERS_PER_ITERATION = 50;

/** The version of each watched tank: the transactions that last changed its state and its row in the fleet. */
const VERSIONS: Statement = {
  name: 'versions_of_tanks',
  text: `select f.tank_no, f.xmin::text || ' ' || coalesce(s.xmin::text, '') as version
    from fleet_tanks f left join tank_states s on s.tank_no = f.tank_no
    where f.tank_no = any ($1::int[])`,
};

export interface TankObserver {
  tankNos: readonly number[];
  /** The organization or customer whose urgent events are observed. */
  organizationNo: number;
  customerNo: number | null;
  onChange(tankNos: readonly number[]): void;
  onUrgent(event: UrgentEvent): void;
  /** Called with every poll, even if nothing changed or the database did not answer. */
  onPoll(poll: { hasRead: boolean }): void;
}

/** The version of each tank, by source and tank. */
type Versions = ReadonlyMap<string, ReadonlyMap<number, string>>;

/**
 * Notifies observers of changed tanks and of new urgent events within about a second. One poll serves all observers of
 * a process and reads only observed tanks. LISTEN is not used, because it is not possible on a standby. With several
 * servers it polls each of them, because an observer must not read a changed tank from a server that lacks the change.
 */
export class TankChangePoller {
  readonly #sources: () => ReadonlyMap<string, Readers>;
  readonly #outage: Outage;
  /** The observers, each with the versions of its tanks at the last poll. */
  readonly #observers = new Map<TankObserver, Versions>();
  readonly #urgent = new UrgentEvents();
  #timer: NodeJS.Timeout | undefined;
  #isPolling = false;

  /** `sources` returns the servers that reads use now, by name. */
  constructor(sources: () => ReadonlyMap<string, Readers>, outage: Outage) {
    this.#sources = sources;
    this.#outage = outage;
  }

  /** Reports every change after the returned promise resolves. Its result is the function that ends the observation. */
  async observe(observer: TankObserver): Promise<() => void> {
    this.#observers.set(observer, await this.#readVersions(observer.tankNos));
    this.#timer ??= setInterval(() => void this.#poll(), POLL_MS).unref();
    return () => {
      this.#observers.delete(observer);
      if (this.#observers.size === 0) this.close();
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#urgent.clear();
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    let hasRead = false;
    try {
      // An observer that is added during this read is not in the copy, because it has read newer versions.
      const observers = [...this.#observers];
      const current = await this.#readVersions([...new Set(observers.flatMap(([{ tankNos }]) => tankNos))]);
      for (const [observer, previous] of observers) {
        if (!this.#observers.has(observer)) continue;
        this.#observers.set(observer, current);
        const changed = observer.tankNos.filter((tankNo) => isChanged(tankNo, previous, current));
        if (changed.length > 0) observer.onChange(changed);
      }
      await this.#notifyUrgent();
      hasRead = true;
      this.#outage.worked();
    } catch (error) {
      this.#outage.failed(error);
    } finally {
      await this.#notifyPoll(hasRead);
      this.#isPolling = false;
    }
  }

  async #notifyPoll(hasRead: boolean): Promise<void> {
    let notified = 0;
    for (const observer of this.#observers.keys()) {
      observer.onPoll({ hasRead });
      notified += 1;
      if (notified % OBSERVERS_PER_ITERATION === 0) await setImmediate();
    }
  }

  /** Polls only observed organizations, each once for all its observers. */
  async #notifyUrgent(): Promise<void> {
    const organizationNos = [...new Set([...this.#observers.keys()].map(({ organizationNo }) => organizationNo))];
    const found = await Promise.all(
      [...this.#sources()].map(([name, readers]) => this.#urgent.findNew(name, readers, organizationNos)),
    );
    for (const { organizationNo, customerNo, event } of found.flat()) {
      for (const observer of this.#observers.keys()) {
        const isOwn = observer.customerNo === null || observer.customerNo === customerNo;
        if (observer.organizationNo === organizationNo && isOwn) observer.onUrgent(event);
      }
    }
  }

  async #readVersions(tankNos: readonly number[]): Promise<Versions> {
    const read = [...this.#sources()].map(async ([name, readers]) => {
      const rows = await readers.query<{ tank_no: number; version: string }>(VERSIONS, [tankNos]);
      return [name, new Map(rows.map((row) => [row.tank_no, row.version]))] as const;
    });
    return new Map(await Promise.all(read));
  }
}

/** Whether a tank changed in one of the sources that were read before. A deleted tank has no version. */
const isChanged = (tankNo: number, previous: Versions, current: Versions): boolean =>
  [...current].some(([name, versions]) => {
    const previousVersion = previous.get(name)?.get(tankNo);
    return previousVersion !== undefined && versions.get(tankNo) !== previousVersion;
  });

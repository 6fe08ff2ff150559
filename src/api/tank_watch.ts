import type { Readers, Statement } from '../db/readers.ts';
import type { Outage } from '../health/outage.ts';
import { type UrgentEvent, UrgentEvents } from './urgent_events.ts';

export const POLL_MS = 1_000;

/** The version of each watched tank: the transactions that last changed its state and its row in the fleet. */
const VERSIONS: Statement = {
  name: 'versions_of_tanks',
  text: `select f.tank_no, f.xmin::text || ' ' || coalesce(s.xmin::text, '') as version
    from fleet_tanks f left join tank_states s on s.tank_no = f.tank_no
    where f.tank_no = any ($1::int[])`,
};

export interface TankObserver {
  tankNos: readonly number[];
  /** Its urgent events: those of the organization, or of one customer of it. */
  organizationNo: number;
  customerNo: number | null;
  onChange(tankNos: readonly number[]): void;
  onUrgent(event: UrgentEvent): void;
  /** Called with every poll, also if nothing changed or the database did not answer. */
  onPoll(poll: { hasRead: boolean }): void;
}

/**
 * Tells observers which of their tanks changed, and of new urgent events, within about a second. One poll serves all observers of a process and
 * looks only at tanks that somebody watches. LISTEN is not possible on a standby. With several servers it looks at each: an
 * observer reads a changed tank again, and must not read it from a server that does not have the change yet.
 */
export class TankWatch {
  readonly #sources: () => ReadonlyMap<string, Readers>;
  readonly #outage: Outage;
  readonly #observers = new Set<TankObserver>();
  /** By source and tank. */
  #versions = new Map<string, Map<number, string>>();
  readonly #urgent = new UrgentEvents();
  #timer: NodeJS.Timeout | undefined;
  #isPolling = false;

  /** `sources` returns the servers that reads use now, by name. */
  constructor(sources: () => ReadonlyMap<string, Readers>, outage: Outage) {
    this.#sources = sources;
    this.#outage = outage;
  }

  /** Returns the function that ends the observation. */
  observe(observer: TankObserver): () => void {
    this.#observers.add(observer);
    this.#timer ??= setInterval(() => void this.#poll(), POLL_MS).unref();
    return () => {
      this.#observers.delete(observer);
      if (this.#observers.size === 0) this.close();
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#versions = new Map();
    this.#urgent.clear();
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    let hasRead = false;
    try {
      const watched = [...new Set([...this.#observers].flatMap(({ tankNos }) => tankNos))];
      const before = this.#versions;
      this.#versions = new Map(
        await Promise.all(
          [...this.#sources()].map(async ([name, readers]) => [name, await readVersions(readers, watched)] as const),
        ),
      );
      const changed = new Set(
        [...this.#versions].flatMap(([name, versions]) => changedTanks(before.get(name), versions)),
      );
      for (const observer of this.#observers) {
        const own = observer.tankNos.filter((tankNo) => changed.has(tankNo));
        if (own.length > 0) observer.onChange(own);
      }
      await this.#tellUrgent();
      hasRead = true;
      this.#outage.worked();
    } catch (error) {
      this.#outage.failed(error);
    } finally {
      this.#isPolling = false;
      for (const observer of this.#observers) observer.onPoll({ hasRead });
    }
  }

  /** Only organizations that somebody watches are looked at, each once, however many streams it has. */
  async #tellUrgent(): Promise<void> {
    const organizationNos = [...new Set([...this.#observers].map(({ organizationNo }) => organizationNo))];
    const found = await Promise.all(
      [...this.#sources()].map(([name, readers]) => this.#urgent.findNew(name, readers, organizationNos)),
    );
    for (const { organizationNo, customerNo, event } of found.flat()) {
      for (const observer of this.#observers) {
        const isOwn = observer.customerNo === null || observer.customerNo === customerNo;
        if (observer.organizationNo === organizationNo && isOwn) observer.onUrgent(event);
      }
    }
  }
}

async function readVersions(readers: Readers, tankNos: readonly number[]): Promise<Map<number, string>> {
  const rows = await readers.query<{ tank_no: number; version: string }>(VERSIONS, [tankNos]);
  return new Map(rows.map((row) => [row.tank_no, row.version]));
}

/** A tank that was not watched before has not changed as far as anybody knows. A deleted tank has no version. */
function changedTanks(before: ReadonlyMap<number, string> | undefined, now: ReadonlyMap<number, string>): number[] {
  return [...(before ?? [])].filter(([tankNo, version]) => now.get(tankNo) !== version).map(([tankNo]) => tankNo);
}

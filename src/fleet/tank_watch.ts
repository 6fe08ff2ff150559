import type { Readers, Statement } from '../db/readers.ts';
import type { Outage } from '../health/outage.ts';

const POLL_MS = 1_000;

/** The version of each watched tank: the transactions that last changed its state and its row in the fleet. */
const VERSIONS: Statement = {
  name: 'versions_of_tanks',
  text: `select f.tank_no, f.xmin::text || ' ' || coalesce(s.xmin::text, '') as version
    from fleet_tanks f left join tank_states s on s.tank_no = f.tank_no
    where f.tank_no = any ($1::int[])`,
};

export interface TankObserver {
  tankNos: readonly number[];
  onChange(tankNos: readonly number[]): void;
  /** Called with every poll, also if nothing changed. */
  onPoll(): void;
}

/**
 * Tells observers which of their tanks changed, within about a second. One poll serves all observers of a process and
 * looks only at tanks that somebody watches. LISTEN is not possible on a standby.
 */
export class TankWatch {
  readonly #readers: Readers;
  readonly #outage: Outage;
  readonly #observers = new Set<TankObserver>();
  #versions = new Map<number, string>();
  #timer: NodeJS.Timeout | undefined;
  #isPolling = false;

  constructor(readers: Readers, outage: Outage) {
    this.#readers = readers;
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
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      const watched = new Set([...this.#observers].flatMap(({ tankNos }) => tankNos));
      const rows = await this.#readers.query<{ tank_no: number; version: string }>(VERSIONS, [[...watched]]);
      const before = this.#versions;
      this.#versions = new Map(rows.map((row) => [row.tank_no, row.version]));
      // A tank that was not watched before has not changed as far as anybody knows. A deleted tank has no version.
      const hasChanged = (tankNo: number): boolean =>
        before.has(tankNo) && before.get(tankNo) !== this.#versions.get(tankNo);
      for (const observer of this.#observers) {
        const changed = observer.tankNos.filter(hasChanged);
        if (changed.length > 0) observer.onChange(changed);
      }
      this.#outage.worked();
    } catch (error) {
      this.#outage.failed(error);
    } finally {
      this.#isPolling = false;
      for (const observer of this.#observers) observer.onPoll();
    }
  }
}

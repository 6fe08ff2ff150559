import { changedSince, PollingLoop, type PollPosition, withPollPosition } from '../db/polling_loop.ts';
import type { Readers, Statement } from '../db/readers.ts';
import type { Outage } from '../health/outage.ts';
import { applyGaugeRow, GAUGE_ROWS, type GaugeRow } from './gauge_rows.ts';
import { OrganizationGauges } from './selection.ts';

type SeenRow = PollPosition & (GaugeRow | { kind: null });

const ALL_GAUGES: Statement = {
  name: 'all_gauges',
  text: withPollPosition(`select g.* from (${GAUGE_ROWS}) as g where not g.is_deleted`),
};
/** The rows that changed since the last poll. */
const CHANGED_GAUGES: Statement = {
  name: 'changed_gauges',
  text: withPollPosition(`select g.* from (${GAUGE_ROWS}) as g where ${changedSince('g.changed_xid')}`),
};
const NONE = new OrganizationGauges();

/**
 * The profiles and profile assignments of all organizations, in memory. They are read once, then polled for changes.
 * While the database is unavailable, messages are decoded with the last known state.
 */
export class GaugeProfileCache {
  readonly #readers: Readers;
  readonly #loop: PollingLoop;
  #organizations = new Map<number, OrganizationGauges>();
  /** Undefined before the first poll. */
  #seen: PollPosition | undefined;

  constructor(readers: Readers, outage: Outage) {
    this.#readers = readers;
    this.#loop = new PollingLoop(() => this.#poll(), outage);
  }

  async start(): Promise<void> {
    await this.#loop.start();
  }

  close(): void {
    this.#loop.close();
  }

  /** False until the first poll has succeeded, because a message could be decoded without its profile. */
  get isReady(): boolean {
    return this.#seen !== undefined;
  }

  of(organizationNo: number): OrganizationGauges {
    return this.#organizations.get(organizationNo) ?? NONE;
  }

  async #poll(): Promise<void> {
    const seen = this.#seen;
    const changed = seen && (await this.#readers.query<SeenRow>(CHANGED_GAUGES, [seen.seen_up_to]));
    // After a change of the server, for example to a promoted standby, the last seen transaction id has no meaning.
    const isContinued = changed?.[0] !== undefined && changed[0].server === seen?.server;
    const rows = isContinued ? changed : await this.#readers.query<SeenRow>(ALL_GAUGES, []);
    if (!isContinued) this.#organizations = new Map();
    for (const row of rows) if (row.kind !== null) applyGaugeRow(this.#organizations, row);
    this.#seen = rows[0] ?? seen;
  }
}

import type { Outage } from '../health/outage.ts';

/**
 * The position of a poll: a transaction id, valid for one run of one server. The ids of another server, or of the same server
 * after a restore, do not continue the earlier ids.
 */
export interface PollPosition {
  seen_up_to: string;
  server: string;
}

/** The columns of a poll position. */
export const POLL_POSITION_COLUMNS = `pg_snapshot_xmin(pg_current_snapshot())::text as seen_up_to,
  pg_postmaster_start_time()::text as server`;

/** The statement that reads rows with the poll position. Without rows it returns the position alone. */
export const withPollPosition = (rows: string): string =>
  `select ${POLL_POSITION_COLUMNS}, k.* from (select) as always left join (${rows}) as k on true`;

/**
 * The condition of rows that changed since the position $1. A transaction that is still running has an id at or above the snapshot's
 * xmin, so the next poll starts at this xmin. Rows restored from another server can have higher ids than this server has reached; the
 * upper bound skips them.
 */
export const changedSince = (column: string): string =>
  `${column} >= $1::xid8 and ${column} < pg_snapshot_xmax(pg_current_snapshot())`;

/** Polls the database to keep a copy in memory up to date. */
export class PollingLoop {
  readonly #poll: () => Promise<void>;
  readonly #outage: Outage;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** When a poll last succeeded, in Unix milliseconds. */
  confirmedAtMs = 0;

  constructor(poll: () => Promise<void>, outage: Outage, everyMs = 400) {
    this.#poll = poll;
    this.#outage = outage;
    this.#everyMs = everyMs;
  }

  /** Resolves after the first poll, even if the database did not respond. */
  async start(): Promise<void> {
    try {
      await this.#poll();
      this.confirmedAtMs = Date.now();
      this.#outage.worked();
    } catch (error) {
      if (!this.#isClosed) this.#outage.failed(error);
    }
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.start(), this.#everyMs).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}

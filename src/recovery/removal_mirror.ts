import { open } from 'node:fs/promises';
import { onlyRow } from '../db/only_row.ts';
import { changedSince, POLL_POSITION_COLUMNS, type PollPosition } from '../db/polling_loop.ts';
import type { Db } from '../db/pool.ts';
import type { StatusLogger } from '../health/outage.ts';
import { RepeatedWork } from '../health/repeated_work.ts';
import { readFileLines } from '../values/text_lines.ts';
import { DAY_MS } from '../values/time.ts';
import { readRemovalPages } from './read_removals.ts';
import { encodeRemoval, parseRemoval, REMOVAL_COLUMNS, type Removal } from './removal.ts';

const POLL_MS = 2_000;
/** The file is compared with the table this far back, because a removal can be committed up to a day after its `at`. */
const OVERLAP_MS = DAY_MS;

/**
 * Appends removals to a file outside the database, so that a restore from an older backup can apply them again. It only
 * ever appends: after a restore, the file has removals that the database does not have. A line may appear twice, because
 * applying it twice is harmless.
 */
export class RemovalMirror {
  readonly #db: Db;
  readonly #file: string;
  readonly #logger: StatusLogger;
  #copying: RepeatedWork | undefined;
  /** The position of the next poll; undefined until the file has been compared with the table. */
  #seen: PollPosition | undefined;
  /** The removals that the last poll read. The next poll reads some of them again if a transaction was open. */
  #lastIds: ReadonlySet<string> = new Set();

  constructor(db: Db, file: string, logger: StatusLogger) {
    this.#db = db;
    this.#file = file;
    this.#logger = logger;
  }

  start(): void {
    this.#copying = new RepeatedWork(this.#logger, `writing removals to ${this.#file}`, POLL_MS, async () => {
      await this.#copyNew();
      return POLL_MS;
    });
  }

  async close(): Promise<void> {
    if (this.#copying === undefined) return;
    await this.#copying.close();
    // Copies the removals of the last seconds before the end.
    await this.#copyNew().catch(() => {});
  }

  async #copyNew(): Promise<void> {
    if (this.#seen === undefined) {
      const { rows } = await this.#db.query<PollPosition>(`select ${POLL_POSITION_COLUMNS}`);
      await this.#copyMissing();
      this.#seen = onlyRow(rows);
      return;
    }
    const { rows } = await this.#db.query<PollPosition & { removals: Removal[] }>(
      `select ${POLL_POSITION_COLUMNS}, coalesce((
         select json_agg(r order by at, id) from (
           select ${REMOVAL_COLUMNS} from removals
           where ${changedSince('added_xid')}
         ) as r
       ), '[]') as removals`,
      [this.#seen.seen_up_to],
    );
    const { removals, ...seen } = onlyRow(rows);
    if (seen.server !== this.#seen.server) {
      this.#seen = undefined;
      return this.#copyNew();
    }
    await this.#append(removals.filter(({ id }) => !this.#lastIds.has(id)));
    this.#lastIds = new Set(removals.map(({ id }) => id));
    this.#seen = seen;
  }

  /** Appends the removals that the file lacks, for example from a time when no worker ran. */
  async #copyMissing(): Promise<void> {
    const { newestMs, recentIds } = await this.#readFile();
    for await (const page of readRemovalPages(this.#db, newestMs - OVERLAP_MS)) {
      await this.#append(page.filter(({ id }) => !recentIds.has(id)));
      for (const { id } of page) recentIds.add(id);
    }
    this.#lastIds = recentIds;
  }

  async #readFile(): Promise<{ newestMs: number; recentIds: Set<string> }> {
    const handle = await open(this.#file, 'a+', 0o600);
    try {
      let newestMs = Number.NEGATIVE_INFINITY;
      let recent: { id: string; atMs: number }[] = [];
      for await (const line of readFileLines(handle)) {
        const removal = parseRemoval(line);
        if (removal === undefined) continue; // a line that a crash cut off; its removal is appended again
        const atMs = Date.parse(removal.at);
        newestMs = Math.max(newestMs, atMs);
        recent.push({ id: removal.id, atMs });
        if (recent.length > 200_000) recent = recent.filter((removed) => removed.atMs >= newestMs - OVERLAP_MS);
      }
      return { newestMs, recentIds: new Set(recent.map(({ id }) => id)) };
    } finally {
      await handle.close();
    }
  }

  async #append(removals: readonly Removal[]): Promise<void> {
    if (removals.length === 0) return;
    const handle = await open(this.#file, 'a+', 0o600);
    try {
      const { size } = await handle.stat();
      const last = Buffer.alloc(1);
      if (size > 0) await handle.read(last, 0, 1, size - 1);
      const separator = size === 0 || last.toString() === '\n' ? '' : '\n'; // after a line that a crash cut off
      await handle.appendFile(separator + removals.map(encodeRemoval).join(''));
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

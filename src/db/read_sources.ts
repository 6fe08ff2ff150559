import { hash } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { Outage, type StatusLogger } from '../health/outage.ts';
import { DatabaseUnavailableError, type Readers, type Statement } from './readers.ts';
import { WalHistory } from './wal_history.ts';

/** The connections to one server, the primary or a replica. */
export interface SourceReaders {
  readers: Readers;
  /** The connections for slow reads, so that fast reads do not wait behind them. */
  fleetReaders: Readers;
}

/** The callbacks for metrics. */
export interface SourceReport {
  /** `replica` is its position in the setting, beginning with 1. The lag is undefined if it is unknown. */
  onReplica(replica: number, isUsed: boolean, lagMs: number | undefined): void;
  /** Called when a read was served by this source: `primary`, or the position of the replica. */
  onRead(source: string): void;
  onRetry(): void;
}

export interface ReadSourcesOptions {
  primary: SourceReaders;
  /** The replicas in the order of the setting. */
  replicas: readonly SourceReaders[];
  /** A replica with a larger lag is not used. */
  maxLagMs: number;
  report: SourceReport;
  logger: StatusLogger;
}

/** Reads the position in the write-ahead log that a primary has written or a replica has replayed. */
const WAL_POSITION: Statement = {
  name: 'wal_position',
  text: `select ((case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end)
                - '0/0'::pg_lsn)::float8 as position`,
};
const CHECK_INTERVAL_MS = 500;
/**
 * A server that does not answer in this time is not used even if its connections are open, because it or the network hangs. A read
 * therefore waits at most 2.5 s for a replica that hangs: the check interval and this time.
 */
const CHECK_TIMEOUT_MS = 2_000;

interface Replica extends SourceReaders {
  no: number;
  outage: Outage;
  isUsed: boolean;
  /** The functions that end the reads in progress, so that `read` repeats them on another server. */
  abandon: Set<(error: DatabaseUnavailableError) => void>;
}

/**
 * Spreads reads over replicas. The reads of a key go to the same replica, so that all pages of a list come from one server. A replica
 * that cannot be reached, hangs or has too much lag is not used until a check succeeds. The primary serves reads only if no replica
 * can. If the server of a read cannot be reached or hangs, the read is repeated on the next server.
 */
export class ReadSources {
  readonly #options: ReadSourcesOptions;
  readonly #replicas: readonly Replica[];
  readonly #history = new WalHistory();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ReadSourcesOptions) {
    this.#options = options;
    this.#replicas = options.replicas.map((source, index) => ({
      ...source,
      no: index + 1,
      outage: new Outage(options.logger, `reading from replica ${index + 1}`),
      isUsed: false,
      abandon: new Set(),
    }));
  }

  get hasReplicas(): boolean {
    return this.#replicas.length > 0;
  }

  /** Starts watching the replicas. Resolves after the first check. */
  async start(): Promise<void> {
    if (!this.hasReplicas) return;
    await this.#check();
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.start(), CHECK_INTERVAL_MS).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Runs a read on the replica of this key, and repeats it on another server if that replica becomes unavailable. */
  async read<T>(key: string, work: (source: SourceReaders) => Promise<T>): Promise<T> {
    const { report } = this.#options;
    for (const replica of this.#replicasOf(key)) {
      try {
        const result = await untilAbandoned(replica, work(replica));
        report.onRead(String(replica.no));
        return result;
      } catch (error) {
        if (!isServerGone(error)) throw error;
        replica.isUsed = false; // until the next check
        report.onRetry();
      }
    }
    return this.readPrimary(work);
  }

  /** Runs a read that a replica cannot answer. */
  async readPrimary<T>(work: (source: SourceReaders) => Promise<T>): Promise<T> {
    const { primary, report } = this.#options;
    const result = await work(primary);
    report.onRead('primary');
    return result;
  }

  /** Returns a replica that is used now. */
  replica(): SourceReaders | undefined {
    return this.#replicas.find(({ isUsed }) => isUsed);
  }

  /** The servers that reads use now, by name. */
  inUse(): ReadonlyMap<string, SourceReaders> {
    const used = this.#replicas.filter(({ isUsed }) => isUsed);
    return new Map<string, SourceReaders>(
      used.length > 0 ? used.map((replica) => [String(replica.no), replica]) : [['primary', this.#options.primary]],
    );
  }

  /** The used replicas in the order of rendezvous hashing for a key: when a replica is no longer used, only its own keys move. */
  #replicasOf(key: string): Replica[] {
    const used = this.#replicas.filter(({ isUsed }) => isUsed);
    if (used.length <= 1) return used;
    const weight = ({ no }: Replica): string => hash('sha256', `${no} ${key}`);
    return used
      .map((replica) => ({ replica, weight: weight(replica) }))
      .toSorted((a, b) => (a.weight < b.weight ? 1 : -1))
      .map(({ replica }) => replica);
  }

  /** Checks all servers concurrently, so that a primary that hangs does not delay the check of the replicas. */
  async #check(): Promise<void> {
    const addPosition = async (): Promise<void> => {
      const written = await positionOf(this.#options.primary);
      if (written !== undefined) this.#history.add(written, performance.now());
    };
    await Promise.all([addPosition(), ...this.#replicas.map((replica) => this.#checkReplica(replica))]);
  }

  async #checkReplica(replica: Replica): Promise<void> {
    const { maxLagMs, report } = this.#options;
    const askedAtMs = performance.now();
    const replayed = await positionOf(replica);
    if (this.#isClosed) return;
    // WAL that the primary wrote after the replica was asked does not count as lag.
    const lagMs = replayed === undefined ? undefined : this.#history.lagMs(replayed, askedAtMs);
    replica.isUsed = lagMs !== undefined && lagMs <= maxLagMs;
    report.onReplica(replica.no, replica.isUsed, lagMs);
    if (replica.isUsed) replica.outage.worked();
    else replica.outage.failed(undefined, { reason: lagMs === undefined ? 'no answer' : 'too far behind', lagMs });
    if (lagMs !== undefined) return;
    for (const abandon of replica.abandon)
      abandon(new DatabaseUnavailableError(`replica ${replica.no} does not answer`));
  }
}

/** Waits for the result of the work, and rejects as soon as a check finds that the replica hangs. */
function untilAbandoned<T>({ abandon }: Replica, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    abandon.add(reject);
    work.then(resolve, reject).finally(() => abandon.delete(reject));
  });
}

/** Reads the WAL position of a server; undefined if the server does not respond in time. */
async function positionOf({ readers }: SourceReaders): Promise<number | undefined> {
  const answer = readers.query<{ position: number | null }>(WAL_POSITION, []).then(
    ([row]) => row?.position ?? undefined,
    () => undefined,
  );
  // If this process itself was busy for this time, the response has arrived and is read in this turn of the event loop.
  const timeout = sleep(CHECK_TIMEOUT_MS, undefined, { ref: false }).then(() => nextTurn(undefined));
  return Promise.race([answer, timeout]);
}

/** Returns true if another server can answer the read. A replica also cancels reads that conflict with the replay (40001). */
const isServerGone = (error: unknown): boolean =>
  error instanceof DatabaseUnavailableError || (error instanceof DatabaseError && error.code === '40001');

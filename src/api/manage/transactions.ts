import type { Pool } from 'pg';
import { lockOrganization } from '../../catalog/organizations.ts';
import { closePool, type Db, openPool, rolledBack, type Tx, transaction } from '../../db/pool.ts';
import { type PoolUse, poolUse } from '../../health/shared_metrics.ts';
import { changesTakeLong, tooManyChanges, unauthorized } from '../../http/problem.ts';
import type { Credential } from '../../keys/key_format.ts';
import type { ManageConfig } from '../../settings/api_settings.ts';
import { FairQueue, type Sender } from '../../values/fair_queue.ts';
import { problemOfChange } from './refusals.ts';

const CONNECTIONS = 4;
/** How long a change waits for a lock, for example that of an import, which commits every few thousand rows. */
const LOCK_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = { change: 5_000, bulk: 15_000 };
/**
 * A waiting change keeps its body in memory: up to 16 KB, and up to 256 KB for the stops of a round. A client with a
 * hundred connections does not reach this limit.
 */
const WAITING_PER_MEMBER = 200;
/** The largest number of waiting changes. If it is reached, organizations share it equally. */
const WAITING = 2_000;

/**
 * The queue of a change. Changes of the catalog have a queue of their own. They lock the organization, so several of
 * them would only wait for each other in the database.
 */
export type ChangeQueue = 'catalog' | 'other';

export interface QueuedChange {
  /** Who sends the request. */
  sender: Sender;
  organizationNo: number;
  queue: ChangeQueue;
}

/** The credential of the caller, which begin_management verifies again inside the transaction. */
export interface CallerProof {
  credential: Credential;
  requestId: string;
  /** True for the session of an owner. */
  isOwner: boolean;
}

/** The caller of a change, as begin_management returns it. */
export interface VerifiedCaller {
  organizationNo: number;
  /** The name of the caller, which is part of its idempotency keys. */
  name: string;
  /** The console roles of a person, `key` or `owner`. */
  roles: readonly string[];
  /** The customer, if the caller is an owner. */
  ownerNo: number | null;
}

/** The statements that verify a credential. Their columns are those of a VerifiedCaller. */
const BEGIN = {
  people: `select organization_no as "organizationNo", caller as name, roles, null::int as "ownerNo"
     from begin_management($1, $2, $3)`,
  owners: `select organization_no as "organizationNo", 'customer ' || customer_no as name, array['owner'] as roles,
       customer_no as "ownerNo"
     from begin_owner_change($1, $2, $3)`,
} as const;

/**
 * The transactions of /manage/v1, on a few connections with a login of their own. In each process, an organization has
 * at most one change of its catalog and one other change in progress. Organizations are served in rotation, and so are
 * the keys and sessions of each.
 */
export class ManageTransactions {
  readonly #pool: Pool;
  readonly #queue = new FairQueue({
    maxInProgress: CONNECTIONS,
    reservedPerGroup: 0,
    maxInProgressPerGroup: 1,
    maxInProgressPerMember: 1,
    maxWaitingPerMember: WAITING_PER_MEMBER,
    maxWaiting: WAITING,
  });

  constructor({ databaseUrl }: Pick<ManageConfig, 'databaseUrl'>) {
    this.#pool = openPool({
      url: databaseUrl,
      setting: 'MANAGE_DATABASE_URL',
      applicationName: 'tankwatch manager',
      statementTimeoutMs: STATEMENT_TIMEOUT_MS.bulk,
      idleInTransactionTimeoutMs: 10_000,
      settings: { lock_timeout: String(LOCK_TIMEOUT_MS) },
      maxConnections: CONNECTIONS,
    });
  }

  /** Runs a read on the primary. */
  read<T>(change: QueuedChange, work: (db: Db) => Promise<T>): Promise<T> {
    return this.#inQueue(change, () => work(this.#pool));
  }

  /** Runs each statement as a separate read, which waits in the queue by itself. */
  reads(change: QueuedChange): Db {
    const query = (text: string, values?: unknown[]) => this.read(change, (db) => db.query(text, values));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the domain uses this form of `query` only
    return { query: query as Db['query'] };
  }

  /** Runs a change in one transaction under the name of the caller. */
  write<T>(
    change: QueuedChange,
    { credential, requestId, isOwner }: CallerProof,
    { isDryRun, isBulk = false }: { isDryRun: boolean; isBulk?: boolean },
    work: (tx: Tx, caller: VerifiedCaller) => Promise<T>,
  ): Promise<T> {
    const run = isDryRun ? rolledBack : transaction;
    const timeoutMs = isBulk ? STATEMENT_TIMEOUT_MS.bulk : STATEMENT_TIMEOUT_MS.change;
    return this.#inQueue(change, () =>
      run(this.#pool, async (tx) => {
        // begin_management locks the caller. A change of a contact also locks the organization first, then the contact.
        if (change.queue === 'catalog') await lockOrganization(tx, change.organizationNo);
        const { rows } = await tx.query<VerifiedCaller>(
          `select m.*, set_config('statement_timeout', $4, true) from (${isOwner ? BEGIN.owners : BEGIN.people}) as m`,
          [credential.prefix, credential.secretSha256, requestId, String(timeoutMs)],
        );
        const [verified] = rows;
        // The credential has ended since the request began.
        if (verified === undefined) throw unauthorized('This API key or session has ended.');
        return work(tx, verified);
      }),
    );
  }

  use(): PoolUse {
    return poolUse(this.#pool);
  }

  close(): Promise<void> {
    return closePool(this.#pool);
  }

  async #inQueue<T>({ sender, queue }: QueuedChange, work: () => Promise<T>): Promise<T> {
    const queued = { ...sender, group: `${sender.group} ${queue}` };
    await this.#waitForSlot(queued);
    try {
      return await work();
    } catch (error) {
      throw problemOfChange(error);
    } finally {
      this.#queue.leave(queued);
    }
  }

  #waitForSlot(sender: Sender): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (hasWaitedTooLong: boolean): boolean => {
        if (hasWaitedTooLong) reject(changesTakeLong());
        else resolve();
        return !hasWaitedTooLong;
      };
      if (!this.#queue.enter(sender, begin)) reject(tooManyChanges());
    });
  }
}

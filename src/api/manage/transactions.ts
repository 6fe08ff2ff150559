import { DatabaseError, type Pool } from 'pg';
import { lockOrganization } from '../../catalog/organizations.ts';
import { closePool, type Db, openPool, rolledBack, type Tx, transaction } from '../../db/pool.ts';
import { DatabaseUnavailableError, isServerFailure } from '../../db/shared_connections.ts';
import { type PoolUse, poolUse } from '../../health/shared_metrics.ts';
import {
  changesTakeLong,
  conflict,
  invalidParameters,
  notFound,
  Problem,
  tooManyChanges,
  unauthorized,
  unavailable,
} from '../../http/problem.ts';
import type { Credential } from '../../keys/key_format.ts';
import type { ManageConfig } from '../../settings/role_settings.ts';
import { ChangeRefusedError, InvalidValuesError, NoSuchObjectError } from '../../values/change_refusal.ts';
import { errorCode, UNIQUE_VIOLATION } from '../../values/error_code.ts';
import { FairQueue, type Sender } from '../../values/fair_queue.ts';
import { sentence } from './body_values.ts';
import { problemOf } from './refusals.ts';

const CONNECTIONS = 4;
/** How long a change waits for an import, which commits every few thousand rows. */
const LOCK_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = { change: 5_000, bulk: 15_000 };
/** A waiting change has its body, up to 16 KB. As many as a client with a hundred connections may send at once. */
const WAITING_PER_MEMBER = 200;
/** The largest number of waiting changes. Organizations share it equally. */
const WAITING = 2_000;

/**
 * The queue of a change. Changes of the catalog lock the organization, so several would only wait for each other in the
 * database.
 */
export type ChangeQueue = 'catalog' | 'other';

export interface QueuedChange {
  /** Who sends the request. */
  sender: Sender;
  organizationNo: number;
  queue: ChangeQueue;
}

/** What begin_management verifies again, inside the transaction. */
export interface CallerProof {
  credential: Credential;
  requestId: string;
  /** True for the session of an owner. */
  isOwner: boolean;
}

/** The caller of a change, as begin_management returns it. */
export interface VerifiedCaller {
  organizationNo: number;
  /** Its name for its idempotency keys. */
  name: string;
  /** The console roles of a person, `key` or `owner`. */
  roles: readonly string[];
  /** The customer, if it is an owner. */
  ownerNo: number | null;
}

/** The function that verifies a credential, with the columns of a VerifiedCaller. */
const BEGIN = {
  people: 'select organization_no, caller as name, roles, null::int as owner_no from begin_management($1, $2, $3)',
  owners: `select organization_no, 'customer ' || customer_no as name, array['owner'] as roles, customer_no as owner_no
     from begin_owner_change($1, $2, $3)`,
} as const;

/**
 * The transactions of /manage/v1, on a few connections with a login of their own. Each organization has one change of
 * its catalog in progress, and one other. Organizations are served in rotation, and within each its keys and sessions.
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

  /** Runs each statement as a read of its own, with a turn of its own. */
  reads(change: QueuedChange): Db {
    const query = (text: string, values?: unknown[]) => this.read(change, (db) => db.query(text, values));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the domain uses this form of `query` only
    return { query: query as Db['query'] };
  }

  /** Runs a change in one transaction under the name of the caller. */
  write<T>(
    change: QueuedChange,
    { credential, requestId, isOwner }: CallerProof,
    { isDryRun, isBulk = false, locksFirst = false }: { isDryRun: boolean; isBulk?: boolean; locksFirst?: boolean },
    work: (tx: Tx, caller: VerifiedCaller) => Promise<T>,
  ): Promise<T> {
    const run = isDryRun ? rolledBack : transaction;
    const timeoutMs = isBulk ? STATEMENT_TIMEOUT_MS.bulk : STATEMENT_TIMEOUT_MS.change;
    return this.#inQueue(change, () =>
      run(this.#pool, async (tx) => {
        if (locksFirst) await lockOrganization(tx, change.organizationNo);
        const { rows } = await tx.query<{
          organization_no: number;
          name: string;
          roles: string[];
          owner_no: number | null;
        }>(
          `select m.*, set_config('statement_timeout', $4, true) from (${isOwner ? BEGIN.owners : BEGIN.people}) as m`,
          [credential.prefix, credential.secretSha256, requestId, String(timeoutMs)],
        );
        const [verified] = rows;
        // The credential has ended since the request began.
        if (verified === undefined) throw unauthorized('This API key or session has ended.');
        const { organization_no: organizationNo, name, roles, owner_no: ownerNo } = verified;
        return work(tx, { organizationNo, name, roles, ownerNo });
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

/** The messages for violated constraints. Two writers may use the same key at the same time. */
const CONSTRAINTS: Readonly<Record<string, string>> = {
  customers_external_key: 'Another customer has this external_key.',
  tanks_custom_id: 'Another tank of this owner has this custom_id.',
  one_tank_per_device: 'The device is on another tank.',
  contacts_organization_no_email_key: 'A contact has this address.',
  one_open_stop_per_tank_and_day: 'A tank of this round is on another round of that day.',
};

const IS_CONFLICT_OF_WRITERS = /^40(001|P01)$/;
/** PostgreSQL ended a transaction in which this process, on a busy machine, did nothing for too long. Nothing was changed. */
const IDLE_IN_TRANSACTION = '25P03';

export function problemOfChange(error: unknown): unknown {
  if (error instanceof Problem) return error;
  if (error instanceof ChangeRefusedError) return problemOf(error);
  if (error instanceof NoSuchObjectError) return notFound(error.noun);
  if (error instanceof InvalidValuesError)
    return invalidParameters(
      error.problems.map(({ field, reason, code = 'invalid' }) => ({ param: field, code, detail: sentence(reason) })),
    );
  const code = errorCode(error) ?? '';
  const constraint = error instanceof DatabaseError ? CONSTRAINTS[error.constraint ?? ''] : undefined;
  if (code === UNIQUE_VIOLATION && constraint !== undefined) return conflict(constraint);
  if (IS_CONFLICT_OF_WRITERS.test(code)) return unavailable('Others changed the same data. Try again.', error);
  if (isLost(error))
    // If the connection was lost around the commit, the change may have been made. A retry with the same
    // Idempotency-Key shows it.
    return new DatabaseUnavailableError('the connection of /manage/v1 was lost', { cause: error });
  return error;
}

/** The driver's errors without a response of the server, and those of a server that stops or has no free connection. */
function isLost(error: unknown): boolean {
  if (error instanceof DatabaseError) return isServerFailure(error.code ?? '') || error.code === IDLE_IN_TRANSACTION;
  if (!(error instanceof Error)) return false;
  return (
    /^E[A-Z]+$/.test(errorCode(error) ?? '') ||
    /^(Connection terminated|Client has encountered|Query read timeout|timeout e)/.test(error.message)
  );
}

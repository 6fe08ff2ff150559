import { DatabaseError, type Pool } from 'pg';
import { lockOrganization } from '../../catalog/organizations.ts';
import { closePool, type Db, openPool, rolledBack, type Tx, transaction } from '../../db/pool.ts';
import { DatabaseUnavailable, isOfServer } from '../../db/shared_connections.ts';
import { type PoolUse, poolUse } from '../../health/shared_metrics.ts';
import { conflict, notFound, Problem, tooManyChanges, unauthorized, unavailable } from '../../http/problem.ts';
import type { ApiKey } from '../../keys/key_format.ts';
import type { ManageConfig } from '../../settings/role_settings.ts';
import { ChangeRefusal, NoSuchObject } from '../../values/change_refusal.ts';
import { errorCode } from '../../values/error_code.ts';
import { type Sender, Turns } from '../../values/turns.ts';
import { UserError } from '../../values/user_error.ts';
import { problemOf } from './refusals.ts';

const CONNECTIONS = 4;
/** A change waits no longer for an import, which commits every few thousand rows. */
const LOCK_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = { change: 5_000, bulk: 15_000 };
/** A waiting change has its body, up to 16 KB. As many as a client with a hundred connections may send at once. */
const WAITING_PER_MEMBER = 200;
/** Of all organizations, who share it equally. */
const WAITING = 2_000;

/** Changes of the catalog of an organization lock it, so they would only wait for each other in the database. */
export type Line = 'catalog' | 'other';

export interface ManageTurn {
  /** Who sends the request. */
  sender: Sender;
  organizationNo: number;
  line: Line;
}

/** The credential that begin_management verifies again, inside the transaction. */
export interface Credential {
  key: ApiKey;
  requestId: string;
  /** The session of an owner. */
  isOwner: boolean;
}

/** Who changes something, as begin_management says. */
export interface Manager {
  organizationNo: number;
  /** Of its idempotency keys. */
  caller: string;
  /** The console roles of a person, `key` or `owner`. */
  roles: readonly string[];
  /** The customer, if it is an owner. */
  ownerNo: number | null;
}

/** The function that verifies a credential, with the columns of a Manager. */
const BEGIN = {
  people: 'select organization_no, caller, roles, null::int as owner_no from begin_management($1, $2, $3)',
  owners: `select organization_no, 'customer ' || customer_no as caller, array['owner'] as roles, customer_no as owner_no
     from begin_owner_change($1, $2, $3)`,
} as const;

/**
 * The transactions of /manage/v1, on a few connections with a login of their own. Each organization has one change of its
 * catalog in progress, and one other. Organizations take turns, and in each its keys and sessions.
 */
export class ManageTransactions {
  readonly #pool: Pool;
  readonly #turns = new Turns({
    places: CONNECTIONS,
    ownPlaces: 0,
    placesPerGroup: 1,
    placesPerMember: 1,
    waitingPerMember: WAITING_PER_MEMBER,
    waiting: WAITING,
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
  read<T>(turn: ManageTurn, work: (db: Db) => Promise<T>): Promise<T> {
    return this.#inTurn(turn, () => work(this.#pool));
  }

  /** Runs a change in one transaction under the name of the caller. */
  write<T>(
    turn: ManageTurn,
    { key, requestId, isOwner }: Credential,
    { isDryRun, isBulk = false, locksFirst = false }: { isDryRun: boolean; isBulk?: boolean; locksFirst?: boolean },
    work: (tx: Tx, manager: Manager) => Promise<T>,
  ): Promise<T> {
    const run = isDryRun ? rolledBack : transaction;
    const timeoutMs = isBulk ? STATEMENT_TIMEOUT_MS.bulk : STATEMENT_TIMEOUT_MS.change;
    return this.#inTurn(turn, () =>
      run(this.#pool, async (tx) => {
        if (locksFirst) await lockOrganization(tx, turn.organizationNo);
        const { rows } = await tx.query<{
          organization_no: number;
          caller: string;
          roles: string[];
          owner_no: number | null;
        }>(
          `select m.*, set_config('statement_timeout', $4, true) from (${isOwner ? BEGIN.owners : BEGIN.people}) as m`,
          [key.prefix, key.secretSha256, requestId, String(timeoutMs)],
        );
        const [manager] = rows;
        // Ended since the request began.
        if (manager === undefined) throw unauthorized('This API key or session has ended.');
        const { organization_no: organizationNo, caller, roles, owner_no: ownerNo } = manager;
        return work(tx, { organizationNo, caller, roles, ownerNo });
      }),
    );
  }

  use(): PoolUse {
    return poolUse(this.#pool);
  }

  close(): Promise<void> {
    return closePool(this.#pool);
  }

  async #inTurn<T>({ sender, line }: ManageTurn, work: () => Promise<T>): Promise<T> {
    const inLine = { ...sender, group: `${sender.group} ${line}` };
    await this.#takeTurn(inLine);
    try {
      return await work();
    } catch (error) {
      throw asProblem(error);
    } finally {
      this.#turns.leave(inLine);
    }
  }

  #takeTurn(sender: Sender): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (hasWaitedTooLong: boolean): boolean => {
        if (hasWaitedTooLong) reject(tooManyChanges());
        else resolve();
        return !hasWaitedTooLong;
      };
      if (!this.#turns.enter(sender, begin)) reject(tooManyChanges());
    });
  }
}

/** What a constraint of the database means to a caller. Two writers may want the same key at the same time. */
const CONSTRAINTS: Readonly<Record<string, string>> = {
  customers_external_key: 'Another customer has this external_key.',
  tanks_custom_id: 'Another tank of this owner has this custom_id.',
  one_tank_per_device: 'The device is on another tank.',
  contacts_organization_no_email_key: 'A contact has this address.',
  one_truck_per_name: 'Another truck has this name.',
  one_driver_per_name: 'Another driver has this name.',
  one_open_stop_per_tank_and_day: 'A tank of this round is on another round of that day.',
};

const UNIQUE_VIOLATION = '23505';
const IS_CONFLICT_OF_WRITERS = /^40(001|P01)$/;
/** PostgreSQL ended a transaction in which this process, on a busy machine, did nothing for too long. Nothing was changed. */
const IDLE_IN_TRANSACTION = '25P03';

function asProblem(error: unknown): unknown {
  if (error instanceof Problem) return error;
  if (error instanceof ChangeRefusal) return problemOf(error);
  if (error instanceof NoSuchObject) return notFound(error.noun);
  if (error instanceof UserError) return conflict(sentenceOf(error.message));
  const code = errorCode(error) ?? '';
  const constraint = error instanceof DatabaseError ? CONSTRAINTS[error.constraint ?? ''] : undefined;
  if (code === UNIQUE_VIOLATION && constraint !== undefined) return conflict(constraint);
  if (IS_CONFLICT_OF_WRITERS.test(code)) return unavailable('Others changed the same data. Try again.', error);
  if (isLost(error))
    // If it was lost around the commit, the change may be made: the same Idempotency-Key finds out.
    return new DatabaseUnavailable('the connection of /manage/v1 was lost', { cause: error });
  return error;
}

const sentenceOf = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}`;

/** The driver's errors without an answer of the server, and those of a server that stops or has no free connection. */
function isLost(error: unknown): boolean {
  if (error instanceof DatabaseError) return isOfServer(error.code ?? '') || error.code === IDLE_IN_TRANSACTION;
  if (!(error instanceof Error)) return false;
  return (
    /^E[A-Z]+$/.test(errorCode(error) ?? '') ||
    /^(Connection terminated|Client has encountered|Query read timeout|timeout e)/.test(error.message)
  );
}

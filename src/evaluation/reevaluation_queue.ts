import type { Pool } from 'pg';
import { arrayLiteral, type Db, type Tx } from '../db/pool.ts';
import type { EvaluationFailure } from './evaluation_failures.ts';
import { newerVersion, STATE_VERSION } from './state_codec.ts';

/** A tank that must be re-evaluated. */
export interface QueuedTank {
  tankNo: number;
  organizationNo: number;
}

/** Adds tanks to the queue, in the order of tank numbers. The caller holds the locks of the tanks. */
export async function queueTanks(tx: Tx, tanks: readonly QueuedTank[]): Promise<void> {
  if (tanks.length === 0) return;
  const sorted = tanks.toSorted((a, b) => a.tankNo - b.tankNo);
  await tx.query(
    `insert into reevaluations (tank_no, organization_no)
     select tank_no, organization_no from unnest($1::int[], $2::int[]) as t (tank_no, organization_no)
     on conflict do nothing`,
    [arrayLiteral(sorted.map(({ tankNo }) => tankNo)), arrayLiteral(sorted.map((tank) => tank.organizationNo))],
  );
}

/** The times of the first and the last change of the settings that a new tank state includes. */
export interface AppliedSettings {
  tankNo: number;
  fromMs: number;
  toMs: number;
}

/** Removes tanks from the queue, except those whose settings have changed again and those that have other work. */
export async function dequeueAppliedSettings(tx: Tx, applied: readonly AppliedSettings[]): Promise<void> {
  if (applied.length === 0) return;
  await tx.query(
    `delete from reevaluations r
     using unnest($1::int[], $2::float8[], $3::float8[]) as a (tank_no, from_ms, to_ms)
     where r.tank_no = a.tank_no and r.settings_from = to_timestamp(a.from_ms / 1000)
       and r.settings_to = to_timestamp(a.to_ms / 1000)`,
    [
      arrayLiteral(applied.map(({ tankNo }) => tankNo)),
      arrayLiteral(applied.map(({ fromMs }) => fromMs)),
      arrayLiteral(applied.map(({ toMs }) => toMs)),
    ],
  );
}

const INITIAL_RETRY_SECONDS = 10;
const MAX_RETRY_SECONDS = 3_600;

/**
 * Postpones tanks that cannot be re-evaluated, each with its own growing delay. A tank whose state a newer release
 * wrote waits for a release that reads it. Returns the tanks that fail for the first time.
 */
export async function postponeTanks(db: Db, failures: readonly EvaluationFailure[]): Promise<Set<number>> {
  if (failures.length === 0) return new Set();
  const { rows } = await db.query<{ tank_no: number; attempts: number }>(
    `update reevaluations r
     set attempts = least(r.attempts + 1, 1000), last_error = f.error, waits_for_version = f.version,
         failing_since = case when f.version is null then coalesce(r.failing_since, now()) end,
         next_attempt_at = case when f.version is not null then 'infinity' else
           now() + make_interval(secs => least($4 * 2 ^ least(r.attempts, 20), $5)) end
     from unnest($1::int[], $2::text[], $3::int[]) as f (tank_no, error, version)
     where r.tank_no = f.tank_no
     returning r.tank_no, r.attempts`,
    [
      failures.map(({ tankNo }) => tankNo),
      failures.map(({ error }) => (error instanceof Error ? error.message : String(error)).slice(0, 500)),
      failures.map(({ error }) => newerVersion(error)),
      INITIAL_RETRY_SECONDS,
      MAX_RETRY_SECONDS,
    ],
  );
  return new Set(rows.filter(({ attempts }) => attempts === 1).map(({ tank_no }) => tank_no));
}

/** The largest number of tanks per statement. */
const RESUMED_TANKS = 10_000;

/** Makes waiting tanks due if this release can read their states. */
export async function resumeWaitingTanks(db: Db): Promise<void> {
  let resumed = RESUMED_TANKS;
  while (resumed === RESUMED_TANKS) {
    const { rowCount } = await db.query(
      `update reevaluations set waits_for_version = null, next_attempt_at = now(), attempts = 0, last_error = null
       where tank_no in (
         select tank_no from reevaluations where waits_for_version <= $1 limit $2 for update skip locked
       )`,
      [STATE_VERSION, RESUMED_TANKS],
    );
    resumed = rowCount ?? 0;
  }
}

export async function countFailingTanks(db: Db): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    'select count(*) as n from reevaluations where failing_since is not null',
  );
  return rows[0]?.n ?? 0;
}

/** The largest number of organizations in one batch. Each gets the same number of tanks. */
const MAX_ORGANIZATIONS = 50;

interface Position {
  at: string;
  tankNo: number;
}
const START: Position = { at: '-infinity', tankNo: 0 };

/**
 * Selects due tanks so that organizations take turns: an organization with a million due tanks delays another one by
 * one batch. It remembers its position in each organization, because deleted rows stay in the index until the oldest
 * transaction has ended. Otherwise each batch would skip all of them again while a backup runs.
 */
export class DueTanks {
  readonly #pool: Pool;
  readonly #queue: 'reevaluations' | 'gauge_recomputations';
  readonly #positions = new Map<number, Position>();
  #lastOrganizationNo = 0;
  #lastSelection: Promise<unknown> = Promise.resolve();

  constructor(pool: Pool, queue: 'reevaluations' | 'gauge_recomputations' = 'reevaluations') {
    this.#pool = pool;
    this.#queue = queue;
  }

  /** Selects up to about `limit` due tanks. Concurrent callers get different ones. */
  next(limit: number): Promise<number[]> {
    const selected = this.#lastSelection.then(() => this.#select(limit));
    this.#lastSelection = selected.catch(() => {});
    return selected;
  }

  async #select(limit: number): Promise<number[]> {
    const organizationNos = await this.#nextOrganizations();
    if (organizationNos.length === 0) return [];
    const share = Math.ceil(limit / organizationNos.length);
    const positions = organizationNos.map((no) => this.#positions.get(no) ?? START);
    const { rows } = await this.#pool.query<{ organization_no: number; tank_no: number; at: string }>(
      `select o.organization_no, due.tank_no, due.next_attempt_at::text as at
       from unnest($1::int[], $2::timestamptz[], $3::int[]) as o (organization_no, after_at, after_tank_no)
       cross join lateral (
         select r.tank_no, r.next_attempt_at from ${this.#queue} r
         where r.organization_no = o.organization_no and r.next_attempt_at <= now()
           and (r.next_attempt_at, r.tank_no) > (o.after_at, o.after_tank_no)
         order by r.next_attempt_at, r.tank_no limit $4
       ) as due`,
      [organizationNos, positions.map(({ at }) => at), positions.map(({ tankNo }) => tankNo), share],
    );
    const byOrganization = Map.groupBy(rows, (row) => row.organization_no);
    for (const organizationNo of organizationNos) {
      const own = byOrganization.get(organizationNo) ?? [];
      const last = own.at(-1);
      // After the last due tank, selection begins at the first one again, because tanks that were locked are still
      // queued.
      if (last === undefined || own.length < share) this.#positions.delete(organizationNo);
      else this.#positions.set(organizationNo, { at: last.at, tankNo: last.tank_no });
    }
    return rows.map((row) => row.tank_no);
  }

  /** The organizations with due tanks, beginning after the one that was served last. */
  async #nextOrganizations(): Promise<number[]> {
    const after = await this.#organizationsAfter(this.#lastOrganizationNo);
    const organizationNos =
      after.length > 0 || this.#lastOrganizationNo === 0 ? after : await this.#organizationsAfter(0);
    this.#lastOrganizationNo = organizationNos.length < MAX_ORGANIZATIONS ? 0 : (organizationNos.at(-1) ?? 0);
    return organizationNos;
  }

  /** The organizations with due tanks after a number. It takes one index lookup for each organization in the queue. */
  async #organizationsAfter(organizationNo: number): Promise<number[]> {
    const { rows } = await this.#pool.query<{ organization_no: number }>(
      `with recursive queued (organization_no) as (
         select min(organization_no) from ${this.#queue} where organization_no > $1
         union all
         select (select min(r.organization_no) from ${this.#queue} r where r.organization_no > q.organization_no)
         from queued q where q.organization_no is not null
       )
       select organization_no from queued q
       where exists (
         select from ${this.#queue} r where r.organization_no = q.organization_no and r.next_attempt_at <= now()
       )
       limit $2`,
      [organizationNo, MAX_ORGANIZATIONS],
    );
    return rows.map((row) => row.organization_no);
  }
}

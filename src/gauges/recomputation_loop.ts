import type { Pool } from 'pg';
import { onlyRow } from '../db/only_row.ts';
import { isDataRefused } from '../db/permanent_failures.ts';
import { transaction } from '../db/pool.ts';
import { DueTanks } from '../evaluation/reevaluation_queue.ts';
import {
  RECOMPUTATION_LIMITS,
  type RecomputationLimits,
  type RecomputedLevels,
  recomputeLevels,
} from './recompute_levels.ts';

export interface RecomputationResult {
  /** Tanks that are computed completely. */
  tanks: number;
  /** True if the next batch may find work now. */
  isMore: boolean;
  /** The number of readings whose level has changed. */
  changed: number;
  failures: { tankNo: number; error: unknown }[];
}

const BATCH_TANKS = 20;
const MAX_RETRY_SECONDS = 3_600;

/**
 * Computes the levels of tanks with a changed gauge again. Each tank has its own transaction, or several if one would take longer than
 * `maxMs`, because new readings of the tank wait for its end. Organizations take turns, and any number of writers share the work.
 */
export class Recomputer {
  readonly #pool: Pool;
  readonly #dueTanks: DueTanks;
  readonly #limits: RecomputationLimits;
  readonly #replayRejected: (tankNo: number) => Promise<unknown>;

  /** `replayRejected` stores the readings that were rejected because of the gauge. */
  constructor(
    pool: Pool,
    limits: RecomputationLimits = RECOMPUTATION_LIMITS,
    replayRejected: (tankNo: number) => Promise<unknown> = () => Promise.resolve(),
  ) {
    this.#pool = pool;
    this.#limits = limits;
    this.#replayRejected = replayRejected;
    this.#dueTanks = new DueTanks(pool, 'gauge_recomputations');
  }

  /** Recomputes a batch of due tanks. Locked tanks stay in the queue, and tanks that fail are tried again later. */
  async recomputeBatch(): Promise<RecomputationResult> {
    const result: RecomputationResult = { tanks: 0, isMore: false, changed: 0, failures: [] };
    for (const tankNo of await this.#dueTanks.next(BATCH_TANKS)) {
      try {
        if (!(await this.#begin(tankNo))) continue;
        // This runs before the tank leaves the queue, so that it is repeated if the process ends here.
        await this.#replayRejected(tankNo).catch((error: unknown) => {
          // A reading that the database refuses stays rejected. The levels are still recomputed.
          if (!isDataRefused(error)) throw error;
          result.failures.push({ tankNo, error });
        });
        const part = await this.#recompute(tankNo);
        if (part === undefined) {
          await this.#giveBack(tankNo);
          continue;
        }
        result.isMore = true;
        if (part.toMs === Number.POSITIVE_INFINITY) result.tanks++;
        result.changed += part.changed;
      } catch (error) {
        result.failures.push({ tankNo, error });
        await this.#postpone(tankNo, error);
      }
    }
    return result;
  }

  /** Continues where the previous transaction ended. Undefined if the tank is locked, or has no readings. */
  #recompute(tankNo: number): Promise<RecomputedLevels | undefined> {
    return transaction(this.#pool, async (tx) => {
      const { rows } = await tx.query<{ is_locked: boolean }>('select lock_gauge_recomputation($1) as is_locked', [
        tankNo,
      ]);
      if (!onlyRow(rows).is_locked) return undefined;
      const { rows: queued } = await tx.query<{ computed_to_ms: number }>(
        `select round(date_part('epoch', computed_to) * 1000) as computed_to_ms from gauge_recomputations where tank_no = $1`,
        [tankNo],
      );
      const part = await recomputeLevels(tx, tankNo, onlyRow(queued).computed_to_ms, this.#limits);
      // The tank is due again at once, after the other tanks.
      await tx.query(
        `update gauge_recomputations
         set computed_to = to_timestamp($2::float8 / 1000), has_changed = has_changed or $3, attempts = 0, next_attempt_at = now()
         where tank_no = $1`,
        [tankNo, part.toMs, part.changed > 0],
      );
      if (part.toMs === Number.POSITIVE_INFINITY) await tx.query('select finish_gauge_recomputation($1)', [tankNo]);
      return part;
    });
  }

  /**
   * Counts the attempt before it begins, so that a tank whose computation ends the process waits longer each time.
   * Returns false if another process has taken the tank.
   */
  async #begin(tankNo: number): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `update gauge_recomputations
       set attempts = least(attempts + 1, 1000),
           next_attempt_at = now() + make_interval(secs => least(10 * 2 ^ least(attempts, 20), $2))
       where tank_no = (
         select tank_no from gauge_recomputations where tank_no = $1 and next_attempt_at <= now() for update skip locked
       )`,
      [tankNo, MAX_RETRY_SECONDS],
    );
    return rowCount === 1;
  }

  /** Makes a tank that was locked due again, without counting the attempt. */
  async #giveBack(tankNo: number): Promise<void> {
    await this.#pool.query(
      `update gauge_recomputations set attempts = greatest(attempts - 1, 0), next_attempt_at = now()
       where tank_no = (select tank_no from gauge_recomputations where tank_no = $1 for update skip locked)`,
      [tankNo],
    );
  }

  async #postpone(tankNo: number, error: unknown): Promise<void> {
    await this.#pool.query(
      `update gauge_recomputations
       set last_error = $2,
           next_attempt_at = now() + make_interval(secs => least(10 * 2 ^ least(greatest(attempts - 1, 0), 20), $3))
       where tank_no = $1`,
      [tankNo, (error instanceof Error ? error.message : String(error)).slice(0, 500), MAX_RETRY_SECONDS],
    );
  }
}

/** Computes until no tank is due. Returns the number of tanks. */
export async function recomputeAllTanks(pool: Pool, limits?: RecomputationLimits): Promise<number> {
  const recomputer = new Recomputer(pool, limits);
  let total = 0;
  for (;;) {
    const { tanks, isMore } = await recomputer.recomputeBatch();
    if (!isMore) return total;
    total += tanks;
  }
}

import type { Pool } from 'pg';
import { arrayLiteral, rolledBack, type Tx, transaction } from '../db/pool.ts';
import { readCheckpoints } from './checkpoints.ts';
import type { EvaluationFailure } from './evaluation_failures.ts';
import { isolateFailingTanks } from './isolate_failing_tanks.ts';
import { type LockedState, lockQueuedTanks, rememberUpgrades } from './locked_tanks.ts';
import { readDeliveriesOfTanks } from './note_deliveries.ts';
import type { RetractionReason } from './pure/alerts/event_types.ts';
import { readEventsOfTanks } from './record_events.ts';
import { type ReevaluatedTank, reevaluateTank } from './reevaluate_tank.ts';
import { DueTanks, postponeTanks } from './reevaluation_queue.ts';
import {
  type Announcement,
  latestAnnouncement,
  type ReevaluationStart,
  startFromCheckpoint,
  startFromState,
} from './reevaluation_start.ts';
import { type ChangedEvents, countChangedEvents } from './retract_evaluation.ts';
import { saveReevaluatedTanks } from './save_reevaluated_tanks.ts';
import { isOutdated } from './state_codec.ts';
import { BEFORE_ALL_READINGS_MS, readReadingsOfTanks } from './stored_readings.ts';
import { readSettingsHistory, type TankSettingsHistory } from './tank_settings.ts';

export interface ReevaluationResult {
  /** Tanks that were re-evaluated, completely or in part. */
  reevaluated: number;
  /** Tanks that left the queue. */
  dequeued: number;
  /** Tanks that could not be re-evaluated. `reevaluateBatch` returns only those that fail for the first time. */
  failures: EvaluationFailure[];
}

/** The limits of one transaction. Its tanks are locked until it ends, and their new readings wait. */
export interface BatchLimits {
  tanks: number;
  /** The readings of all tanks together. A tank with more readings is re-evaluated in parts. */
  readings: number;
  minReadingsPerTank: number;
}
/** A batch within these limits ends within about half a second. */
const DEFAULT_LIMITS: BatchLimits = { tanks: 200, readings: 50_000, minReadingsPerTank: 500 };

/** Re-evaluates due tanks in batches. Several re-evaluators, in one or more writers, share the work. */
export class Reevaluator {
  readonly #pool: Pool;
  readonly #dueTanks: DueTanks;
  readonly #limits: BatchLimits;

  constructor(pool: Pool, limits = DEFAULT_LIMITS) {
    this.#pool = pool;
    this.#limits = limits;
    this.#dueTanks = new DueTanks(pool);
  }

  /** Re-evaluates one batch up to a time. A tank that fails is postponed and does not affect the others. */
  async reevaluateBatch(upToMs: number): Promise<ReevaluationResult> {
    const tankNos = await this.#dueTanks.next(this.#limits.tanks);
    let reevaluated = 0;
    let dequeued = 0;
    const failures = await isolateFailingTanks(tankNos, async (part) => {
      const batch = await transaction(this.#pool, (tx) => reevaluateLocked(tx, part, upToMs, this.#limits));
      reevaluated += batch.reevaluated;
      dequeued += batch.dequeued;
      return batch.failures;
    });
    const newlyFailing = await postponeTanks(this.#pool, failures);
    return { reevaluated, dequeued, failures: failures.filter(({ tankNo }) => newlyFailing.has(tankNo)) };
  }
}

/** Re-evaluates due tanks until none is left. Returns the number of tanks that left the queue. */
export async function reevaluateAllTanks(pool: Pool, upToMs = Date.now(), limits = DEFAULT_LIMITS): Promise<number> {
  const reevaluator = new Reevaluator(pool, limits);
  let total = 0;
  for (;;) {
    const { reevaluated, dequeued } = await reevaluator.reevaluateBatch(upToMs);
    total += dequeued;
    if (reevaluated + dequeued === 0) return total;
  }
}

/**
 * Computes what a re-evaluation of these tanks would change, in a transaction that is rolled back. `mark` adds the
 * tanks to the queue. Tanks that other transactions have locked are left out.
 */
export function tryReevaluation(
  pool: Pool,
  tankNos: readonly number[],
  mark: (tx: Tx) => Promise<void>,
): Promise<ChangedEvents[]> {
  return rolledBack(pool, async (tx) => {
    await mark(tx);
    // A tank with many readings needs several passes. Tanks that fail are left out.
    for (;;) {
      const { reevaluated, dequeued } = await reevaluateLocked(tx, tankNos, Date.now(), DEFAULT_LIMITS);
      if (reevaluated + dequeued === 0) return countChangedEvents(tx, tankNos);
    }
  });
}

/** Locks the tanks that no other transaction has locked, and re-evaluates them. */
async function reevaluateLocked(
  tx: Tx,
  tankNos: readonly number[],
  upToMs: number,
  limits: BatchLimits,
): Promise<ReevaluationResult> {
  const locked = await lockQueuedTanks(tx, tankNos);
  const settings = await readSettingsHistory(
    tx,
    locked.map((row) => row.tank_no),
  );
  const failures: EvaluationFailure[] = [];
  const starts = await findStarts(tx, locked, settings, failures);
  const reevaluated = await reevaluateTanks(tx, starts, { upToMs, limits, failures });
  await saveReevaluatedTanks(tx, reevaluated, upToMs);

  // A tank is finished if it was re-evaluated to the end, or if there is nothing to do (no longer marked, or not in the catalog).
  const unfinished = new Set([
    ...failures.map(({ tankNo }) => tankNo),
    ...reevaluated.filter(({ saved }) => saved.reevaluateFromMs !== null).map(({ saved }) => saved.tankNo),
  ]);
  const finished = locked.map((row) => row.tank_no).filter((tankNo) => !unfinished.has(tankNo));
  await rememberUpgrades(
    tx,
    reevaluated
      .filter(({ isAfterUpgrade, saved }) => isAfterUpgrade && unfinished.has(saved.tankNo))
      .map(({ saved }) => saved.tankNo),
  );
  await tx.query('delete from reevaluations where tank_no = any ($1::int[])', [arrayLiteral(finished)]);
  return { reevaluated: reevaluated.length, dequeued: finished.length, failures };
}

interface TankStart extends ReevaluationStart {
  tank: TankSettingsHistory;
  announced: Announcement | null;
  hasReadings: boolean;
  isAfterUpgrade: boolean;
  retractBecause: RetractionReason | null;
}

/** Finds the state from which each marked tank is evaluated again. */
async function findStarts(
  tx: Tx,
  locked: readonly LockedState[],
  settings: ReadonlyMap<number, TankSettingsHistory>,
  failures: EvaluationFailure[],
): Promise<TankStart[]> {
  const starts: TankStart[] = [];
  const fromCheckpoint: { tank: TankSettingsHistory; fromMs: number; row: LockedState }[] = [];
  const addStart = (tank: TankSettingsHistory, start: ReevaluationStart, row: LockedState): void => {
    const { latest_ms, is_after_upgrade: isAfterUpgrade, retract_because: retractBecause } = row;
    const announced = latestAnnouncement(row.encoded_state);
    starts.push({ ...start, tank, announced, hasReadings: latest_ms > start.atMs, isAfterUpgrade, retractBecause });
  };
  for (const row of locked) {
    const tank = settings.get(row.tank_no);
    const isFromBeginning = row.encoded_state === null || isOutdated(row.encoded_state);
    const fromMs = row.from_ms ?? (isFromBeginning ? BEFORE_ALL_READINGS_MS : null);
    if (tank === undefined || fromMs === null) continue;
    catchFailure(row.tank_no, failures, () => {
      const start = startFromState(row.encoded_state, fromMs);
      if (start === null) fromCheckpoint.push({ tank, fromMs, row });
      else addStart(tank, start, row);
    });
  }
  const checkpoints = await readCheckpoints(
    tx,
    fromCheckpoint.map(({ tank }) => tank.tankNo),
  );
  for (const { tank, fromMs, row } of fromCheckpoint) {
    catchFailure(tank.tankNo, failures, () => {
      addStart(tank, startFromCheckpoint(checkpoints.get(tank.tankNo) ?? [], fromMs), row);
    });
  }
  return starts;
}

async function reevaluateTanks(
  tx: Tx,
  starts: readonly TankStart[],
  { upToMs, limits, failures }: { upToMs: number; limits: BatchLimits; failures: EvaluationFailure[] },
): Promise<ReevaluatedTank[]> {
  const withReadings = starts.filter(({ hasReadings }) => hasReadings);
  const limit = Math.max(limits.minReadingsPerTank, Math.ceil(limits.readings / Math.max(1, withReadings.length)));
  const readings = await readReadingsOfTanks(
    tx,
    withReadings.map(({ tank, atMs }) => ({ tankNo: tank.tankNo, atMs })),
    limit,
  );
  const events = await readEventsOfTanks(
    tx,
    starts.map(({ tank, eventsAfterMs }) => ({ tankNo: tank.tankNo, atMs: eventsAfterMs })),
  );
  const deliveries = await readDeliveriesOfTanks(
    tx,
    starts.flatMap(({ tank, atMs }) => (tank.settings.manual === undefined ? [] : [{ tankNo: tank.tankNo, atMs }])),
  );
  const reevaluated: ReevaluatedTank[] = [];
  for (const { tank, announced, isAfterUpgrade, retractBecause, ...start } of starts) {
    const tankReadings = readings.get(tank.tankNo) ?? [];
    const recorded = events.get(tank.tankNo) ?? [];
    const inputs = {
      readings: tankReadings.map((reading) =>
        reading.atMs === announced?.atMs ? { ...reading, ...announced } : reading,
      ),
      deliveries: deliveries.get(tank.tankNo) ?? [],
      isPart: tankReadings.length === limit,
      recorded,
      isAfterUpgrade,
      retractBecause,
    };
    catchFailure(tank.tankNo, failures, () => {
      reevaluated.push(reevaluateTank(tank, start, inputs, upToMs));
    });
  }
  return reevaluated;
}

/** An error in the evaluation of one tank does not affect the other tanks. */
function catchFailure(tankNo: number, failures: EvaluationFailure[], work: () => void): void {
  try {
    work();
  } catch (error) {
    failures.push({ tankNo, error });
  }
}

import type { Db } from '../db/pool.ts';
import { FleetScore, type GroupScore } from '../evaluation/pure/score/fleet_score.ts';
import { type TankScore, TankScorer } from '../evaluation/pure/score/score_tank.ts';
import { BEFORE_ALL_READINGS_MS, type ReadingInput, readStoredReadings } from '../evaluation/stored_readings.ts';
import type { CapacityUnit } from '../values/capacity_unit.ts';
import { inSlices, type Sliced } from '../values/slices.ts';
import { DAY_MS, MINUTE_MS } from '../values/time.ts';

/** The scores of the events and forecasts of an organization, with the field names of the interface. */
export interface AlertScore {
  computed_at: string;
  /** Earlier events and forecasts are not scored. */
  since: string;
  /** The number of live tanks of the organization. */
  tanks: number;
  /** The number of tanks that were scored: all of them, or a sample. */
  scored_tanks: number;
  groups: GroupScore[];
}

export interface ScoreSelection {
  organizationNo: number;
  /** The largest number of tanks to evaluate. A year of hourly readings takes about 0.1 s. */
  maxTanks: number;
  days: number;
  maxMs?: number;
  signal?: AbortSignal | undefined;
}

interface ScoredTank {
  no: number;
  use_case: string | null;
  place: string | null;
  min_fill_alert_percentage: number;
  capacity: number;
  capacity_unit: CapacityUnit;
  total: number;
}

/**
 * Evaluates the stored readings of an organization's tanks again, with the current settings, and scores the results. It
 * changes nothing. For a large organization it uses a sample, which a hash of the tank numbers selects, so that it is
 * always the same. When `maxMs` is over, it stops and has scored fewer tanks. Throws if it is aborted.
 */
export async function scoreOrganization(
  db: Db,
  { organizationNo, maxTanks, days, maxMs = Number.POSITIVE_INFINITY, signal }: ScoreSelection,
  nowMs: number,
  onTank: (tanks: number) => void = () => undefined,
): Promise<AlertScore> {
  const { rows } = await db.query<ScoredTank>(
    `select t.no, t.use_case, coalesce(t.city, t.postal_code) as place, t.min_fill_alert_percentage, t.capacity, t.capacity_unit,
            count(*) over () as total
     from tanks t where t.organization_no = $1 and t.deleted_at is null
     order by hashint4(t.no), t.no limit $2`,
    [organizationNo, maxTanks],
  );
  const sinceMs = nowMs - days * DAY_MS;
  const endMs = performance.now() + maxMs;
  const mayGoOn = (): boolean => {
    signal?.throwIfAborted();
    return performance.now() < endMs;
  };
  const fleet = new FleetScore();
  let scored = 0;
  for (const tank of rows) {
    const score = await scoreTank(db, tank, sinceMs, mayGoOn);
    if (score === null) break;
    fleet.add({ use: tank.use_case, place: tank.place }, score);
    scored++;
    onTank(scored);
  }
  return {
    computed_at: new Date(nowMs).toISOString(),
    since: new Date(sinceMs).toISOString(),
    tanks: rows[0]?.total ?? 0,
    scored_tanks: scored,
    groups: fleet.groups(),
  };
}

/** Null if the time was over before the last reading. */
async function scoreTank(
  db: Db,
  { no, min_fill_alert_percentage: minFillAlertPercentage, capacity, capacity_unit: capacityUnit }: ScoredTank,
  sinceMs: number,
  mayGoOn: () => boolean,
): Promise<TankScore | null> {
  const scorer = new TankScorer({ minFillAlertPercentage, capacity, capacityUnit }, sinceMs);
  // Evaluation starts at the first reading, because the estimator has to learn.
  for await (const { readings } of readStoredReadings(db, no, BEFORE_ALL_READINGS_MS)) {
    if (!mayGoOn()) return null;
    await inSlices(addAll(scorer, readings));
  }
  return scorer.end();
}

function* addAll(scorer: TankScorer, readings: readonly ReadingInput[]): Sliced<void> {
  for (const reading of readings) {
    scorer.add(reading);
    yield;
  }
}

/** The selection of the worker, and the default of `tankwatch alerts score`. */
export const USUAL_SCORE = { maxTanks: 1_000, days: 365 };
/** The time limit of one night. The next night continues with the oldest scores. */
const NIGHT_MS = 20 * MINUTE_MS;
/** The time limit of one organization. */
const MAX_ORGANIZATION_MS = 2 * MINUTE_MS;

/**
 * Scores the organizations with tanks, the one with the oldest score first. An organization that fails keeps its previous score, and
 * the others are still scored. Returns the number of scored organizations, and the errors. Throws if it is aborted.
 */
export async function scoreOrganizations(
  db: Db,
  nowMs: number,
  signal?: AbortSignal,
): Promise<{ scored: number; errors: unknown[] }> {
  const { rows } = await db.query<{ no: number }>(
    `select o.no from organizations o left join alert_scores s on s.organization_no = o.no
     where o.deleted_at is null
       and exists (select from tanks t where t.organization_no = o.no and t.deleted_at is null)
     order by s.score->>'computed_at' nulls first, o.no`,
  );
  const endMs = performance.now() + NIGHT_MS;
  const errors: unknown[] = [];
  let scored = 0;
  for (const { no } of rows) {
    if (performance.now() > endMs) break;
    try {
      const selection = { organizationNo: no, ...USUAL_SCORE, maxMs: MAX_ORGANIZATION_MS, signal };
      await storeScore(db, no, await scoreOrganization(db, selection, nowMs));
      scored++;
    } catch (error) {
      signal?.throwIfAborted();
      errors.push(error);
    }
  }
  return { scored, errors };
}

/** Stores the score of an organization for the console, and replaces the previous one. */
export async function storeScore(db: Db, organizationNo: number, score: AlertScore): Promise<void> {
  await db.query(
    `insert into alert_scores (organization_no, score) values ($1, $2)
     on conflict (organization_no) do update set score = excluded.score`,
    [organizationNo, JSON.stringify(score)],
  );
}

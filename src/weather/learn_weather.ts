import type { Pool } from 'pg';
import { arrayLiteral, type Db, type Tx, textArrayLiteral, transaction } from '../db/pool.ts';
import { dueDates, type FleetRow } from '../evaluation/fleet_rows.ts';
import type { PlaceWeather } from '../evaluation/pure/estimator/place_weather.ts';
import type { Means } from '../evaluation/pure/estimator/use_history.ts';
import { initialModel, learnWeather } from '../evaluation/pure/estimator/weather_model.ts';
import {
  cumulativeUseOf,
  INITIAL_PRIOR,
  posteriorOf,
  type SharePrior,
  shareOf,
} from '../evaluation/pure/estimator/weather_share.ts';
import { readSettings, type TankSettings } from '../evaluation/tank_settings.ts';
import { decodeModel, encodeModel } from '../evaluation/weather_codec.ts';
import { decodeCurrentState } from '../status/tank_status.ts';
import { computePlaceWeather, databaseTime, duePlaces, type Place } from './compute_place_weather.ts';
import { matchTanks } from './match_tanks.ts';

/** The number of tanks per transaction, which locks them. Their new readings wait for less than 0.1 s. */
const BATCH_TANKS = 200;
/** At least 20 tanks that have learned for 20 days form the prior for other tanks with the same place and use case. */
const PRIOR_DAYS = 20;
const PRIOR_TANKS = 20;
/** The probability of a prior stays between this value and 1 minus it, so that a tank can overrule it. */
const MIN_CHANCE = 0.05;

export interface WeatherRun {
  places: number;
  tanks: number;
  /** The number of tanks whose dates have changed. */
  moved: number;
}

/**
 * Finds the places of tanks, learns from observed weather once a day, and computes the forecast dates of tanks whose place has new
 * weather. The function changes forecasts and never events, and is idempotent.
 */
export async function updateWeatherForecasts(pool: Pool, nowMs: number, signal?: AbortSignal): Promise<WeatherRun> {
  const run: WeatherRun = { places: 0, tanks: 0, moved: 0 };
  for (const organizationNo of await organizationsToMatch(pool)) await matchTanks(pool, organizationNo);
  // Weather that arrives after this time is used by the next run, which computes its place again.
  const startedAt = await databaseTime(pool);
  for (const place of await duePlaces(pool)) {
    if (signal?.aborted) break;
    const weather = await computePlaceWeather(pool, place, nowMs);
    if (weather !== null) await updatePlace(pool, place, weather, nowMs, run);
    await pool.query('update places set computed_at = $2 where no = $1', [place.no, startedAt]);
    run.places++;
  }
  return run;
}

/** Reads the organizations whose tanks were matched with places more than six hours ago, so that new and moved tanks get a place. */
async function organizationsToMatch(db: Db): Promise<number[]> {
  const { rows } = await db.query<{ organization_no: number }>(
    `select distinct p.organization_no from places p join organizations o on o.no = p.organization_no
     where o.deleted_at is null and (p.matched_at is null or p.matched_at < now() - interval '6 hours')
     order by p.organization_no`,
  );
  return rows.map(({ organization_no }) => organization_no);
}

async function updatePlace(
  pool: Pool,
  place: Place,
  weather: PlaceWeather,
  nowMs: number,
  run: WeatherRun,
): Promise<void> {
  const priors = await readPriors(pool, place.no);
  let afterNo = 0;
  for (;;) {
    const { rows } = await pool.query<{ tank_no: number }>(
      'select tank_no from tank_weather where place_no = $1 and tank_no > $2 order by tank_no limit $3',
      [place.no, afterNo, BATCH_TANKS],
    );
    const tankNos = rows.map(({ tank_no }) => tank_no);
    const moved = await transaction(pool, (tx) => updateTanks(tx, tankNos, { weather, priors, nowMs }));
    run.tanks += tankNos.length;
    run.moved += moved;
    afterNo = tankNos.at(-1) ?? 0;
    if (tankNos.length < BATCH_TANKS) return;
  }
}

/** Computes the priors of this place by use case, from the values that its tanks have learned. */
async function readPriors(db: Db, placeNo: number): Promise<Map<string, SharePrior>> {
  const { rows } = await db.query<{ use_case: string; chance: number; share: number }>(
    `select f.use_case, avg(w.own_chance)::float8 as chance, avg(w.own_share)::float8 as share
     from tank_weather w join fleet_tanks f on f.tank_no = w.tank_no
     where w.place_no = $1 and w.learned_days >= $2 group by f.use_case having count(*) >= $3`,
    [placeNo, PRIOR_DAYS, PRIOR_TANKS],
  );
  return new Map(
    rows.map(({ use_case, chance, share }) => [
      use_case,
      { chance: Math.min(1 - MIN_CHANCE, Math.max(MIN_CHANCE, chance)), share },
    ]),
  );
}

interface UpdateContext {
  weather: PlaceWeather;
  priors: ReadonlyMap<string, SharePrior>;
  nowMs: number;
}

interface StoredModel {
  tank_no: number;
  use_case: string;
  model: string | null;
}

type ForecastDates = Pick<FleetRow, 'tankNo' | 'thresholdOn' | 'emptyOn'>;

/** The new values of a row of tank_weather. */
interface LearnedTank {
  tankNo: number;
  share: number;
  errors: Means;
  own: SharePrior;
  days: number;
  model: string;
}

async function updateTanks(tx: Tx, tankNos: readonly number[], context: UpdateContext): Promise<number> {
  if (tankNos.length === 0) return 0;
  const { rows: states } = await tx.query<{ tank_no: number; encoded_state: string }>(
    'select tank_no, encoded_state from lock_tanks_for_weather($1::int[])',
    [arrayLiteral(tankNos)],
  );
  // The settings are read after the tanks are locked: see readSettings.
  const settings = await readSettings(tx, tankNos);
  const { rows: models } = await tx.query<StoredModel>(
    `select w.tank_no, f.use_case, w.model from tank_weather w join fleet_tanks f on f.tank_no = w.tank_no
     where w.tank_no = any ($1::int[])`,
    [arrayLiteral(tankNos)],
  );
  const stored = new Map(models.map((row) => [row.tank_no, row]));
  const learned: LearnedTank[] = [];
  const dates: ForecastDates[] = [];
  for (const { tank_no, encoded_state } of states) {
    const tank = settings.get(tank_no);
    const model = stored.get(tank_no);
    if (tank === undefined || tank.isDeleted || model === undefined) continue;
    const updated = updateTank(tank, encoded_state, model, context);
    if (updated === null) continue;
    learned.push(updated.learned);
    dates.push(updated.dates);
  }
  await saveModels(tx, learned);
  return saveDates(tx, dates);
}

/**
 * Computes the new model and dates of a tank. Returns null for a tank without an accepted reading, and for a state of another release,
 * which is re-evaluated first.
 */
function updateTank(
  tank: TankSettings,
  encodedState: string,
  { model, use_case }: StoredModel,
  { weather, priors, nowMs }: UpdateContext,
): { learned: LearnedTank; dates: ForecastDates } | null {
  const state = decodeCurrentState(encodedState);
  if (state === null) return null;
  const { history, level, accepted } = state;
  if (history === null || level === null || accepted === null) return null;
  const prior = priors.get(use_case) ?? INITIAL_PRIOR;
  const cumulative = cumulativeUseOf(history, level, accepted.atMs);
  const before = model === null ? null : decodeModel(model);
  const next = learnWeather(before ?? initialModel(cumulative), cumulative, weather.asOf(nowMs), prior);
  const { tankNo } = tank;
  // Rounds to the precision of the stored values, so that all readers compute the same dates.
  const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;
  const [a, b, c, d] = next.errors;
  const errors: Means = [rounded(a), rounded(b), rounded(c), rounded(d)];
  const share = rounded(shareOf(next, prior));
  return {
    learned: {
      tankNo,
      share,
      errors,
      own: posteriorOf(next, INITIAL_PRIOR),
      days: next.days,
      model: encodeModel(next),
    },
    dates: { tankNo, ...dueDates({ ...tank, state }, share > 0 ? { place: weather, share, errors } : null) },
  };
}

async function saveModels(tx: Tx, learned: readonly LearnedTank[]): Promise<void> {
  const column = (pick: (tank: LearnedTank) => number): string => arrayLiteral(learned.map(pick));
  // The statement skips models that have not changed.
  await tx.query({
    name: 'save_weather_models',
    text: `update tank_weather w
       set share = n.share, errors = array[n.a, n.b, n.c, n.d], own_chance = n.own_chance, own_share = n.own_share,
           learned_days = n.learned_days, model = n.model
       from unnest($1::int[], $2::real[], $3::real[], $4::real[], $5::real[], $6::real[], $7::real[], $8::real[], $9::real[],
                   $10::text[])
         as n (tank_no, share, a, b, c, d, own_chance, own_share, learned_days, model)
       where w.tank_no = n.tank_no and (w.model, w.share) is distinct from (n.model, n.share)`,
    values: [
      column(({ tankNo }) => tankNo),
      column(({ share }) => share),
      column(({ errors }) => errors[0]),
      column(({ errors }) => errors[1]),
      column(({ errors }) => errors[2]),
      column(({ errors }) => errors[3]),
      column(({ own }) => own.chance),
      column(({ own }) => own.share),
      column(({ days }) => days),
      textArrayLiteral(learned.map(({ model }) => model)),
    ],
  });
}

/** Stores the dates. Returns the number of tanks whose dates have changed. */
async function saveDates(tx: Tx, dates: readonly ForecastDates[]): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'save_weather_dates',
    text: `with changed as (
         select n.* from unnest($1::int[], $2::date[], $3::date[]) as n (tank_no, threshold_on, empty_on)
         join fleet_tanks f on f.tank_no = n.tank_no
         where (f.threshold_on, f.empty_on) is distinct from (n.threshold_on, n.empty_on)
         order by f.tank_no for no key update of f
       )
       update fleet_tanks f set threshold_on = c.threshold_on, empty_on = c.empty_on
       from changed c where f.tank_no = c.tank_no`,
    values: [
      arrayLiteral(dates.map(({ tankNo }) => tankNo)),
      textArrayLiteral(dates.map(({ thresholdOn }) => thresholdOn)),
      textArrayLiteral(dates.map(({ emptyOn }) => emptyOn)),
    ],
  });
  return rowCount ?? 0;
}

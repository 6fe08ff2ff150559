import type { Pool } from 'pg';
import { arrayLiteral, type Db } from '../db/pool.ts';
import { DAY_MS } from '../values/time.ts';
import type { TankState } from './pure/alerts/tank_state.ts';
import type { ScalePrior } from './pure/dips/dip_filter.ts';
import { regionalRate, scalePrior } from './pure/dips/regional_use.ts';
import { decodeState, UnreadableStateError } from './state_codec.ts';

const BATCH_TANKS = 2_000;
/** The largest number of tanks whose states are read: more hardly change a mean, and decoding a state takes 15 us. */
const MAX_TANKS_PER_ORGANIZATION = 20_000;
/** The mean of fewer tanks does not represent a region. */
const MIN_TANKS_PER_REGION = 10;
/** The rate of a tank with fewer readings is not used. */
const MIN_READINGS_PER_TANK = 20;
/** The daily rates of a region are kept for this many days. */
const KEPT_DAYS = 400;

/** The use of a tank with a sensor. Both rates are in points a day. */
interface SensorRate {
  useCase: string;
  city: string;
  rate: number;
  slowRate: number;
}

/**
 * Learns the mean use of the tanks with sensors once a day, for each organization that also has tanks without a sensor.
 * There is a mean for each use case and city, one for each use case, and one for all tanks. An organization with fewer
 * than 10 usable sensors is tried again at the next call. Returns the number of organizations whose means were learned.
 */
export async function learnRegionalRates(pool: Pool, nowMs: number, signal?: AbortSignal): Promise<number> {
  const today = Math.floor(nowMs / DAY_MS);
  const { rows } = await pool.query<{ organization_no: number }>(
    `select o.no as organization_no from organizations o
     where o.deleted_at is null
       and exists (select from estimated_tanks e where e.organization_no = o.no and e.manual_to = 'infinity')
       and not exists (
         select from regional_rates r
         where r.organization_no = o.no and r.use_case = '' and r.city = '' and r.until_on >= date '1970-01-01' + $1::int
       )
     order by o.no`,
    [today],
  );
  let learnedOrganizations = 0;
  for (const { organization_no } of rows) {
    if (signal?.aborted) break;
    if (await learnOrganization(pool, organization_no, today)) learnedOrganizations++;
  }
  return learnedOrganizations;
}

async function learnOrganization(pool: Pool, organizationNo: number, today: number): Promise<boolean> {
  const rates = await readRates(pool, organizationNo, today);
  if (rates.length < MIN_TANKS_PER_REGION) return false;
  const { rows: useCasesAndCities } = await pool.query<{ use_case: string; city: string }>(
    `select distinct f.use_case, f.city from estimated_tanks e join fleet_tanks f on f.tank_no = e.tank_no
     where e.organization_no = $1 and e.manual_to = 'infinity' and f.use_case <> ''`,
    [organizationNo],
  );
  // An empty use case or city stands for all of them.
  const regions = new Map([['|', { use_case: '', city: '' }]]);
  for (const { use_case, city } of useCasesAndCities) {
    regions.set(`${use_case}|${city}`, { use_case, city });
    regions.set(`${use_case}|`, { use_case, city: '' });
  }
  for (const region of regions.values()) {
    const regionRates = rates.filter(
      ({ useCase, city }) =>
        (region.use_case === '' || region.use_case === useCase) && (region.city === '' || region.city === city),
    );
    if (regionRates.length < MIN_TANKS_PER_REGION) continue;
    const mean = regionalRate(regionRates.map(({ rate }) => rate));
    if (mean === null || mean <= 0) continue;
    const prior = scalePrior(
      regionRates.map(({ slowRate }) => slowRate),
      mean,
    );
    await appendRate(pool, { organizationNo, ...region, tanks: regionRates.length }, today, mean, prior);
  }
  return true;
}

/** Reads the rates of tanks whose sensor works: it reported within three days, and its gauge is reliable. */
async function readRates(db: Db, organizationNo: number, today: number): Promise<SensorRate[]> {
  const { rows: counted } = await db.query<{ n: number }>(
    'select count(*)::int as n from fleet_tanks where organization_no = $1',
    [organizationNo],
  );
  // Selects the same tanks every day, so that a mean does not change with the selection.
  const step = Math.max(1, Math.ceil((counted[0]?.n ?? 0) / MAX_TANKS_PER_ORGANIZATION));
  const rates: SensorRate[] = [];
  let afterTankNo = 0;
  for (;;) {
    const { rows } = await db.query<{ tank_no: number; use_case: string; city: string; encoded_state: string | null }>(
      `select f.tank_no, f.use_case, f.city,
              (select s.encoded_state from tank_states s
               where s.tank_no = f.tank_no and s.latest_at >= date '1970-01-01' + ($4::int - 3)) as encoded_state
       from fleet_tanks f
       where f.organization_no = $1 and f.tank_no > $2 and f.tank_no % $3::int = 0
         and not exists (select from estimated_tanks e where e.tank_no = f.tank_no and e.manual_to = 'infinity')
       order by f.tank_no limit ${BATCH_TANKS}`,
      [organizationNo, afterTankNo, step, today],
    );
    for (const { use_case, city, encoded_state } of rows) {
      const level = encoded_state === null ? null : settledLevel(encoded_state);
      if (level !== null) rates.push({ useCase: use_case, city, rate: level.rate, slowRate: level.slowRate });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH_TANKS) return rates;
    afterTankNo = last.tank_no;
  }
}

/** Null if the sensor does not work or has too few readings, or if another release wrote the state. */
function settledLevel(encodedState: string): TankState['level'] {
  try {
    const { level, isSilent, gauge } = decodeState(encodedState);
    return level !== null && level.seen >= MIN_READINGS_PER_TANK && !isSilent && gauge.fault === null ? level : null;
  } catch (error) {
    if (error instanceof UnreadableStateError) return null;
    throw error;
  }
}

/** Adds the rate of a day. Days on which no worker ran get the rate of the previous day. */
async function appendRate(
  db: Db,
  region: { organizationNo: number; use_case: string; city: string; tanks: number },
  today: number,
  rate: number,
  { log, deviation }: ScalePrior,
): Promise<void> {
  const { organizationNo, use_case, city, tanks } = region;
  const { rows } = await db.query<{ until_day: number; rates: number[] }>(
    `select until_on - date '1970-01-01' as until_day, rates from regional_rates
     where organization_no = $1 and use_case = $2 and city = $3`,
    [organizationNo, use_case, city],
  );
  const { until_day: storedDay, rates: storedRates } = rows[0] ?? { until_day: today - 1, rates: [] };
  const earlierRates = storedDay >= today ? storedRates.slice(0, -1) : storedRates;
  const missedDays = Math.max(0, Math.min(KEPT_DAYS, today - storedDay - 1));
  const missedRates = Array<number>(missedDays).fill(storedRates.at(-1) ?? rate);
  const rates = [...earlierRates, ...missedRates, rate].slice(-KEPT_DAYS);
  await db.query(
    `insert into regional_rates (organization_no, use_case, city, until_on, rates, tanks, prior_log, prior_deviation)
     values ($1, $2, $3, date '1970-01-01' + $4::int, $5::real[], $6, $7, $8)
     on conflict (organization_no, use_case, city) do update
     set until_on = excluded.until_on, rates = excluded.rates, tanks = excluded.tanks, prior_log = excluded.prior_log,
         prior_deviation = excluded.prior_deviation`,
    [organizationNo, use_case, city, today, arrayLiteral(rates), tanks, log, deviation],
  );
}

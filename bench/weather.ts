import { cpuSecondsWith } from '../engines/process_use.ts';
import { openPool } from '../src/db/pool.ts';
import { DAY_MS } from '../src/values/time.ts';
import { updateWeatherForecasts } from '../src/weather/learn_weather.ts';
import { storeTemperatures } from '../src/weather/store_temperatures.ts';
import type { Temperature } from '../src/weather/temperature_row.ts';
import { createFleet } from './bulk_fleet.ts';
import { startBenchDatabase } from './database.ts';
import { atMost, type BenchOptions, figure, type Report } from './report.ts';

const PLACES = 20;
/** CPU minutes of worker and database for a million tanks: a fiftieth of a day. */
const MAX_MINUTES_PER_MILLION = 30;

/**
 * Measures what the weather costs the worker and the database: learning from a day, and new dates after a forecast. Results of
 * 20,000 tanks (--quick: 2,000) are scaled to a million, because each tank is computed by itself, in batches of 200.
 */
export async function benchWeather({ isQuick, log }: BenchOptions): Promise<Report> {
  const tanks = isQuick ? 2_000 : 20_000;
  await using database = await startBenchDatabase();
  await using worker = openPool({ url: database.urls.worker, applicationName: 'bench worker', maxConnections: 2 });
  const { owner } = database;
  const nowMs = Date.now();
  const { organizationNo } = await createFleet(owner, { tanks, tanksPerOwner: 20, latestMs: nowMs, log });
  const today = Math.floor(nowMs / DAY_MS);
  const store = async (from: number, to: number, kind: Temperature['kind'], celsius: number): Promise<void> => {
    for (let place = 0; place < PLACES; place++) {
      await storeTemperatures(
        owner,
        organizationNo,
        Array.from({ length: to - from }, (_, n) => ({
          place: `P${place}`,
          postalCode: null,
          latitude: null,
          longitude: null,
          day: from + n,
          kind,
          meanC: celsius + 5 * Math.sin(n),
          issuedAtMs: Date.now(),
          source: 'bench',
        })),
      );
    }
  };
  await store(today - 400, today, 'observed', 5);
  await store(today, today + 10, 'forecast', 5);
  await owner.query(
    `insert into tank_weather (tank_no, place_no, matched_by)
       select f.tank_no, p.no, 'choice' from fleet_tanks f join (
         select no, row_number() over (order by no) as n from places
       ) as p on p.n = 1 + f.tank_no % ${PLACES}`,
  );
  await owner.query('vacuum analyze tank_weather, places, place_temperatures, fleet_tanks, tank_states');
  const measure = async (what: string): Promise<{ minutes: number; moved: number }> => {
    await owner.query('checkpoint');
    const before = await cpuSecondsWith(database.postgres);
    const run = await updateWeatherForecasts(worker, nowMs);
    const seconds = (await cpuSecondsWith(database.postgres)) - before;
    if (run.tanks !== tanks) throw new Error(`${run.tanks} of ${tanks} tanks were computed`);
    log(`${what}: ${seconds.toFixed(2)} CPU seconds, ${run.moved} dates moved`);
    return { minutes: (seconds / tanks) * (1_000_000 / 60), moved: run.moved / tanks };
  };
  await measure('first models');
  // Makes the models one day older, so that each tank learns from one day.
  await owner.query(
    `update tank_weather set model = regexp_replace(model, '^\\[1,\\d+',
         '[1,' || (substring(model from '^\\[1,(\\d+)')::bigint - ${DAY_MS}))`,
  );
  await owner.query('update places set changed_at = clock_timestamp()');
  const day = await measure('learning of a day');
  await store(today, today + 10, 'forecast', -20);
  const forecast = await measure('a new forecast');
  return {
    name: 'weather',
    tanks,
    checks: [
      atMost('CPU minutes for a million tanks that learn a day', day.minutes, MAX_MINUTES_PER_MILLION),
      atMost('CPU minutes for a million tanks after a much colder forecast', forecast.minutes, MAX_MINUTES_PER_MILLION),
      figure('share of the tanks whose dates a much colder forecast moved', forecast.moved),
    ],
  };
}

import type { Pool } from 'pg';
import { startApi } from '../engines/api.ts';
import type { PrivateDatabase } from '../engines/database.ts';
import { readNumber } from '../engines/read_number.ts';
import { issueOneKey } from '../engines/tenant.ts';
import { Tankwatch } from '../packages/client/src/client.ts';
import { FLEET_OPERATIONS } from '../src/api/fleet/operations.ts';
import { onlyRow } from '../src/db/only_row.ts';
import { openPool } from '../src/db/pool.ts';
import { Readers } from '../src/db/readers.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { encodeCursor } from '../src/status/cursor.ts';
import { FLEET_SORTS } from '../src/status/fleet_order.ts';
import { FULL_BUDGET, packMonths } from '../src/telemetry/pack_months.ts';
import { DAY_MS } from '../src/values/time.ts';
import { arrivingReadings, keepIngesting, nextBatch } from './arriving_readings.ts';
import { type BulkFleet, createFleet } from './bulk_fleet.ts';
import { countTelemetry, ensurePartitions } from './bulk_telemetry.ts';
import { requester, startBenchDatabase } from './database.ts';
import { BATCH_READINGS, compareIngest } from './fleet_ingest.ts';
import { measureReadCosts } from './read_cost.ts';
import {
  atLeast,
  atMost,
  type BenchOptions,
  type Check,
  figure,
  type Report,
  round,
  timesMs,
  upperMedian,
} from './report.ts';
import { MEASURED_STATEMENTS, serverCost } from './server_statements.ts';

const SERIES_PATH = '/fleet/v1/tanks/:id/series?from=2020-01-01T00:00:00Z&buckets=1000';

/**
 * Measures reads of /fleet/v1 among a million tanks of 20,000 organizations, while readings arrive. One organization has three of
 * ten tanks. PostgreSQL plans a statement once, so the plan must suit the largest organization, an average one, and an owner.
 */
export async function benchFleet({ isQuick, log }: BenchOptions): Promise<Report> {
  const tanks = isQuick ? 20_000 : 1_000_000;
  const organizations = isQuick ? 2_000 : 20_000;
  const readingsOfTank = isQuick ? 20_000 : 1_000_000;
  await using database = await startBenchDatabase({ ...MEASURED_STATEMENTS, maintenance_work_mem: '512MB' });
  const { owner } = database;
  await using writer = openPool({ url: database.urls.writer, applicationName: 'bench' });
  const nowMs = Date.now();
  const fleet = await createFleet(owner, {
    tanks,
    organizations,
    tanksPerOwner: 20,
    latestMs: nowMs - DAY_MS,
    log,
  });
  const largest = await countTanksOf(owner, fleet);
  await fillSeries(owner, fleet.firstTankNo, readingsOfTank, nowMs, log);
  log('vacuum');
  await owner.query('vacuum analyze');
  const arriving = arrivingReadings(fleet, tanks);
  const next = () => nextBatch(arriving, BATCH_READINGS);
  const ingestChecks = await compareIngest(database, writer, next, isQuick ? 2 : 30, log);

  const readers = await Readers.open({
    url: database.urls.api,
    applicationName: 'bench',
    connections: 3,
    areSlow: true,
    statementTimeoutMs: 60_000,
  });
  const read = requester(FLEET_OPERATIONS, readers, fleet.organizationNo);
  log('series of plain months');
  const plainSeriesMs = Math.min(...(await timesMs(isQuick ? 3 : 7, () => read(SERIES_PATH, fleet.tankId))));
  await packMonths(owner, FULL_BUDGET); // as the worker does with all months but the last two
  await owner.query('vacuum analyze packed_telemetry');
  const ingester = new BatchIngester(writer);
  const urgencyCursor = await urgencyCursorAt(owner, fleet, Math.floor(largest * 0.9));
  const createdCursor = await createdCursorAt(owner, fleet, Math.floor(largest * 0.9));
  const checks: Check[] = [];
  const requests: object[] = [];
  const walk = await (async () => {
    await using ingesting = keepIngesting((batch) => ingester.ingestReadings(batch), next);
    for (const { what, path, id, maxMs } of readsOf(fleet, { urgencyCursor, createdCursor }, readingsOfTank)) {
      log(what);
      const runs = isQuick ? 3 : maxMs > 100 ? 7 : 41;
      let times: number[] = [];
      const cost = await serverCost(owner, runs + 1, async () => {
        times = await timesMs(runs, () => read(path, id));
      });
      checks.push(atMost(`${what}: ms`, Math.min(...times), maxMs));
      requests.push({
        what,
        median_ms: round(upperMedian(times)),
        min_ms: round(Math.min(...times)),
        server_min_ms: round(cost.minMs),
        buffers: Math.round(cost.buffers),
      });
    }
    log('walking over all tanks with the client');
    const walked = await walkAll(database, fleet);
    return { ...walked, arrivedPerSecond: ingesting.perSecond() };
  })();
  await readers.close();
  const readCosts = await measureReadCosts(owner, database.urls.api, fleet, log);
  checks.push(
    ...readCosts.checks,
    figure(`series over ${readingsOfTank} readings before any month was packed: ms`, plainSeriesMs),
    atLeast('tanks whose latest level the client fetched in one walk', walk.tanks, largest),
    figure('tanks per second that the client fetched in one walk, 200 a page', walk.tanks / walk.seconds),
    figure('readings stored per second during the reads and the walk', walk.arrivedPerSecond),
    ...ingestChecks,
  );
  return {
    name: 'fleet',
    checks,
    tanks,
    organizations,
    largest_organization: largest,
    requests,
    read_costs: readCosts.costs,
  };
}

interface MeasuredRead {
  what: string;
  path: string;
  id?: string;
  maxMs: number;
}

function readsOf(
  { ownerId, tankId }: BulkFleet,
  { urgencyCursor, createdCursor }: { urgencyCursor: string; createdCursor: string },
  readingsOfTank: number,
): MeasuredRead[] {
  const list = '/fleet/v1/tanks?size=100';
  const filters = [
    'status=losing',
    'status=low',
    'status=gauge_unreliable',
    'status=silent',
    'status=soon',
    'status=refilled',
    'within_days=3',
    'section=losing',
    'section=low',
    'section=gauge',
    'section=silent_low',
    'section=handled',
    'section=due',
    'section=refilled',
    'reporting=never',
    'use_case=commercial',
    'use_case=residential',
    'city=City 7',
    'city=City 7&use_case=commercial',
    `owner_id=${ownerId}`,
    `ids=${tankId}`,
    'near=20.5,-100.8&km=15',
  ];
  const sorts = FLEET_SORTS.filter((sort) => sort !== 'urgency' && sort !== '-created');
  return [
    { what: 'first page of 100 by urgency', path: list, maxMs: 5 },
    { what: 'page at 90 % of the list', path: `${list}&after=${urgencyCursor}`, maxMs: 5 },
    ...filters.map((filter) => ({
      what: `page of 100, ${filter.replace(/=[0-9a-f-]{36}/, '')}`,
      path: `${list}&${filter}`,
      maxMs: 10,
    })),
    {
      what: 'page at 90 % of the list, sort=created',
      path: `${list}&sort=created&after=${createdCursor}`,
      maxMs: 10,
    },
    ...sorts.map((sort) => ({ what: `page of 100, sort=${sort}`, path: `${list}&sort=${sort}`, maxMs: 10 })),
    { what: 'page of 100, q=lopez 400', path: `${list}&q=lopez 400`, maxMs: 30 },
    { what: 'search for a customer', path: '/fleet/v1/search?q=lopez 400', maxMs: 30 },
    { what: 'search for a common name', path: '/fleet/v1/search?q=lopez', maxMs: 30 },
    { what: 'search for a customer and a town', path: '/fleet/v1/search?q=lopez city 7', maxMs: 30 },
    { what: 'search for a street and a number', path: '/fleet/v1/search?q=church street 50', maxMs: 30 },
    { what: 'search with a typing mistake', path: '/fleet/v1/search?q=chruch street', maxMs: 30 },
    { what: 'search for a phone number', path: '/fleet/v1/search?q=802-000-4000', maxMs: 30 },
    { what: 'first page of customers', path: '/fleet/v1/customers', maxMs: 30 },
    { what: 'search for a device', path: '/fleet/v1/search?q=d4711', maxMs: 30 },
    { what: 'summary', path: '/fleet/v1/summary', maxMs: 10 },
    {
      what: `series over ${readingsOfTank} readings`,
      path: SERIES_PATH,
      id: tankId,
      maxMs: 300,
    },
    { what: 'use in 24 months', path: '/fleet/v1/tanks/:id/usage', id: tankId, maxMs: 30 },
  ];
}

/** Makes the cursor of a position in the order of urgency. Following `next` to it would take thousands of requests. */
async function urgencyCursorAt(owner: Pool, { organizationNo }: BulkFleet, position: number): Promise<string> {
  const { rows } = await owner.query<{ threshold_on: string; empty_on: string; tank_no: number }>(
    `select threshold_on::text, empty_on::text, tank_no from fleet_tanks
     where organization_no = $1 and losing_seen_at = '-infinity'
     order by threshold_on, empty_on, tank_no offset $2 limit 1`,
    [organizationNo, position],
  );
  const { threshold_on, empty_on, tank_no } = onlyRow(rows);
  const list = [{ organizationNo, customerNo: null }, {}, 'urgency'];
  return encodeCursor([1, threshold_on, empty_on, tank_no], JSON.stringify(list));
}

/** Makes the cursor of a position in the order of creation. */
async function createdCursorAt(owner: Pool, { organizationNo }: BulkFleet, position: number): Promise<string> {
  const { rows } = await owner.query<{ no: number }>(
    'select no from tanks where organization_no = $1 order by no offset $2 limit 1',
    [organizationNo, position],
  );
  const list = [{ organizationNo, customerNo: null }, {}, 'created'];
  return encodeCursor([onlyRow(rows).no], JSON.stringify(list));
}

const countTanksOf = (owner: Pool, { organizationNo }: BulkFleet): Promise<number> =>
  readNumber(owner, 'select count(*)::int as n from tanks where organization_no = $1', [organizationNo]);

/** Fetches the latest level of every tank as an integrator does, with the client over HTTP. */
async function walkAll({ owner, urls }: PrivateDatabase, { organizationNo }: BulkFleet) {
  const api = await startApi(urls.api);
  const client = new Tankwatch({ apiKey: await issueOneKey(owner, { organizationNo }), baseUrl: api.url });
  const startMs = performance.now();
  const levels = new Map<string, number | undefined>();
  for await (const { tank, reading } of client.fleet.tanks({ sort: 'created', size: 200 }))
    levels.set(tank.id, reading?.fill_percentage);
  const seconds = (performance.now() - startMs) / 1_000;
  await api.close();
  return { tanks: levels.size, seconds };
}

/** Stores the readings of one tank, spread over two years, and counts them. */
export async function fillSeries(
  owner: Pool,
  tankNo: number,
  readings: number,
  nowMs: number,
  log: (line: string) => void,
): Promise<void> {
  log(`storing ${readings} readings of one tank`);
  await ensurePartitions(owner, nowMs - 760 * DAY_MS, nowMs);
  await owner.query(
    `insert into telemetry (tank_no, created_at, fill_percentage)
     select $1, to_timestamp($2::float8 / 1000) - interval '2 days' - n * (interval '720 days' / $3::int),
            round((30 + 40 * random())::numeric, 1)
     from generate_series(1, $3::int) n`,
    [tankNo, nowMs, readings],
  );
  await countTelemetry(owner);
}

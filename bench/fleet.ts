import type { Pool } from 'pg';
import { evaluate } from '../src/alerts/evaluate.ts';
import { INITIAL_STATE, type TankState } from '../src/alerts/tank_state.ts';
import { FLEET_OPERATIONS } from '../src/api/fleet/operations.ts';
import { readParameters } from '../src/api/parameters.ts';
import { createCustomers } from '../src/catalog/customers.ts';
import { createOrganization } from '../src/catalog/organizations.ts';
import { onlyRow } from '../src/db/only_row.ts';
import { openPool, transaction } from '../src/db/pool.ts';
import { Readers } from '../src/db/readers.ts';
import { encodeState } from '../src/evaluation/state_codec.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import { startInstallation, wholeOrganization } from './installation.ts';
import { atMost, type BenchOptions, figure, medianMs, type Report } from './report.ts';

const TEMPLATES = 60;
const CITIES = 200;
const OWNERS = 1_000;

interface BenchFleet {
  organizationNo: number;
  firstTankNo: number;
  tanks: number;
  ownerId: string;
  tankId: string;
}

/** Reads of /fleet/v1 in one organization with a million tanks, while readings arrive. */
export async function benchFleet({ isQuick, log }: BenchOptions): Promise<Report> {
  const tanks = isQuick ? 50_000 : 1_000_000;
  const readingsOfTank = isQuick ? 100_000 : 1_000_000;
  const installation = await startInstallation();
  const nowMs = Date.now();
  try {
    const fleet = await buildFleet(installation.owner, tanks, nowMs, log);
    await fillSeries(installation.owner, fleet.firstTankNo, readingsOfTank, nowMs, log);
    log('vacuum');
    await installation.owner.query('vacuum analyze');
    const readers = await Readers.open({
      url: installation.apiUrl,
      applicationName: 'bench',
      connections: 3,
      statementTimeoutMs: 60_000,
    });
    await using arriving = keepIngesting(installation.writerUrl, fleet);
    const read = requester(readers, fleet.organizationNo);
    const ms = (query: string, id = '') => medianMs(isQuick ? 21 : 51, () => read(query, id));

    log('reading pages');
    const deepCursor = await cursorAt(read, Math.floor(tanks * 0.9));
    const filters = [
      'status=low',
      'status=soon',
      'status=silent',
      'status=refilled',
      'within_days=3',
      'use_case=commercial',
      'city=City 7',
      `owner_id=${fleet.ownerId}`,
      'near=20.5,-100.8&km=15',
    ];
    const checks = [
      atMost('first page of 100 by urgency, ms', await ms('/fleet/v1/tanks?size=100'), 5),
      atMost('page at 90 % of the list, ms', await ms(`/fleet/v1/tanks?size=100&after=${deepCursor}`), 5),
    ];
    for (const filter of filters) {
      // The count is kept for ten seconds, so the median is that of the page.
      checks.push(atMost(`page of 100, ${filter}, ms`, await ms(`/fleet/v1/tanks?size=100&${filter}`), 10));
    }
    for (const sort of ['level', 'last_reading', '-last_refill'])
      checks.push(atMost(`page of 100, sort=${sort}, ms`, await ms(`/fleet/v1/tanks?size=100&sort=${sort}`), 10));
    checks.push(
      atMost('search for a customer, ms', await ms('/fleet/v1/search?q=customer 77'), 30),
      atMost('search for a device, ms', await ms('/fleet/v1/search?q=d4711'), 30),
      atMost('summary, ms', await ms('/fleet/v1/summary'), 10),
      atMost(
        `series over ${readingsOfTank} readings, ms`,
        await medianMs(5, () =>
          read(`/fleet/v1/tanks/:id/series?from=2020-01-01T00:00:00Z&buckets=1000`, fleet.tankId),
        ),
        300,
      ),
      atMost('use in 24 months, ms', await ms('/fleet/v1/tanks/:id/usage', fleet.tankId), 30),
    );
    log('walking over all tanks');
    const walk = await walkAll(read);
    checks.push(
      figure('tanks found by one walk', walk.tanks),
      figure('tanks per second of the walk, 200 a page', walk.tanks / walk.seconds),
      figure('readings stored per second meanwhile', arriving.perSecond()),
    );
    await readers.close();
    return { name: 'fleet', checks, tanks };
  } finally {
    await installation.stop();
  }
}

type Read = (pathAndQuery: string, id?: string) => Promise<Record<string, unknown>>;

const requester =
  (readers: Readers, organizationNo: number): Read =>
  async (pathAndQuery, id = '') => {
    const [path = '', query = ''] = pathAndQuery.split('?');
    const operation = FLEET_OPERATIONS.find((known) => known.path === path);
    if (operation === undefined) throw new Error(`no operation has the path ${path}`);
    const given = new URLSearchParams(query);
    const parameters = readParameters(operation.parameters, given, undefined);
    const caller = wholeOrganization(organizationNo);
    const { body } = await operation.handle({ readers, caller, id, parameters, path, given });
    return { ...body };
  };

/** Follows pages up to a position. Cursors cannot jump. */
async function cursorAt(read: Read, position: number): Promise<string> {
  let after = '';
  for (let walked = 0; walked < position; walked += 200) {
    const { next } = await read(`/fleet/v1/tanks?size=200${after === '' ? '' : `&after=${after}`}`);
    if (typeof next !== 'string') break;
    after = next;
  }
  return after;
}

async function walkAll(read: Read): Promise<{ tanks: number; seconds: number }> {
  const startMs = performance.now();
  let tanks = 0;
  let after: string | null = '';
  while (after !== null) {
    const { data, next } = await read(`/fleet/v1/tanks?sort=created&size=200${after === '' ? '' : `&after=${after}`}`);
    tanks += Array.isArray(data) ? data.length : 0;
    after = typeof next === 'string' ? next : null;
  }
  return { tanks, seconds: (performance.now() - startMs) / 1_000 };
}

/** Ingests batches of one reading for each of 500 random tanks until it is disposed. */
function keepIngesting(writerUrl: string, { firstTankNo, tanks }: BenchFleet) {
  const pool = openPool({ url: writerUrl, applicationName: 'bench' });
  const ingester = new BatchIngester(pool);
  const progress = { isStopped: false, stored: 0 };
  const startMs = performance.now();
  const done = (async () => {
    while (!progress.isStopped) {
      const tankNos = new Set(
        Array.from({ length: 500 }, () => firstTankNo + 1 + Math.floor(Math.random() * (tanks - 1))),
      );
      const readings = [...tankNos]
        .toSorted((a, b) => a - b)
        .map((tankNo) => ({ tankNo, atMs: Date.now(), fillPercentage: 20 + (tankNo % 60) }));
      progress.stored += (await ingester.ingestReadings(readings)).stored;
    }
  })();
  return {
    perSecond: () => (progress.stored * 1_000) / (performance.now() - startMs),
    async [Symbol.asyncDispose]() {
      progress.isStopped = true;
      await done;
      await pool.end();
    },
  };
}

async function buildFleet(owner: Pool, tanks: number, nowMs: number, log: (line: string) => void): Promise<BenchFleet> {
  const organizationNo = await transaction(owner, (tx) => createOrganization(tx, { code: 'a0bench', name: 'Bench' }));
  const customers = await transaction(owner, (tx) =>
    createCustomers(
      tx,
      organizationNo,
      Array.from({ length: OWNERS }, (_, n) => ({
        email: `c${n}@example.com`,
        name: `Customer ${n}`,
        external_key: `K${n}`,
      })),
    ),
  );
  const batch = 50_000;
  for (let first = 0; first < tanks; first += batch) {
    log(`creating tanks: ${first} of ${tanks}`);
    await owner.query(
      `insert into tanks (id, organization_no, owner_no, assigned_device_id, capacity, capacity_unit, use_case, city,
                          latitude, longitude, min_fill_alert_percentage, name)
       select gen_random_uuid(), $1, ($2::int[])[n % ${OWNERS} + 1], 'D' || n, 500, 'liters',
              case when n % 50 = 0 then 'commercial' else 'residential' end, 'City ' || n % ${CITIES},
              15 + 15 * random(), -115 + 25 * random(), 20, 'Tank ' || n
       from generate_series($3::int, $3::int + $4::int - 1) n`,
      [organizationNo, customers.map(({ no }) => no), first, Math.min(batch, tanks - first)],
    );
  }
  log('storing states');
  const { rows } = await owner.query<{ no: number; id: string }>('select no, id from tanks order by no limit 1');
  const first = onlyRow(rows);
  await storeStates(owner, nowMs);
  const [ownerOfFirst] = customers;
  return { organizationNo, firstTankNo: first.no, tanks, tankId: first.id, ownerId: ownerOfFirst?.id ?? '' };
}

/** Every tank gets one of a few real states, and dates around it, so that days and levels are spread. */
async function storeStates(owner: Pool, nowMs: number): Promise<void> {
  const states = Array.from({ length: TEMPLATES }, (_, n) => foldTemplate(25 + n, nowMs));
  await owner.query(
    `insert into tank_states (tank_no, latest_fill_percentage, latest_at, encoded_state)
     select no, t.fill, to_timestamp($1::float8 / 1000), t.state
     from tanks join unnest($2::real[], $3::text[]) with ordinality as t (fill, state, n) on t.n = no % ${TEMPLATES} + 1
     order by no`,
    [nowMs, states.map(({ believed }) => believed?.fillPercentage ?? 0), states.map(encodeState)],
  );
  await owner.query(
    `update fleet_tanks f
     set is_low = n < 0.02, is_silent = n between 0.02 and 0.04, is_gauge_unreliable = n between 0.04 and 0.042,
         losing_seen_at = case when n between 0.042 and 0.0425 then now() else '-infinity' end,
         threshold_on = case when n < 0.02 then '-infinity' else current_date + (1 + 200 * (n - 0.02))::int end,
         empty_on = current_date + (1 + 300 * n)::int, fill = (n * 80)::int, latest_on = current_date - (n * 3)::int,
         refilled_on = current_date - (n * 120)::int
     from (select tank_no, random() as n from fleet_tanks) as random where f.tank_no = random.tank_no`,
  );
}

function foldTemplate(lastFill: number, nowMs: number): TankState {
  const settings = { minFillAlertPercentage: 20, capacity: 500, capacityUnit: 'liters' } as const;
  let state: TankState = INITIAL_STATE;
  for (let at = 239; at >= 0; at--) {
    const reading = {
      kind: 'reading',
      atMs: nowMs - at * HOUR_MS,
      fillPercentage: lastFill + (at / 24) * 0.5,
    } as const;
    state = evaluate(settings, state, reading).state;
  }
  return state;
}

/** One tank with very many readings, spread over two years, with exact counters. */
async function fillSeries(
  owner: Pool,
  tankNo: number,
  readings: number,
  nowMs: number,
  log: (line: string) => void,
): Promise<void> {
  log(`storing ${readings} readings of one tank`);
  for (let atMs = nowMs - 760 * DAY_MS; atMs < nowMs; atMs += 28 * DAY_MS)
    await owner.query('select ensure_telemetry_month($1)', [new Date(atMs).toISOString()]);
  await owner.query('select ensure_telemetry_month(now())');
  await owner.query(
    `insert into telemetry (tank_no, created_at, fill_percentage)
     select $1, to_timestamp($2::float8 / 1000) - n * (interval '720 days' / $3::int), round((30 + 40 * random())::numeric, 1)
     from generate_series(1, $3::int) n`,
    [tankNo, nowMs, readings],
  );
  await owner.query(
    `insert into telemetry_month_counters (tank_no, month, n)
     select tank_no, utc_month(created_at), count(*) from telemetry group by 1, 2`,
  );
  await owner.query(
    'select split_telemetry_bucket(tank_no, month) from telemetry_month_counters where n > max_bucket_items()',
  );
}

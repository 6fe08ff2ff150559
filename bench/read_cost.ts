import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { OPERATIONS } from '../src/api/operations.ts';
import { onlyRow } from '../src/db/only_row.ts';
import { Readers } from '../src/db/readers.ts';
import { Problem } from '../src/http/problem.ts';
import { type Read, requester } from './database.ts';
import { atMost, type Check, timesMs } from './report.ts';
import { serverCost } from './server_statements.ts';

/** Repetitions of a read whose time is measured. */
const RUNS = 11;
const MAX_SEARCH_MS = 30;
/** For similar customers, three searches run: by name, phone and address. */
const MAX_SIMILAR_MS = 60;
/** A search for words that each very many tanks have, but no tank has together. */
const MAX_HOSTILE_SEARCH_MS = 200;

/** After this time no cached result is used: results are cached for 10 s. */
const CACHE_MS = 10_100;

/** A customer and one of its tanks. */
interface KnownTank {
  ownerId: string;
  tankId: string;
}

/** Most buffers for an average organization: its 35 tanks are fewer than a page. */
const MAX_AVERAGE_BUFFERS = 1_200;

interface MeasuredFleet extends KnownTank {
  organizationNo: number;
  averageOrganizationNo: number;
}

/** Who reads: a key of the largest organization, a key of an average one, or an owner of one tank in the largest one. */
type Caller = 'largest' | 'average' | 'owner';

interface Path {
  path: string;
  id?: string;
  /** Buffers of 8 KB that the server may look at. */
  maxBuffers: Readonly<Record<Caller, number>>;
  /** Checked for each caller, if given. */
  maxMs?: number;
}

const WHO: Readonly<Record<Caller, string>> = {
  largest: "the largest organization's key",
  average: "an average organization's key",
  owner: 'an owner of one tank',
};

/** The buffers that a request of each kind of caller makes the server look at. */
export interface ReadCost extends Record<`${Caller}_buffers`, number> {
  read: string;
}

/**
 * Measures the buffers of every read of /fleet/v1 and /v1 for each kind of caller. All callers have the same plans. The cost of a
 * read must not grow with the tanks that the caller cannot see, nor with the events of an organization. Only counts of a filter
 * that most tanks match and maps of the whole organization may grow with its tanks.
 */
export async function measureReadCosts(
  owner: Pool,
  apiUrl: string,
  fleet: MeasuredFleet,
  log: (line: string) => void,
): Promise<{ checks: Check[]; costs: ReadCost[] }> {
  const oneTankOwner = await createOneTankOwner(owner, fleet.organizationNo);
  const average = await findTank(owner, fleet.averageOrganizationNo);
  const open = (connections: number): Promise<Readers> =>
    Readers.open({ url: apiUrl, applicationName: 'bench', connections, areSlow: true, statementTimeoutMs: 60_000 });
  // The first plan of a named statement looks at the catalog. In one session, each read has been planned before it is measured.
  const session = await open(1);
  const readers = await open(3);
  const requestersOf = (shared: Readers): Readonly<Record<Caller, Read>> => ({
    largest: requester(OPERATIONS, shared, fleet.organizationNo),
    average: requester(OPERATIONS, shared, fleet.averageOrganizationNo),
    owner: requester(OPERATIONS, shared, fleet.organizationNo, oneTankOwner.customerNo),
  });
  const [inSession, concurrent] = [requestersOf(session), requestersOf(readers)];
  const readsOf = (caller: Caller, tank: KnownTank) => pathsOf(tank).map((path) => ({ ...path, caller }));
  const reads = [...readsOf('largest', fleet), ...readsOf('average', average), ...readsOf('owner', oneTankOwner)];
  const request = async (requesters: typeof inSession, { caller, path, id }: (typeof reads)[number]): Promise<void> => {
    try {
      await requesters[caller](path, id);
    } catch (error) {
      const isRound = path === '/fleet/v1/rounds/:id'; // unknown: the fleet of the benchmark has no rounds
      // Owners do not see the settings.
      if (!(error instanceof Problem) || !(error.status === 403 || (isRound && error.status === 404))) throw error;
    }
  };
  log('buffers of every read');
  for (const read of reads) await request(inSession, read);
  await sleep(CACHE_MS);
  const checks: Check[] = [];
  const costs = new Map<string, ReadCost>();
  for (const read of reads) {
    const cost = await serverCost(owner, 1, () => request(inSession, read));
    const name = nameOf(read.path);
    const who = WHO[read.caller];
    const unknown = { largest_buffers: Number.NaN, average_buffers: Number.NaN, owner_buffers: Number.NaN };
    costs.set(name, { ...(costs.get(name) ?? { read: name, ...unknown }), [`${read.caller}_buffers`]: cost.buffers });
    checks.push(atMost(`buffers of ${name} for ${who}`, cost.buffers, read.maxBuffers[read.caller]));
    if (read.maxMs !== undefined) {
      // A search runs two statements at once, so this needs several connections.
      const ms = Math.min(...(await timesMs(RUNS, () => request(concurrent, read))));
      checks.push(atMost(`ms of ${name} for ${who}`, ms, read.maxMs));
    }
    log(`${name}, ${read.caller}: ${cost.buffers} buffers, ${Math.round(cost.minMs)} ms`);
  }
  await Promise.all([session.close(), readers.close()]);
  return { checks, costs: [...costs.values()] };
}

/** The path without the parts that differ between runs. */
const nameOf = (path: string): string =>
  path
    .replace('/fleet/v1', '')
    .replace(/=[0-9a-f-]{36}/, '')
    .replace('?from=2020-01-01T00:00:00Z', '');

/** Lists the measured paths. Throws if an operation has none. */
export function pathsOf({ ownerId, tankId }: KnownTank): Path[] {
  /** Planning a list of tanks takes 110 of the 200 buffers: these reads are too rare to keep their plans. */
  const read = (path: string, ofLargest = 2_500, ofOwner = 200, id?: string): Path => ({
    path: `/fleet/v1${path}`,
    maxBuffers: { largest: ofLargest, average: Math.min(ofLargest, MAX_AVERAGE_BUFFERS), owner: ofOwner },
    ...(id === undefined ? {} : { id }),
  });
  /** Each tank needs a lookup of five buffers in the index of each of 14 days, which is far faster than a scan of the readings. */
  const ofSparks = { largest: 40_000, average: 4_000, owner: 300 };
  /** The count of the matching tanks is the largest part. It is cached for 10 s. */
  const counted = (path: string): Path => read(path, 70_000);
  /** If few tanks match, each word is corrected, with about 500 lookups of three buffers. */
  const ofSearch = { largest: 10_000, average: 6_000, owner: 400 };
  const search = (path: string, maxMs = MAX_SEARCH_MS): Path => ({ ...read(path), maxBuffers: ofSearch, maxMs });
  const ofV1 = (path: string, id?: string): Path => ({ ...read(path, 200, 200, id), path: `/v1${path}` });
  const paths = [
    read('/tanks?size=100'),
    { ...read('/tanks?size=200&include=spark'), maxBuffers: ofSparks },
    read('/tanks?size=100&status=losing'),
    counted('/tanks?size=100&status=low'),
    counted('/tanks?size=100&status=gauge_unreliable'),
    counted('/tanks?size=100&status=silent'),
    counted('/tanks?size=100&status=soon'),
    counted('/tanks?size=100&status=refilled'),
    read('/tanks?size=100&status=low&sort=level', 10_000),
    counted('/tanks?size=100&within_days=3'),
    ...['losing', 'low', 'unusual_use', 'gauge', 'silent_low', 'due', 'refilled'].map((section) =>
      counted(`/tanks?size=100&section=${section}`),
    ),
    read('/tanks?size=100&reporting=never', 3_000),
    counted('/tanks?size=100&use_case=commercial'),
    counted('/tanks?size=100&use_case=residential'),
    counted('/tanks?size=100&city=City 7'),
    read(`/tanks?size=100&owner_id=${ownerId}`),
    read(`/tanks?size=100&ids=${tankId}`),
    read('/tanks?size=100&near=20.5,-100.8&km=15', 5_000),
    read('/tanks?size=100&near=20.5,-100.8&km=500', 40_000),
    read('/tanks?size=100&sort=-urgency'),
    read('/tanks?size=100&sort=level'),
    read('/tanks?size=100&sort=-level'),
    read('/tanks?size=100&sort=last_reading'),
    read('/tanks?size=100&sort=-last_refill'),
    read('/tanks?size=100&sort=created'),
    read('/tanks?size=100&q=lopez 400', 15_000),
    read('/tanks?size=100&q=tank', 15_000),
    read('/tanks.csv?status=losing', 15_000),
    read('/tanks/:id', 200, 100, tankId),
    read('/tanks/:id/series?from=2020-01-01T00:00:00Z&buckets=1000', 20_000, 100, tankId),
    read('/tanks/:id/usage', 5_000, 100, tankId),
    read('/tanks/:id/events', 100, 100, tankId),
    read('/tanks/:id/timeline', 500, 500, tankId),
    { ...read('/devices'), maxBuffers: { largest: 70_000, average: 2_000, owner: 300 } },
    read('/devices.csv?state=gauge_unreliable', 70_000),
    read('/tanks/:id/threshold_trial?threshold=15', 5_000, 100, tankId),
    counted('/summary'),
    read('/events'),
    read('/events?type=tank.rapid_loss'),
    read('/history'),
    read('/history?type=tank.rapid_loss'),
    read(`/history?owner_id=${ownerId}`),
    search('/search?q=lopez 400'),
    search('/search?q=house'),
    search('/search?q=tank'),
    search('/search?q=lopez'),
    search('/search?q=lopez city 7'), // words of the owner and of the tank
    search('/search?q=church street 50'),
    search('/search?q=chruch street'), // corrected
    search('/search?q=802-000-4000'),
    search('/search?q=d4711'),
    search('/search?q=tank city street road', MAX_HOSTILE_SEARCH_MS),
    search('/search?q=church mill', MAX_HOSTILE_SEARCH_MS),
    search('/search?q=1 2 3 4 5 6 tank', MAX_HOSTILE_SEARCH_MS),
    search('/search?q=99 88 77 city', MAX_HOSTILE_SEARCH_MS),
    read('/customers?external_key=K17', 1_000), // with all tanks that lose gas
    search('/customers'),
    search('/customers?size=200'),
    search('/customers?q=lopez'),
    search('/customers?q=lopez 400'),
    search(
      '/similar_customers?name=Lopez 400&phone=802-000-4000&street=Church Street&street_number=50',
      MAX_SIMILAR_MS,
    ),
    read('/customers/:id/refills', 500, 100, ownerId),
    read('/events.csv?type=tank.rapid_loss', 2_500),
    read('/customers/:id/usage', 10_000, 300, ownerId),
    read('/rounds'),
    read('/rounds/:id', 2_500, 100, tankId),
    read('/ledger'),
    read('/ledger.csv'),
    read('/ledger/totals'),
    read('/delivery-notes'),
    read('/readings'),
    read('/map?zoom=20', 80_000),
    read('/map?zoom=5', 80_000),
    read('/map?zoom=12&bbox=-101.2,20.3,-100.4,20.8', 15_000),
    read('/map?zoom=5&include=tanks', 80_000),
    read('/map?zoom=5&include=tanks&status=low', 120_000),
    read('/map?zoom=17&include=tanks&bbox=-100.82,20.51,-100.8,20.53', 20_000),
    read('/map?zoom=5&include=tanks&q=lopez 400', 15_000),
    read('/tanks?size=100&bbox=-101.2,20.3,-100.4,20.8', 40_000),
    read('/tanks?size=100&bbox=-118,14,-86,33', 40_000),
    read('/changes'),
    read('/score'),
    read('/settings', 40_000),
    ofV1('/customers'),
    ofV1('/customers/:id', ownerId),
    ofV1('/tanks'),
    ofV1('/tanks?page=1000'),
    ofV1('/tanks/:id', tankId),
    ofV1('/tanks/:id/telemetry', tankId),
  ];
  const missing = OPERATIONS.filter(
    ({ path, returns }) =>
      returns !== 'event_stream' && !paths.some((measured) => measured.path.split('?')[0] === path),
  );
  if (missing.length > 0) throw new Error(`no cost is measured for ${missing.map(({ path }) => path).join(', ')}`);
  return paths;
}

/** Finds a tank of an organization. */
async function findTank(owner: Pool, organizationNo: number): Promise<KnownTank> {
  const { rows } = await owner.query<KnownTank>(
    `select c.id as "ownerId", t.id as "tankId" from tanks t join customers c on c.no = t.owner_no
     where t.organization_no = $1 order by t.no limit 1`,
    [organizationNo],
  );
  return onlyRow(rows);
}

async function createOneTankOwner(owner: Pool, organizationNo: number): Promise<KnownTank & { customerNo: number }> {
  const customer = onlyRow(
    (
      await owner.query<{ no: number; id: string }>(
        `insert into customers (id, organization_no, email, name)
         values (gen_random_uuid(), $1, 'one@example.com', 'Owner of a house') returning no, id`,
        [organizationNo],
      )
    ).rows,
  );
  const tank = onlyRow(
    (
      await owner.query<{ id: string }>(
        `insert into tanks (id, organization_no, owner_no, assigned_device_id, capacity, capacity_unit, city, latitude,
                            longitude, min_fill_alert_percentage, name)
         values (gen_random_uuid(), $1, $2, 'ONE', 500, 'liters', 'City 7', 20, -100, 20, 'House') returning id`,
        [organizationNo, customer.no],
      )
    ).rows,
  );
  return { customerNo: customer.no, ownerId: customer.id, tankId: tank.id };
}

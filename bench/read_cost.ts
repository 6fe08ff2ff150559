import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { FLEET_OPERATIONS } from '../src/api/fleet/operations.ts';
import { onlyRow } from '../src/db/only_row.ts';
import { Readers } from '../src/db/readers.ts';
import { Problem } from '../src/http/problem.ts';
import { requester } from './database.ts';
import { atMost, type Check, timesMs } from './report.ts';
import { serverCost } from './server_statements.ts';

/** How often a read is repeated whose time is measured. */
const RUNS = 11;
const MAX_SEARCH_MS = 30;
/** A search that nobody needs: words that very many tanks have, but none has together. */
const MAX_HOSTILE_SEARCH_MS = 200;

/** Results that are kept for 10 s must be read again. */
const KEPT_MS = 10_100;

interface MeasuredFleet {
  organizationNo: number;
  /** A customer with many tanks, and one of them. */
  ownerId: string;
  tankId: string;
}

/** An owner of one tank in the same organization. */
interface OneTankOwner {
  customerNo: number;
  customerId: string;
  tankId: string;
}

interface Path {
  path: string;
  id?: string;
  /** Buffers of 8 KB that the server may look at, for an organization's key and for an owner of one tank. */
  maxOfOrganization: number;
  maxOfOwner: number;
  /** For both. Not checked unless given. */
  maxMs?: number;
}

/** What one request of each kind of caller makes the server look at. */
export interface ReadCost {
  read: string;
  organization_buffers: number;
  owner_buffers: number;
}

/**
 * Measures the buffers of every read of /fleet/v1 for a key of a large organization and for an owner of one tank in it. The
 * cost of a read must not grow with the tanks that the caller cannot see, and for an organization not with its events. What
 * grows with the tanks of an organization are counts of a filter that most tanks match, and maps of the whole organization.
 */
export async function measureReadCosts(
  owner: Pool,
  apiUrl: string,
  fleet: MeasuredFleet,
  log: (line: string) => void,
): Promise<{ checks: Check[]; costs: ReadCost[] }> {
  const one = await createOneTankOwner(owner, fleet.organizationNo);
  const readers = await Readers.open({
    url: apiUrl,
    applicationName: 'bench',
    connections: 3,
    areSlow: true,
    statementTimeoutMs: 60_000,
  });
  const ofOrganization = requester(FLEET_OPERATIONS, readers, fleet.organizationNo);
  const ofOwner = requester(FLEET_OPERATIONS, readers, fleet.organizationNo, one.customerNo);
  const reads = [
    ...pathsOf(fleet).map((path) => ({ ...path, caller: 'organization' as const, max: path.maxOfOrganization })),
    ...pathsOf({ ownerId: one.customerId, tankId: one.tankId }).map((path) => ({
      ...path,
      caller: 'owner' as const,
      max: path.maxOfOwner,
    })),
  ];
  const request = async ({ caller, path, id }: (typeof reads)[number]): Promise<void> => {
    try {
      await (caller === 'owner' ? ofOwner : ofOrganization)(path, id);
    } catch (error) {
      const isRound = path === '/fleet/v1/rounds/:id'; // unknown: the fleet of the benchmark has no rounds
      // Owners do not see the settings.
      if (!(error instanceof Problem) || !(error.status === 403 || (isRound && error.status === 404))) throw error;
    }
  };
  log('buffers of every read');
  for (const read of reads) await request(read); // fills the caches of the sessions
  await sleep(KEPT_MS);
  const checks: Check[] = [];
  const buffers = { organization: new Map<string, number>(), owner: new Map<string, number>() };
  for (const read of reads) {
    const cost = await serverCost(owner, 1, () => request(read));
    const name = nameOf(read.path);
    buffers[read.caller].set(name, cost.buffers);
    const who = read.caller === 'owner' ? 'an owner of one tank' : "an organization's key";
    checks.push(atMost(`buffers of ${name} for ${who}`, cost.buffers, read.max));
    if (read.maxMs !== undefined) {
      // Elapsed: a search runs two statements at once.
      const ms = Math.min(...(await timesMs(RUNS, () => request(read))));
      checks.push(atMost(`ms of ${name} for ${who}`, ms, read.maxMs));
    }
    log(`${name}, ${read.caller}: ${cost.buffers} buffers, ${Math.round(cost.minMs)} ms`);
  }
  await readers.close();
  const costs = [...buffers.organization].map(([read, organization]) => ({
    read,
    organization_buffers: organization,
    owner_buffers: buffers.owner.get(read) ?? Number.NaN,
  }));
  return { checks, costs };
}

/** Without the parts that differ from run to run. */
const nameOf = (path: string): string =>
  path
    .replace('/fleet/v1', '')
    .replace(/=[0-9a-f-]{36}/, '')
    .replace('?from=2020-01-01T00:00:00Z', '');

/** Throws if a read of /fleet/v1 has no path here. */
export function pathsOf({ ownerId, tankId }: Pick<MeasuredFleet, 'ownerId' | 'tankId'>): Path[] {
  /** Of the 200, planning a list of tanks takes 110: these reads come too seldom to be planned once. */
  const read = (path: string, maxOfOrganization = 2_500, maxOfOwner = 200, id?: string): Path => ({
    path: `/fleet/v1${path}`,
    maxOfOrganization,
    maxOfOwner,
    ...(id === undefined ? {} : { id }),
  });
  /** Counting what matches, at most once in 10 s, is the largest part. */
  const counted = (path: string): Path => read(path, 70_000);
  const search = (path: string, maxMs = MAX_SEARCH_MS): Path => ({ ...read(path, 10_000), maxMs });
  const paths = [
    read('/tanks?size=100'),
    read('/tanks?size=200&include=spark', 40_000, 300),
    read('/tanks?size=100&status=losing'),
    counted('/tanks?size=100&status=low'),
    counted('/tanks?size=100&status=gauge_unreliable'),
    counted('/tanks?size=100&status=silent'),
    counted('/tanks?size=100&status=soon'),
    counted('/tanks?size=100&status=refilled'),
    read('/tanks?size=100&status=low&sort=level', 120_000),
    counted('/tanks?size=100&within_days=3'),
    ...['losing', 'low', 'gauge', 'silent_low', 'due', 'refilled'].map((section) =>
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
    read('/tanks/:id/threshold_trial?threshold=15', 5_000, 100, tankId),
    read('/summary', 6_000),
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
    read('/customers/:id/refills', 500, 100, ownerId),
    read('/events.csv?type=tank.rapid_loss', 2_500),
    read('/customers/:id/usage', 10_000, 300, ownerId),
    read('/rounds'),
    read('/rounds/:id', 2_500, 100, tankId),
    read('/ledger'),
    read('/ledger.csv'),
    read('/ledger/totals'),
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
  ];
  const missing = FLEET_OPERATIONS.filter(
    ({ path, returns }) =>
      returns !== 'event_stream' && !paths.some((measured) => measured.path.split('?')[0] === path),
  );
  if (missing.length > 0) throw new Error(`no cost is measured for ${missing.map(({ path }) => path).join(', ')}`);
  return paths;
}

async function createOneTankOwner(owner: Pool, organizationNo: number): Promise<OneTankOwner> {
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
  return { customerNo: customer.no, customerId: customer.id, tankId: tank.id };
}

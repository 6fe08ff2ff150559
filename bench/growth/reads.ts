import type { Pool } from 'pg';
import type { PrivateDatabase } from '../../engines/database.ts';
import { createTenant } from '../../engines/tenant.ts';
import { V1_OPERATIONS } from '../../src/api/v1/operations.ts';
import { onlyRow } from '../../src/db/only_row.ts';
import { Readers } from '../../src/db/readers.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import type { BulkFleet } from '../bulk_fleet.ts';
import { requester } from '../database.ts';
import { timesMs, upperMedian } from '../report.ts';
import { serverCost, statementBuffers } from '../server_statements.ts';
import type { ReadResult } from './results.ts';

/** Another organization, with one tank and one reading. Its requests warm a connection without reading the large tables. */
export interface TinyOrganization {
  organizationNo: number;
  tankId: string;
}

export async function createTinyOrganization(owner: Pool): Promise<TinyOrganization> {
  const { organizationNo, tanks } = await createTenant(owner, { code: 'a0tiny', devices: 1 });
  const tank = onlyRow(tanks);
  await new BatchIngester(owner).ingestReadings([{ tankNo: tank.no, atMs: Date.now(), fillPercentage: 50 }]);
  return { organizationNo, tankId: tank.id };
}

interface MeasuredRead {
  what: string;
  /** The path without the number of the page. */
  path: string;
  isOfTank: boolean;
  isDeepest: boolean;
}

const list = (what: string, path: string, isOfTank: boolean): MeasuredRead[] => [
  { what: `${what}, page 1`, path, isOfTank, isDeepest: false },
  { what: `${what}, deepest page`, path, isOfTank, isDeepest: true },
];

const READS: readonly MeasuredRead[] = [
  { what: 'one tank', path: '/v1/tanks/:id', isOfTank: true, isDeepest: false },
  ...list('customers', '/v1/customers', false),
  ...list('tanks', '/v1/tanks', false),
  ...list('telemetry', '/v1/tanks/:id/telemetry', true),
];

/** Measures reads cold, after a restart of the server and for several tanks, and then warm. */
export async function measureReads(
  database: PrivateDatabase,
  fleet: BulkFleet,
  tiny: TinyOrganization,
  { sample, isQuick }: { sample: number; isQuick: boolean },
  restartCold: () => Promise<void>,
): Promise<ReadResult[]> {
  const { owner, urls } = database;
  const options = { url: urls.api, applicationName: 'bench', connections: 1, statementTimeoutMs: 60_000 };
  const tankIds = await pickTankIds(owner, fleet, sample, 60);
  const pages = await deepestPages(owner, fleet);
  const cold = new Map(READS.map(({ what }) => [what, { ms: [] as number[], misses: [] as number[] }]));
  for (let restart = 0; restart < (isQuick ? 1 : 4); restart++) {
    await restartCold();
    const readers = await Readers.open(options);
    const readTiny = requester(V1_OPERATIONS, readers, tiny.organizationNo);
    const read = requester(V1_OPERATIONS, readers, fleet.organizationNo);
    for (const { path } of READS) await readTiny(path, tiny.tankId);
    for (const [index, request] of READS.entries()) {
      // Each kind of read gets tanks that no other kind has read.
      const ids = request.isOfTank ? tankIds.slice(index * 8, index * 8 + 8) : [''];
      for (const id of ids) {
        const { misses } = await statementBuffers(owner, 'fleet_api', async () => {
          const startMs = performance.now();
          await read(pathOf(request, pages), id);
          cold.get(request.what)?.ms.push(performance.now() - startMs);
        });
        cold.get(request.what)?.misses.push(misses);
      }
    }
    await readers.close();
  }
  const readers = await Readers.open(options);
  const read = requester(V1_OPERATIONS, readers, fleet.organizationNo);
  const results: ReadResult[] = [];
  for (const request of READS) {
    const runs = isQuick ? 11 : 101;
    let times: number[] = [];
    const cost = await serverCost(owner, runs + 1, async () => {
      times = await timesMs(runs, () => read(pathOf(request, pages), tankIds[0]));
    });
    results.push({
      what: request.what,
      cold_ms: upperMedian(cold.get(request.what)?.ms ?? []),
      cold_misses: upperMedian(cold.get(request.what)?.misses ?? []),
      warm_ms: Math.min(...times),
      warm_server_ms: cost.minMs,
      warm_buffers: cost.buffers,
    });
  }
  await readers.close();
  return results;
}

type DeepestPages = Readonly<Record<string, number>>;

const pathOf = ({ path, isDeepest }: MeasuredRead, pages: DeepestPages): string =>
  isDeepest ? `${path}?page=${pages[path] ?? 1}` : path;

/** Finds the last full page of each list, with 10 items a page. All tanks of the sample have the same number of readings. */
async function deepestPages(owner: Pool, { organizationNo, firstTankNo }: BulkFleet): Promise<DeepestPages> {
  const { rows } = await owner.query<Record<string, number>>(
    `select sum(n) filter (where list = 'organization_customers')::int / 10 as "/v1/customers",
            sum(n) filter (where list = 'organization_tanks')::int / 10 as "/v1/tanks",
            (select sum(n)::int / 10 from telemetry_month_counters where tank_no = $2) as "/v1/tanks/:id/telemetry"
     from catalog_month_counters where scope_no = $1`,
    [organizationNo, firstTankNo],
  );
  return onlyRow(rows);
}

async function pickTankIds(owner: Pool, fleet: BulkFleet, sample: number, count: number): Promise<string[]> {
  const nos = Array.from({ length: count }, (_, n) => fleet.firstTankNo + ((n * 7_919 + 13) % sample));
  const { rows } = await owner.query<{ id: string }>(
    'select id from tanks where no = any ($1::int[]) order by array_position($1::int[], no)',
    [nos],
  );
  return rows.map(({ id }) => id);
}

import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { PrivateDatabase } from '../engines/database.ts';
import { pgbenchRate } from './http.ts';
import { atLeast, type BenchOptions, type Check, figure, upperMedian } from './report.ts';

const ROUNDS = 3;
/** Connections that listen for new jobs. */
const LISTENERS = 3;

/** Two statements that add a job: the current one without NOTIFY, and that of 0.3.0 with NOTIFY. */
const WAYS = {
  quietly: `select enqueue_events('{1}');`,
  withNotify: `select graphile_worker.add_job('notify_events', json_build_object('event_nos', array[1]), priority => -10);`,
};

/**
 * Measures commits per second of 8 writers that write ten rows and add a job. With NOTIFY, PostgreSQL commits such transactions
 * one after the other.
 */
export async function benchJobCommits(database: PrivateDatabase, { isQuick, log }: BenchOptions): Promise<Check[]> {
  log('8 writers that add jobs, with and without NOTIFY');
  const { owner, ownerUrl } = database;
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tankwatch-bench-'));
  const listeners = Array.from({ length: LISTENERS }, () => new Client({ connectionString: ownerUrl }));
  try {
    for (const client of listeners) await client.connect();
    for (const client of listeners) await client.query('listen "jobs:insert"');
    await owner.query('create table written (no bigint generated always as identity primary key, text text)');
    const rates = { quietly: [] as number[], withNotify: [] as number[] };
    for (let turn = 0; turn < ROUNDS; turn++)
      for (const way of ['quietly', 'withNotify'] as const) {
        const file = join(folder.path, way);
        const insert = `insert into written (text) select repeat('x', 100) from generate_series(1, 10);`;
        await writeFile(file, ['begin;', insert, WAYS[way], 'commit;', ''].join('\n'));
        rates[way].push(await pgbenchRate(database, ownerUrl, [file], isQuick ? 2 : 5));
        await owner.query('truncate graphile_worker._private_jobs, written');
      }
    const [quietly, withNotify] = [upperMedian(rates.quietly), upperMedian(rates.withNotify)];
    return [
      figure('commits/s of 8 writers that add a job each', quietly),
      atLeast('commits/s of 8 writers: ratio to jobs with NOTIFY, as in 0.3', quietly / withNotify, 1.2),
    ];
  } finally {
    for (const client of listeners) await client.end();
  }
}

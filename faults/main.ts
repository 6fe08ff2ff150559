import { printReport } from '../bench/report.ts';
import { runAbuse } from './abuse.ts';
import { runClusterFaults, runIngestFaults } from './ingest.ts';
import { runPostgresOutage } from './outage.ts';

const FAULTS = { ingest: runIngestFaults, cluster: runClusterFaults, outage: runPostgresOutage, abuse: runAbuse };

const [name = '', ...flags] = process.argv.slice(2);
const run = Object.entries(FAULTS).find(([known]) => known === name)?.[1];
if (run === undefined) {
  console.error(
    `usage: npm run faults -- NAME [--quick] [--json]\n  ingest   kill -9 of gateway, writers, nats-server and PostgreSQL under load\n  cluster  the same with three nats-servers, one at a time and then all\n  outage   PostgreSQL stopped for three minutes under load\n  abuse    attacks of one tenant and of strangers beside an honest tenant; --only NAME runs one of them`,
  );
  process.exitCode = 2;
} else {
  const isJson = flags.includes('--json');
  const log = (line: string): void => {
    if (!isJson) console.error(line);
  };
  const only = flags.includes('--only') ? flags[flags.indexOf('--only') + 1] : undefined;
  const report = await run({ isQuick: flags.includes('--quick'), log, ...(only === undefined ? {} : { only }) });
  printReport(report, isJson);
  if (report.checks.some((check) => !check.ok)) process.exitCode = 1;
}

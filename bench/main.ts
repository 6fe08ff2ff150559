import { parseArgs } from 'node:util';
import { startStolenShare } from '../engines/stolen_time.ts';
import { benchCadence } from './cadence.ts';
import { benchConsole } from './console.ts';
import { benchDeliveries } from './deliveries.ts';
import { benchDelivery } from './delivery.ts';
import { benchDrill } from './drill.ts';
import { benchEvaluation } from './evaluation.ts';
import { benchEvents } from './events.ts';
import { benchFleet } from './fleet.ts';
import { benchFootprint } from './footprint.ts';
import { benchGrowth } from './growth/growth.ts';
import { benchHttp } from './http.ts';
import { benchImport } from './import.ts';
import { benchIngest } from './ingest.ts';
import { benchLists } from './lists.ts';
import { benchLoad } from './load.ts';
import { benchMonth } from './month.ts';
import { benchPacked } from './packed.ts';
import { benchReevaluation } from './reevaluation.ts';
import { figure, printReport, STOLEN_SHARE } from './report.ts';
import { benchRouter } from './router.ts';
import { benchStream } from './stream.ts';
import { benchWeather } from './weather.ts';

const BENCHES = {
  lists: benchLists,
  http: benchHttp,
  import: benchImport,
  load: benchLoad,
  ingest: benchIngest,
  events: benchEvents,
  delivery: benchDelivery,
  deliveries: benchDeliveries,
  drill: benchDrill,
  fleet: benchFleet,
  console: benchConsole,
  growth: benchGrowth,
  packed: benchPacked,
  evaluation: benchEvaluation,
  router: benchRouter,
  footprint: benchFootprint,
  weather: benchWeather,
  stream: benchStream,
  cadence: benchCadence,
  reevaluation: benchReevaluation,
  month: benchMonth,
};

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    tanks: { type: 'string' },
    'per-day': { type: 'string' },
  },
});
const bench = Object.entries(BENCHES).find(([name]) => name === positionals[0])?.[1];
if (bench === undefined) {
  console.error(
    'usage: npm run bench -- NAME [--quick] [--full] [--json] [--tanks N] [--per-day N]\n' +
      `NAME is one of: ${Object.keys(BENCHES).join(', ')}`,
  );
  process.exitCode = 2;
} else {
  // The progress goes to standard error also with --json, whose standard output is one line. A benchmark can take half an hour.
  const log = (line: string): void => console.error(line);
  const { quick: isQuick, full: isFull } = flags;
  const tanks = flags.tanks === undefined ? null : Number(flags.tanks);
  const perDay = flags['per-day'] === undefined ? null : Number(flags['per-day']);
  const stolenShare = startStolenShare();
  const report = await bench({ isQuick, isFull, tanks, perDay, log });
  report.checks.push(figure(STOLEN_SHARE, stolenShare()));
  printReport(report, flags.json);
}

import { parseArgs } from 'node:util';
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
import { benchPacked } from './packed.ts';
import { printReport } from './report.ts';
import { benchRouter } from './router.ts';
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
};

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    tanks: { type: 'string' },
  },
});
const bench = Object.entries(BENCHES).find(([known]) => known === positionals[0])?.[1];
if (bench === undefined) {
  console.error(
    'usage: npm run bench -- NAME [--quick] [--full] [--json] [--tanks N]\n' +
      `NAME is one of: ${Object.keys(BENCHES).join(', ')}`,
  );
  process.exitCode = 2;
} else {
  const log = (line: string): void => {
    if (!flags.json) console.error(line);
  };
  const { quick: isQuick, full: isFull } = flags;
  const tanks = flags.tanks === undefined ? null : Number(flags.tanks);
  printReport(await bench({ isQuick, isFull, tanks, log }), flags.json);
}

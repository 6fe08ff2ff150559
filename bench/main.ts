import { benchDelivery } from './delivery.ts';
import { benchEvaluation } from './evaluation.ts';
import { benchEvents } from './events.ts';
import { benchFleet } from './fleet.ts';
import { benchHttp } from './http.ts';
import { benchImport } from './import.ts';
import { benchIngest } from './ingest.ts';
import { benchLists } from './lists.ts';
import { benchLoad } from './load.ts';
import { printReport } from './report.ts';
import { benchRouter } from './router.ts';

const BENCHES = {
  lists: benchLists,
  http: benchHttp,
  import: benchImport,
  load: benchLoad,
  ingest: benchIngest,
  events: benchEvents,
  delivery: benchDelivery,
  fleet: benchFleet,
  evaluation: benchEvaluation,
  router: benchRouter,
};

const [name = '', ...flags] = process.argv.slice(2);
const bench = Object.entries(BENCHES).find(([known]) => known === name)?.[1];
if (bench === undefined) {
  console.error(`usage: npm run bench -- NAME [--quick] [--json]\nNAME is one of: ${Object.keys(BENCHES).join(', ')}`);
  process.exitCode = 2;
} else {
  const isJson = flags.includes('--json');
  const log = (line: string): void => {
    if (!isJson) console.error(line);
  };
  printReport(await bench({ isQuick: flags.includes('--quick'), log }), isJson);
}

import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { CONSTANTS_FILE, formatConstants, readConstants } from '../bench/capacity/constants.ts';
import { ASSUMPTIONS, type Demand, planStages } from '../bench/capacity/plan.ts';
import { priceStage, readPrices } from '../bench/capacity/prices.ts';
import { recordReports } from '../bench/capacity/record.ts';
import { renderPlan } from '../bench/capacity/render.ts';
import { readShippedSettings } from '../bench/capacity/shipped_settings.ts';

const USAGE = `usage: npm run capacity -- --tanks NUMBER [--per-day NUMBER] [--years NUMBER] [--peak NUMBER] [--organizations NUMBER]
                          [--prices FILE] [--json]
       npm run capacity -- --record FILE

Prints the machines, disks, memory, network and price for a number of tanks, and for the stages on the way to it.

  --tanks           such as 20000 or 100e6
  --per-day         readings of a tank per day (default 4)
  --years           how long readings are kept (default 5)
  --peak            readings in the busiest minute, as a multiple of the average (default 10)
  --organizations   number of organizations that share these tanks evenly (default: one for every 1,000 tanks)
  --prices          your own price list; bench/results/prices.json is the example
  --json            one JSON object
  --record          records the constants from a file with the lines that benchmarks print with --json, and
                    writes the plan into bench/results/capacity.md`;

const PLAN_PAGE = new URL('../bench/results/capacity.md', import.meta.url);
/** The 53 cells of CELL_NUMBER, five million tanks each. */
const MAX_TANKS = 53 * ASSUMPTIONS.largestCellTanks;
const TANKS_PER_ORGANIZATION = 1_000;

interface GivenDemand {
  tanks: string;
  'per-day': string;
  years: string;
  peak: string;
  organizations?: string;
}

function readDemand(values: GivenDemand): Demand | string {
  const tanks = Number(values.tanks);
  const demand = {
    tanks,
    readingsPerDay: Number(values['per-day']),
    years: Number(values.years),
    peakFactor: Number(values.peak),
    organizations: Number(values.organizations ?? Math.ceil(tanks / TANKS_PER_ORGANIZATION)),
  };
  const isWithin = (value: number, min: number, max: number): boolean => value >= min && value <= max;
  if (!Number.isInteger(demand.tanks) || !isWithin(demand.tanks, 1, MAX_TANKS))
    return `--tanks must be a whole number from 1 to ${MAX_TANKS}.`;
  if (!isWithin(demand.readingsPerDay, 0.01, 1_440)) return '--per-day must be a number from 0.01 to 1440.';
  if (!isWithin(demand.years, 0.1, 50)) return '--years must be a number from 0.1 to 50.';
  if (!isWithin(demand.peakFactor, 1, 1_000)) return '--peak must be a number from 1 to 1000.';
  if (!Number.isInteger(demand.organizations) || !isWithin(demand.organizations, 1, tanks))
    return '--organizations must be a whole number from 1 to the number of tanks.';
  if (tanks / demand.organizations > ASSUMPTIONS.largestCellTanks)
    return `An organization is not divided among cells, and a cell has at most ${ASSUMPTIONS.largestCellTanks} tanks: give more --organizations.`;
  return demand;
}

async function record(file: string): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const recorded = recordReports(await readConstants(), await readFile(file, 'utf8'), day);
  await writeFile(CONSTANTS_FILE, formatConstants(recorded.constants));
  await writePlanPage();
  console.log(`recorded: ${recorded.changed.join(', ')}`);
}

/** Writes the plan for the largest demand into its page. */
async function writePlanPage(): Promise<void> {
  const text = await readFile(PLAN_PAGE, 'utf8');
  const plan = await renderDemand({ tanks: 100e6, readingsPerDay: 4, years: 5, peakFactor: 10, organizations: 100e3 });
  await writeFile(
    PLAN_PAGE,
    text.replace(/(<!-- begin: npm run capacity .*? -->\n).*?(?=<!-- end -->)/s, (_, begin) => `${begin}${plan}\n`),
  );
}

async function renderDemand(wanted: Demand, priceFile?: string): Promise<string> {
  const [constants, shipped] = [await readConstants(), await readShippedSettings()];
  const prices = await readPrices(priceFile);
  return renderPlan({ demand: wanted, stages: planStages(wanted, constants, shipped), constants, prices, shipped });
}

const { values } = parseArgs({
  options: {
    tanks: { type: 'string' },
    'per-day': { type: 'string', default: '4' },
    years: { type: 'string', default: '5' },
    peak: { type: 'string', default: '10' },
    organizations: { type: 'string' },
    prices: { type: 'string' },
    json: { type: 'boolean', default: false },
    record: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const demand = values.help || values.tanks === undefined ? USAGE : readDemand({ ...values, tanks: values.tanks });
if (values.record !== undefined) {
  await record(values.record);
} else if (typeof demand === 'string') {
  console.error(demand);
  process.exitCode = 2;
} else if (values.json) {
  const [constants, prices] = [await readConstants(), await readPrices(values.prices)];
  const stages = planStages(demand, constants, await readShippedSettings());
  const priced = stages.map((stage) => ({ ...stage, price: priceStage(stage, prices) }));
  console.log(JSON.stringify({ demand, stages: priced, assumptions: ASSUMPTIONS, prices, constants }));
} else {
  console.log(await renderDemand(demand, values.prices));
}

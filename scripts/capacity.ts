import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { CONSTANTS_FILE, formatConstants, readConstants } from '../bench/capacity/constants.ts';
import { ASSUMPTIONS, type Demand, planStages } from '../bench/capacity/plan.ts';
import { priceStage, readPrices } from '../bench/capacity/prices.ts';
import { recordReports } from '../bench/capacity/record.ts';
import { renderPlan } from '../bench/capacity/render.ts';
import { readShippedSettings } from '../bench/capacity/shipped_settings.ts';

const USAGE = `usage: npm run capacity -- --tanks NUMBER [--per-day NUMBER] [--years NUMBER] [--prices FILE] [--json]
       npm run capacity -- --record FILE

Prints the machines, disks, memory, network and price for a number of tanks, and for the stages on the way to it.

  --tanks     such as 20000 or 100e6
  --per-day   readings of a tank per day (default 4)
  --years     how long readings are kept (default 5)
  --prices    your own price list; bench/results/prices.json is the example
  --json      one JSON object
  --record    takes the measured constants from a file with the lines that benchmarks print with --json, and
              writes the plan into docs/operators/scale.md`;

const SCALE_PAGE = new URL('../docs/operators/scale.md', import.meta.url);
/** The 53 cells of CELL_NUMBER, five million tanks each. */
const MAX_TANKS = 265e6;

function readDemand(values: { tanks?: string; 'per-day': string; years: string }): Demand | string {
  const demand = {
    tanks: Number(values.tanks),
    readingsPerDay: Number(values['per-day']),
    years: Number(values.years),
  };
  const isWithin = (value: number, least: number, most: number): boolean => value >= least && value <= most;
  if (!Number.isInteger(demand.tanks) || !isWithin(demand.tanks, 1, MAX_TANKS))
    return `--tanks must be a whole number from 1 to ${MAX_TANKS}.`;
  if (!isWithin(demand.readingsPerDay, 0.01, 1_440)) return '--per-day must be a number from 0.01 to 1440.';
  if (!isWithin(demand.years, 0.1, 50)) return '--years must be a number from 0.1 to 50.';
  return demand;
}

async function record(file: string): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const recorded = recordReports(await readConstants(), await readFile(file, 'utf8'), day);
  await writeFile(CONSTANTS_FILE, formatConstants(recorded.constants));
  await writeDocs();
  console.log(`recorded: ${recorded.changed.join(', ')}`);
}

/** The plan in the docs is the output for the largest demand. */
async function writeDocs(): Promise<void> {
  const text = await readFile(SCALE_PAGE, 'utf8');
  const plan = await renderDemand({ tanks: 100e6, readingsPerDay: 4, years: 5 });
  await writeFile(
    SCALE_PAGE,
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

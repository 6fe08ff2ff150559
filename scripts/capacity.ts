import { parseArgs } from 'node:util';
import { readConstants } from '../bench/capacity/constants.ts';
import { ASSUMPTIONS, type Demand, planStages } from '../bench/capacity/plan.ts';
import { renderPlan } from '../bench/capacity/render.ts';

const USAGE = `usage: npm run capacity -- --tanks NUMBER [--per-day NUMBER] [--years NUMBER] [--json]

Prints the machines, disks, memory and network for a number of tanks, and for the stages on the way to it.

  --tanks     such as 20000 or 100e6
  --per-day   readings of a tank per day (default 4)
  --years     how long readings are kept (default 5)
  --json      one JSON object`;

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

const { values } = parseArgs({
  options: {
    tanks: { type: 'string' },
    'per-day': { type: 'string', default: '4' },
    years: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const demand = values.help || values.tanks === undefined ? USAGE : readDemand({ ...values, tanks: values.tanks });
if (typeof demand === 'string') {
  console.error(demand);
  process.exitCode = 2;
} else {
  const constants = await readConstants();
  const stages = planStages(demand, constants);
  if (values.json) console.log(JSON.stringify({ demand, stages, assumptions: ASSUMPTIONS, constants }));
  else console.log(renderPlan(demand, stages, constants));
}

import { Command, InvalidArgumentError, Option } from 'commander';
import { readTimeZone } from '../catalog/organizations.ts';
import type { Db } from '../db/pool.ts';
import { type FoundProposal, findProposal } from '../deliveries/find_proposal.ts';
import { DEFAULT_FILL_TO, DEFAULT_LIMIT } from '../deliveries/pure/rounds/round_candidates.ts';
import { MAX_STOPS, ROUND_STATES, type RoundState } from '../deliveries/round.ts';
import { createRound, updateRound } from '../deliveries/round_changes.ts';
import { isDate } from '../deliveries/round_day.ts';
import { listRounds } from '../deliveries/round_summary.ts';
import { MAX_EVALUATED_TANKS } from '../deliveries/round_tanks.ts';
import { existingRound, type RoundStop } from '../deliveries/rounds.ts';
import { findTransportId } from '../deliveries/trucks.ts';
import { fromLiters } from '../values/capacity_unit.ts';
import { tenth } from '../values/tenth.ts';
import { amount } from '../values/text_format.ts';
import { DAY_MS } from '../values/time.ts';
import { zonedDate } from '../values/zoned_time.ts';
import {
  type CommonOptions,
  changeOrganization,
  formatTable,
  limitOption,
  type OrganizationOption,
  organizationOption,
  printResult,
  printRows,
  readCommand,
  readOrganization,
  type WriteOptions,
  writeCommand,
} from './command.ts';
import { deliveryDaysCommand, orderCommand, vroomCommand } from './round_order.ts';

export function roundsCommand(): Command {
  return new Command('rounds')
    .description('rounds: the stops of a truck on a day')
    .addCommand(proposeCommand())
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(stateCommand())
    .addCommand(vroomCommand())
    .addCommand(orderCommand())
    .addCommand(deliveryDaysCommand());
}

interface PlanOptions extends OrganizationOption {
  date: string;
  truck: string;
  city?: string[];
  fillTo: number;
  chanceLimit: number;
}

const planOptions = (command: Command): Command =>
  command
    .addOption(organizationOption())
    .addOption(
      new Option('--date <date>', 'day of the round, such as 2026-11-17').argParser(parseDate).makeOptionMandatory(),
    )
    .requiredOption('--truck <truck>', 'the truck: id or name')
    .option('--city <city...>', 'only tanks in these cities (default: those whose delivery day it is)')
    .addOption(
      new Option('--fill-to <percent>', 'fill tanks up to this level')
        .default(DEFAULT_FILL_TO)
        .argParser(parseShare(1, 100)),
    )
    .addOption(
      new Option(
        '--chance-limit <share>',
        'a tank with a higher chance of being empty before its next visit must be visited',
      )
        .default(DEFAULT_LIMIT)
        .argParser(parseShare(0, 1)),
    );

const propose = async (db: Db, organization: number, options: PlanOptions): Promise<FoundProposal> =>
  findProposal(db, organization, {
    date: options.date,
    truck_id: await findTransportId(db, organization, 'truck', options.truck),
    cities: options.city,
    fill_to_percentage: options.fillTo,
    chance_limit: options.chanceLimit,
  });

/** The stops of a proposal as rows, and the sentence about them. */
function describeProposal({ truck, proposal, evaluatedTanks }: FoundProposal): {
  rows: Record<string, unknown>[];
  text: string;
} {
  const volume = (liters: number): number => tenth(fromLiters(liters, truck.capacityUnit));
  const rows = proposal.stops.map(({ tank, liters, kind }, index) => ({
    position: index + 1,
    kind,
    tank: tank.customId === null ? tank.name : `${tank.name} ${tank.customId}`,
    owner: tank.owner.name,
    city: tank.city,
    fill_percentage: tank.fillPercentage,
    chance: tank.chance === null ? null : Math.round(tank.chance * 100) / 100,
    volume: volume(liters),
    tank_id: tank.id,
  }));
  const { losing, otherProduct, gaugeUnreliable, plannedElsewhere, notVisited } = proposal.notOffered;
  const text = [
    `${rows.length} stops, ${volume(proposal.liters)} of ${truck.capacity} ${truck.capacityUnit}, ${proposal.loads} loads, ${tenth(proposal.km)} km. Straight-line order, not a route.`,
    `Not offered: ${losing} losing their content, ${otherProduct === 0 ? '' : `${otherProduct} with another product, `}${gaugeUnreliable} with an unreliable gauge, ${plannedElsewhere} on other rounds, ${notVisited} with another delivery day. Without a forecast: ${proposal.noForecast.length}.`,
    ...unservedTexts(proposal.mustsLeft.length, evaluatedTanks),
  ].join('\n');
  return { rows, text };
}

/** What the proposal leaves out although it may be urgent. */
const unservedTexts = (mustsLeft: number, evaluatedTanks: number): string[] => [
  ...(mustsLeft > 0
    ? [`${amount(mustsLeft, 'tanks')} must be visited but are beyond ${MAX_STOPS} stops: plan another truck.`]
    : []),
  ...(evaluatedTanks >= MAX_EVALUATED_TANKS
    ? [`Only the ${MAX_EVALUATED_TANKS} most urgent tanks were looked at: choose some cities with --city.`]
    : []),
];

function proposeCommand(): Command {
  const example = 'rounds propose --organization a0gas --date 2026-11-17 --truck "Truck 2"';
  return planOptions(
    readCommand('propose', 'propose what a truck should deliver on a day; stores nothing', example),
  ).action((options: CommonOptions & PlanOptions) =>
    readOrganization(options, async (pool, organization) => {
      const { rows, text } = describeProposal(await propose(pool, organization, options));
      if (options.json) printRows(options, rows);
      else console.log(`${rows.length === 0 ? 'none' : formatTable(rows)}\n${text}`);
    }),
  );
}

function createCommand(): Command {
  const example =
    'rounds create --organization a0gas --date 2026-11-17 --truck "Truck 2" --driver "Raúl Vega" --propose';
  return planOptions(writeCommand('create', 'create a round', example))
    .option('--driver <driver>', 'the driver: id or name')
    .option('--propose', 'with the stops that `rounds propose` shows (default: without stops)')
    .action(async (options: WriteOptions & PlanOptions & { driver?: string; propose?: boolean }) => {
      const { id, stops, unserved } = await changeOrganization(options, async (change) => {
        const { tx, organizationNo: organization } = change;
        const truck_id = await findTransportId(tx, organization, 'truck', options.truck);
        const driver_id = options.driver ? await findTransportId(tx, organization, 'driver', options.driver) : null;
        const found = options.propose ? await propose(tx, organization, options) : undefined;
        const proposed = (found?.proposal.stops ?? []).map(({ tank, kind, liters }) => ({
          tank_id: tank.id,
          kind,
          volume: fromLiters(liters, found?.truck.capacityUnit ?? 'liters'),
        }));
        const limits = { fill_to_percentage: options.fillTo, chance_limit: options.chanceLimit };
        const round = { date: options.date, truck_id, driver_id, ...limits, stops: proposed };
        return {
          id: await createRound(change, round),
          stops: proposed.length,
          unserved: found ? unservedTexts(found.proposal.mustsLeft.length, found.evaluatedTanks) : [],
        };
      });
      printResult(options, { id, stops }, [`created the round ${id} with ${stops} stops`, ...unserved].join('\n'));
    });
}

function listCommand(): Command {
  return readCommand('list', 'list rounds by day', 'rounds list --organization a0gas --from 2026-11-16 --to 2026-11-22')
    .addOption(organizationOption())
    .addOption(new Option('--from <date>', 'the first day (default: a week ago)').argParser(parseDate))
    .addOption(new Option('--to <date>', 'the last day (default: in two weeks)').argParser(parseDate))
    .addOption(limitOption())
    .action((options: CommonOptions & OrganizationOption & { from?: string; to?: string; limit: number }) =>
      readOrganization(options, async (pool, organization) => {
        const timeZone = await readTimeZone(pool, organization);
        const day = (days: number): string => zonedDate(Date.now() + days * DAY_MS, timeZone);
        const { from = day(-7), to = day(14), limit } = options;
        const rounds = await listRounds(pool, organization, { from, to, limit });
        printRows(
          options,
          rounds.map((round) => ({
            date: round.date,
            truck: round.truck_name,
            driver: round.driver_name,
            state: round.state,
            stops: round.stops,
            open: round.open,
            delivered: round.delivered,
            not_possible: round.not_possible,
            volume: tenth(fromLiters(round.litres, round.volume_unit)),
            id: round.id,
          })),
        );
      }),
    );
}

const ROUND = ['<round>', 'id of the round'] as const;

function showCommand(): Command {
  return readCommand(
    'show',
    'show the stops of a round',
    'rounds show 01989f50-1a22-7c33-8b44-0d1e2f3a4b5c --organization a0gas',
  )
    .argument(...ROUND)
    .addOption(organizationOption())
    .action((id: string, options: CommonOptions & OrganizationOption) =>
      readOrganization(options, async (pool, organization) => {
        const { object } = await existingRound(pool, organization, id);
        if (options.json) console.log(JSON.stringify(object));
        else console.log(`${object.date}, ${object.state}\n${formatTable(object.stops.map(stopRow))}`);
      }),
    );
}

const stopRow = ({
  number,
  tank_id,
  kind,
  volume,
  outcome,
  outcome_from,
  delivered_volume,
  contradiction,
}: RoundStop) => ({
  number,
  tank_id,
  kind,
  volume,
  outcome,
  outcome_from,
  delivered_volume,
  contradiction,
});

function stateCommand(): Command {
  const example = 'rounds state 01989f50-1a22-7c33-8b44-0d1e2f3a4b5c done --organization a0gas';
  return writeCommand('state', 'set whether a round is under way, done or cancelled', example)
    .argument(...ROUND)
    .argument('<state>', `one of ${ROUND_STATES.slice(1).join(', ')}`, parseState)
    .addOption(organizationOption())
    .action(async (id: string, state: RoundState, options: WriteOptions & OrganizationOption) => {
      await changeOrganization(options, (change) => updateRound(change, id, { state }));
      printResult(options, { id, state }, `the round ${id} is ${state.replace('_', ' ')} now`);
    });
}

function parseDate(text: string): string {
  if (!isDate(text)) throw new InvalidArgumentError('Must be a date such as 2026-11-17.');
  return text;
}

const parseShare =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= min && value <= max))
      throw new InvalidArgumentError(`Must be a number from ${min} to ${max}.`);
    return value;
  };

function parseState(text: string): RoundState {
  const state = ROUND_STATES.find((name) => name === text);
  if (state === undefined || state === 'planned')
    throw new InvalidArgumentError(`Must be one of: ${ROUND_STATES.slice(1).join(', ')}.`);
  return state;
}

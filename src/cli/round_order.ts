import { type Command, InvalidArgumentError, Option } from 'commander';
import { text as textField } from '../catalog/field.ts';
import { findTank } from '../catalog/tanks.ts';
import { listDeliveryDays, setDeliveryDays } from '../deliveries/delivery_days.ts';
import { putVroomOrder } from '../deliveries/round_changes.ts';
import { existingRound } from '../deliveries/rounds.ts';
import { writeVroomRound } from '../deliveries/vroom_round.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  changeOrganization,
  type OrganizationOption,
  organizationOption,
  printResult,
  printRows,
  readCommand,
  readOrganization,
  type WriteOptions,
  writeCommand,
} from './command.ts';
import { readJsonInput } from './input_file.ts';
import { parseField } from './options/field.ts';

/** Prints a round for VROOM, which plans routes on roads. */
export function vroomCommand(): Command {
  const example = 'rounds vroom 01989f50-1a22-7c33-8b44-0d1e2f3a4b5c --organization a0gas > problem.json';
  return readCommand('vroom', 'print a round as a problem for VROOM, which orders stops by roads', example)
    .argument('<round>', 'id of the round')
    .addOption(organizationOption())
    .action((id: string, options: OrganizationOption) =>
      readOrganization(options, async (pool, no) =>
        console.log(JSON.stringify(await writeVroomRound(pool, await existingRound(pool, no, id)))),
      ),
    );
}

export function orderCommand(): Command {
  const example = 'rounds order 01989f50-1a22-7c33-8b44-0d1e2f3a4b5c --organization a0gas --solution solution.json';
  return writeCommand('order', 'take the order of the stops from a solution of VROOM', example)
    .argument('<round>', 'id of the round')
    .addOption(organizationOption())
    .requiredOption('--solution <file>', 'file with the answer of VROOM')
    .action(async (id: string, options: WriteOptions & OrganizationOption & { solution: string }) => {
      const solution = await readJsonInput(options.solution);
      const stops = await changeOrganization(options, (change) => putVroomOrder(change, id, solution));
      printResult(options, { id, stops }, `ordered the ${stops} stops of the round ${id}`);
    });
}

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** Sets the delivery days of a city or a tank. Without both, it lists all delivery days. */
export function deliveryDaysCommand(): Command {
  const example = 'rounds delivery-days --organization a0gas --city Celaya --days tue,fri';
  return writeCommand('delivery-days', 'show or set the weekdays on which trucks come to a city or a tank', example)
    .addOption(organizationOption())
    .option('--city <city>', 'the city, as its tanks have it', (text) => parseField(textField(200), text))
    .option('--tank <tank>', 'id of the tank, or its device')
    .addOption(
      new Option(
        '--days <days>',
        `such as tue,fri; none: every day but Sunday (choices: ${WEEKDAYS.join(', ')})`,
      ).argParser(parseDays),
    )
    .action(async (options: WriteOptions & OrganizationOption & { city?: string; tank?: string; days?: number[] }) => {
      const { city, tank, days } = options;
      if (city === undefined && tank === undefined) return listDays(options);
      if ((city === undefined) === (tank === undefined) || days === undefined)
        throw new UserError('give --city or --tank, with --days.');
      const weekdays = await changeOrganization(options, async (change) => {
        const { tx, organizationNo } = change;
        const place = city === undefined ? { tankNo: (await findTank(tx, organizationNo, tank ?? '')).no } : { city };
        return setDeliveryDays(change, place, days);
      });
      const names = weekdays.map((day) => WEEKDAYS[day - 1]);
      const dayText = names.length === 0 ? 'every day but Sunday' : names.join(', ');
      printResult(options, { city, tank, weekdays: names }, `trucks come to ${city ?? tank} on: ${dayText}`);
    });
}

const listDays = (options: CommonOptions & OrganizationOption): Promise<void> =>
  readOrganization(options, async (pool, no) =>
    printRows(
      options,
      (await listDeliveryDays(pool, no)).map(({ city, tank_id, weekdays }) => ({
        city,
        tank_id,
        days: weekdays.map((day) => WEEKDAYS[day - 1]).join(','),
      })),
    ),
  );

function parseDays(text: string): number[] {
  if (text === 'none') return [];
  return text.split(',').map((name) => {
    const index = WEEKDAYS.findIndex((weekday) => weekday === name.trim().toLowerCase().slice(0, 3));
    if (index < 0) throw new InvalidArgumentError('Must be days such as tue,fri, or none.');
    return index + 1;
  });
}

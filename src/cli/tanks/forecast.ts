import { type Command, Option } from 'commander';
import { findTank } from '../../catalog/tanks.ts';
import { USE_CASES } from '../../catalog/use_case.ts';
import { listTanksToRefill } from '../../status/refill_list.ts';
import {
  bomOption,
  type CommonOptions,
  excelSafeOption,
  type OrganizationOption,
  organizationOption,
  parseCount,
  parseWhole,
  printPieces,
  printRows,
  readCommand,
  readOrganization,
} from '../command.ts';
import { refillCsv, refillJson, refillTableRow } from '../refill_row.ts';

interface ForecastOptions extends CommonOptions, OrganizationOption {
  limit?: number;
  tank?: string;
  city?: string[];
  useCase?: string;
  within?: number;
  fillTo: number;
  csv?: boolean;
  excelSafe?: boolean;
  bom?: boolean;
}

const DEFAULT_LIMIT = 50;

export function forecastCommand(): Command {
  const example = 'tanks forecast --organization a0gas --within 7 --city Celaya';
  return readCommand('forecast', 'list the tanks to refill next: volumes, days left, owner and place', example)
    .addOption(organizationOption())
    .option(
      '--within <days>',
      'only tanks that reach their threshold within this many days',
      parseWhole(0, 999, 'days'),
    )
    .option('--city <city...>', 'only tanks in these cities; upper and lower case are equal')
    .addOption(new Option('--use-case <use>', 'only tanks with this use').choices(USE_CASES))
    .option('--tank <tank>', 'only this tank: its id or its device')
    .addOption(
      new Option(
        '--fill-to <percentage>',
        'show the volume that fits up to this level; other products than gas, and tanks with a fill limit, up to their limit',
      )
        .default(80)
        .argParser(parseWhole(1, 100)),
    )
    .addOption(
      new Option('--limit <n>', `the largest number of results (default: ${DEFAULT_LIMIT}, with --csv all)`).argParser(
        parseCount,
      ),
    )
    .addOption(new Option('--csv', 'print CSV, for a spreadsheet or a routing program').conflicts('json'))
    .addOption(excelSafeOption())
    .addOption(bomOption())
    .addHelpText(
      'after',
      '\nTanks that lose gas come first, then low ones, soonest to empty first. The other tanks follow by the days to their' +
        '\nthreshold. --within counts days of the time zone of the organization, as the console does. Days' +
        '\nare counted from now: the most likely number, and a range that holds with 80 % probability. If a device is silent or' +
        '\na gauge is unreliable, the earliest day counts, and no volumes are shown. Tanks without a forecast come last;' +
        '\n--within does not exclude them.',
    )
    .action((options: ForecastOptions) =>
      readOrganization(options, async (pool, organization) => {
        const tank = options.tank === undefined ? undefined : await findTank(pool, organization, options.tank);
        const nowMs = Date.now();
        const selection = {
          organizationNo: organization,
          tankNo: tank?.no,
          cities: options.city,
          useCase: options.useCase,
          withinDays: options.within,
          limit: options.limit ?? (options.csv ? Infinity : DEFAULT_LIMIT),
        };
        const { tanks, total } = await listTanksToRefill(pool, selection, nowMs);
        const { fillTo } = options;
        if (options.csv) {
          const format = { isSpreadsheetSafe: options.excelSafe ?? false, hasByteOrderMark: options.bom ?? false };
          return printPieces(refillCsv(tanks, { fillTo, nowMs, ...format }));
        }
        const toRow = options.json ? refillJson : refillTableRow;
        printRows(
          options,
          tanks.map((status) => toRow(status, fillTo, nowMs)),
        );
        if (!options.json && total > tanks.length)
          console.log(`and ${total - tanks.length} more; use --limit to show more`);
      }),
    );
}

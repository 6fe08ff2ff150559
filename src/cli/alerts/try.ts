import { type Command, InvalidArgumentError, Option } from 'commander';
import { TANK_FIELDS } from '../../catalog/tank_fields.ts';
import { type TriedLine, tryReadings } from '../../evaluation/pure/alerts/try_readings.ts';
import type { PlaceWeather } from '../../evaluation/pure/estimator/place_weather.ts';
import { READING_COLUMNS } from '../../telemetry/reading_file.ts';
import type { CapacityUnit } from '../../values/capacity_unit.ts';
import { HOUR_MS } from '../../values/time.ts';
import { backTestWeather } from '../../weather/back_test_weather.ts';
import { readTemperatures } from '../../weather/temperature_file.ts';
import { type CommonOptions, parseTime, parseWhole, readCommand } from '../command.ts';
import { inputFile } from '../input_file.ts';
import { parseField } from '../options/field.ts';
import {
  type ColumnOption,
  type FileOptions,
  fileArguments,
  shellCommand,
  tableOptions,
  textFormat,
  withColumnOption,
  withFileOptions,
} from '../options/file.ts';
import { readTrialReadings, type TrialReadings } from './trial_readings.ts';
import { describeTrial, describeTriedLine } from './tried_line.ts';

const MAX_SHOWN_REJECTIONS = 20;

interface TryOptions extends CommonOptions, FileOptions, ColumnOption {
  threshold: number;
  capacity: number;
  unit: CapacityUnit;
  from?: number;
  to?: number;
  forecasts?: boolean;
  batch?: boolean;
  mobile?: boolean;
  reportInterval?: number;
  weather?: string;
  weatherDays: number;
}

export function tryCommand(): Command {
  const example = 'alerts try readings.csv --threshold 25 --forecasts';
  return withFileOptions(
    withColumnOption(
      readCommand('try', 'show the events that the readings in a file would have raised; needs no database', example),
      READING_COLUMNS,
    ),
  )
    .argument(
      '<file>',
      'CSV or .xlsx as for telemetry import, or two columns, time and percentage, of one tank; - reads standard input',
    )
    .addOption(
      new Option('--threshold <percentage>', 'the threshold of the tanks').argParser(percentage).makeOptionMandatory(),
    )
    .option('--capacity <volume>', 'the capacity of the tanks', capacity, 1_000)
    .addOption(new Option('--unit <unit>', 'the unit of the capacity').choices(['liters', 'gallons']).default('liters'))
    .option('--from <time>', 'only readings since this time, such as 2026-01-01T00:00:00Z', time)
    .option('--to <time>', 'only readings before this time', time)
    .option('--report-interval <hours>', 'how often the devices report; without it, this is learned', reportInterval)
    .option('--mobile', 'the tanks are on vehicles, and their content moves')
    .option('--batch', 'trucks fetch from these tanks and fill them: a sudden fall is not a loss')
    .option('--forecasts', 'also show a forecast per day')
    .option('--weather <file>', 'daily temperatures of the place, as for weather import: forecasts with the weather')
    .option(
      '--weather-days <days>',
      'how many days of that weather each forecast knows ahead',
      parseWhole(0, 30, 'days'),
      7,
    )
    .addHelpText(
      'after',
      '\nEvaluates the readings of each tank in the order of their times. Stores nothing and notifies nobody. With --json,' +
        '\nprints one JSON object per line.',
    )
    .action(async (file: string, options: TryOptions) => {
      const trial = await readTrialReadings(await inputFile(file), {
        fromMs: options.from,
        toMs: options.to,
        table: tableOptions(options, (note) => console.error(note)),
        names: options.column ?? {},
        format: textFormat(options),
      });
      const { tanks, rejected } = trial;
      const settings = {
        minFillAlertPercentage: options.threshold,
        capacity: options.capacity,
        capacityUnit: options.unit,
        isBatchTank: options.batch ?? false,
        isMobile: options.mobile ?? false,
        reportIntervalMs: options.reportInterval ?? null,
      };
      const place = options.weather === undefined ? null : await readWeather(options.weather, options);
      const counts = new Map<string, number>();
      for (const { tank, readings } of tanks) {
        for (const line of tryReadings(settings, readings, options.forecasts ?? false, place)) {
          printLine(options, line, tanks.length > 1 ? tank : null);
          if (line.type !== 'forecast') counts.set(line.type, (counts.get(line.type) ?? 0) + 1);
        }
      }
      if (!options.json) console.log(`${describeTrial(tanks, counts)}\n${importAdvice(file, trial, options)}`);
      for (const sentence of rejected.slice(0, MAX_SHOWN_REJECTIONS)) console.error(sentence);
      if (rejected.length > MAX_SHOWN_REJECTIONS)
        console.error(`and ${rejected.length - MAX_SHOWN_REJECTIONS} more rows`);
      if (rejected.length > 0) process.exitCode = 1;
    });
}

/** Reads temperatures in the format of the readings, such as with a decimal comma. */
async function readWeather(file: string, options: TryOptions): Promise<PlaceWeather> {
  const rows = readTemperatures(await inputFile(file), {
    table: { decimal: options.decimal },
    format: textFormat(options),
    names: {},
    station: file.slice(-64),
    nowMs: Date.now(),
  });
  return backTestWeather(rows, options.weatherDays);
}

function printLine({ json }: TryOptions, line: TriedLine, tank: string | null): void {
  if (json) console.log(JSON.stringify(tank === null ? line : { tank, ...line }));
  else console.log(tank === null ? describeTriedLine(line) : `${tank}: ${describeTriedLine(line)}`);
}

/** The command that stores the readings of the file. */
function importAdvice(file: string, { twoColumns, isOneTank }: TrialReadings, options: TryOptions): string {
  if (file === '-') return 'to import these readings, save them in a file.';
  const [time, fill] = twoColumns ?? [];
  const found =
    time === undefined || fill === undefined ? {} : { created_at: time.trim(), fill_percentage: fill.trim() };
  const column = Object.fromEntries(
    Object.entries({ ...found, ...options.column }).filter(([ours, theirs]) => ours !== theirs),
  );
  const device = isOneTank ? ['--device', 'ID'] : [];
  const command = shellCommand(['import', file, ...device, ...fileArguments({ ...options, column })]);
  const header = twoColumns?.length === 0 ? ', add the line created_at,fill_percentage at the top, then' : '';
  return `to import these readings${isOneTank ? ' as those of the device ID' : ''}${header}: ${command}`;
}

const percentage = (text: string): number => parseField(TANK_FIELDS.min_fill_alert_percentage, text);

const reportInterval = (text: string): number => (parseField(TANK_FIELDS.report_interval_hours, text) ?? 0) * HOUR_MS;

function capacity(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value <= 0)
    throw new InvalidArgumentError('Must be a number above 0, such as 1000.');
  return value;
}

const time = (text: string): number => Date.parse(parseTime(text));

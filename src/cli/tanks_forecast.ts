import { type Command, InvalidArgumentError } from 'commander';
import { findTank } from '../catalog/tanks.ts';
import { type DaysRange, type Forecast, MAX_FORECAST_DAYS } from '../estimator/forecast.ts';
import { forecastTanks, type TankForecast } from '../fleet/tank_forecasts.ts';
import {
  type CommonOptions,
  limitOption,
  type OrganizationOption,
  organizationNo,
  organizationOption,
  printRows,
  readCommand,
  withDatabase,
} from './command.ts';

interface ForecastOptions extends CommonOptions, OrganizationOption {
  limit: number;
  tank?: string;
  within?: number;
}

export function forecastCommand(): Command {
  const example = 'tanks forecast --organization a0gas --within 14';
  return readCommand(
    'forecast',
    'forecast when tanks reach their threshold and when they are empty, soonest first',
    example,
  )
    .addOption(organizationOption())
    .addOption(limitOption())
    .option('--tank <tank>', 'only this tank: its id or its device')
    .option(
      '--within <days>',
      'only tanks that likely reach their threshold within this many days, and tanks without a forecast',
      parseDays,
    )
    .addHelpText(
      'after',
      '\nDays are counted from now: the most likely number, and a range that holds with 80 % probability. Use is in percentage' +
        '\npoints per day. Tanks that are silent or have no evaluated reading come last, with the reason.',
    )
    .action((options: ForecastOptions) =>
      withDatabase(async ({ pool }) => {
        const organization = await organizationNo(pool, options.organization);
        const tank = options.tank === undefined ? null : await findTank(pool, organization, options.tank);
        const selection = {
          organizationNo: organization,
          tankNo: tank?.no ?? null,
          withinDays: options.within ?? null,
        };
        const forecasts = await forecastTanks(pool, selection, Date.now());
        const shown = forecasts.slice(0, options.limit);
        printRows(options, shown.map(options.json ? asJson : asTableRow));
        const hidden = forecasts.slice(options.limit);
        if (options.json || hidden.length === 0) return;
        const withoutForecast = hidden.filter(({ reason }) => reason !== null).length;
        console.log(
          `and ${hidden.length} more, ${withoutForecast} of them without a forecast; use --limit to show more`,
        );
      }),
    );
}

function parseDays(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('Must be a whole number of days, from 0 to 999.');
  return Number(text);
}

const asJson = ({ tank, forecast, reason }: TankForecast): Record<string, unknown> => ({
  tank_id: tank.id,
  tank: tank.name,
  device: tank.device,
  threshold_percentage: tank.settings.minFillAlertPercentage,
  fill_percentage: forecast?.fillPercentage ?? null,
  use_points_per_day: forecast?.usePointsPerDay ?? null,
  days_to_threshold: forecast?.daysToThreshold ?? null,
  days_to_empty: forecast?.daysToEmpty ?? null,
  as_of: asOf({ forecast }),
  reason,
});

const asTableRow = ({ tank, forecast, reason }: TankForecast): Record<string, unknown> => ({
  id: tank.id,
  name: tank.name,
  device: tank.device,
  fill: forecast?.fillPercentage,
  use_a_day: forecast?.usePointsPerDay,
  threshold: tank.settings.minFillAlertPercentage,
  days_to_threshold: forecast && inDays(forecast, tank.settings.minFillAlertPercentage, forecast.daysToThreshold),
  days_to_empty: forecast && inDays(forecast, 0, forecast.daysToEmpty),
  as_of: asOf({ forecast }),
  reason,
});

const asOf = ({ forecast }: Pick<TankForecast, 'forecast'>): string | null =>
  forecast && new Date(forecast.asOfMs).toISOString();

/** Such as `8.2 (6.1 to 11.4)`, or `0` when the target is already reached. */
function inDays({ fillPercentage }: Forecast, target: number, { likely, earliest, latest }: DaysRange): string {
  if (fillPercentage <= target) return '0';
  const text = (count: number | null): string => (count === null ? `over ${MAX_FORECAST_DAYS}` : count.toFixed(1));
  return `${text(likely)} (${text(earliest)} to ${text(latest)})`;
}

import { type Command, InvalidArgumentError } from 'commander';
import { findTank } from '../../catalog/tanks.ts';
import { type FitName, MIN_SHAPE_POINTS } from '../../gauges/calibrate.ts';
import { calibrateTank, type DialReading } from '../../gauges/calibrate_tank.ts';
import { UserError } from '../../values/user_error.ts';
import {
  type CommonOptions,
  type OrganizationOption,
  organizationOption,
  parseTime,
  printRows,
  readCommand,
  readOrganization,
} from '../command.ts';
import { gaugeArguments } from '../gauge_options.ts';

interface CalibrateOptions {
  dial?: DialReading[];
  deliveries?: boolean;
}

export function calibrateCommand(): Command {
  return readCommand(
    'calibrate',
    'compare what somebody read from the dial of a tank with what its device measured',
    'tanks calibrate ABCD1234 --organization a0gas --dial 2026-01-12T09:30:00Z=62 2026-02-03T10:00:00Z=41 2026-03-01T08:00:00Z=80',
  )
    .argument('<tank>', 'id of the tank, or its device')
    .addOption(organizationOption())
    .option('--dial <time=percentage...>', 'when somebody read the dial, and which level it showed', parseDial)
    .option('--deliveries', 'compare the newest 50 deliveries with a note and a refill, too')
    .addHelpText(
      'after',
      '\nEach dial reading is compared with the measure nearest to it, within 12 hours. Shows the root mean square of the errors' +
        '\nin points (rms_error): of the gauge as described, then of other shapes with the offset that fits best. Levels that are far apart tell shapes apart.' +
        '\nCorrect the gauge: tankwatch tanks gauge',
    )
    .action((reference: string, options: CommonOptions & OrganizationOption & CalibrateOptions) =>
      readOrganization(options, async (pool, organization) => {
        const { dial: dials = [], deliveries: usesDeliveries = false } = options;
        const { no } = await findTank(pool, organization, reference);
        const { gauge, fromAt, points, leftOut, fits, better } = await calibrateTank(pool, no, {
          dials,
          usesDeliveries,
        });
        const leftOutText =
          leftOut === 0 ? '' : `${leftOut} left out: no measure at that time, or one of an earlier gauge`;
        if (points.length < MIN_SHAPE_POINTS)
          throw new UserError(
            `${points.length} dial readings and deliveries have a measure of the gauge${leftOutText && ` (${leftOutText})`}; give at least ${MIN_SHAPE_POINTS} that do.`,
          );
        const rows = fits.map(({ name, offset_mm, rms, residuals }) => ({
          shape: nameOf(name),
          offset_mm,
          rms_error: Math.round(rms * 100) / 100,
          errors: residuals.join(', '),
        }));
        printRows(options, options.json ? fits : rows);
        if (options.json) return;
        if (leftOutText !== '') console.log(leftOutText);
        if (better === undefined) return;
        const { name, shape, offset_mm } = better;
        const from = fromAt === null ? '' : ` --from ${fromAt}`;
        console.log(
          `fits better: ${nameOf(name)}; set it with: tankwatch tanks gauge ${reference} --organization ${options.organization} ${gaugeArguments({ ...gauge, shape, offset_mm })}${from}`,
        );
      }),
    );
}

function nameOf(fit: FitName): string {
  if (fit === 'as_described') return 'as described';
  return fit === 'other_offset' ? 'the same shape with another offset' : `${fit.replaceAll('_', ' ')} tank`;
}

function parseDial(text: string, dials: DialReading[] = []): DialReading[] {
  const [time = '', percentage = ''] = text.split('=');
  const fillPercentage = Number(percentage);
  if (percentage.trim() === '' || !(fillPercentage >= 0 && fillPercentage <= 100))
    throw new InvalidArgumentError('Must be a time and a level from 0 to 100, such as 2026-01-12T09:30:00Z=62.');
  return [...dials, { at: parseTime(time), fillPercentage }];
}

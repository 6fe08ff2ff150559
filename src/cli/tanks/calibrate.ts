import { type Command, InvalidArgumentError } from 'commander';
import { findTank } from '../../catalog/tanks.ts';
import type { Db } from '../../db/pool.ts';
import { calibrate, type DialPoint, MIN_DIAL_POINTS } from '../../gauges/calibrate.ts';
import { gaugeAt, readGauges } from '../../gauges/gauges_of_tanks.ts';
import { productHeightMm } from '../../gauges/tank_gauge.ts';
import { decodeMeasure } from '../../telemetry/stored_measure.ts';
import { UserError } from '../../values/user_error.ts';
import {
  type CommonOptions,
  type OrganizationOption,
  organizationNo,
  organizationOption,
  parseTime,
  printRows,
  readCommand,
  withDatabase,
} from '../command.ts';
import { gaugeArguments } from './gauge.ts';

interface DialReading {
  at: string;
  fillPercentage: number;
}

export function calibrateCommand(): Command {
  return readCommand(
    'calibrate',
    'compare what somebody read from the dial of a tank with what its device measured',
    'tanks calibrate ABCD1234 --organization a0gas --dial 2026-01-12T09:30:00Z=62 2026-02-03T10:00:00Z=41 2026-03-01T08:00:00Z=80',
  )
    .argument('<tank>', 'id of the tank, or its device')
    .addOption(organizationOption())
    .requiredOption('--dial <time=percentage...>', 'when somebody read the dial, and which level it showed', parseDial)
    .addHelpText(
      'after',
      '\nEach dial reading is compared with the measure nearest to it, within 12 hours. Shows the root mean square of the errors' +
        '\nin points (rms_error): of the gauge as described, then of other shapes with the offset that fits best. Levels that are far apart tell shapes apart.' +
        '\nCorrect the gauge: tankwatch tanks gauge',
    )
    .action((reference: string, options: CommonOptions & OrganizationOption & { dial: DialReading[] }) =>
      withDatabase(async ({ pool }) => {
        const { no } = await findTank(pool, await organizationNo(pool, options.organization), reference);
        const period = gaugeAt((await readGauges(pool, [no])).get(no) ?? [], Date.now());
        const gauge = period?.gauge;
        if (!gauge)
          throw new UserError('the gauge of the tank is not described; describe it first: tankwatch tanks gauge');
        const found = (await Promise.all(options.dial.map((dial) => nearestMeasure(pool, no, dial)))).flat();
        const points = found.filter(
          ({ atMs, measure }) => atMs >= period.fromMs && productHeightMm(gauge, measure) !== undefined,
        );
        const leftOut = found.length - points.length;
        const without =
          leftOut === 0 ? '' : `${leftOut} left out: measured before the gauge of today, or of another kind`;
        if (points.length < MIN_DIAL_POINTS)
          throw new UserError(
            `${points.length} of ${options.dial.length} dial readings have a measure of the gauge within 12 hours${without && ` (${without})`}; give at least ${MIN_DIAL_POINTS} that do.`,
          );
        const fits = calibrate(gauge, points);
        const rows = fits.map(({ name, offset_mm, rms, residuals }) => ({
          shape: name,
          offset_mm,
          rms_error: Math.round(rms * 100) / 100,
          errors: residuals.join(', '),
        }));
        printRows(options, options.json ? fits : rows);
        if (options.json) return;
        if (without !== '') console.log(`dial readings ${without}`);
        const [asItIs, best] = fits;
        if (!asItIs || !best || best.rms >= asItIs.rms / 2) return;
        const { name, shape, offset_mm } = best;
        const from = Number.isFinite(period.fromMs) ? ` --from ${new Date(period.fromMs).toISOString()}` : '';
        console.log(
          `fits better: ${name}; set it with: tankwatch tanks gauge ${reference} --organization ${options.organization} ${gaugeArguments({ ...gauge, shape, offset_mm })}${from}`,
        );
      }),
    );
}

async function nearestMeasure(
  db: Db,
  tankNo: number,
  { at, fillPercentage }: DialReading,
): Promise<(DialPoint & { atMs: number })[]> {
  const { rows } = await db.query<{ gauge_value: number; created_at: string }>(
    `select gauge_value, created_at from oldest_measures($1, $2::timestamptz - interval '12 hours', $2::timestamptz + interval '12 hours', 100000)
     where gauge_value is not null order by abs(date_part('epoch', created_at - $2::timestamptz)) limit 1`,
    [tankNo, at],
  );
  return rows.map(({ gauge_value, created_at }) => ({
    fillPercentage,
    measure: decodeMeasure(gauge_value),
    atMs: Date.parse(created_at),
  }));
}

function parseDial(text: string, dials: DialReading[] = []): DialReading[] {
  const [time = '', percentage = ''] = text.split('=');
  const fillPercentage = Number(percentage);
  if (percentage.trim() === '' || !(fillPercentage >= 0 && fillPercentage <= 100))
    throw new InvalidArgumentError('Must be a time and a level from 0 to 100, such as 2026-01-12T09:30:00Z=62.');
  return [...dials, { at: parseTime(time), fillPercentage }];
}

import { Argument, type Command } from 'commander';
import { findTank } from '../../catalog/tanks.ts';
import { recordDip, setUsePredictable } from '../../telemetry/dips.ts';
import { isReadingError } from '../../telemetry/reading.ts';
import { parseFileReading } from '../../telemetry/reading_row.ts';
import { UserError } from '../../values/user_error.ts';
import {
  changeObject,
  type OrganizationOption,
  organizationOption,
  printResult,
  type WriteOptions,
  writeCommand,
} from '../command.ts';

export function dipCommand(): Command {
  return writeCommand(
    'dip',
    'record a manual reading: the level that somebody saw on a tank without a sensor',
    'tanks dip MAN-7KQ2M9XT4B 45 --organization a0gas --at 2026-01-12T09:30:00-06:00',
  )
    .argument('<tank>', 'id of the tank, or its device')
    .argument('<percentage>', 'the level, from 0 to 100')
    .addOption(organizationOption())
    .option('--at <time>', 'when it was seen; without an offset it is UTC (default: now)')
    .addHelpText(
      'after',
      '\nA writer stores it among the readings of the tank within about a second. To import a file with many manual readings: tankwatch telemetry import.',
    )
    .action(
      async (reference: string, percentage: string, options: WriteOptions & OrganizationOption & { at?: string }) => {
        const nowMs = Date.now();
        const dip = parseFileReading(options.at ?? new Date(nowMs).toISOString(), percentage, nowMs, undefined);
        if (isReadingError(dip)) throw new UserError(dip.detail);
        const { id } = await changeObject(findTank, reference, options, (tx, organizationNo, tankNo) =>
          recordDip(tx, { organizationNo, tankNo, ownerNo: null, ...dip }),
        );
        const created_at = new Date(dip.atMs).toISOString();
        const text = `recorded ${dip.fillPercentage} % of the tank ${id}, seen at ${created_at}`;
        printResult(options, { tank_id: id, fill_percentage: dip.fillPercentage, created_at }, text);
      },
    );
}

export function estimateCommand(): Command {
  return writeCommand(
    'estimate',
    'turn the estimate of a tank without a sensor on or off',
    'tanks estimate MAN-7KQ2M9XT4B off --organization a0gas',
  )
    .argument('<tank>', 'id of the tank, or its device')
    .addArgument(
      new Argument('<on|off>', 'off: for irregular use, such as that of a holiday home or a dryer').choices([
        'on',
        'off',
      ]),
    )
    .addOption(organizationOption())
    .action(async (reference: string, word: 'on' | 'off', options: WriteOptions & OrganizationOption) => {
      const { id } = await changeObject(findTank, reference, options, (tx, organizationNo, tankNo) =>
        setUsePredictable(tx, organizationNo, tankNo, word === 'on'),
      );
      const text = word === 'on' ? 'is estimated from now on' : 'is not estimated from now on';
      printResult(options, { tank_id: id, is_told: word === 'on' }, `the level of the tank ${id} ${text}`);
    });
}

import { type Command, InvalidArgumentError } from 'commander';
import { recordCommand } from '../../catalog/audit_log.ts';
import { allowPacking, FULL_BUDGET, packMonths, unpackMonth } from '../../telemetry/pack_months.ts';
import { printResult, recordedCommand, runChange, type WriteOptions, withDatabase } from '../command.ts';

export function packCommand(): Command {
  return recordedCommand(
    'pack',
    'pack at once, before the worker does, the months that are over and no longer hot',
    'telemetry pack --month 2025-02',
  )
    .option('--month <month>', 'only this month, also if it was unpacked (default: all months)', parseMonth)
    .action((options: WriteOptions & { month?: string }) =>
      withDatabase(async ({ pool }) => {
        const { month } = options;
        await runChange(pool, options, async (tx) => {
          await recordCommand(tx, { organizationNo: null, object: 'telemetry', action: 'pack' });
          if (month !== undefined) await allowPacking(tx, month);
        });
        const result = await packMonths(pool, FULL_BUDGET, month === undefined ? {} : { month });
        const { packed, left } = result;
        printResult(options, result, `packed ${packed} months of tanks; ${left} stay plain for now`);
      }),
    );
}

export function unpackCommand(): Command {
  return recordedCommand(
    'unpack',
    'store the readings of a month one by one again, and keep them so until telemetry pack --month',
    'telemetry unpack --month 2025-02',
  )
    .requiredOption('--month <month>', 'the month, such as 2025-02', parseMonth)
    .action((options: WriteOptions & { month: string }) =>
      withDatabase(async ({ pool }) => {
        await runChange(pool, options, (tx) =>
          recordCommand(tx, { organizationNo: null, object: 'telemetry', action: 'unpack' }),
        );
        const unpacked = await unpackMonth(pool, options.month);
        printResult(options, { unpacked }, `unpacked the month of ${unpacked} tanks`);
      }),
    );
}

/** The start of a month that is written like 2025-02. */
function parseMonth(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('Write the month like 2025-02.');
  return `${text}-01T00:00:00.000Z`;
}

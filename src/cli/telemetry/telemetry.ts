import { Command } from 'commander';
import { findTank } from '../../catalog/tanks.ts';
import { type ExportSelection, exportReadings } from '../../telemetry/export_readings.ts';
import type { FileFormat } from '../../telemetry/reading_file.ts';
import {
  bomOption,
  type CommonOptions,
  excelSafeOption,
  type OrganizationOption,
  organizationOption,
  parseTime,
  printPieces,
  readCommand,
  readOrganization,
} from '../command.ts';
import { formatOption, readingsImportCommand } from './import.ts';
import { packCommand, unpackCommand } from './packing.ts';

type ExportOptions = CommonOptions &
  OrganizationOption & {
    format?: FileFormat;
    tank?: string;
    since?: string;
    until?: string;
    excelSafe?: boolean;
    bom?: boolean;
  };

export function telemetryCommand(): Command {
  return new Command('telemetry')
    .description('import, export and pack readings')
    .addCommand(readingsImportCommand())
    .addCommand(exportCommand())
    .addCommand(packCommand())
    .addCommand(unpackCommand());
}

function exportCommand(): Command {
  return readCommand(
    'export',
    'write readings to standard output, tank by tank, oldest first, in the format of import',
    'telemetry export --organization a0gas --since 2025-01-01 --until 2026-01-01 > readings.csv',
  )
    .addOption(organizationOption())
    .addOption(formatOption('output format (default: csv, or ndjson with --json)'))
    .option('--tank <tank>', 'only this tank: its id or its device')
    .option('--since <time>', 'from this time on, such as 2025-01-01 or 2025-01-01T06:00:00Z', parseTime)
    .option('--until <time>', 'before this time', parseTime)
    .addOption(excelSafeOption())
    .addOption(bomOption())
    .action((options: ExportOptions) =>
      readOrganization(options, async (pool, no) => {
        const selection: ExportSelection = {
          organizationNo: no,
          ...(options.tank === undefined ? {} : { tankNo: (await findTank(pool, no, options.tank)).no }),
          ...(options.since === undefined ? {} : { since: options.since }),
          ...(options.until === undefined ? {} : { until: options.until }),
          isSpreadsheetSafe: options.excelSafe ?? false,
          hasByteOrderMark: options.bom ?? false,
        };
        const format = options.format ?? (options.json ? 'ndjson' : 'csv');
        await printPieces(exportReadings(pool, selection, format));
      }),
    );
}

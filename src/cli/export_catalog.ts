import { once } from 'node:events';
import type { Command } from 'commander';
import { exportCsv } from '../catalog/export_csv.ts';
import {
  bomOption,
  type CommonOptions,
  excelSafeOption,
  type OrganizationOption,
  organizationOption,
  readCommand,
  readOrganization,
} from './command.ts';

/** Prints a file in the format that `import` reads. */
export function exportCommand(what: 'customers' | 'tanks'): Command {
  return readCommand(
    'export',
    `write all ${what} as CSV to standard output, in the format of import`,
    `${what} export --organization a0gas > ${what}.csv`,
  )
    .addOption(organizationOption())
    .addOption(excelSafeOption())
    .addOption(bomOption())
    .action((options: CommonOptions & OrganizationOption & { excelSafe?: boolean; bom?: boolean }) =>
      readOrganization(options, async (pool, organization) => {
        const format = { isSpreadsheetSafe: options.excelSafe ?? false, hasByteOrderMark: options.bom ?? false };
        for await (const text of exportCsv(pool, organization, what, format)) {
          if (!process.stdout.write(text)) await once(process.stdout, 'drain');
        }
      }),
    );
}

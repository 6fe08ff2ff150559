import type { Command } from 'commander';
import { listAudit } from '../catalog/audit_log.ts';
import {
  type CommonOptions,
  type InOrganization,
  limitOption,
  organizationNo,
  organizationOption,
  printRows,
  readCommand,
  withDatabase,
} from './command.ts';

export function auditCommand(): Command {
  return readCommand(
    'audit',
    'who changed what, when: names of fields, never their values',
    'audit --organization a0gas --limit 20',
  )
    .addOption(organizationOption())
    .addOption(limitOption())
    .option('--object <id>', 'only changes to this customer or tank, by its id')
    .action((options: CommonOptions & InOrganization & { limit: number; object?: string }) =>
      withDatabase(async ({ pool }) => {
        const organization = await organizationNo(pool, options.organization);
        printRows(
          options,
          await listAudit(pool, organization, { limit: options.limit, objectId: options.object ?? null }),
        );
      }),
    );
}

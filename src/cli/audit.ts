import type { Command } from 'commander';
import { listAudit } from '../catalog/audit_log.ts';
import { findAnyOrganization } from '../catalog/organizations.ts';
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

export function auditCommand(): Command {
  return readCommand(
    'audit',
    'show who changed which fields when, without the values',
    'audit --organization a0gas --limit 20',
  )
    .addOption(organizationOption())
    .addOption(limitOption())
    .option('--object <id>', 'only changes of this customer or tank, by id')
    .action((options: CommonOptions & OrganizationOption & { limit: number; object?: string }) =>
      withDatabase(async ({ pool }) => {
        // Also finds a deleted organization, because its audit log stays.
        const organization =
          (await findAnyOrganization(pool, options.organization)) ?? (await organizationNo(pool, options.organization));
        printRows(
          options,
          await listAudit(pool, organization, { limit: options.limit, objectId: options.object ?? null }),
        );
      }),
    );
}

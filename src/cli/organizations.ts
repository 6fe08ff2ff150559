import { Command, Option } from 'commander';
import {
  createOrganization,
  listOrganizations,
  type OrganizationChanges,
  updateOrganization,
} from '../catalog/organizations.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  organizationNo,
  printResult,
  printRows,
  readCommand,
  runChange,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';

export function organizationsCommand(): Command {
  return new Command('organizations')
    .description('organizations: the companies that use this installation')
    .addCommand(createCommand())
    .addCommand(updateCommand())
    .addCommand(
      readCommand('list', 'list all organizations', 'organizations list').action((options: CommonOptions) =>
        withDatabase(async ({ pool }) => printRows(options, await listOrganizations(pool))),
      ),
    )
    .addCommand(
      readCommand('show', 'show one organization', 'organizations show a0gas')
        .argument('<code>', 'code of the organization')
        .action((code: string, options: CommonOptions) =>
          withDatabase(async ({ pool }) => {
            const found = (await listOrganizations(pool)).filter((organization) => organization.code === code);
            if (found.length === 0)
              throw new UserError(`there is no organization ${code}; list them with: tankwatch organizations list`);
            printRows(options, found);
          }),
        ),
    );
}

function createCommand(): Command {
  return writeCommand('create', 'create an organization', 'organizations create a0gas --name "Gas del Valle"')
    .argument('<code>', 'short public name that begins with the cell of this installation, such as a0gas')
    .requiredOption('--name <name>', 'full name')
    .action((code: string, options: WriteOptions & { name: string }) =>
      withDatabase(async ({ pool, config }) => {
        if (!/^[a-z0-9]{3,16}$/.test(code) || !code.startsWith(config.cell)) {
          throw new UserError(
            `the code must be 3 to 16 lower-case letters and digits and begin with ${config.cell}, the cell of this installation.`,
          );
        }
        await runChange(pool, options, (tx) => createOrganization(tx, { code, name: options.name }));
        printResult(options, { code, name: options.name }, `created the organization ${code}`);
      }),
    );
}

function updateCommand(): Command {
  return writeCommand('update', 'change an organization', 'organizations update a0gas --language es')
    .argument('<code>', 'code of the organization')
    .option('--name <name>', 'full name')
    .addOption(
      new Option('--language <language>', 'language of mails to its customers and contacts').choices(['en', 'es']),
    )
    .action((code: string, options: WriteOptions & OrganizationChanges) =>
      withDatabase(async ({ pool }) => {
        await runChange(pool, options, async (tx) => updateOrganization(tx, await organizationNo(tx, code), options));
        printResult(options, { code }, `changed the organization ${code}`);
      }),
    );
}

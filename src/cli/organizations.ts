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
  change,
  organizationNo,
  print,
  printRows,
  readCommand,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';

export function organizationsCommand(): Command {
  return new Command('organizations')
    .description('organizations: the distributors whose customers, tanks and keys are held here')
    .addCommand(createCommand())
    .addCommand(updateCommand())
    .addCommand(
      readCommand('list', 'list all organizations', 'organizations list').action((options: CommonOptions) =>
        withDatabase(async ({ pool }) => printRows(options, await listOrganizations(pool))),
      ),
    )
    .addCommand(
      readCommand('show', 'show one organization', 'organizations show a0gas')
        .argument('<code>', 'its code')
        .action((code: string, options: CommonOptions) =>
          withDatabase(async ({ pool }) => {
            const found = (await listOrganizations(pool)).filter((organization) => organization.code === code);
            if (found.length === 0)
              throw new UserError(`there is no organization ${code}; see: tankwatch organizations list`);
            printRows(options, found);
          }),
        ),
    );
}

function createCommand(): Command {
  return writeCommand('create', 'create an organization', 'organizations create a0gas --name "Gas del Valle"')
    .argument('<code>', "short and public; begins with this installation's cell, such as a0gas")
    .requiredOption('--name <name>', 'its full name')
    .action((code: string, options: WriteOptions & { name: string }) =>
      withDatabase(async ({ pool, config }) => {
        if (!/^[a-z0-9]{3,16}$/.test(code) || !code.startsWith(config.cell)) {
          throw new UserError(
            `the code must be 3 to 16 lower-case letters and digits that begin with this installation's cell, ${config.cell}.`,
          );
        }
        await change(pool, options, (tx) => createOrganization(tx, { code, name: options.name }));
        print(options, { code, name: options.name }, `created the organization ${code}`);
      }),
    );
}

function updateCommand(): Command {
  return writeCommand('update', 'change an organization', 'organizations update a0gas --language es')
    .argument('<code>', 'its code')
    .option('--name <name>', 'its full name')
    .addOption(
      new Option('--language <language>', 'in which its customers and contacts are written to').choices(['en', 'es']),
    )
    .action((code: string, options: WriteOptions & OrganizationChanges) =>
      withDatabase(async ({ pool }) => {
        await change(pool, options, async (tx) => updateOrganization(tx, await organizationNo(tx, code), options));
        print(options, { code }, `changed the organization ${code}`);
      }),
    );
}

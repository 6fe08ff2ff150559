import { Command } from 'commander';
import { createOrganization, listOrganizations } from '../catalog/organizations.ts';
import { Refusal } from '../catalog/refusal.ts';
import {
  type CommonOptions,
  change,
  print,
  printRows,
  reading,
  type WriteOptions,
  withDatabase,
  writing,
} from './operator.ts';

export function organizationsCommand(): Command {
  return new Command('organizations')
    .description('organizations: the distributors whose customers, tanks and keys are held here')
    .addCommand(createCommand())
    .addCommand(
      reading('list', 'list all organizations', 'organizations list').action((options: CommonOptions) =>
        withDatabase(async ({ pool }) => printRows(options, await listOrganizations(pool))),
      ),
    )
    .addCommand(
      reading('show', 'show one organization', 'organizations show a0gas')
        .argument('<code>', 'its code')
        .action((code: string, options: CommonOptions) =>
          withDatabase(async ({ pool }) => {
            const found = (await listOrganizations(pool)).filter((organization) => organization.code === code);
            if (found.length === 0)
              throw new Refusal(`there is no organization ${code}; see: tankwatch organizations list`);
            printRows(options, found);
          }),
        ),
    );
}

function createCommand(): Command {
  return writing('create', 'create an organization', 'organizations create a0gas --name "Gas del Valle"')
    .argument('<code>', "short and public; begins with this installation's cell, such as a0gas")
    .requiredOption('--name <name>', 'its full name')
    .action((code: string, options: WriteOptions & { name: string }) =>
      withDatabase(async ({ pool, config }) => {
        if (!/^[a-z0-9]{3,16}$/.test(code) || !code.startsWith(config.cell)) {
          throw new Refusal(
            `the code must be 3 to 16 lower-case letters and digits that begin with this installation's cell, ${config.cell}.`,
          );
        }
        await change(pool, options, (tx) => createOrganization(tx, { code, name: options.name }));
        print(options, { code, name: options.name }, `created the organization ${code}`);
      }),
    );
}

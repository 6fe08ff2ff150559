import { Command } from 'commander';
import {
  createCustomers,
  deleteCustomer,
  findCustomer,
  inviteCustomer,
  listCustomers,
  updateCustomer,
  verifyCustomer,
} from '../catalog/customers.ts';
import { CUSTOMER_FIELDS } from '../catalog/fields.ts';
import { onlyRow } from '../db/only_row.ts';
import { customersExportCommand, customersImportCommand } from './catalog_files.ts';
import {
  type CommonOptions,
  change,
  changeFound,
  type InOrganization,
  limitOption,
  organizationNo,
  organizationOption,
  print,
  printFields,
  printRows,
  readCommand,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';
import { fieldsFromFlags, withFieldFlags } from './field_options.ts';

export function customersCommand(): Command {
  return new Command('customers')
    .description('customers: the account holders who own tanks')
    .addCommand(createCommand())
    .addCommand(updateCommand())
    .addCommand(verifyCommand())
    .addCommand(inviteCommand())
    .addCommand(deleteCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(customersImportCommand())
    .addCommand(customersExportCommand());
}

const CUSTOMER = ['<customer>', 'its id, or your external key for it'] as const;

function createCommand(): Command {
  const example = 'customers create --organization a0gas --name "María López" --email maria@example.com';
  return withFieldFlags(writeCommand('create', 'create a customer', example), CUSTOMER_FIELDS)
    .addOption(organizationOption())
    .action((options: WriteOptions & InOrganization) =>
      withDatabase(async ({ pool }) => {
        const { email, name, ...rest } = fieldsFromFlags(CUSTOMER_FIELDS, { ...options }, ['email', 'name']);
        const { id } = await change(pool, options, async (tx) => {
          const customer = { email: email ?? '', name: name ?? '', ...rest };
          return onlyRow(await createCustomers(tx, await organizationNo(tx, options.organization), [customer]));
        });
        print(options, { id }, `created the customer ${id}`);
      }),
    );
}

function updateCommand(): Command {
  const example = 'customers update C-1042 --organization a0gas --phone "+52 222 555 0142"';
  return withFieldFlags(writeCommand('update', 'change fields of a customer', example), CUSTOMER_FIELDS)
    .argument(...CUSTOMER)
    .addOption(organizationOption())
    .action(async (reference: string, options: WriteOptions & InOrganization) => {
      const values = fieldsFromFlags(CUSTOMER_FIELDS, { ...options });
      const { id } = await changeFound(findCustomer, reference, options, (tx, organization, no) =>
        updateCustomer(tx, organization, no, values),
      );
      const changed = Object.keys(values);
      print(options, { id, changed }, `changed ${changed.join(', ')} of the customer ${id}`);
    });
}

function verifyCommand(): Command {
  const example = 'customers verify C-1042 --organization a0gas';
  return writeCommand('verify', 'mark the e-mail address of a customer as verified', example)
    .argument(...CUSTOMER)
    .addOption(organizationOption())
    .action(async (reference: string, options: WriteOptions & InOrganization) => {
      const { id } = await changeFound(findCustomer, reference, options, verifyCustomer);
      print(options, { id, is_verified: true }, `verified the address of the customer ${id}`);
    });
}

function inviteCommand(): Command {
  const example = 'customers invite C-1042 --organization a0gas';
  return writeCommand('invite', 'mail a customer a link that verifies the address when it is followed', example)
    .argument(...CUSTOMER)
    .addOption(organizationOption())
    .action(async (reference: string, options: WriteOptions & InOrganization) => {
      const { id } = await changeFound(findCustomer, reference, options, inviteCustomer);
      print(options, { id, invited: true }, `the worker will mail an invitation to the customer ${id}`);
    });
}

function deleteCommand(): Command {
  const example = 'customers delete C-1042 --organization a0gas';
  return writeCommand('delete', 'delete a customer for good, with all personal data', example)
    .argument(...CUSTOMER)
    .addOption(organizationOption())
    .option('--with-tanks', 'delete the tanks it owns, too')
    .action(async (reference: string, options: WriteOptions & InOrganization & { withTanks?: boolean }) => {
      const { id, result } = await changeFound(findCustomer, reference, options, (tx, organization, no) =>
        deleteCustomer(tx, organization, no, { withTanks: options.withTanks ?? false }),
      );
      const tanks = result.tanks > 0 ? ` and ${result.tanks} tank(s)` : '';
      print(options, { id, deleted: true, tanks: result.tanks }, `deleted the customer ${id}${tanks}`);
    });
}

function listCommand(): Command {
  return readCommand('list', 'list customers, newest first', 'customers list --organization a0gas --limit 20')
    .addOption(organizationOption())
    .addOption(limitOption())
    .action((options: CommonOptions & InOrganization & { limit: number }) =>
      withDatabase(async ({ pool }) => {
        const customers = await listCustomers(pool, await organizationNo(pool, options.organization), {
          limit: options.limit,
        });
        const short = ({ id, external_key, name, email, is_verified, tank_count }: Record<string, unknown>) => ({
          id,
          external_key,
          name,
          email,
          is_verified,
          tank_count,
        });
        printRows(options, options.json ? customers : customers.map(short));
      }),
    );
}

function showCommand(): Command {
  return readCommand('show', 'show one customer', 'customers show C-1042 --organization a0gas')
    .argument(...CUSTOMER)
    .addOption(organizationOption())
    .action((reference: string, options: CommonOptions & InOrganization) =>
      withDatabase(async ({ pool }) => {
        const organization = await organizationNo(pool, options.organization);
        const { no } = await findCustomer(pool, organization, reference);
        const customer = onlyRow(await listCustomers(pool, organization, { limit: 1, no }));
        printFields(options, customer);
      }),
    );
}

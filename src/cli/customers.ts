import { Command } from 'commander';
import { CUSTOMER_FIELDS } from '../catalog/customer_fields.ts';
import {
  createCustomers,
  deleteCustomer,
  findCustomer,
  findCustomerToChange,
  inviteCustomer,
  listCustomers,
  updateCustomer,
} from '../catalog/customers.ts';
import { onlyRow } from '../db/only_row.ts';
import { amount } from '../values/text_format.ts';
import {
  type CommonOptions,
  changeObject,
  changeOrganization,
  limitOption,
  type OrganizationOption,
  organizationOption,
  printFields,
  printResult,
  printRows,
  readCommand,
  readOrganization,
  type WriteOptions,
  writeCommand,
} from './command.ts';
import { exportCommand } from './export_catalog.ts';
import { customersImportCommand } from './import/catalog_files.ts';
import { changesFromOptions, fieldsFromOptions, withFieldOptions } from './options/field.ts';
import { smtpHint } from './smtp_hint.ts';

export function customersCommand(): Command {
  return new Command('customers')
    .description('customers, who own tanks')
    .addCommand(createCommand())
    .addCommand(updateCommand())
    .addCommand(verifyCommand())
    .addCommand(inviteCommand())
    .addCommand(deleteCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(customersImportCommand())
    .addCommand(exportCommand('customers'));
}

const CUSTOMER = ['<customer>', 'id or external key of the customer'] as const;

function createCommand(): Command {
  const example = 'customers create --organization a0gas --name "María López" --email maria@example.com';
  return withFieldOptions(writeCommand('create', 'create a customer', example), CUSTOMER_FIELDS)
    .addOption(organizationOption())
    .action(async (options: WriteOptions & OrganizationOption) => {
      const { email = '', name = '', ...rest } = fieldsFromOptions(CUSTOMER_FIELDS, { ...options }, ['email', 'name']);
      const created = await changeOrganization(options, ({ tx, organizationNo: organization, isDryRun }) =>
        createCustomers(tx, organization, [{ email, name, ...rest }], { isDryRun }),
      );
      const { id } = onlyRow(created);
      printResult(options, { id }, `created the customer ${id}`);
    });
}

function updateCommand(): Command {
  const example = 'customers update C-1042 --organization a0gas --phone "+52 222 555 0142"';
  return withFieldOptions(writeCommand('update', 'change fields of a customer', example), CUSTOMER_FIELDS)
    .argument(...CUSTOMER)
    .addOption(organizationOption())
    .action(async (reference: string, options: WriteOptions & OrganizationOption) => {
      const values = changesFromOptions(CUSTOMER_FIELDS, { ...options });
      const { id } = await changeObject(findCustomerToChange, reference, options, (tx, organization, no) =>
        updateCustomer(tx, organization, { no }, values),
      );
      const changed = Object.keys(values);
      printResult(options, { id, changed }, `changed ${changed.join(', ')} of the customer ${id}`);
    });
}

function verifyCommand(): Command {
  const example = 'customers verify C-1042 --organization a0gas';
  return writeCommand('verify', 'mark the email address of a customer as verified', example)
    .argument(...CUSTOMER)
    .addOption(organizationOption())
    .action(async (reference: string, options: WriteOptions & OrganizationOption) => {
      const { id } = await changeObject(findCustomerToChange, reference, options, (tx, organization, no) =>
        updateCustomer(tx, organization, { no }, { is_verified: true }),
      );
      printResult(options, { id, is_verified: true }, `verified the address of the customer ${id}`);
    });
}

function inviteCommand(): Command {
  const example = 'customers invite C-1042 --organization a0gas';
  return writeCommand('invite', 'send a customer a mail with a link that verifies the address', example)
    .argument(...CUSTOMER)
    .addOption(organizationOption())
    .action(async (reference: string, options: WriteOptions & OrganizationOption) => {
      const hint = smtpHint();
      const { id } = await changeObject(findCustomerToChange, reference, options, inviteCustomer);
      const sentence = `the worker will mail an invitation to the customer ${id}${hint}`;
      printResult(options, { id, invited: true, has_smtp: hint === '' }, sentence);
    });
}

function deleteCommand(): Command {
  const example = 'customers delete C-1042 --organization a0gas';
  return writeCommand('delete', 'delete a customer and all personal data permanently', example)
    .argument(...CUSTOMER)
    .addOption(organizationOption())
    .option('--with-tanks', 'also delete the tanks of the customer')
    .action(async (reference: string, options: WriteOptions & OrganizationOption & { withTanks?: boolean }) => {
      const { id, result } = await changeObject(findCustomerToChange, reference, options, (tx, organization, no) =>
        deleteCustomer(tx, organization, no, { withTanks: options.withTanks ?? false }),
      );
      const tanks = result.tanks > 0 ? ` and ${amount(result.tanks, 'tanks')}` : '';
      printResult(options, { id, deleted: true, tanks: result.tanks }, `deleted the customer ${id}${tanks}`);
    });
}

function listCommand(): Command {
  return readCommand('list', 'list customers, newest first', 'customers list --organization a0gas --limit 20')
    .addOption(organizationOption())
    .addOption(limitOption())
    .action((options: CommonOptions & OrganizationOption & { limit: number }) =>
      readOrganization(options, async (pool, organization) => {
        const customers = await listCustomers(pool, organization, { limit: options.limit });
        const columns = ['id', 'external_key', 'name', 'email', 'is_verified', 'reminders_off_since', 'tank_count'];
        const asTableRow = (customer: Record<string, unknown>) =>
          Object.fromEntries(columns.map((column) => [column, customer[column]]));
        printRows(options, options.json ? customers : customers.map(asTableRow));
      }),
    );
}

function showCommand(): Command {
  return readCommand('show', 'show one customer', 'customers show C-1042 --organization a0gas')
    .argument(...CUSTOMER)
    .addOption(organizationOption())
    .action((reference: string, options: CommonOptions & OrganizationOption) =>
      readOrganization(options, async (pool, organization) => {
        const { no } = await findCustomer(pool, organization, reference);
        const customer = onlyRow(await listCustomers(pool, organization, { limit: 1, no }));
        printFields(options, customer);
      }),
    );
}

import { Command, Option } from 'commander';
import { EVENT_TYPES, type EventType } from '../alerts/event_types.ts';
import { CUSTOMER_FIELDS } from '../catalog/fields.ts';
import { addContact, listContacts, removeContact } from '../mail/contacts.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  type OrganizationOption,
  organizationNo,
  organizationOption,
  printResult,
  printRows,
  readCommand,
  runChange,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';

export function contactsCommand(): Command {
  return new Command('contacts')
    .description('contacts: people at an organization who receive mails about events')
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(removeCommand());
}

/** Events that somebody must act on. */
const URGENT: readonly EventType[] = ['tank.low_fill', 'tank.rapid_loss', 'tank.device_silent'];

function addCommand(): Command {
  const example = 'contacts add dispatch@example.com --organization a0gas --type tank.low_fill tank.refilled';
  return writeCommand('add', 'send mails about these types of events to an address', example)
    .argument('<email>', 'mail address')
    .addOption(organizationOption())
    .addOption(new Option('--type <type...>', 'types of events').choices(EVENT_TYPES).default(URGENT))
    .action((given: string, options: WriteOptions & OrganizationOption & { type: EventType[] }) =>
      withDatabase(async ({ pool }) => {
        const parsed = CUSTOMER_FIELDS.email(given);
        if ('reason' in parsed) throw new UserError(`the mail address ${parsed.reason}.`);
        const { id } = await runChange(pool, options, async (tx) =>
          addContact(tx, await organizationNo(tx, options.organization), { email: parsed.value, types: options.type }),
        );
        printResult(options, { id, types: options.type }, `added the contact ${id}, for ${options.type.join(', ')}`);
      }),
    );
}

function listCommand(): Command {
  return readCommand('list', 'list the contacts of an organization', 'contacts list --organization a0gas')
    .addOption(organizationOption())
    .action((options: CommonOptions & OrganizationOption) =>
      withDatabase(async ({ pool }) =>
        printRows(options, await listContacts(pool, await organizationNo(pool, options.organization))),
      ),
    );
}

function removeCommand(): Command {
  const example = 'contacts remove dispatch@example.com --organization a0gas';
  return writeCommand('remove', 'remove a contact and delete the address', example)
    .argument('<contact>', 'mail address or id of the contact')
    .addOption(organizationOption())
    .action((reference: string, options: WriteOptions & OrganizationOption) =>
      withDatabase(async ({ pool }) => {
        await runChange(pool, options, async (tx) =>
          removeContact(tx, await organizationNo(tx, options.organization), reference),
        );
        printResult(options, { removed: true }, 'removed the contact');
      }),
    );
}

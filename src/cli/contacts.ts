import { Command, Option } from 'commander';
import { EVENT_TYPES, type EventType } from '../alerts/event_types.ts';
import { CUSTOMER_FIELDS } from '../catalog/fields.ts';
import { addContact, listContacts, removeContact } from '../mail/contacts.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  change,
  type InOrganization,
  organizationNo,
  organizationOption,
  print,
  printRows,
  readCommand,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';

export function contactsCommand(): Command {
  return new Command('contacts')
    .description('contacts: people at an organization who are written to when something happens')
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(removeCommand());
}

/** What somebody has to see to. */
const URGENT: readonly EventType[] = ['tank.low_fill', 'tank.rapid_loss', 'tank.device_silent'];

function addCommand(): Command {
  const example = 'contacts add dispatch@example.com --organization a0gas --type tank.low_fill tank.refilled';
  return writeCommand('add', 'write to an address about these types of events from now on', example)
    .argument('<email>', 'the address')
    .addOption(organizationOption())
    .addOption(new Option('--type <type...>', 'about what').choices(EVENT_TYPES).default(URGENT))
    .action((given: string, options: WriteOptions & InOrganization & { type: EventType[] }) =>
      withDatabase(async ({ pool }) => {
        const parsed = CUSTOMER_FIELDS.email(given);
        if ('reason' in parsed) throw new UserError(`the address ${parsed.reason}.`);
        const { id } = await change(pool, options, async (tx) =>
          addContact(tx, await organizationNo(tx, options.organization), { email: parsed.value, types: options.type }),
        );
        print(options, { id, types: options.type }, `added the contact ${id}, for ${options.type.join(', ')}`);
      }),
    );
}

function listCommand(): Command {
  return readCommand('list', "list an organization's contacts", 'contacts list --organization a0gas')
    .addOption(organizationOption())
    .action((options: CommonOptions & InOrganization) =>
      withDatabase(async ({ pool }) =>
        printRows(options, await listContacts(pool, await organizationNo(pool, options.organization))),
      ),
    );
}

function removeCommand(): Command {
  const example = 'contacts remove dispatch@example.com --organization a0gas';
  return writeCommand('remove', 'write to a contact no more, and forget the address', example)
    .argument('<contact>', 'the address, or its id')
    .addOption(organizationOption())
    .action((reference: string, options: WriteOptions & InOrganization) =>
      withDatabase(async ({ pool }) => {
        await change(pool, options, async (tx) =>
          removeContact(tx, await organizationNo(tx, options.organization), reference),
        );
        print(options, { removed: true }, 'removed the contact');
      }),
    );
}

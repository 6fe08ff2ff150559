import { Command, InvalidArgumentError, Option } from 'commander';
import { CONTACT_FIELDS, CUSTOMER_FIELDS } from '../catalog/fields.ts';
import type { Db } from '../db/pool.ts';
import { EVENT_TYPES, type EventType } from '../evaluation/pure/alerts/event_types.ts';
import { CONSOLE_ROLES, type ConsoleRole } from '../keys/console_roles.ts';
import {
  addContact,
  findContact,
  listContacts,
  removeContact,
  rolesWithConsole,
  updateContact,
} from '../mail/contacts.ts';
import { sampleMail } from '../mail/sample_mail.ts';
import { SmtpRefusal, SmtpSender } from '../mail/smtp.ts';
import { readSenderConfig } from '../settings/command_settings.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  formatCell,
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
import { fieldsFromOptions } from './field_options.ts';

export function contactsCommand(): Command {
  return new Command('contacts')
    .description('contacts: people at an organization who receive mails about events, or work in the console')
    .addCommand(addCommand())
    .addCommand(updateCommand())
    .addCommand(listCommand())
    .addCommand(testCommand())
    .addCommand(removeCommand());
}

/** Events that somebody must act on. */
const URGENT: readonly EventType[] = ['tank.low_fill', 'tank.rapid_loss', 'tank.device_silent'];
/** A possible leak cannot wait for the next digest. */
const URGENT_BESIDE_DIGEST: readonly EventType[] = ['tank.rapid_loss'];

interface PersonOptions {
  role?: (ConsoleRole | 'none')[];
  console?: boolean;
  name?: string;
}

interface AddOptions extends WriteOptions, OrganizationOption, PersonOptions {
  type?: (EventType | 'none')[];
  digest?: string;
}

const personOptions = (command: Command): Command =>
  command
    .option('--name <name>', 'name of the person; an empty text deletes it')
    .addOption(
      new Option(
        '--role <role...>',
        'what the contact may do in the console, in place of the roles before: viewer sees all tanks of the organization, dispatcher handles alerts, technician assigns devices, administrator does everything; none ends the access',
      ).choices([...CONSOLE_ROLES, 'none']),
    )
    .option('--console', 'the same as --role viewer, for a contact without a role')
    .option('--no-console', 'the same as --role none');

function addCommand(): Command {
  const example = 'contacts add dispatch@example.com --organization a0gas --role dispatcher --digest 07:00';
  return personOptions(
    writeCommand('add', 'send mails to an address, or change what a contact receives', example)
      .argument('<email>', 'mail address')
      .addOption(organizationOption())
      .addOption(
        new Option(
          '--type <type...>',
          `types of events to mail at once (default: ${URGENT.join(', ')}; with --digest: ${URGENT_BESIDE_DIGEST.join()})`,
        ).choices([...EVENT_TYPES, 'none']),
      )
      .addOption(
        new Option(
          '--digest <time>',
          "send one mail a day at this time, such as 07:00 in the organization's time zone: tanks that are low, losing gas, silent, due within 3 days, and refilled",
        ).argParser(parseTimeOfDay),
      ),
  ).action((given: string, options: AddOptions) =>
    withDatabase(async ({ pool }) => {
      const parsed = CUSTOMER_FIELDS.email(given);
      if ('reason' in parsed) throw new UserError(`the mail address ${parsed.reason}.`);
      const types = typesOf(options);
      const digestAt = options.digest ?? null;
      const { id, roles } = await runChange(pool, options, async (tx) => {
        const organization = await organizationNo(tx, options.organization);
        const chosen = await rolesOf(tx, organization, parsed.value, options);
        if (types.length === 0 && digestAt === null && (chosen ?? []).length === 0) {
          throw new UserError(
            '--type none needs --digest or --role; to stop all mails, use: tankwatch contacts remove',
          );
        }
        const person = { roles: chosen, name: nameOf(options) };
        const added = await addContact(tx, organization, { email: parsed.value, types, digestAt, ...person });
        return { ...added, roles: chosen };
      });
      const received = [
        ...(types.length > 0 ? [`at once: ${types.join(', ')}`] : []),
        ...(digestAt === null ? [] : [`a digest every day at ${digestAt}`]),
        ...(roles === undefined || roles.length === 0 ? [] : [`the console as ${roles.join(', ')}`]),
      ];
      const result = { id, types, digest_at: digestAt, ...(roles && { roles }) };
      printResult(options, result, `added the contact ${id}, ${received.join('; ')}`);
    }),
  );
}

function updateCommand(): Command {
  const example = 'contacts update dispatch@example.com --organization a0gas --role dispatcher technician';
  return personOptions(
    writeCommand('update', 'change what a contact may do in the console, within a second', example)
      .argument('<contact>', 'mail address or id of the contact')
      .addOption(organizationOption()),
  ).action((reference: string, options: WriteOptions & OrganizationOption & PersonOptions) =>
    withDatabase(async ({ pool }) => {
      const changesRoles = options.role !== undefined || options.console !== undefined;
      if (!changesRoles && options.name === undefined)
        throw new UserError('give --role, --console, --no-console or --name.');
      const { id, roles } = await runChange(pool, options, async (tx) => {
        const organization = await organizationNo(tx, options.organization);
        const chosen = await rolesOf(tx, organization, reference, options);
        return updateContact(tx, organization, reference, { roles: chosen, name: nameOf(options) });
      });
      const sentence =
        roles.length > 0
          ? `can sign in to the console as ${roles.join(', ')}`
          : 'cannot sign in to the console any more';
      const text = changesRoles ? `the contact ${id} ${sentence}` : `changed the contact ${id}`;
      printResult(options, { id, has_console: roles.length > 0, roles }, text);
    }),
  );
}

/** Undefined: as before. */
async function rolesOf(
  db: Db,
  organization: number,
  reference: string,
  { role, console: hasConsole }: PersonOptions,
): Promise<ConsoleRole[] | undefined> {
  if (role !== undefined && hasConsole !== undefined)
    throw new UserError('give --role, or --console or --no-console, not both.');
  if (role !== undefined && role.length > 1 && role.includes('none'))
    throw new UserError('--role none cannot be given with another role.');
  if (role !== undefined) return role.filter((chosen) => chosen !== 'none');
  if (hasConsole === undefined) return undefined;
  return hasConsole ? rolesWithConsole(db, organization, reference) : [];
}

function nameOf({ name }: PersonOptions): string | null | undefined {
  return fieldsFromOptions(CONTACT_FIELDS, { name }).name;
}

function typesOf({ type, digest }: AddOptions): readonly EventType[] {
  if (type === undefined) return digest === undefined ? URGENT : URGENT_BESIDE_DIGEST;
  return type.filter((chosen) => chosen !== 'none');
}

function parseTimeOfDay(text: string): string {
  if (!/^([01]?\d|2[0-3]):[0-5]\d$/.test(text)) {
    throw new InvalidArgumentError('Must be a time of day from 00:00 to 23:59, such as 07:00.');
  }
  return text.padStart(5, '0');
}

function testCommand(): Command {
  const example = 'contacts test dispatch@example.com --organization a0gas';
  return readCommand('test', 'send a test mail to a contact and print what the mail server answers', example)
    .argument('<contact>', 'mail address or id of the contact')
    .addOption(organizationOption())
    .addHelpText('after', '\nUses SMTP_URL, SMTP_REQUIRE_TLS and MAIL_FROM, as the worker does.')
    .action((reference: string, options: CommonOptions & OrganizationOption) =>
      withDatabase(async ({ pool }) => {
        const config = readSenderConfig(process.env);
        const organization = await organizationNo(pool, options.organization);
        const contact = await findContact(pool, organization, reference);
        const smtp = new SmtpSender(config);
        try {
          const answer = await smtp.send({
            to: contact.email,
            replyTo: contact.organization.reply_to,
            content: sampleMail(contact.organization, contact.email, Date.now()),
            messageKey: `${contact.id}.test.${Date.now()}`,
          });
          printResult(options, { accepted: true, answer }, `the mail server accepted the mail: ${formatCell(answer)}`);
        } catch (error) {
          if (!(error instanceof SmtpRefusal)) throw error;
          throw new UserError(`the mail server did not accept the mail: ${formatCell(error.answer)}`);
        } finally {
          smtp.close();
        }
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

import { Command, InvalidArgumentError, Option } from 'commander';
import { CUSTOMER_FIELDS } from '../catalog/fields.ts';
import { EVENT_TYPES, type EventType } from '../evaluation/pure/alerts/event_types.ts';
import { addContact, findContact, listContacts, removeContact, setContactConsole } from '../mail/contacts.ts';
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

export function contactsCommand(): Command {
  return new Command('contacts')
    .description('contacts: people at an organization who receive mails about events')
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

interface AddOptions extends WriteOptions, OrganizationOption {
  type?: (EventType | 'none')[];
  digest?: string;
  console?: boolean;
}

function addCommand(): Command {
  const example = 'contacts add dispatch@example.com --organization a0gas --digest 07:00';
  return writeCommand('add', 'send mails to an address, or change what a contact receives', example)
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
    )
    .option('--console', 'let the contact sign in to the console by mail and see all tanks of the organization')
    .option('--no-console', 'do not let the contact sign in to the console')
    .action((given: string, options: AddOptions) =>
      withDatabase(async ({ pool }) => {
        const parsed = CUSTOMER_FIELDS.email(given);
        if ('reason' in parsed) throw new UserError(`the mail address ${parsed.reason}.`);
        const types = typesOf(options);
        const digestAt = options.digest ?? null;
        if (types.length === 0 && digestAt === null && options.console !== true) {
          throw new UserError(
            '--type none needs --digest or --console; to stop all mails, use: tankwatch contacts remove',
          );
        }
        const { id } = await runChange(pool, options, async (tx) =>
          addContact(tx, await organizationNo(tx, options.organization), {
            email: parsed.value,
            types,
            digestAt,
            hasConsole: options.console,
          }),
        );
        const received = [
          ...(types.length > 0 ? [`at once: ${types.join(', ')}`] : []),
          ...(digestAt === null ? [] : [`a digest every day at ${digestAt}`]),
          ...(options.console === true ? ['the console'] : []),
        ];
        printResult(options, { id, types, digest_at: digestAt }, `added the contact ${id}, ${received.join('; ')}`);
      }),
    );
}

function updateCommand(): Command {
  const example = 'contacts update dispatch@example.com --organization a0gas --console';
  return writeCommand('update', 'let a contact sign in to the console, or end the access', example)
    .argument('<contact>', 'mail address or id of the contact')
    .addOption(organizationOption())
    .option('--console', 'let the contact sign in to the console by mail and see all tanks of the organization')
    .option('--no-console', 'end the access and the sessions of the contact')
    .action((reference: string, options: WriteOptions & OrganizationOption & { console?: boolean }) =>
      withDatabase(async ({ pool }) => {
        const { console: hasConsole } = options;
        if (hasConsole === undefined) throw new UserError('give --console or --no-console.');
        const { id } = await runChange(pool, options, async (tx) =>
          setContactConsole(tx, await organizationNo(tx, options.organization), reference, hasConsole),
        );
        const sentence = hasConsole ? 'can sign in to the console' : 'cannot sign in to the console any more';
        printResult(options, { id, has_console: hasConsole }, `the contact ${id} ${sentence}`);
      }),
    );
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

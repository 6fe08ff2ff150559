import { Command, Option } from 'commander';
import type { ChangeContext } from '../catalog/change_context.ts';
import { EVENT_TYPES, type EventType } from '../evaluation/pure/alerts/event_types.ts';
import { CONSOLE_ROLES, type ConsoleRole } from '../keys/console_roles.ts';
import {
  addContact,
  CONTACT_FIELDS,
  findContact,
  findContactToChange,
  inviteContact,
  listContactRows,
  removeContact,
  updateContact,
} from '../mail/contacts.ts';
import { LANGUAGES, type Language } from '../mail/locale.ts';
import { readMailOrganization } from '../mail/mail_organization.ts';
import { INVITATION_DAYS } from '../mail/person_invitations.ts';
import { sampleMail } from '../mail/sample_mail.ts';
import { SmtpRefusedError, SmtpSender } from '../mail/smtp.ts';
import { readSenderConfig } from '../settings/command_settings.ts';
import { NoSuchObjectError } from '../values/change_refusal.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  changeOrganization,
  formatCell,
  listCommand,
  type OrganizationOption,
  organizationOption,
  printResult,
  readCommand,
  readOrganization,
  type WriteOptions,
  writeCommand,
} from './command.ts';
import { parseArgument, parseField } from './options/field.ts';
import { smtpHint } from './smtp_hint.ts';

export function contactsCommand(): Command {
  return new Command('contacts')
    .description('contacts: people at an organization who receive mails about events, or work in the console')
    .addCommand(addCommand())
    .addCommand(updateCommand())
    .addCommand(
      listCommand('list the contacts of an organization', 'contacts list --organization a0gas', listContactRows),
    )
    .addCommand(inviteCommand())
    .addCommand(testCommand())
    .addCommand(removeCommand());
}

/** The events that a contact gets at once, unless --type or --digest chooses others. */
const URGENT: readonly EventType[] = ['tank.low_fill', 'tank.rapid_loss', 'tank.device_silent'];
/** A possible leak cannot wait for the next digest. */
const URGENT_BESIDE_DIGEST: readonly EventType[] = ['tank.rapid_loss'];

interface PersonOptions {
  role?: (ConsoleRole | 'none')[];
  console?: boolean;
  name?: string;
  language?: Language | 'none';
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
    .addOption(
      new Option('--language <language>', "language of mails to the person; none: the organization's").choices([
        ...LANGUAGES,
        'none',
      ]),
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
          "send one mail a day at this time, such as 07:00 in the organization's time zone: tanks that are losing " +
            'their content, low, due within 3 days, silent or refilled, and those with an unreliable gauge',
        ).argParser(parseTimeOfDay),
      ),
  ).action(async (address: string, options: AddOptions) => {
    const hint = smtpHint();
    const email = parseArgument(CONTACT_FIELDS.email, address, 'the mail address');
    const types = typesOf(options);
    const digestAt = options.digest ?? null;
    const { id, roles } = await changeOrganization(options, async (change) => {
      const chosen = await rolesOf(change, email, options);
      const person = { ...(chosen && { roles: chosen }), ...personOf(options) };
      return { ...(await addContact(change, { email, types, digest_at: digestAt, ...person })), roles: chosen };
    });
    const received = [
      ...(types.length > 0 ? [`at once: ${types.join(', ')}`] : []),
      ...(digestAt === null ? [] : [`a digest every day at ${digestAt}`]),
      ...(roles === undefined || roles.length === 0 ? [] : [`the console as ${roles.join(', ')}`]),
    ];
    const result = { id, types, digest_at: digestAt, ...(roles && { roles }) };
    printResult(options, result, `added the contact ${id}, ${received.join('; ') || 'no mails'}${hint}`);
  });
}

function updateCommand(): Command {
  const example = 'contacts update dispatch@example.com --organization a0gas --role dispatcher technician';
  return personOptions(
    writeCommand('update', 'change the roles, name or language of a contact; roles apply within a second', example)
      .argument('<contact>', 'mail address or id of the contact')
      .addOption(organizationOption()),
  ).action(async (reference: string, options: WriteOptions & OrganizationOption & PersonOptions) => {
    const changesRoles = options.role !== undefined || options.console !== undefined;
    if (!changesRoles && options.name === undefined && options.language === undefined)
      throw new UserError('give --role, --console, --no-console, --name or --language.');
    const { id, roles } = await changeOrganization(options, async (change) => {
      const chosen = await rolesOf(change, reference, options);
      return updateContact(change, reference, { ...(chosen && { roles: chosen }), ...personOf(options) });
    });
    const sentence =
      roles.length > 0 ? `can sign in to the console as ${roles.join(', ')}` : 'can no longer sign in to the console';
    const text = changesRoles ? `the contact ${id} ${sentence}` : `changed the contact ${id}`;
    printResult(options, { id, has_console: roles.length > 0, roles }, text);
  });
}

/** The roles that the options choose. Undefined to keep the current roles. */
async function rolesOf(
  change: ChangeContext,
  reference: string,
  { role, console: hasConsole }: PersonOptions,
): Promise<readonly ConsoleRole[] | undefined> {
  if (role !== undefined && hasConsole !== undefined)
    throw new UserError('give --role, or --console or --no-console, not both.');
  if (role !== undefined && role.length > 1 && role.includes('none'))
    throw new UserError('--role none cannot be given with another role.');
  if (role !== undefined) return role.filter((chosen) => chosen !== 'none');
  if (hasConsole === undefined) return undefined;
  if (!hasConsole) return [];
  const contact = await findContactToChange(change, reference);
  const roles = typeof contact === 'object' ? contact.object.roles : [];
  return roles.length > 0 ? roles : ['viewer'];
}

const personOf = ({ name, language }: PersonOptions): { name?: string | null; language?: Language | null } => ({
  ...(name === undefined ? {} : { name: parseArgument(CONTACT_FIELDS.name, name, 'the name') }),
  ...(language === undefined ? {} : { language: language === 'none' ? null : language }),
});

function typesOf({ type, digest }: AddOptions): readonly EventType[] {
  if (type === undefined) return digest === undefined ? URGENT : URGENT_BESIDE_DIGEST;
  return type.filter((chosen) => chosen !== 'none');
}

const parseTimeOfDay = (text: string): string | null => parseField(CONTACT_FIELDS.digest_at, text.padStart(5, '0'));

function inviteCommand(): Command {
  const example = 'contacts invite dispatch@example.com --organization a0gas';
  return writeCommand('invite', 'mail a contact with a role a link that signs in', example)
    .argument('<contact>', 'mail address or id of the contact')
    .addOption(organizationOption())
    .action(async (reference: string, options: WriteOptions & OrganizationOption) => {
      const hint = smtpHint();
      const { id } = await changeOrganization(options, (change) => inviteContact(change, reference));
      printResult(
        options,
        { id, invited: true },
        `the worker mails the contact ${id} a link, valid once and for ${INVITATION_DAYS} days${hint}`,
      );
    });
}

function testCommand(): Command {
  const example = 'contacts test dispatch@example.com --organization a0gas';
  return readCommand('test', 'send a test mail to a contact and print what the mail server answers', example)
    .argument('<contact>', 'mail address or id of the contact')
    .addOption(organizationOption())
    .addHelpText('after', '\nUses SMTP_URL, SMTP_REQUIRE_TLS and MAIL_FROM, as the worker does.')
    .action((reference: string, options: CommonOptions & OrganizationOption) =>
      readOrganization(options, async (pool, organization) => {
        const config = readSenderConfig(process.env);
        const contact = await findContact(pool, organization, reference);
        if (typeof contact !== 'object') throw new NoSuchObjectError('contact');
        const { id, email } = contact.object;
        const writer = await readMailOrganization(pool, organization);
        const smtp = new SmtpSender(config);
        try {
          const answer = await smtp.send({
            to: email,
            replyTo: writer.reply_to,
            content: sampleMail(writer, email, Date.now()),
            messageKey: `${id}.test.${Date.now()}`,
          });
          printResult(options, { accepted: true, answer }, `the mail server accepted the mail: ${formatCell(answer)}`);
        } catch (error) {
          if (!(error instanceof SmtpRefusedError)) throw error;
          throw new UserError(`the mail server did not accept the mail: ${formatCell(error.answer)}`);
        } finally {
          smtp.close();
        }
      }),
    );
}

function removeCommand(): Command {
  const example = 'contacts remove dispatch@example.com --organization a0gas';
  return writeCommand('remove', 'remove a contact and delete the address', example)
    .argument('<contact>', 'mail address or id of the contact')
    .addOption(organizationOption())
    .action(async (reference: string, options: WriteOptions & OrganizationOption) => {
      await changeOrganization(options, (change) => removeContact(change, reference));
      printResult(options, { removed: true }, 'removed the contact');
    });
}

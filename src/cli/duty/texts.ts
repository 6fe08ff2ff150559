import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  listReach,
  QUICK_CHANNELS,
  type QuickChannel,
  sendTestText,
  setReach,
  verifyPhone,
} from '../../duty/contact_reach.ts';
import { listEscalations } from '../../duty/list_escalations.ts';
import { tellNow } from '../../duty/tell_now.ts';
import { DEFAULT_DAILY_LIMIT, findChannelProblem, readTextChannel, setTextChannel } from '../../duty/text_channel.ts';
import { TEXT_PROVIDERS, type TextProvider } from '../../duty/text_providers.ts';
import { readApiSecretsKeys, readWebhookConfig } from '../../settings/command_settings.ts';
import { UserError } from '../../values/user_error.ts';
import {
  type CommonOptions,
  changeOrganization,
  type OrganizationOption,
  organizationOption,
  parseWhole,
  printFields,
  printResult,
  printRows,
  readCommand,
  readOrganization,
  type WriteOptions,
  writeCommand,
} from '../command.ts';
import { readSecretInput } from '../input_file.ts';

type Options = WriteOptions & OrganizationOption;
const CONTACT = ['<contact>', 'mail address or id of the contact'] as const;

interface ChannelOptions extends Options {
  provider?: TextProvider;
  from?: string;
  account?: string;
  url?: string;
  secretFile?: string;
  signingKeyFile?: string;
  dailyLimit: number;
}

export function channelCommand(): Command {
  return writeCommand(
    'channel',
    'send texts through a provider; without --provider, show it',
    'duty channel --organization a0gas --provider twilio --account AC0123 --from +18025550100 --secret-file token.txt',
  )
    .addOption(organizationOption())
    .addOption(new Option('--provider <name>', 'the provider').choices([...TEXT_PROVIDERS]))
    .option('--from <sender>', 'number or name of the sender')
    .option('--account <id>', 'account SID of Twilio, API key of Vonage')
    .option('--url <address>', 'address of a gateway, or of a provider that is not at its usual address')
    .option('--secret-file <file>', 'file with the secret of the account; - reads the standard input')
    .option('--signing-key-file <file>', 'file with the key with which MessageBird signs its reports')
    .option('--daily-limit <n>', 'the largest number of requests in a day', parseWhole(1, 100_000), DEFAULT_DAILY_LIMIT)
    .action(async (options: ChannelOptions) => {
      const { provider, from, account, url, secretFile, signingKeyFile, dailyLimit } = options;
      if (provider === undefined)
        return readOrganization(options, async (pool, no) => {
          const channel = await readTextChannel(pool, no);
          if (channel === undefined)
            throw new UserError('the organization sends no texts; to set up a provider, give --provider.');
          printFields(options, { ...channel });
        });
      if (from === undefined || secretFile === undefined) throw new UserError('give --from and --secret-file.');
      const channel = {
        provider,
        from,
        ...(account !== undefined && { account }),
        ...(url !== undefined && { url }),
        secret: await readSecretInput(secretFile),
        ...(signingKeyFile !== undefined && { signing_key: await readSecretInput(signingKeyFile) }),
        daily_limit: dailyLimit,
      };
      const problem = await findChannelProblem(channel, readWebhookConfig(process.env));
      if (problem !== undefined) throw new UserError(`texts cannot be sent there: ${problem}.`);
      const [key = ''] = readApiSecretsKeys(process.env);
      await changeOrganization(options, (change) => setTextChannel(change, channel, key));
      printResult(options, { provider }, `texts are sent through ${provider}`);
    });
}

interface ReachOptions extends Options {
  phone?: string;
  text: 'on' | 'off';
  mail: 'on' | 'off';
  push?: 'on' | 'off';
  low?: QuickChannel[];
  other?: QuickChannel[];
  quiet?: string;
}

function parseChannels(given: string): QuickChannel[] {
  const chosen = given === 'none' ? [] : given.split(',');
  const channels = QUICK_CHANNELS.filter((channel) => chosen.includes(channel));
  if (channels.length !== chosen.length) throw new InvalidArgumentError('Must be text, push, text,push or none.');
  return channels;
}

export function reachCommand(): Command {
  const choice = (name: string, what: string): Option =>
    new Option(`--${name} <choice>`, what).choices(['on', 'off']).default('on');
  return writeCommand(
    'reach',
    'say how a person is reached; a new number gets a code',
    'duty reach dana@example.com --organization a0gas --phone +18025550111 --quiet 22:00-06:00',
  )
    .argument(...CONTACT)
    .addOption(organizationOption())
    .option('--phone <number>', 'number with its country; without it, the person has none')
    .addOption(choice('text', 'texts'))
    .addOption(choice('mail', 'mails of escalations'))
    .addOption(new Option('--push <choice>', 'losses in browsers').choices(['on', 'off']))
    .option('--low <channels>', 'channels for a low tank: text, push, both (text,push) or none', parseChannels)
    .option('--other <channels>', 'channels for other events that the person chose for mails', parseChannels)
    .option('--quiet <times>', 'quiet hours, such as 22:00-06:00; losses are sent also then')
    .action(async (contact: string, options: ReachOptions) => {
      const { phone = null, text, mail, push, low, other, quiet } = options;
      const [from = null, to = null] = quiet?.split('-') ?? [];
      const values = {
        phone,
        by_text: text === 'on',
        by_mail: mail === 'on',
        quiet_from: from,
        quiet_to: to,
        ...(push !== undefined && { by_push: push === 'on' }),
        ...(low !== undefined && { low_by: low }),
        ...(other !== undefined && { other_by: other }),
      };
      const reach = await changeOrganization(options, (change) => setReach(change, contact, values));
      const isNew = reach.phone !== null && reach.verified_at === null;
      printResult(options, reach, isNew ? 'stored; enter the code with: tankwatch duty verify' : 'stored');
    });
}

export function verifyCommand(): Command {
  return writeCommand(
    'verify',
    'enter the code that a person got by text',
    'duty verify dana@example.com 123456 --organization a0gas',
  )
    .argument(...CONTACT)
    .argument('<code>', 'the code of the text')
    .addOption(organizationOption())
    .action(async (contact: string, code: string, options: Options) => {
      const keys = readApiSecretsKeys(process.env);
      const reach = await changeOrganization(options, (change) => verifyPhone(change, contact, code, keys));
      if (reach.verified_at === null)
        throw new UserError(
          `the code ${code} is wrong; look at the text again, or send another code with: tankwatch duty text`,
        );
      printResult(options, reach, `verified ${reach.phone}`);
    });
}

export function textCommand(): Command {
  return writeCommand(
    'text',
    'send a test to a person, or another code',
    'duty text dana@example.com --organization a0gas',
  )
    .argument(...CONTACT)
    .addOption(organizationOption())
    .action(async (contact: string, options: Options) => {
      const reach = await changeOrganization(options, (change) => sendTestText(change, contact));
      printResult(options, reach, 'a text is sent within seconds; see: tankwatch duty people');
    });
}

export function peopleCommand(): Command {
  return readCommand('people', 'show how people are reached', 'duty people --organization a0gas')
    .addOption(organizationOption())
    .action((options: CommonOptions & OrganizationOption) =>
      readOrganization(options, async (pool, no) =>
        printRows(
          options,
          (await listReach(pool, no)).map(({ last_text, ...reach }) => ({
            ...reach,
            last_text: last_text === null ? null : `${last_text.purpose} ${last_text.status} ${last_text.at}`,
          })),
        ),
      ),
    );
}

export function escalationsCommand(): Command {
  return readCommand('escalations', 'list escalations, those that go on first', 'duty escalations --organization a0gas')
    .addOption(organizationOption())
    .action((options: CommonOptions & OrganizationOption) =>
      readOrganization(options, async (pool, no) => {
        const list = await listEscalations(pool, no);
        printRows(
          options,
          options.json
            ? list
            : list.map(({ id, tank_name, condition, began_at, next, next_at, taken_at, ended_because, texts }) => ({
                id,
                tank: tank_name,
                condition,
                began_at,
                next,
                next_at,
                taken_at,
                ended_because,
                texts: texts.map(({ name, status }) => `${name} ${status}`).join(', '),
              })),
        );
      }),
    );
}

export function tellCommand(): Command {
  return writeCommand(
    'tell',
    'make the next step of an escalation now',
    'duty tell 01989f39-52c4-7d3a-9b17-1f0c6a2e8d55 --organization a0gas',
  )
    .argument('<escalation>', 'id of the escalation')
    .addOption(organizationOption())
    .option('--all', 'notify all people, and not only the next one')
    .action(async (id: string, options: Options & { all?: true }) => {
      const escalation = await changeOrganization(options, (change) =>
        tellNow(change, id, { all: options.all === true }),
      );
      printResult(options, escalation, 'the step is made within seconds; see: tankwatch duty escalations');
    });
}

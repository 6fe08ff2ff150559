import { Command, InvalidArgumentError, Option } from 'commander';
import { findCustomerToChange } from '../catalog/customers.ts';
import {
  type IssuedKey,
  isKey,
  issueKey,
  KEY_SCOPES,
  type KeyScope,
  listKeys,
  refuseNarrowedScopes,
  revokeKey,
  rotateKey,
} from '../keys/issue_key.ts';
import { listKeyActivity } from '../keys/key_activity.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  listCommand,
  type OrganizationOption,
  organizationNo,
  organizationOption,
  parseName,
  parseTime,
  parseWhole,
  printResult,
  printRows,
  readCommand,
  runChange,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';

type KeyOptions = WriteOptions & { quiet?: boolean };

interface CreateOptions extends KeyOptions, OrganizationOption {
  name: string;
  scope: KeyScope[];
  customer?: string;
  expires?: string;
}

export function keysCommand(): Command {
  return new Command('keys')
    .description('API keys for programs that read or change data, or send readings')
    .addCommand(createCommand())
    .addCommand(
      listCommand(
        'list the keys of an organization, without their secrets',
        'keys list --organization a0gas',
        listKeys,
      ),
    )
    .addCommand(rotateCommand())
    .addCommand(revokeCommand())
    .addCommand(activityCommand());
}

function createCommand(): Command {
  const example = 'keys create --organization a0gas --name ERP';
  return writeCommand('create', 'create a key; it is shown only once, because only a hash is stored', example)
    .addOption(organizationOption())
    .requiredOption('--name <name>', 'what the key is for, such as "ERP"', parseName(200))
    .addOption(new Option('--scope <scope...>', 'permissions of the key').choices(KEY_SCOPES).default(['read']))
    .option('--customer <customer>', 'restrict the key to one customer: id or external key')
    .option(
      '--expires <time>',
      'time at which the key expires, such as 2027-01-01T00:00:00Z or 2027-01-01',
      parseFutureTime,
    )
    .option('--quiet', 'print only the key, for scripts')
    .action((options: CreateOptions) =>
      withDatabase(async ({ pool }) => {
        if (options.customer !== undefined) refuseNarrowedScopes(options.scope);
        const isDryRun = options.dryRun === true;
        const issued = await runChange(pool, options, async (tx) => {
          const organization = await organizationNo(tx, options.organization);
          const customer =
            options.customer === undefined ? null : await findCustomerToChange(tx, organization, options.customer);
          const key = { name: options.name, scopes: options.scope, customerNo: customer?.no ?? null };
          return issueKey(
            tx,
            { ...key, organizationNo: organization, expiresAt: options.expires ?? null },
            { isDryRun },
          );
        });
        printKey(options, issued, options.expires);
      }),
    );
}

function rotateCommand(): Command {
  const example = 'keys rotate a0k7x2m9q4tp --overlap-hours 48';
  return writeCommand('rotate', 'create a new key that replaces an old one; both work during the overlap', example)
    .argument('<prefix>', 'the part of the key before the dot')
    .option('--overlap-hours <hours>', 'how long the old key still works', parseWhole(0, 9_999, 'hours'), 24)
    .option('--quiet', 'print only the new key, for scripts')
    .action((prefix: string, options: KeyOptions & { overlapHours: number }) =>
      withDatabase(async ({ pool }) => {
        const isDryRun = options.dryRun === true;
        const issued = await runChange(pool, options, (tx) =>
          rotateKey(tx, publicPart(prefix), options.overlapHours, { isDryRun }),
        );
        printKey(options, issued, issued.expiresAt ?? undefined);
      }),
    );
}

function revokeCommand(): Command {
  return writeCommand('revoke', 'revoke a key; it is refused within a second', 'keys revoke a0k7x2m9q4tp')
    .argument('<prefix>', 'the part of the key before the dot')
    .action((prefix: string, options: WriteOptions) =>
      withDatabase(async ({ pool }) => {
        await runChange(pool, options, async (tx) => {
          if (!(await revokeKey(tx, publicPart(prefix))))
            throw new UserError(`no key begins with ${publicPart(prefix)}; list them with: tankwatch keys list`);
        });
        printResult(options, { revoked: publicPart(prefix) }, `revoked ${publicPart(prefix)}`);
      }),
    );
}

function activityCommand(): Command {
  return readCommand(
    'activity',
    'show from which addresses a key was used, and when; the last minute may be missing',
    'keys activity a0k7x2m9q4tp',
  )
    .argument('[prefix]', 'the part of the key before the dot')
    .option('--organization <code>', 'all keys of this organization')
    .option('--since <time>', 'only addresses that were used since this time', parseTime)
    .action((prefix: string | undefined, options: CommonOptions & { organization?: string; since?: string }) =>
      withDatabase(async ({ pool }) => {
        if ((prefix === undefined) === (options.organization === undefined))
          throw new UserError('give either the prefix of a key or --organization.');
        const selection =
          prefix === undefined
            ? { organizationNo: await organizationNo(pool, options.organization ?? '') }
            : { prefix: publicPart(prefix) };
        if ('prefix' in selection && !(await isKey(pool, selection.prefix)))
          throw new UserError(`no key begins with ${selection.prefix}; list them with: tankwatch keys list`);
        const uses = await listKeyActivity(pool, selection, options.since ?? null);
        printRows(options, uses);
      }),
    );
}

function printKey(options: KeyOptions, { prefix, text }: IssuedKey, expiresAt?: string): void {
  if (options.quiet) console.log(text);
  else {
    const expiry = expiresAt === undefined ? '' : ` It expires at ${expiresAt}.`;
    const advice = `Store it now: it cannot be shown again.${expiry} To revoke it: tankwatch keys revoke ${prefix}`;
    const result = { prefix, key: text, ...(expiresAt === undefined ? {} : { expires_at: expiresAt }) };
    printResult(options, result, `${text}\n\n${advice}`);
  }
}

/** People paste the whole key. Only its public part is used and printed. */
const publicPart = (text: string): string => text.split('.')[0] ?? text;

function parseFutureTime(text: string): string {
  const at = parseTime(text);
  if (Date.parse(at) < Date.now()) throw new InvalidArgumentError(`${at} is in the past.`);
  return at;
}

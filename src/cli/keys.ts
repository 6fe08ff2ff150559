import { Command, InvalidArgumentError, Option } from 'commander';
import { findCustomer } from '../catalog/customers.ts';
import {
  type IssuedKey,
  issueKey,
  KEY_SCOPES,
  type KeyScope,
  listKeys,
  revokeKey,
  rotateKey,
} from '../keys/issue_key.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  change,
  hours,
  type InOrganization,
  organizationNo,
  organizationOption,
  print,
  printRows,
  readCommand,
  timeOption,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';

type Printed = WriteOptions & { quiet?: boolean };

interface CreateOptions extends Printed, InOrganization {
  name: string;
  scope: KeyScope[];
  customer?: string;
  expires?: string;
}

export function keysCommand(): Command {
  return new Command('keys')
    .description('API keys: who may read, and who may send readings')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand());
}

function createCommand(): Command {
  const example = 'keys create --organization a0gas --name ERP';
  return writeCommand('create', 'issue a key; its secret is shown this once and stored nowhere', example)
    .addOption(organizationOption())
    .requiredOption('--name <name>', 'what the key is for, such as "ERP"')
    .addOption(new Option('--scope <scope...>', 'what the key may do').choices(KEY_SCOPES).default(['read']))
    .option('--customer <customer>', 'narrow the key to this one customer, by id or external key')
    .option('--expires <time>', 'when it stops working, such as 2027-01-01T00:00:00Z', futureTime)
    .option('--quiet', 'print the key alone, for scripts')
    .action((options: CreateOptions) =>
      withDatabase(async ({ pool, config }) => {
        if (options.customer !== undefined && options.scope.includes('ingest'))
          throw new UserError('a key that sends readings does so for the whole organization; leave out --customer.');
        const issued = await change(pool, options, async (tx) => {
          const organization = await organizationNo(tx, options.organization);
          const customer =
            options.customer === undefined ? null : await findCustomer(tx, organization, options.customer);
          return issueKey(tx, config.cell, {
            organizationNo: organization,
            customerNo: customer?.no ?? null,
            name: options.name,
            scopes: options.scope,
            expiresAt: options.expires ?? null,
          });
        });
        printKey(options, issued);
      }),
    );
}

function listCommand(): Command {
  return readCommand('list', "list an organization's keys, without their secrets", 'keys list --organization a0gas')
    .addOption(organizationOption())
    .action((options: CommonOptions & InOrganization) =>
      withDatabase(async ({ pool }) => {
        const keys = await listKeys(pool, await organizationNo(pool, options.organization));
        printRows(
          options,
          keys.map((key) => ({ ...key })),
        );
      }),
    );
}

function rotateCommand(): Command {
  const example = 'keys rotate a0k7x2m9q4tp --overlap-hours 48';
  return writeCommand('rotate', 'issue a successor and let the old key live on for a while', example)
    .argument('<prefix>', 'the part of the key before the dot')
    .option('--overlap-hours <hours>', 'how long the old key still works; 0: not at all', hours, 24)
    .option('--quiet', 'print the new key alone, for scripts')
    .action((prefix: string, options: Printed & { overlapHours: number }) =>
      withDatabase(async ({ pool, config }) => {
        const issued = await change(pool, options, (tx) =>
          rotateKey(tx, config.cell, publicPart(prefix), options.overlapHours),
        );
        printKey(options, issued);
      }),
    );
}

function revokeCommand(): Command {
  return writeCommand(
    'revoke',
    'refuse a key from now on; running processes follow within a second',
    'keys revoke a0k7x2m9q4tp',
  )
    .argument('<prefix>', 'the part of the key before the dot')
    .action((prefix: string, options: WriteOptions) =>
      withDatabase(async ({ pool }) => {
        await change(pool, options, async (tx) => {
          if (!(await revokeKey(tx, publicPart(prefix))))
            throw new UserError(`no key begins with ${publicPart(prefix)}.`);
        });
        print(options, { revoked: publicPart(prefix) }, `revoked ${publicPart(prefix)}`);
      }),
    );
}

function printKey(options: Printed, { prefix, text }: IssuedKey): void {
  if (options.quiet) console.log(text);
  else
    print(
      options,
      { prefix, key: text },
      `${text}\n\nKeep it now: it cannot be shown again. To revoke it: tankwatch keys revoke ${prefix}`,
    );
}

/** People paste the whole key; only its public part is looked at, and only that is repeated. */
const publicPart = (text: string): string => text.split('.')[0] ?? text;

function futureTime(text: string): string {
  const at = timeOption(text);
  if (Date.parse(at) < Date.now()) throw new InvalidArgumentError(`${at} is in the past.`);
  return at;
}

import { Command, InvalidArgumentError, Option } from 'commander';
import {
  createOrganization,
  listOrganizations,
  type OrganizationChanges,
  updateOrganization,
} from '../catalog/organizations.ts';
import { readOrganizationSecrets, readSecretsKey } from '../config.ts';
import { type OwnSecrets, readDeviceSecret, readLinkSecret, storeOwnSecrets } from '../keys/own_secrets.ts';
import { isObject, parseJson } from '../values/json.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  organizationNo,
  printResult,
  printRows,
  readCommand,
  runChange,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';
import { inputFile } from './input_file.ts';

export function organizationsCommand(): Command {
  return new Command('organizations')
    .description('organizations: the companies that use this installation')
    .addCommand(createCommand())
    .addCommand(updateCommand())
    .addCommand(secretsCommand())
    .addCommand(
      readCommand('list', 'list all organizations', 'organizations list').action((options: CommonOptions) =>
        withDatabase(async ({ pool }) => printRows(options, await listOrganizations(pool))),
      ),
    )
    .addCommand(
      readCommand('show', 'show one organization', 'organizations show a0gas')
        .argument('<code>', 'code of the organization')
        .action((code: string, options: CommonOptions) =>
          withDatabase(async ({ pool }) => {
            const found = (await listOrganizations(pool)).filter((organization) => organization.code === code);
            if (found.length === 0)
              throw new UserError(`there is no organization ${code}; list them with: tankwatch organizations list`);
            printRows(options, found);
          }),
        ),
    );
}

function createCommand(): Command {
  return writeCommand('create', 'create an organization', 'organizations create a0gas --name "Gas del Valle"')
    .argument('<code>', 'short and public; begins with its slot, such as a0gas')
    .requiredOption('--name <name>', 'its full name')
    .option('--slot <slot>', 'the two characters that its code begins with (default: the setting SLOT)')
    .option('--secrets <file>', "its secrets from another cell, as `organizations secrets` prints them; '-' for stdin")
    .action((code: string, options: WriteOptions & { name: string; slot?: string; secrets?: string }) =>
      withDatabase(async ({ pool, config }) => {
        const slot = options.slot ?? config.slot;
        if (!/^[a-z0-9]{2}$/.test(slot)) throw new UserError(`the slot must be two lower-case letters or digits.`);
        if (!/^[a-z0-9]{3,16}$/.test(code) || !code.startsWith(slot)) {
          throw new UserError(
            `the code must be 3 to 16 lower-case letters and digits that begin with the slot ${slot}; choose another with --slot.`,
          );
        }
        const secrets = options.secrets === undefined ? undefined : await readSecretsFile(options.secrets);
        await runChange(pool, options, async (tx) => {
          const no = await createOrganization(tx, { code, name: options.name });
          if (secrets !== undefined) {
            const { secretsKey } = readSecretsKey(process.env);
            await storeOwnSecrets(tx, secretsKey, { no, code }, secrets);
          }
        });
        printResult(options, { code, name: options.name }, `created the organization ${code}`);
      }),
    );
}

function secretsCommand(): Command {
  return readCommand(
    'secrets',
    "print the secrets that an organization's device passwords and links are derived from, to move it to another cell",
    'organizations secrets a0gas --json > a0gas.secrets.json',
  )
    .argument('<code>', 'its code')
    .action((code: string, options: CommonOptions) =>
      withDatabase(async ({ pool }) => {
        const config = readOrganizationSecrets(process.env);
        const organization = { no: await organizationNo(pool, code), code };
        const secrets = {
          device_secret: await readDeviceSecret(pool, config, organization),
          link_secret: await readLinkSecret(pool, config, organization),
        };
        printResult(options, secrets, JSON.stringify(secrets));
      }),
    );
}

async function readSecretsFile(path: string): Promise<OwnSecrets> {
  const bytes = await Array.fromAsync((await inputFile(path)).chunks());
  const secrets = parseJson(Buffer.concat(bytes));
  if (isObject(secrets)) {
    const { device_secret, link_secret } = secrets;
    if (isLongSecret(device_secret) && isLongSecret(link_secret)) return { device_secret, link_secret };
  }
  throw new UserError(`${path} must hold the output of: tankwatch organizations secrets CODE --json`);
}

const isLongSecret = (value: unknown): value is string => typeof value === 'string' && value.length >= 32;

function updateCommand(): Command {
  return writeCommand('update', 'change an organization', 'organizations update a0gas --language es')
    .argument('<code>', 'code of the organization')
    .option('--name <name>', 'full name')
    .addOption(
      new Option('--language <language>', 'language of mails to its customers and contacts').choices(['en', 'es']),
    )
    .addOption(
      new Option(
        '--readings-per-second <number>',
        'quota of readings at each gateway, or "default" for GATEWAY_ORGANIZATION_READINGS_PER_SECOND',
      ).argParser(parseQuota),
    )
    .action((code: string, options: WriteOptions & OrganizationChanges) =>
      withDatabase(async ({ pool }) => {
        await runChange(pool, options, async (tx) => updateOrganization(tx, await organizationNo(tx, code), options));
        printResult(options, { code }, `changed the organization ${code}`);
      }),
    );
}

function parseQuota(text: string): number | null {
  if (text === 'default') return null;
  if (!/^[1-9]\d{0,6}$/.test(text)) {
    throw new InvalidArgumentError('Must be "default" or a whole number from 1 to 9999999.');
  }
  return Number(text);
}

import { Command } from 'commander';
import { recordCommand } from '../../catalog/audit_log.ts';
import {
  createOrganization,
  listDeletedOrganizations,
  listOrganizations,
  type MailSettings,
  readRouteTag,
} from '../../catalog/organizations.ts';
import { chooseSlot, codeFromName, listSlotNeighbors, slotOf } from '../../catalog/slots.ts';
import { listKeys } from '../../keys/issue_key.ts';
import { type OwnSecrets, readDeviceSecret, readLinkSecret, storeOwnSecrets } from '../../keys/own_secrets.ts';
import { listContactRows } from '../../mail/contacts.ts';
import { deleteOrganization } from '../../recovery/delete_organization.ts';
import { readOrganizationSecrets, readStoringSecrets } from '../../settings/command_settings.ts';
import { isObject, parseJson } from '../../values/json.ts';
import { UserError } from '../../values/user_error.ts';
import { listEndpoints } from '../../webhooks/read_webhooks.ts';
import { ask } from '../ask.ts';
import {
  type CommonOptions,
  organizationNo,
  parseName,
  printFields,
  printResult,
  printRows,
  readCommand,
  recordedCommand,
  runChange,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from '../command.ts';
import { readInput } from '../input_file.ts';
import { mailOptions } from '../options/mail.ts';
import { updateCommand } from './update.ts';

export function organizationsCommand(): Command {
  return new Command('organizations')
    .description('organizations: the companies that use this installation')
    .addCommand(createCommand())
    .addCommand(updateCommand())
    .addCommand(secretsCommand())
    .addCommand(deleteCommand())
    .addCommand(listCommand())
    .addCommand(showCommand());
}

function listCommand(): Command {
  return readCommand('list', 'list all organizations', 'organizations list')
    .option('--deleted', 'list the deleted organizations, and whether all their data is erased')
    .action((options: CommonOptions & { deleted?: boolean }) =>
      withDatabase(async ({ pool }) =>
        printRows(options, await (options.deleted ? listDeletedOrganizations(pool) : listOrganizations(pool))),
      ),
    );
}

function showCommand(): Command {
  return readCommand('show', 'show one organization with its keys, webhooks and contacts', 'organizations show a0gas')
    .argument('<code>', 'code of the organization')
    .action((code: string, options: CommonOptions) =>
      withDatabase(async ({ pool }) => {
        const no = await organizationNo(pool, code);
        const organization = (await listOrganizations(pool)).find((listed) => listed.code === code);
        const lists = {
          keys: (await listKeys(pool, no)).map((key) => ({ ...key })),
          webhooks: await listEndpoints(pool, no),
          contacts: await listContactRows(pool, no),
        };
        if (options.json) return console.log(JSON.stringify({ ...organization, ...lists }));
        printFields(options, { ...organization });
        for (const [name, rows] of Object.entries(lists)) {
          console.log(`\n${name}:`);
          printRows(options, rows);
        }
      }),
    );
}

function deleteCommand(): Command {
  return writeCommand(
    'delete',
    'delete an organization with all its customers, tanks, readings, keys, webhooks and contacts, permanently',
    'organizations delete a0gas',
  )
    .argument('<code>', 'code of the organization')
    .option('--yes', 'do not ask, for scripts')
    .addHelpText(
      'after',
      '\nAt once, its keys and devices are refused and nothing more is sent. A worker erases the rest within minutes.' +
        '\nThe code is not free again, because the passwords of devices are derived from it.',
    )
    .action((code: string, options: WriteOptions & { yes?: boolean }) =>
      withDatabase(async ({ pool }) => {
        const no = await organizationNo(pool, code);
        if (!options.yes && !options.dryRun) await askForCode(code);
        const deleted = await runChange(pool, options, (tx) => deleteOrganization(tx, no));
        const { customers, tanks, keys, webhooks, contacts } = deleted;
        printResult(
          options,
          { code, ...deleted },
          `deleted the organization ${code}: ${customers} customers, ${tanks} tanks, ${keys} keys, ${webhooks} webhooks, ` +
            `${contacts} contacts\na worker erases all data; to see whether it has finished: tankwatch organizations list --deleted`,
        );
      }),
    );
}

/** Asks the operator to type the code, because the deletion cannot be undone. */
async function askForCode(code: string): Promise<void> {
  const answer = await ask(
    `Everything of ${code} will be deleted permanently. Type its code to confirm: `,
    'standard input is not a terminal; use --yes to delete without a question.',
  );
  if (answer !== code) throw new UserError(`${answer} is not ${code}; nothing was deleted.`);
}

function createCommand(): Command {
  const example = 'organizations create a0gas --name "Gas del Valle" --language es-MX --time-zone America/Mexico_City';
  const command = writeCommand('create', 'create an organization', example);
  for (const option of mailOptions()) command.addOption(option);
  return command
    .argument('[code]', 'short and public; begins with its slot, such as a0gas (default: a free slot and its name)')
    .requiredOption('--name <name>', 'its full name', parseName(500))
    .option('--slot <slot>', 'the two characters that its code begins with (default: one of the setting SLOTS)')
    .option(
      '--secrets <file>',
      "its number and secrets in another cell, as `organizations secrets` prints them; '-' for stdin",
    )
    .action((code: string | undefined, options: CreateOptions) =>
      withDatabase(async ({ pool, config }) => {
        const { slot = '', name } = options;
        if (!/^([a-z0-9]{2})?$/.test(slot)) throw new UserError('the slot must be two lower-case letters or digits.');
        const slots = slot === '' ? config.slots : [slot];
        if (code !== undefined)
          checkCode(
            code,
            slots,
            slot === '' ? `a slot of this installation (${config.slotsText})` : `the slot ${slot}`,
          );
        const moved = options.secrets === undefined ? undefined : await readSecretsFile(options.secrets);
        const created = await runChange(pool, options, async (tx) => {
          const chosen = code ?? codeFromName(await chooseSlot(tx, slots), name);
          const no = await createOrganization(tx, {
            ...options,
            code: chosen,
            no: moved?.no,
            routeTag: moved?.route_tag,
          });
          if (moved !== undefined) {
            await storeOwnSecrets(tx, readStoringSecrets(process.env), { no, code: chosen }, moved);
          }
          return { code: chosen, neighbors: await listSlotNeighbors(tx, chosen) };
        });
        printResult(options, { code: created.code, name }, creationText(created));
      }),
    );
}

type CreateOptions = WriteOptions & MailSettings & { name: string; slot?: string; secrets?: string };

function checkCode(code: string, slots: readonly string[], beginning: string): void {
  if (/^[a-z0-9]{3,16}$/.test(code) && slots.includes(slotOf(code))) return;
  throw new UserError(
    `the code must be 3 to 16 lower-case letters and digits that begin with ${beginning}; choose another with --slot.`,
  );
}

function creationText({ code, neighbors }: { code: string; neighbors: readonly string[] }): string {
  const created = `created the organization ${code}`;
  if (neighbors.length === 0) return created;
  const others = neighbors.length > 3 ? `${neighbors.length} others` : neighbors.join(', ');
  return `${created}\nIt shares the slot ${slotOf(code)} with ${others}. They can move to another cell only together.`;
}

function secretsCommand(): Command {
  return recordedCommand(
    'secrets',
    "print an organization's number, its route tag, and the secrets that its device passwords and links are derived from, to move it to another cell",
    'organizations secrets a0gas --json > a0gas.secrets.json',
  )
    .argument('<code>', 'its code')
    .action((code: string, options: WriteOptions) =>
      withDatabase(async ({ pool }) => {
        const config = readOrganizationSecrets(process.env);
        const organization = { no: await organizationNo(pool, code), code };
        const secrets = {
          no: organization.no,
          route_tag: await readRouteTag(pool, organization.no),
          device_secret: await readDeviceSecret(pool, config, organization),
          link_secret: await readLinkSecret(pool, config, organization),
        };
        // The audit log records this, because these secrets reveal the password of every device of the organization.
        await runChange(pool, options, (tx) =>
          recordCommand(tx, {
            organizationNo: organization.no,
            object: 'organization',
            action: 'issue',
            fields: ['device_secret', 'link_secret'],
            objectNos: [organization.no],
          }),
        );
        printResult(options, secrets, JSON.stringify(secrets));
      }),
    );
}

/** The number and the route tag that an organization had in the cell that it comes from. */
interface FormerNumbers {
  /** Undefined in a file of release 0.2.0. */
  no: number | undefined;
  /** Undefined in a file of release 0.3.0. */
  route_tag: string | undefined;
}

async function readSecretsFile(path: string): Promise<OwnSecrets & FormerNumbers> {
  const secrets = parseJson(await readInput(path));
  if (isObject(secrets)) {
    const { no, route_tag, device_secret, link_secret } = secrets;
    const isKnown = (no === undefined || isNumber(no)) && (route_tag === undefined || isRouteTag(route_tag));
    if (isKnown && isLongSecret(device_secret) && isLongSecret(link_secret))
      return { no, route_tag, device_secret, link_secret };
  }
  throw new UserError(`${path} must hold the output of: tankwatch organizations secrets CODE --json`);
}

const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 31;
const isRouteTag = (value: unknown): value is string =>
  typeof value === 'string' && /^[01][a-km-np-z2-9]{3}$/.test(value);
const isLongSecret = (value: unknown): value is string => typeof value === 'string' && value.length >= 32;

import { Command, InvalidArgumentError, Option } from 'commander';
import { CONSOLE_ROLES, type ConsoleRole } from '../keys/console_roles.ts';
import { isLocalUrl } from '../oidc/issuer.ts';
import { addIssuer, type IssuerFields, listIssuers, removeIssuer, updateIssuer } from '../oidc/issuers.ts';
import { readApiSecretsKeys } from '../settings/command_settings.ts';
import { reasonOf } from '../values/error_reason.ts';
import { UserError } from '../values/user_error.ts';
import {
  changeOrganization,
  listCommand,
  type OrganizationOption,
  organizationOption,
  printResult,
  type WriteOptions,
  writeCommand,
} from './command.ts';
import { readSecretInput } from './input_file.ts';

export function issuersCommand(): Command {
  return new Command('issuers')
    .description('issuers of OpenID Connect, with which people sign in to the console')
    .addCommand(addCommand())
    .addCommand(listCommand('list the issuers of an organization', 'issuers list --organization a0gas', listIssuers))
    .addCommand(updateCommand())
    .addCommand(removeCommand());
}

interface FieldOptions {
  clientId?: string;
  clientSecretFile?: string;
  label?: string;
  domain?: string[];
  scope?: string[];
  group?: [string, ConsoleRole][];
  groupClaim?: string;
}
type ChangeOptions = WriteOptions & OrganizationOption & FieldOptions;

const fieldOptions = (command: Command): Command =>
  command
    .option('--client-secret-file <file>', 'file with the client secret; - reads it from the standard input')
    .option('--label <text>', 'text of a button on the sign-in page, for everybody; empty: no button')
    .option(
      '--domain <domain...>',
      'domains of mail addresses, such as example.com: the sign-in page offers this issuer for them, and accepts addresses in them that the issuer has verified; empty: none',
    )
    .addOption(
      new Option(
        '--group <group=role...>',
        'the role of a group, such as Dispatch=dispatcher: the issuer then sets roles at each sign-in; empty: it sets none',
      ).argParser(parseGroup),
    )
    .option('--group-claim <name>', 'claim that has the groups of a person (default: groups)')
    .option('--scope <scope...>', 'scopes to ask for beside openid, email and profile, such as groups; empty: none');

function addCommand(): Command {
  const example =
    'issuers add https://login.example.com --organization a0gas --client-id tankwatch --client-secret-file secret.txt --domain example.com';
  return fieldOptions(
    writeCommand('add', 'let people of an organization sign in with a provider of OpenID Connect', example)
      .argument('<url>', 'issuer identifier of the provider, exactly as its documentation writes it')
      .addOption(organizationOption())
      .requiredOption('--client-id <id>', 'client id that the provider has given to Tankwatch')
      .option('--no-check', 'do not ask the provider for its endpoints'),
  ).action(async (url: string, options: ChangeOptions & { clientId: string; check: boolean }) => {
    const [key = ''] = readApiSecretsKeys(process.env);
    const fields = { ...(await fieldsOf(options)), clientId: options.clientId };
    checkUrl(url);
    if (options.check) await checkProvider(url, fields);
    const { id } = await changeOrganization(options, ({ tx, organizationNo }) =>
      addIssuer(tx, organizationNo, { url, ...fields }, key),
    );
    const redirectUrl = `${process.env['PUBLIC_URL']?.replace(/\/+$/, '') || 'https://YOUR-ADDRESS'}/session/issuers/${id}/callback`;
    printResult(
      options,
      { id, redirect_url: redirectUrl },
      `added the issuer ${id}\nregister this redirect URL at the provider: ${redirectUrl}`,
    );
  });
}

function updateCommand(): Command {
  const example = 'issuers update https://login.example.com --organization a0gas --group Dispatch=dispatcher';
  return fieldOptions(
    writeCommand('update', 'change an issuer; what is not given stays', example)
      .argument('<issuer>', 'URL or id of the issuer')
      .addOption(organizationOption())
      .option('--client-id <id>', 'client id that the provider has given to Tankwatch'),
  ).action(async (reference: string, options: ChangeOptions) => {
    const [key = ''] = readApiSecretsKeys(process.env);
    const fields = await fieldsOf(options);
    if (Object.keys(fields).length === 0)
      throw new UserError('give what to change, such as --domain or --client-secret-file.');
    const { id } = await changeOrganization(options, ({ tx, organizationNo }) =>
      updateIssuer(tx, organizationNo, reference, fields, key),
    );
    printResult(options, { id }, `changed the issuer ${id}`);
  });
}

function removeCommand(): Command {
  const example = 'issuers remove https://login.example.com --organization a0gas';
  return writeCommand('remove', 'remove an issuer, and end the access of its people within a second', example)
    .argument('<issuer>', 'URL or id of the issuer')
    .addOption(organizationOption())
    .option(
      '--keep-roles',
      'its people keep their roles and sign in by mail, also those who were removed at the issuer',
    )
    .action(async (reference: string, options: WriteOptions & OrganizationOption & { keepRoles?: boolean }) => {
      const keepsRoles = options.keepRoles === true;
      const { id, people } = await changeOrganization(options, ({ tx, organizationNo }) =>
        removeIssuer(tx, organizationNo, reference, { keepsRoles }),
      );
      const rest = keepsRoles ? 'can sign in by mail' : 'no longer have a role';
      printResult(options, { id, people }, `removed the issuer ${id}; its people (${people}) ${rest}`);
    });
}

async function fieldsOf(options: FieldOptions): Promise<IssuerFields> {
  const { clientId, clientSecretFile: file, label, domain, scope, group, groupClaim } = options;
  const withoutEmpty = (texts: string[] | undefined): string[] | undefined => texts?.filter((text) => text !== '');
  const domains = withoutEmpty(domain)?.map((name) => name.toLowerCase());
  const badDomain = domains?.find((name) => !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name));
  if (badDomain !== undefined) throw new UserError(`--domain must be a domain such as example.com, not ${badDomain}.`);
  const clientSecret = file === undefined ? undefined : await readSecretInput(file);
  return {
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(label !== undefined && { label: label.trim() || null }),
    ...(domains && { domains }),
    ...(scope && { scopes: withoutEmpty(scope) ?? [] }),
    ...(group && { groupRoles: groupRolesOf(group) }),
    ...(groupClaim !== undefined && { groupClaim }),
  };
}

/** Commander calls this function for each value, with the groups of the previous values. */
function parseGroup(value: string, before: [string, ConsoleRole][] = []): [string, ConsoleRole][] {
  if (value === '') return before;
  const separator = value.lastIndexOf('=');
  const role = CONSOLE_ROLES.find((name) => name === value.slice(separator + 1));
  if (separator < 1 || role === undefined)
    throw new InvalidArgumentError(
      `Must be a group and a role (${CONSOLE_ROLES.join(', ')}), such as Dispatch=dispatcher.`,
    );
  return [...before, [value.slice(0, separator), role]];
}

/** A group that is given twice has both roles. */
function groupRolesOf(pairs: readonly [string, ConsoleRole][]): Record<string, ConsoleRole[]> {
  const byGroup = Map.groupBy(pairs, ([group]) => group);
  return Object.fromEntries([...byGroup].map(([group, ofGroup]) => [group, ofGroup.map(([, role]) => role)]));
}

function checkUrl(url: string): void {
  const parsed = URL.parse(url);
  if (
    parsed === null ||
    parsed.search !== '' ||
    parsed.hash !== '' ||
    (parsed.protocol !== 'https:' && !isLocalUrl(url))
  )
    throw new UserError(
      `the issuer must be a URL that begins with https://, such as https://login.example.com, not ${url}.`,
    );
}

/** openid-client is loaded only here: other commands start without it. */
async function checkProvider(url: string, { clientId, clientSecret = null }: IssuerFields & { clientId: string }) {
  const { discover } = await import('../oidc/provider_sign_in.ts');
  await discover({ url, clientId, clientSecret }).catch((error: unknown) => {
    throw new UserError(
      `${url} cannot be used as an issuer: ${reasonOf(error)}. With --no-check, the issuer is added anyway.`,
    );
  });
}

import { Command, InvalidArgumentError, Option } from 'commander';
import {
  createConnector,
  findAddressProblem,
  MAX_BACKFILL_DAYS,
  removeConnector,
  updateConnector,
} from '../../connectors/connector_changes.ts';
import { CONNECTOR_KINDS, type ConnectorKind } from '../../connectors/connector_settings.ts';
import { existingConnector, listConnectors } from '../../connectors/connectors.ts';
import { readConnectorAddresses, readSecretsKeys } from '../../settings/command_settings.ts';
import { parseJson } from '../../values/json.ts';
import { UserError } from '../../values/user_error.ts';
import {
  changeOrganization,
  listCommand,
  type OrganizationOption,
  organizationOption,
  parseWhole,
  printFields,
  printResult,
  readCommand,
  readOrganization,
  type WriteOptions,
  writeCommand,
} from '../command.ts';
import { readSecretInput } from '../input_file.ts';
import { CONNECTOR, devicesCommand, EXAMPLE, type ReadOptions, tryCommand } from './ask_source.ts';

type Options = WriteOptions & OrganizationOption;

export function connectorsCommand(): Command {
  return new Command('connectors')
    .description('connectors: clouds and brokers that are asked for readings')
    .addCommand(addCommand())
    .addCommand(
      listCommand('list the connectors of an organization', 'connectors list --organization a0gas', async (db, no) =>
        (await listConnectors(db, no)).map(({ name, kind, state, last_success_at, devices, tanks, last_error }) => ({
          name,
          kind,
          state,
          last_success_at,
          devices,
          tanks,
          last_error,
        })),
      ),
    )
    .addCommand(showCommand())
    .addCommand(changeCommand())
    .addCommand(tryCommand())
    .addCommand(pauseCommand('pause'))
    .addCommand(pauseCommand('resume'))
    .addCommand(removeCommand())
    .addCommand(devicesCommand());
}

const settingsOption = (): Option =>
  new Option('--settings <json>', 'settings of the kind as JSON, as docs/operators/sources.md describes').argParser(
    parseSettingsText,
  );
const secretOption = (): Option =>
  new Option(
    '--secret-file <file>',
    'file with the key or password of the account at the source; - reads it from the standard input',
  );

function parseSettingsText(given: string): unknown {
  const settings = parseJson(given);
  if (settings === undefined) throw new InvalidArgumentError('Not valid JSON.');
  return settings;
}

async function assertAllowed(kind: ConnectorKind, settings: unknown): Promise<void> {
  const problem = await findAddressProblem(kind, settings, readConnectorAddresses(process.env));
  if (problem === 'the host has a private address')
    throw new UserError(
      `${problem}, and connectors do not ask there; give a public address, or set CONNECTOR_ALLOW_PRIVATE=true for the connector, the api and this command.`,
    );
  if (problem !== undefined) throw new UserError(`the settings cannot be used: ${problem}.`);
}

function addCommand(): Command {
  return writeCommand(
    'add',
    'ask a source for readings from now on, and for those of the last days',
    'connectors add Otodata --organization a0gas --kind otodata --secret-file key.txt',
  )
    .argument('<name>', 'a name for the connector')
    .addOption(organizationOption())
    .addOption(new Option('--kind <kind>', 'what is asked').choices([...CONNECTOR_KINDS]).makeOptionMandatory())
    .addOption(settingsOption().default({}))
    .addOption(secretOption())
    .option('--days <n>', 'how far back readings are read', parseWhole(0, MAX_BACKFILL_DAYS, 'days'), 30)
    .option('--paused', 'do not ask the source until: tankwatch connectors resume')
    .action(
      async (
        name: string,
        options: Options & {
          kind: ConnectorKind;
          settings: unknown;
          secretFile?: string;
          days: number;
          paused?: boolean;
        },
      ) => {
        const { kind, settings, days, paused = false } = options;
        const { secretsKey } = readSecretsKeys(process.env);
        await assertAllowed(kind, settings);
        const secret = options.secretFile === undefined ? undefined : await readSecretInput(options.secretFile);
        const { id } = await changeOrganization(options, (change) =>
          createConnector(change, { kind, name, settings, secret, days }, secretsKey, { isPaused: paused }),
        );
        const show = `tankwatch connectors show ${id} --organization ${options.organization}`;
        printResult(options, { id }, `added the connector ${id}; see: ${show}`);
      },
    );
}

function changeCommand(): Command {
  return writeCommand(
    'change',
    'give a connector another key, name or settings',
    `connectors change ${EXAMPLE} --secret-file key.txt`,
  )
    .argument(...CONNECTOR)
    .addOption(organizationOption())
    .option('--name <name>', 'another name')
    .addOption(settingsOption())
    .addOption(secretOption())
    .action(
      async (reference: string, options: Options & { name?: string; settings?: unknown; secretFile?: string }) => {
        const { secretsKey } = readSecretsKeys(process.env);
        const { name, settings, secretFile } = options;
        if (settings !== undefined)
          await readOrganization(options, async (pool, no) => {
            const { object } = await existingConnector(pool, no, reference);
            await assertAllowed(object.kind, settings);
          });
        const secret = secretFile === undefined ? undefined : await readSecretInput(secretFile);
        const changes = {
          ...(name !== undefined && { name }),
          ...(settings !== undefined && { settings }),
          ...(secret !== undefined && { secret }),
        };
        if (Object.keys(changes).length === 0)
          throw new UserError('give what to change: --name, --settings or --secret-file.');
        const { id } = await changeOrganization(options, (change) =>
          updateConnector(change, reference, changes, secretsKey),
        );
        printResult(options, { id }, `changed the connector ${id}; it is asked at once`);
      },
    );
}

function showCommand(): Command {
  return readCommand('show', 'show a connector and its state, without its secret', `connectors show ${EXAMPLE}`)
    .argument(...CONNECTOR)
    .addOption(organizationOption())
    .action((reference: string, options: ReadOptions) =>
      readOrganization(options, async (pool, no) =>
        printFields(options, { ...(await existingConnector(pool, no, reference)).object }),
      ),
    );
}

function pauseCommand(verb: 'pause' | 'resume'): Command {
  const paused = verb === 'pause';
  const description = paused
    ? 'stop asking a source; its devices are not reported as silent'
    : 'ask a source again, also one whose key was refused';
  return writeCommand(verb, description, `connectors ${verb} ${EXAMPLE}`)
    .argument(...CONNECTOR)
    .addOption(organizationOption())
    .action(async (reference: string, options: Options) => {
      const { id } = await changeOrganization(options, (change) => updateConnector(change, reference, { paused }, ''));
      printResult(options, { id, paused }, `${paused ? 'paused' : 'resumed'} the connector ${id}`);
    });
}

function removeCommand(): Command {
  return writeCommand('remove', 'remove a connector and its secret; readings stay', `connectors remove ${EXAMPLE}`)
    .argument(...CONNECTOR)
    .addOption(organizationOption())
    .action(async (reference: string, options: Options) => {
      const { id } = await changeOrganization(options, (change) => removeConnector(change, reference));
      printResult(options, { id, removed: true }, `removed the connector ${id}`);
    });
}

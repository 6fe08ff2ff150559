import type { Command } from 'commander';
import type { Pool } from 'pg';
import { proposeTanks } from '../../connectors/cloud_devices.ts';
import { openConnectorSecret } from '../../connectors/connector_secrets.ts';
import { isCloud, isWeather, parseSettings } from '../../connectors/connector_settings.ts';
import { existingConnector } from '../../connectors/connectors.ts';
import { jsonSourceOf } from '../../connectors/json_source.ts';
import { requestPace } from '../../connectors/request_pace.ts';
import { SourceClient, SourceError, sourceAgent } from '../../connectors/source_client.ts';
import { SourceReader } from '../../connectors/source_reader.ts';
import { type TriedSource, trySource } from '../../connectors/try_connector.ts';
import { onlyRow } from '../../db/only_row.ts';
import { transaction } from '../../db/pool.ts';
import { readOrganizationGauges } from '../../gauges/gauge_rows.ts';
import { OrganizationGauges } from '../../gauges/selection.ts';
import { readConnectorAddresses, readSecretsKeys } from '../../settings/command_settings.ts';
import { csvLine } from '../../values/csv.ts';
import { amount } from '../../values/text_format.ts';
import { UserError } from '../../values/user_error.ts';
import {
  type CommonOptions,
  type OrganizationOption,
  organizationOption,
  printResult,
  printRows,
  readCommand,
  readOrganization,
} from '../command.ts';

export type ReadOptions = CommonOptions & OrganizationOption;

export const CONNECTOR = ['<connector>', 'name or id of the connector'] as const;
export const EXAMPLE = 'Otodata --organization a0gas';

/** Reads the settings, the secret and the gauges with which a source is asked. */
async function readSource(db: Pool, organization: number, reference: string): Promise<TriedSource> {
  const { secretsKeys } = readSecretsKeys(process.env);
  const { no, object } = await existingConnector(db, organization, reference);
  const settings = parseSettings(object.kind, object.settings);
  if (typeof settings === 'string')
    throw new UserError(
      `the settings cannot be used: ${settings}; change them with: tankwatch connectors change ${reference} --settings`,
    );
  const { rows } = await db.query<{ sealed_secret: string | null }>(
    'select sealed_secret from connectors where no = $1',
    [no],
  );
  const secret = openConnectorSecret(secretsKeys, object.id, onlyRow(rows).sealed_secret);
  const gauges = await transaction(db, (tx) => readOrganizationGauges(tx, [organization]));
  return {
    organizationNo: organization,
    settings,
    secret,
    gauges: gauges.get(organization) ?? new OrganizationGauges(),
  };
}

export function tryCommand(): Command {
  return readCommand(
    'try',
    'ask a source once and show what it answers; nothing is stored',
    `connectors try ${EXAMPLE}`,
  )
    .argument(...CONNECTOR)
    .addOption(organizationOption())
    .action((reference: string, options: ReadOptions) =>
      readOrganization(options, async (pool, organization) => {
        const tried = await readSource(pool, organization, reference);
        const addresses = readConnectorAddresses(process.env);
        const agent = sourceAgent(addresses);
        const trial = await trySource(pool, tried, { agent, addresses, pace: requestPace }).finally(
          () => void agent.destroy(),
        );
        if (!trial.works) process.exitCode = 1;
        printResult(options, trial, describeTrial(trial, tried.settings));
      }),
    );
}

function describeTrial(trial: Awaited<ReturnType<typeof trySource>>, settings: TriedSource['settings']): string {
  if (!trial.works) return `does NOT work: ${trial.error}`;
  if (isWeather(settings))
    return `works: ${amount(trial.devices, 'places')} of tanks asked, ${amount(trial.readings, 'temperatures')}; nothing was stored`;
  if (settings.kind === 'home_assistant')
    return `works: ${amount(trial.devices, 'tanks')} can be published; nothing was published`;
  return `works: ${amount(trial.devices, 'devices')} found, ${trial.devices_on_tanks} of them on tanks, ${amount(trial.readings, 'readings')}; nothing was stored`;
}

export function devicesCommand(): Command {
  return readCommand(
    'devices',
    'list the devices of a cloud as a proposal of customers and tanks: complete the file, then import it with `tankwatch tanks import`',
    `connectors devices ${EXAMPLE} --csv`,
  )
    .argument(...CONNECTOR)
    .addOption(organizationOption())
    .option('--csv', 'print CSV, of devices that are on no tank yet')
    .action((reference: string, options: ReadOptions & { csv?: boolean }) =>
      readOrganization(options, async (pool, organization) => {
        const { settings, secret, gauges } = await readSource(pool, organization, reference);
        if (!isCloud(settings))
          throw new UserError(`a source of the kind ${settings.kind} does not list devices; only clouds do.`);
        const source = jsonSourceOf(settings);
        const addresses = readConnectorAddresses(process.env);
        const agent = sourceAgent(addresses);
        const client = new SourceClient({ agent, addresses, source, secret, beforeRequest: requestPace(source) });
        const proposed = await proposeTanks(pool, organization, {
          source,
          client,
          reader: new SourceReader(client, source, gauges),
        })
          .catch((error: unknown) => {
            throw error instanceof SourceError ? new UserError(`${error.message}.`) : error;
          })
          .finally(() => void agent.destroy());
        if (options.csv !== true) return printRows(options, proposed);
        const missing = proposed.filter(({ on_tank: tank }) => tank === null);
        const columns = Object.keys(proposed[0] ?? {}).filter((column) => column !== 'on_tank');
        console.log(
          [columns, ...missing.map((row) => columns.map((column) => row[column] ?? ''))]
            .map((row) => csvLine(row).trimEnd())
            .join('\n'),
        );
      }),
    );
}
